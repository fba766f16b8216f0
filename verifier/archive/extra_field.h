#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verifier/core/bytes.h"

namespace wheelcheck {

/// What matters of the extra field of a local or central header.
struct ExtraField {
  std::optional<Bytes> zip64;  ///< payload of the first zip64 block
  bool names_another = false;  ///< a Unicode path block that is in force
  std::string damage;          ///< why it is not well-formed; empty: it is
};

/// `name`: the header's own name, to tell whether a Unicode path block is in force and differs.
[[nodiscard]] ExtraField parse_extra_field(Bytes extra, Bytes name);

/// Which 32-bit fields of a header are saturated, so that the zip64 block holds them.
struct Zip64Wants {
  bool size = false;
  bool compressed_size = false;
  bool header_offset = false;
  bool disk = false;
  [[nodiscard]] std::uint64_t bytes() const {
    return (size ? 8U : 0U) + (compressed_size ? 8U : 0U) + (header_offset ? 8U : 0U) +
           (disk ? 4U : 0U);
  }
};

struct Zip64Values {
  std::uint64_t size = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t header_offset = 0;
};

/// Replaces what `wants` asks for in `values`. False: the block is too short.
[[nodiscard]] bool read_zip64(Bytes block, const Zip64Wants& wants, Zip64Values& values);

}  // namespace wheelcheck
