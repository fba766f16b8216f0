#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/platform.h>
#include <new>

namespace executorch::runtime::internal {

/// An allocator on the platform's memory, without a limit of its own.
class PlatformMemoryAllocator final : public MemoryAllocator {
 public:
  PlatformMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  ~PlatformMemoryAllocator() override { reset(); }
  PlatformMemoryAllocator(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator& operator=(const PlatformMemoryAllocator&) = delete;

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (!isPowerOf2(alignment)) {
      ET_LOG(Error, "Alignment %zu is not a power of two.", alignment);
      return nullptr;
    }
    size_t bytes = 0;
    void* memory = nullptr;
    if (!__builtin_add_overflow(size, sizeof(Node) + alignment - 1, &bytes)) {
      memory = pal_allocate(bytes);
    }
    if (memory == nullptr) {
      ET_LOG(Error, "The platform has no %zu bytes at alignment %zu.", size, alignment);
      return nullptr;
    }
    last_ = new (memory) Node{last_};
    return alignPointer(last_ + 1, alignment);
  }

  void reset() override {
    while (last_ != nullptr) {
      Node* const node = last_;
      last_ = node->before;
      pal_free(node);
    }
  }

 private:
  // In front of each piece.
  struct Node {
    Node* before;
  };

  Node* last_ = nullptr;
};

}  // namespace executorch::runtime::internal
