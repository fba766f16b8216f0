#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"
#include "verifier/foreign/facts.h"

namespace wheelcheck {

// LIEF never says that a file is bad: of a truncated one it returns what it could get. So the
// structure is checked here first, and what is counted here must come back from LIEF.

/// One slice of a Mach-O file.
struct MachOSlice {
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t size = 0;
  std::string machine;
  ForeignKind kind = ForeignKind::other;
  // What LIEF must find, or it has lost something:
  std::uint32_t commands = 0;
  std::uint32_t libraries = 0;  ///< without LC_ID_DYLIB
  std::uint32_t rpaths = 0;
  bool has_identity = false;
};

/// Slices of a thin or universal Mach-O, each checked: header, load commands and their strings,
/// segments inside the slice; slices inside the file and not overlapping.
[[nodiscard]] Result<std::vector<MachOSlice>> outline_mach_o(const std::string& where, Bytes file);

/// What a PE's headers say.
struct PeOutline {
  std::string machine;
  ForeignKind kind = ForeignKind::other;
  std::uint32_t imports = 0;        ///< descriptors in the import directory
  std::uint32_t delay_imports = 0;  ///< descriptors in the delay import directory
};

/// Checks headers, section table, section data and import directories.
[[nodiscard]] Result<PeOutline> outline_pe(const std::string& where, Bytes file);

}  // namespace wheelcheck
