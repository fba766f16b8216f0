#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "backends/cuda/error.h"
#include "backends/cuda/shims_table.h"
#include "shims/abi.h"

namespace executorch::backends::cuda {

/// Logs the shims' words for a failure of `what`, and returns its code.
[[nodiscard]] Error shim_failed(AOTITorchError code, const char* what);

/// An AtenTensorHandle that is given back.
class OwnedTensor {
 public:
  OwnedTensor() = default;
  explicit OwnedTensor(AtenTensorHandle handle) : handle_(handle) {}
  OwnedTensor(OwnedTensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  OwnedTensor& operator=(OwnedTensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~OwnedTensor() {
    if (handle_ != nullptr) static_cast<void>(shims().delete_tensor_object(handle_));
  }
  AtenTensorHandle get() const { return handle_; }
  AtenTensorHandle release() { return std::exchange(handle_, nullptr); }
  /// For a function that writes a new handle; nothing may be held.
  AtenTensorHandle* out() { return &handle_; }

 private:
  AtenTensorHandle handle_ = nullptr;
};

/// What is known of a tensor behind a handle. Arrays live as long as the handle.
struct TensorFacts {
  std::byte* data = nullptr;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
  std::int32_t dtype = 0;
  bool on_device = false;
  std::size_t bytes = 0;  ///< of the elements, without gaps
};
[[nodiscard]] Error facts_of(AtenTensorHandle tensor, TensorFacts* ret);

/// Elements lie one behind the other in the same order: strides of dimensions of one element, and
/// of tensors without elements, mean nothing.
bool same_strides(std::span<const std::int64_t> sizes, std::span<const std::int64_t> one,
                  std::span<const std::int64_t> other);
/// Every element between the first and the last belongs to the tensor, once.
bool is_dense(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);

}  // namespace executorch::backends::cuda
