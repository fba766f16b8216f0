#pragma once

#include <cstdint>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The file ranges of an ELF file that are mapped read-only and hold data, in file order: LOAD
/// segments without W and X; where there is none such (older linkers), those without W.
/// `head`: the file's first bytes. Where the program headers are not in it, everything is a range:
/// looking at too much is harmless here.
[[nodiscard]] std::vector<ByteRange> read_only_ranges(Bytes head);

}  // namespace wheelcheck
