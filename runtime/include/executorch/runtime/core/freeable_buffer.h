#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch::runtime {

/// Bytes, read-only, with the function that gives them back. Usually a pointer; a loader whose
/// data the CPU can't address may hold a 64-bit handle instead. Move-only.
class FreeableBuffer final {
 public:
  /// Gives `size` bytes at `data` back. `context` is what the buffer was made with.
  using FreeFn = void (*)(void* context, void* data, size_t size);
  using FreeUInt64Fn = void (*)(void* context, uint64_t data_uint64, size_t size);

  /// An empty buffer.
  FreeableBuffer() = default;
  /// `free_fn` may be null: then nothing is given back.
  FreeableBuffer(const void* data, size_t size, FreeFn free_fn, void* free_fn_context = nullptr)
      : pointer_(data), free_pointer_(free_fn), context_(free_fn_context), size_(size) {}
  explicit FreeableBuffer(const uint64_t data_uint64, size_t size, FreeUInt64Fn free_fn,
                          void* free_fn_context = nullptr)
      : handle_(data_uint64),
        free_handle_(free_fn),
        context_(free_fn_context),
        size_(size),
        is_handle_(true) {}
  FreeableBuffer(FreeableBuffer&& other) noexcept
      : pointer_(other.pointer_),
        handle_(other.handle_),
        free_pointer_(other.free_pointer_),
        free_handle_(other.free_handle_),
        context_(other.context_),
        size_(other.size_),
        is_handle_(other.is_handle_) {
    other.forget();
  }
  ~FreeableBuffer() { Free(); }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(FreeableBuffer&&) = delete;

  /// Gives the bytes back now. The buffer is empty afterwards.
  void Free() {
    if (pointer_ != nullptr && free_pointer_ != nullptr) {
      free_pointer_(context_, const_cast<void*>(pointer_), size_);
    }
    if (handle_ != 0 && free_handle_ != nullptr) {
      free_handle_(context_, handle_, size_);
    }
    forget();
  }

  /// Bytes held.
  size_t size() const { return size_; }
  /// The bytes; null when empty. A buffer that holds a handle ends the process.
  const void* data() const {
    ET_CHECK_MSG(!is_handle_, "%s", "the buffer holds a handle: use data_uint64_type()");
    return pointer_;
  }
  /// The bytes, or InvalidType for a buffer that holds a handle.
  Result<const void*> data_safe() const {
    ET_CHECK_OR_RETURN_ERROR(!is_handle_, InvalidType, "%s",
                             "the buffer holds a handle: use data_uint64_type()");
    return pointer_;
  }
  /// The handle, or InvalidType for a buffer that holds a pointer.
  Result<uint64_t> data_uint64_type() const {
    ET_CHECK_OR_RETURN_ERROR(is_handle_, InvalidType, "%s",
                             "the buffer holds a pointer: use data()");
    return handle_;
  }

 private:
  void forget() {
    pointer_ = nullptr;
    handle_ = 0;
    size_ = 0;
  }

  const void* pointer_ = nullptr;
  uint64_t handle_ = 0;
  FreeFn free_pointer_ = nullptr;
  FreeUInt64Fn free_handle_ = nullptr;
  void* context_ = nullptr;
  size_t size_ = 0;
  bool is_handle_ = false;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::FreeableBuffer;
}  // namespace torch::executor
