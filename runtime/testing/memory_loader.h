// A data loader over bytes of a test, which are copied to an aligned place with nothing behind
// them, so that a sanitizer sees what reads too far. It counts what is asked of it, and can
// misbehave.

#pragma once

#include <cstring>
#include <executorch/runtime/core/data_loader.h>
#include <mutex>
#include <vector>

#include "runtime/testing/aligned_bytes.h"

namespace executorch::runtime::testing {

class MemoryLoader final : public DataLoader {
 public:
  struct Part {
    std::size_t offset;
    std::size_t size;
    SegmentInfo info;
  };

  explicit MemoryLoader(const Bytes& bytes) : bytes_(bytes) {}

  Result<FreeableBuffer> load(std::size_t offset, std::size_t size,
                              const SegmentInfo& info) const override {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return Error::InvalidArgument;
    if (count({offset, size, info}) > fail_after) return Error::AccessFailed;
    return FreeableBuffer(bytes_.view().data() + offset, truncate ? size / 2 : size, nullptr);
  }
  Error load_into(std::size_t offset, std::size_t size, const SegmentInfo& info,
                  void* destination) const override {
    if (!can_load_into) return Error::NotImplemented;
    if (offset > bytes_.size() || size > bytes_.size() - offset) return Error::InvalidArgument;
    count({offset, size, info});
    std::memcpy(destination, bytes_.view().data() + offset, size);
    return Error::Ok;
  }
  Result<std::size_t> size() const override { return bytes_.size(); }

  /// What was loaded, in order.
  mutable std::vector<Part> loads;
  /// Later calls of load() are refused.
  std::size_t fail_after = ~std::size_t{0};
  /// Gives half of what was asked for.
  bool truncate = false;
  bool can_load_into = true;

 private:
  std::size_t count(const Part& part) const {
    const std::lock_guard lock(mutex_);
    loads.push_back(part);
    return loads.size();
  }

  AlignedBytes bytes_;
  mutable std::mutex mutex_;  ///< methods may be loaded on several threads
};

}  // namespace executorch::runtime::testing
