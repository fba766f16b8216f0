#pragma once

#include <cstddef>
#include <cstdlib>
#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <vector>

namespace executorch::extension {

/// An allocator on malloc(), without a limit of its own.
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
    const auto bytes = utils::get_aligned_size(size, alignment);
    if (!bytes.ok()) {
      return nullptr;
    }
    // malloc(0) may be null, which would read as a failure.
    void* const memory = std::malloc(*bytes == 0 ? 1 : *bytes);
    if (memory == nullptr) {
      ET_LOG(Error, "malloc() has no %zu bytes.", *bytes);
      return nullptr;
    }
    pieces_.push_back(memory);
    return alignPointer(memory, alignment);
  }

  void reset() override { release(); }

 private:
  void release() {
    for (void* const piece : pieces_) {
      std::free(piece);
    }
    pieces_.clear();
  }

  std::vector<void*> pieces_;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace torch::executor::util
