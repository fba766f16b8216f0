#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "verifier/core/bytes.h"
#include "verifier/cuda/facts.h"

namespace wheelcheck {

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
  /// (size 0: unknown); containers outside it are dropped, and an extent without containers is
  /// reported in `unknown`.
  [[nodiscard]] FatbinFacts finish(std::uint64_t section_offset, std::uint64_t section_size);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelcheck
