#include "runtime/module/temporary_arena.h"

#include <cstdlib>
#include <executorch/runtime/platform/log.h>
#include <new>

namespace executorch::extension::internal {

TemporaryArena::~TemporaryArena() {
  free_extra();
  std::free(block_);
}

void* TemporaryArena::allocate(size_t size, size_t alignment) {
  if (!isPowerOf2(alignment)) {
    ET_LOG(Error, "Alignment %zu is not a power of two.", alignment);
    return nullptr;
  }
  if (block_ != nullptr) {
    const auto address = reinterpret_cast<uintptr_t>(block_ + used_);
    const size_t padding = static_cast<size_t>(-address & (alignment - 1));
    const size_t left = block_size_ - used_;
    if (padding <= left && size <= left - padding) {
      uint8_t* const piece = block_ + used_ + padding;
      used_ += padding + size;
      return piece;
    }
  }
  return allocate_extra(size, alignment);
}

void* TemporaryArena::allocate_extra(size_t size, size_t alignment) {
  size_t bytes = 0;
  void* memory = nullptr;
  if (!__builtin_add_overflow(size, sizeof(Extra) + alignment - 1, &bytes)) {
    memory = std::malloc(bytes);
  }
  if (memory == nullptr) {
    ET_LOG(Error, "malloc() has no %zu bytes at alignment %zu.", size, alignment);
    return nullptr;
  }
  extra_ = new (memory) Extra{extra_};
  extra_size_ += bytes;
  return alignPointer(extra_ + 1, alignment);
}

void TemporaryArena::free_extra() {
  while (extra_ != nullptr) {
    Extra* const block = extra_;
    extra_ = block->before;
    std::free(block);
  }
}

void TemporaryArena::reset() {
  if (extra_ != nullptr) {
    free_extra();
    const size_t wanted = used_ + extra_size_;
    extra_size_ = 0;
    std::free(block_);
    block_ = static_cast<uint8_t*>(std::malloc(wanted));
    // Without it every piece is allocated by itself again.
    block_size_ = block_ == nullptr ? 0 : wanted;
  }
  used_ = 0;
}

}  // namespace executorch::extension::internal
