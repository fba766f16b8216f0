#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "shims/abi.h"
#include "shims/dtype.h"
#include "shims/error.h"
#include "shims/storage.h"

namespace shims {

/// Sizes and strides of one tensor, both in elements, side by side in one block.
class Shape {
 public:
  Shape() = default;
  /// Takes copies. Null strides mean contiguous. Refuses negative numbers of dimensions, sizes and
  /// strides, more than 64 dimensions, null sizes with a dimension, and products that overflow.
  [[nodiscard]] static Error make(int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                  Shape* ret);
  Shape(const Shape& other);
  Shape(Shape&&) noexcept = default;
  Shape& operator=(Shape other) noexcept;
  ~Shape() = default;

  std::size_t ndim() const { return ndim_; }
  std::span<const int64_t> sizes() const { return {begin(), ndim_}; }
  std::span<const int64_t> strides() const { return {begin() + ndim_, ndim_}; }
  int64_t* mutable_sizes() { return begin(); }
  int64_t* mutable_strides() { return begin() + ndim_; }
  int64_t numel() const { return numel_; }
  /// Elements from the first to one past the last that is reached; 0 when there is none.
  int64_t extent() const { return extent_; }
  bool is_contiguous() const;
  /// Every element between the first and the last belongs to the tensor, once.
  bool is_dense() const;

 private:
  static constexpr std::size_t kInline = 6;
  explicit Shape(std::size_t ndim);
  int64_t* begin() { return heap_ ? heap_.get() : inline_.data(); }
  const int64_t* begin() const { return heap_ ? heap_.get() : inline_.data(); }

  std::size_t ndim_ = 0;
  int64_t numel_ = 1;
  int64_t extent_ = 1;
  std::array<int64_t, 2 * kInline> inline_{};
  std::unique_ptr<int64_t[]> heap_;
};

/// What an AtenTensorHandle points to.
struct Tensor {
  StorageRef storage;
  Shape shape;
  int64_t offset = 0;
  DType dtype = DType::kFloat32;

  Device device() const { return storage->device(); }
  std::size_t item_bytes() const { return element_size(static_cast<int32_t>(dtype)); }
  /// Null when the storage has no address.
  std::byte* data() const {
    std::byte* base = storage->data();
    return base == nullptr ? nullptr : base + static_cast<std::size_t>(offset) * item_bytes();
  }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data());
  }
  int64_t size(std::size_t dim) const { return shape.sizes()[dim]; }
};

inline Tensor* from_handle(AtenTensorHandle handle) { return reinterpret_cast<Tensor*>(handle); }
inline AtenTensorHandle to_handle(Tensor* tensor) {
  return reinterpret_cast<AtenTensorHandle>(tensor);
}

/// The tensor behind the handle; fails for null and for a tensor that was never given one's
/// storage.
[[nodiscard]] Error checked(AtenTensorHandle handle, const char* argument, Tensor** ret);
/// Fails when a place for a result is null.
[[nodiscard]] Error checked_result(const void* ret, const char* argument = "the result's place");

/// Bytes for a storage that holds `shape` behind `offset` elements.
[[nodiscard]] Error storage_bytes(const Shape& shape, int64_t offset, DType dtype,
                                  std::size_t* ret);
[[nodiscard]] Error checked_dtype(int32_t number, DType* ret);
/// CUDA index -1 becomes the current device.
[[nodiscard]] Error checked_device(int32_t type, int32_t index, Device* ret);

/// An uninitialised tensor with its own storage.
[[nodiscard]] Error empty(Shape shape, DType dtype, Device device, std::unique_ptr<Tensor>* ret,
                          bool pinned = false);
/// Another view of `base`'s storage, which must hold it.
[[nodiscard]] Error view(const Tensor& base, Shape shape, int64_t offset, DType dtype,
                         std::unique_ptr<Tensor>* ret);

std::string to_string(const Shape& shape);

}  // namespace shims
