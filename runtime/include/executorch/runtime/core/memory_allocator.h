#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/profiler.h>

namespace executorch::runtime {

/// Hands out pieces of one buffer and takes all of them back at once. Subclasses get their memory
/// elsewhere. Not thread-safe.
class ET_API MemoryAllocator {
 public:
  static constexpr size_t kDefaultAlignment = alignof(void*);

  /// `base_address` is the buffer of `size` bytes, which someone else owns.
  MemoryAllocator(uint32_t size, uint8_t* base_address)
      : begin_(base_address), end_(base_address), current_(base_address), size_(size) {
    ET_CHECK_MSG(base_address != nullptr || size == 0, "null buffer of %" PRIu32 " bytes", size);
    if (base_address != nullptr) {
      ET_CHECK_MSG(size <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(base_address),
                   "buffer of %" PRIu32 " bytes wraps around the address space", size);
      end_ = base_address + size;
    }
  }
  virtual ~MemoryAllocator() = default;

  /// `size` bytes at a multiple of `alignment`, a power of two. Null, after a message, when there
  /// are no more. They are not cleared.
  virtual void* allocate(size_t size, size_t alignment = kDefaultAlignment) {
    if ET_UNLIKELY (begin_ == nullptr) {
      ET_LOG(Error, "An allocator without memory was asked for %zu bytes.", size);
      return nullptr;
    }
    if ET_UNLIKELY (!isPowerOf2(alignment)) {
      ET_LOG(Error, "Alignment %zu is not a power of two.", alignment);
      return nullptr;
    }
    const uintptr_t address = reinterpret_cast<uintptr_t>(current_);
    const size_t padding = static_cast<size_t>(-address & (alignment - 1));
    const size_t available = static_cast<size_t>(end_ - current_);
    if ET_UNLIKELY (padding > available || size > available - padding) {
      ET_LOG(Error, "An allocator of %" PRIu32 " bytes has %zu left, %zu were asked for.", size_,
             available, size);
      return nullptr;
    }
    uint8_t* const start = current_ + padding;
    current_ = start + size;
    return start;
  }

  /// Room for one T; not constructed.
  template <typename T>
  T* allocateInstance(size_t alignment = alignof(T)) {
    return static_cast<T*>(this->allocate(sizeof(T), alignment));
  }

  /// Room for `size` objects; not constructed.
  template <typename T>
  T* allocateList(size_t size, size_t alignment = alignof(T)) {
    size_t bytes = 0;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    if (__builtin_mul_overflow(size, sizeof(T), &bytes)) {
      // NOLINTNEXTLINE(bugprone-sizeof-expression)
      ET_LOG(Error, "A list of %zu objects of %zu bytes is too long.", size, sizeof(T));
      return nullptr;
    }
    return static_cast<T*>(this->allocate(bytes, alignment));
  }

  virtual uint8_t* base_address() const { return begin_; }
  virtual uint32_t size() const { return size_; }
  virtual size_t used_size() const { return static_cast<size_t>(current_ - begin_); }
  virtual size_t free_size() const { return static_cast<size_t>(end_ - current_); }

  /// Takes everything back.
  virtual void reset() { current_ = begin_; }

  /// Of older releases; does nothing.
  void enable_profiling(ET_UNUSED const char* name) {}

 protected:
  int32_t prof_id() const { return -1; }

  static constexpr bool isPowerOf2(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
  }

  static uint8_t* alignPointer(void* ptr, size_t alignment) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(ptr);
    return static_cast<uint8_t*>(ptr) + (-address & (alignment - 1));
  }

 private:
  uint8_t* begin_;
  uint8_t* end_;
  uint8_t* current_;
  uint32_t size_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::MemoryAllocator;
}  // namespace torch::executor
