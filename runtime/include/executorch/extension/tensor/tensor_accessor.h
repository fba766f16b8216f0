#pragma once

#include <cstddef>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/result.h>
#include <type_traits>

namespace executorch::extension {

template <typename T, ssize_t N>
class TensorAccessor;

/// An accessor for a tensor of rank N and elements of the size of T, in the default dim order.
/// InvalidArgument for another rank or size, NotSupported for another order.
template <typename T, ssize_t N>
runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(const aten::Tensor& tensor);

/// Indexing of a tensor as of an array: accessor[i][j]. Not checked.
template <typename T, ssize_t N>
class TensorAccessor {
 public:
  /// Size of dimension i; checked.
  aten::SizesType size(ssize_t i) const {
    ET_CHECK_MSG(i >= 0 && i < N, "dimension %zd of %zd", i, N);
    return sizes_[i];
  }
  /// Stride of dimension i; checked.
  aten::StridesType stride(ssize_t i) const {
    ET_CHECK_MSG(i >= 0 && i < N, "dimension %zd of %zd", i, N);
    return strides_[i];
  }

  /// The accessor of rank N-1 at index i; the element when N is 1.
  decltype(auto) operator[](ssize_t i) const {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[i * strides_[0]]);
    } else {
      return TensorAccessor<T, N - 1>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
    }
  }

 private:
  template <typename T2, ssize_t N2>
  friend class TensorAccessor;
  template <typename T2, ssize_t N2>
  friend runtime::Result<TensorAccessor<T2, N2>> make_tensor_accessor(const aten::Tensor& tensor);

  TensorAccessor(T* data, const aten::SizesType* sizes, const aten::StridesType* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  T* data_;
  const aten::SizesType* sizes_;
  const aten::StridesType* strides_;
};

template <typename T, ssize_t N>
runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(const aten::Tensor& tensor) {
  static_assert(N > 0, "a tensor of rank 0 has one element: const_data_ptr<T>()");
  ET_CHECK_OR_RETURN_ERROR(tensor.dim() == N, InvalidArgument, "Rank %zd, not %zd.", tensor.dim(),
                           N);
  ET_CHECK_OR_RETURN_ERROR(static_cast<size_t>(tensor.element_size()) == sizeof(T), InvalidArgument,
                           "Elements of %zd bytes, not %zu.", tensor.element_size(), sizeof(T));
  ET_CHECK_OR_RETURN_ERROR(
      runtime::is_contiguous_dim_order(tensor.dim_order().data(), tensor.dim_order().size()),
      NotSupported, "%s", "The tensor is not in the default dim order.");
  T* data = nullptr;
  if constexpr (std::is_const_v<T>) {
    data = tensor.const_data_ptr<std::remove_const_t<T>>();
  } else {
    data = tensor.mutable_data_ptr<T>();
  }
  return TensorAccessor<T, N>(data, tensor.sizes().data(), tensor.strides().data());
}

}  // namespace executorch::extension
