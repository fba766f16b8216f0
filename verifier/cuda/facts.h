#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wheelcheck {

enum class DeviceCodeKind : std::uint8_t { ptx, cubin, other };

/// One entry of a fat binary.
struct DeviceCode {
  DeviceCodeKind kind = DeviceCodeKind::other;
  std::uint16_t raw_kind = 0;
  std::uint32_t arch = 0;    ///< 90 for sm_90 / compute_90
  char variant = '\0';       ///< 'a' or 'f' for sm_90a, sm_120f, where the entry tells
  std::uint64_t offset = 0;  ///< of the entry, in the file
  std::uint64_t size = 0;    ///< payload bytes as stored
  bool compressed = false;
  std::string toolkit;  ///< "13.0" from the payload's own text; empty: not readable
};

/// Device code found in a file.
struct FatbinFacts {
  std::uint32_t containers = 0;
  /// Well-formed containers outside the sections of device code, where those are known. They are
  /// data that the program may or may not load, and not among `entries`.
  std::uint32_t containers_elsewhere = 0;
  std::vector<DeviceCode>
      entries;  ///< folded: identical (kind, arch, variant, toolkit) once, see counts
  std::vector<std::uint32_t> counts;  ///< how often each of `entries` occurs
  std::vector<std::string>
      unknown;  ///< layouts that were not understood, with offsets: never "absent"
  [[nodiscard]] bool any() const { return containers != 0 || !unknown.empty(); }
};

}  // namespace wheelcheck
