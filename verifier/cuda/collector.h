#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "verifier/core/bytes.h"
#include "verifier/cuda/facts.h"

namespace wheelcheck {

/// A section that holds device code: ".nv_fatbin", or "__nv_relfatbin" in files that are still to
/// be linked for the device.
[[nodiscard]] bool is_fatbin_section(std::string_view name);

/// A range of bytes of a file.
struct FatbinExtent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Walks the fat binaries of a file that streams past once. Finds containers by their magic at
/// 8-byte aligned offsets, skips payloads, and never needs the section table.
class FatbinCollector {
 public:
  explicit FatbinCollector(std::string where);
  ~FatbinCollector();
  FatbinCollector(FatbinCollector&&) noexcept;
  FatbinCollector& operator=(FatbinCollector&&) noexcept;

  void consume(Bytes chunk);
  /// True while the stream is inside a container's payload: other scanners may skip those bytes.
  [[nodiscard]] bool inside_container() const;
  /// After the last byte. `section_offset`/`section_size`: extent of .nv_fatbin where known
  /// (size 0: unknown). Containers outside it are only counted, and an extent without containers
  /// is reported in `unknown`.
  [[nodiscard]] FatbinFacts finish(std::uint64_t section_offset, std::uint64_t section_size);
  /// The same for files with several such sections; an empty list: none is known.
  [[nodiscard]] FatbinFacts finish(std::span<const FatbinExtent> sections);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelcheck
