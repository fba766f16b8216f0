// Memory for the time of a kernel's call that is kept for the next one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch::extension::internal {

/// Hands out pieces of one block. What doesn't fit gets a block of its own, and after the next
/// reset the one block is large enough for all, so that a method that is run again needs no
/// malloc().
class TemporaryArena final : public runtime::MemoryAllocator {
 public:
  TemporaryArena() : MemoryAllocator(0, nullptr) {}
  ~TemporaryArena() override;
  TemporaryArena(const TemporaryArena&) = delete;
  TemporaryArena& operator=(const TemporaryArena&) = delete;

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;
  void reset() override;

 private:
  // In front of a block that did not fit.
  struct Extra {
    Extra* before;
  };

  void* allocate_extra(size_t size, size_t alignment);
  void free_extra();

  uint8_t* block_ = nullptr;
  size_t block_size_ = 0;
  size_t used_ = 0;
  size_t extra_size_ = 0;
  Extra* extra_ = nullptr;
};

}  // namespace executorch::extension::internal
