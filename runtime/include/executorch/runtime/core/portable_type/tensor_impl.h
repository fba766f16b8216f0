#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/runtime/platform/compiler.h>

// How the sizes of tensors are printed.
#define ET_PRI_TENSOR_SIZE "zd"
#define ET_PRI_TENSOR_DIM "zd"
#define ET_PRI_TENSOR_NUMEL "zd"
#define ET_PRI_SIZES_AND_STRIDES "d"

namespace executorch::runtime {
namespace internal {
class TensorResizerFriend;
}  // namespace internal

namespace etensor {

/// What a Tensor refers to: type, shape and the address of the data. It owns nothing: arrays and
/// data have to outlive it.
class ET_API TensorImpl {
 public:
  using SizesType = int32_t;
  using DimOrderType = uint8_t;
  using StridesType = int32_t;

  TensorImpl() = delete;

  /// `sizes`, `dim_order` and `strides` have `dim` entries; all three are null or non-null as the
  /// caller needs them (sizes may be null only for dim 0). For a dynamic tensor the sizes are the
  /// upper bound; they and the strides are rewritten by resizing. A negative size, or sizes whose
  /// product overflows, end the process.
  TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data = nullptr,
             DimOrderType* dim_order = nullptr, StridesType* strides = nullptr,
             TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
             DeviceType device_type = DeviceType::CPU, DeviceIndex device_index = 0);

  /// Bytes of the data.
  size_t nbytes() const;
  /// Size of dimension `dim`, from 0; checked.
  ssize_t size(ssize_t dim) const {
    ET_CHECK_MSG(dim >= 0 && dim < dim_, "dimension %zd of a tensor of rank %zd", dim, dim_);
    return sizes_[dim];
  }
  /// Rank.
  ssize_t dim() const { return dim_; }
  /// Number of elements.
  ssize_t numel() const { return numel_; }
  ScalarType scalar_type() const { return type_; }
  ScalarType dtype() const { return type_; }
  /// Bytes of one element.
  ssize_t element_size() const;
  ArrayRef<SizesType> sizes() const { return {sizes_, static_cast<size_t>(dim_)}; }
  /// Dimensions from the outermost to the innermost in memory.
  ArrayRef<DimOrderType> dim_order() const { return {dim_order_, static_cast<size_t>(dim_)}; }
  /// Elements from one index to the next, per dimension.
  ArrayRef<StridesType> strides() const { return {strides_, static_cast<size_t>(dim_)}; }
  TensorShapeDynamism shape_dynamism() const { return shape_dynamism_; }
  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  DeviceIndex device_index() const { return device_.index(); }

  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  const void* data() const { return data_; }
  template <typename T>
  T* mutable_data() const {
    return static_cast<T*>(data_);
  }
  void* mutable_data() const { return data_; }
  void set_data(void* ptr) { data_ = ptr; }

  /// Of older releases: resizes, or ends the process.
  ET_DEPRECATED void set_sizes_contiguous(ArrayRef<SizesType> new_sizes) {
    const Error error = internal_resize_contiguous(new_sizes);
    ET_CHECK_MSG(error == Error::Ok, "can't resize the tensor: %s", to_string(error));
  }

 private:
  friend class ::executorch::runtime::internal::TensorResizerFriend;

  ET_NODISCARD Error internal_resize_contiguous(ArrayRef<SizesType> new_sizes);

  SizesType* sizes_;
  DimOrderType* dim_order_;
  StridesType* strides_;
  void* data_;
  ssize_t dim_;
  ssize_t numel_;
  size_t numel_bound_;
  ScalarType type_;
  TensorShapeDynamism shape_dynamism_;
  Device device_;
};

/// Product of the sizes. A negative size or an overflow ends the process.
ET_API ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim);
/// Product of the sizes, or InvalidArgument.
ET_API Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim);

}  // namespace etensor
}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::safe_numel;
using ::executorch::runtime::etensor::TensorImpl;
}  // namespace torch::executor
