#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <new>

namespace executorch::extension {

/// An allocator on malloc(), without a limit of its own. Small pieces share blocks, since a method
/// asks for many of them.
class MallocMemoryAllocator : public runtime::MemoryAllocator {
 public:
  MallocMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  ~MallocMemoryAllocator() override { release(); }
  MallocMemoryAllocator(const MallocMemoryAllocator&) = delete;
  MallocMemoryAllocator& operator=(const MallocMemoryAllocator&) = delete;

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (!isPowerOf2(alignment)) {
      ET_LOG(Error, "Alignment %zu is not a power of two.", alignment);
      return nullptr;
    }
    if (size <= kMaxSharing && alignment <= kMaxSharing) {
      if (void* const piece = take(size, alignment)) {
        return piece;
      }
      if (uint8_t* const block = add_block(kSharedBlock)) {
        next_ = block;
        end_ = block + kSharedBlock;
        return take(size, alignment);
      }
      return nullptr;
    }
    const auto bytes = utils::get_aligned_size(size, alignment);
    uint8_t* const block = bytes.ok() ? add_block(*bytes) : nullptr;
    return block == nullptr ? nullptr : alignPointer(block, alignment);
  }

  void reset() override { release(); }

 private:
  // In front of each block; as aligned as malloc() is.
  struct alignas(std::max_align_t) Block {
    Block* before;
  };

  static constexpr size_t kSharedBlock = 4096 - sizeof(Block) - 2 * sizeof(void*);
  static constexpr size_t kMaxSharing = 512;

  // A piece of the shared block; null when there is no room.
  void* take(size_t size, size_t alignment) {
    const size_t padding =
        static_cast<size_t>(-reinterpret_cast<uintptr_t>(next_)) & (alignment - 1);
    // Even a piece of no bytes has an address of its own.
    const size_t needed = padding + (size == 0 ? 1 : size);
    if (needed > static_cast<size_t>(end_ - next_)) {
      return nullptr;
    }
    uint8_t* const piece = next_ + padding;
    next_ += needed;
    return piece;
  }

  // Room for `size` bytes; null, after a message, when there is none.
  uint8_t* add_block(size_t size) {
    size_t bytes = 0;
    void* const memory =
        __builtin_add_overflow(size, sizeof(Block), &bytes) ? nullptr : std::malloc(bytes);
    if (memory == nullptr) {
      ET_LOG(Error, "malloc() has no %zu bytes.", size);
      return nullptr;
    }
    last_ = new (memory) Block{last_};
    return reinterpret_cast<uint8_t*>(last_ + 1);
  }

  void release() {
    while (last_ != nullptr) {
      Block* const block = last_;
      last_ = block->before;
      std::free(block);
    }
    next_ = nullptr;
    end_ = nullptr;
  }

  Block* last_ = nullptr;
  // What is left of the shared block.
  uint8_t* next_ = nullptr;
  uint8_t* end_ = nullptr;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace torch::executor::util
