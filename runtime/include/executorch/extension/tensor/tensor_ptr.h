#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/compiler.h>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace executorch::extension {

/// A tensor that owns its sizes, order and strides, and, depending on how it was made, its data.
using TensorPtr = std::shared_ptr<aten::Tensor>;

namespace internal {

/// Bytes of `count` elements as the C++ type of `to`, read from elements of `from`; the types can
/// be cast. A type without numbers ends the process.
ET_API std::vector<uint8_t> cast_elements(const void* data, size_t count, aten::ScalarType from,
                                          aten::ScalarType to);

}  // namespace internal

/// A tensor on data of someone else's, given back through `deleter` when there is one. Without
/// strides they follow from the dim order; without a dim order it follows from the strides, or is
/// the default. Sizes, order or strides that don't fit together end the process.
ET_API TensorPtr make_tensor_ptr(
    std::vector<aten::SizesType> sizes, void* data, std::vector<aten::DimOrderType> dim_order,
    std::vector<aten::StridesType> strides, aten::ScalarType type = aten::ScalarType::Float,
    aten::Device device = aten::Device(aten::DeviceType::CPU),
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr);
/// The same in the default order.
inline TensorPtr make_tensor_ptr(
    std::vector<aten::SizesType> sizes, void* data, aten::ScalarType type = aten::ScalarType::Float,
    aten::Device device = aten::Device(aten::DeviceType::CPU),
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return make_tensor_ptr(std::move(sizes), data, {}, {}, type, device, dynamism,
                         std::move(deleter));
}

/// A tensor on bytes of its own, which hold elements of `type`.
ET_API TensorPtr
make_tensor_ptr(std::vector<aten::SizesType> sizes, std::vector<uint8_t> data,
                std::vector<aten::DimOrderType> dim_order, std::vector<aten::StridesType> strides,
                aten::ScalarType type = aten::ScalarType::Float,
                aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr make_tensor_ptr(
    std::vector<aten::SizesType> sizes, std::vector<uint8_t> data,
    aten::ScalarType type = aten::ScalarType::Float,
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

/// A tensor that owns these elements, in memory order. With a type other than that of T they are
/// cast. A number of elements other than the sizes say ends the process.
template <typename T = float,
          aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<aten::SizesType> sizes, std::vector<T> data,
    std::vector<aten::DimOrderType> dim_order = {}, std::vector<aten::StridesType> strides = {},
    aten::ScalarType type = deduced_type,
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  const auto numel = aten::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  ET_CHECK_MSG(numel.ok() && static_cast<size_t>(*numel) == data.size(),
               "%zu elements for a tensor of %zd", data.size(), numel.ok() ? *numel : ssize_t{-1});
  if constexpr (std::is_same_v<T, bool>) {
    // std::vector<bool> has no array of elements.
    std::vector<uint8_t> elements(data.begin(), data.end());
    if (type != deduced_type) {
      elements = internal::cast_elements(elements.data(), elements.size(), deduced_type, type);
    }
    return make_tensor_ptr(std::move(sizes), std::move(elements), std::move(dim_order),
                           std::move(strides), type, dynamism);
  } else {
    if (type != deduced_type) {
      ET_CHECK_MSG(runtime::canCast(deduced_type, type), "%s can't become %s",
                   runtime::toString(deduced_type), runtime::toString(type));
      return make_tensor_ptr(std::move(sizes),
                             internal::cast_elements(data.data(), data.size(), deduced_type, type),
                             std::move(dim_order), std::move(strides), type, dynamism);
    }
    auto owned = std::make_shared<std::vector<T>>(std::move(data));
    void* const elements = owned->data();
    return make_tensor_ptr(std::move(sizes), elements, std::move(dim_order), std::move(strides),
                           type, aten::Device(aten::DeviceType::CPU), dynamism,
                           [owned = std::move(owned)](void*) {});
  }
}
/// The same, of rank 1.
template <typename T = float,
          aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<T> data, aten::ScalarType type = deduced_type,
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  std::vector<aten::SizesType> sizes{static_cast<aten::SizesType>(data.size())};
  return make_tensor_ptr<T, deduced_type>(std::move(sizes), std::move(data), {0}, {1}, type,
                                          dynamism);
}
/// The same from a list.
template <typename T = float,
          aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<aten::SizesType> sizes, std::initializer_list<T> list,
    std::vector<aten::DimOrderType> dim_order = {}, std::vector<aten::StridesType> strides = {},
    aten::ScalarType type = deduced_type,
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, deduced_type>(std::move(sizes), std::vector<T>(list),
                                          std::move(dim_order), std::move(strides), type, dynamism);
}
template <typename T = float,
          aten::ScalarType deduced_type = runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::initializer_list<T> list, aten::ScalarType type = deduced_type,
    aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, deduced_type>(std::vector<T>(list), type, dynamism);
}
/// A tensor of rank 0.
template <typename T>
TensorPtr make_tensor_ptr(T value) {
  return make_tensor_ptr<T, runtime::CppTypeToScalarType<T>::value>(std::vector<aten::SizesType>{},
                                                                    std::vector<T>{value});
}

/// A view of a tensor's data under other sizes, order or strides; what isn't given is the
/// tensor's. More elements than it has end the process. The data must outlive the view.
ET_API TensorPtr make_tensor_ptr(const aten::Tensor& tensor,
                                 std::vector<aten::SizesType> sizes = {},
                                 std::vector<aten::DimOrderType> dim_order = {},
                                 std::vector<aten::StridesType> strides = {},
                                 std::function<void(void*)> deleter = nullptr);
/// The same, keeping the tensor alive.
inline TensorPtr make_tensor_ptr(const TensorPtr& tensor_ptr,
                                 std::vector<aten::SizesType> sizes = {},
                                 std::vector<aten::DimOrderType> dim_order = {},
                                 std::vector<aten::StridesType> strides = {}) {
  return make_tensor_ptr(*tensor_ptr, std::move(sizes), std::move(dim_order), std::move(strides),
                         [tensor_ptr](void*) {});
}

/// A copy on data of its own, cast to a type that the tensor's can be cast to. The tensor has to
/// be on the CPU.
ET_API TensorPtr clone_tensor_ptr(const aten::Tensor& tensor, aten::ScalarType type);
inline TensorPtr clone_tensor_ptr(const aten::Tensor& tensor) {
  return clone_tensor_ptr(tensor, tensor.scalar_type());
}
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor, aten::ScalarType type) {
  return clone_tensor_ptr(*tensor, type);
}
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor) {
  return clone_tensor_ptr(*tensor, tensor->scalar_type());
}

/// A copy on another device, made by the device's allocator. One side has to be the CPU.
ET_API TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, aten::Device target);

/// runtime::resize_tensor() of the tensor.
ET_NODISCARD ET_API runtime::Error resize_tensor_ptr(TensorPtr& tensor,
                                                     const std::vector<aten::SizesType>& sizes);

}  // namespace executorch::extension
