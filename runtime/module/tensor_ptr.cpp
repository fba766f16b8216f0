#include <algorithm>
#include <cstring>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <numeric>

#include "runtime/module/element_types.h"

namespace executorch::extension {

using aten::Device;
using aten::DeviceType;
using aten::DimOrderType;
using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;
using aten::Tensor;
using aten::TensorImpl;
using runtime::DeviceAllocator;
using runtime::Error;

namespace {

// A tensor with everything that it refers to.
struct Storage {
  Storage(std::vector<SizesType>&& own_sizes, std::vector<DimOrderType>&& own_order,
          std::vector<StridesType>&& own_strides, void* data, ScalarType type, Device device,
          aten::TensorShapeDynamism dynamism, std::function<void(void*)>&& own_deleter)
      : sizes(std::move(own_sizes)),
        dim_order(std::move(own_order)),
        strides(std::move(own_strides)),
        deleter(std::move(own_deleter)),
        impl(type, static_cast<ssize_t>(sizes.size()), sizes.data(), data, dim_order.data(),
             strides.data(), dynamism, device.type(), device.index()),
        tensor(&impl),
        first_data(data) {}
  ~Storage() {
    // What was given is given back, wherever the tensor points by now.
    if (deleter) deleter(first_data);
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::vector<SizesType> sizes;
  std::vector<DimOrderType> dim_order;
  std::vector<StridesType> strides;
  std::function<void(void*)> deleter;
  TensorImpl impl;
  Tensor tensor;
  void* first_data;
};

// Fills in the order and the strides, or ends the process when they don't fit together.
void complete_layout(const std::vector<SizesType>& sizes, std::vector<DimOrderType>& order,
                     std::vector<StridesType>& strides) {
  const size_t rank = sizes.size();
  ET_CHECK_MSG(rank <= runtime::kTensorDimensionLimit, "a tensor of rank %zu", rank);
  ET_CHECK_MSG(order.empty() || order.size() == rank, "a dim order of %zu for a tensor of rank %zu",
               order.size(), rank);
  ET_CHECK_MSG(strides.empty() || strides.size() == rank, "%zu strides for a tensor of rank %zu",
               strides.size(), rank);
  if (order.empty()) {
    order.resize(rank);
    std::iota(order.begin(), order.end(), DimOrderType{0});
    if (!strides.empty()) {
      const Error error = runtime::stride_to_dim_order(strides.data(), rank, order.data());
      ET_CHECK_MSG(error == Error::Ok, "strides without an order: %s", runtime::to_string(error));
    }
  }
  ET_CHECK_MSG(runtime::validate_dim_order(order.data(), rank), "%s",
               "the dim order is no permutation");
  std::vector<StridesType> dense(rank);
  runtime::dim_order_to_stride_nocheck(sizes.data(), order.data(), rank, dense.data());
  for (size_t i = 0; i < strides.size(); ++i) {
    // Nobody steps along a dimension of one element.
    ET_CHECK_MSG(strides[i] == dense[i] || sizes[i] == 1,
                 "stride %d of dimension %zu, a dense tensor in that order has %d", strides[i], i,
                 dense[i]);
  }
  if (strides.empty()) strides = std::move(dense);
}

}  // namespace

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, Device device, aten::TensorShapeDynamism dynamism,
                          std::function<void(void*)> deleter) {
  complete_layout(sizes, dim_order, strides);
  auto storage =
      std::make_shared<Storage>(std::move(sizes), std::move(dim_order), std::move(strides), data,
                                type, device, dynamism, std::move(deleter));
  Tensor* const tensor = &storage->tensor;
  return TensorPtr(std::move(storage), tensor);
}

TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          ScalarType type, aten::TensorShapeDynamism dynamism) {
  const auto numel = aten::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  ET_CHECK_MSG(
      numel.ok() && static_cast<size_t>(*numel) <= data.size() / runtime::elementSize(type),
      "%zu bytes for a tensor of %zd elements of type %s", data.size(),
      numel.ok() ? *numel : ssize_t{-1}, runtime::toString(type));
  auto owned = std::make_shared<std::vector<uint8_t>>(std::move(data));
  void* const bytes = owned->data();
  return make_tensor_ptr(std::move(sizes), bytes, std::move(dim_order), std::move(strides), type,
                         Device(DeviceType::CPU), dynamism, [owned = std::move(owned)](void*) {});
}

TensorPtr make_tensor_ptr(const Tensor& tensor, std::vector<SizesType> sizes,
                          std::vector<DimOrderType> dim_order, std::vector<StridesType> strides,
                          std::function<void(void*)> deleter) {
  if (sizes.empty()) sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  const auto numel = aten::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  ET_CHECK_MSG(numel.ok() && *numel <= tensor.numel(), "a view of %zd elements of a tensor of %zd",
               numel.ok() ? *numel : ssize_t{-1}, tensor.numel());
  if (sizes.size() == tensor.sizes().size() && dim_order.empty() && strides.empty()) {
    dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
    if (std::equal(sizes.begin(), sizes.end(), tensor.sizes().begin())) {
      strides.assign(tensor.strides().begin(), tensor.strides().end());
    }
  }
  return make_tensor_ptr(std::move(sizes), tensor.mutable_data_ptr(), std::move(dim_order),
                         std::move(strides), tensor.scalar_type(), tensor.device(),
                         tensor.shape_dynamism(), std::move(deleter));
}

namespace internal {

std::vector<uint8_t> cast_elements(const void* data, size_t count, ScalarType from, ScalarType to) {
  std::vector<uint8_t> bytes(count * runtime::elementSize(to));
  visit_number_type(from, [&](auto from_type) {
    visit_number_type(to, [&](auto to_type) {
      using From = decltype(from_type);
      using To = decltype(to_type);
      const auto* source = static_cast<const From*>(data);
      auto* target = reinterpret_cast<To*>(bytes.data());
      for (size_t i = 0; i < count; ++i) target[i] = runtime::convert<To, From>(source[i]);
    });
  });
  return bytes;
}

}  // namespace internal

TensorPtr clone_tensor_ptr(const Tensor& tensor, ScalarType type) {
  ET_CHECK_MSG(tensor.device().is_cpu(), "%s",
               "a tensor on a device is copied by clone_tensor_ptr_to()");
  std::vector<SizesType> sizes(tensor.sizes().begin(), tensor.sizes().end());
  std::vector<DimOrderType> order(tensor.dim_order().begin(), tensor.dim_order().end());
  std::vector<StridesType> strides(tensor.strides().begin(), tensor.strides().end());
  const auto* const data = static_cast<const uint8_t*>(tensor.const_data_ptr());
  if (data == nullptr) {
    return make_tensor_ptr(std::move(sizes), nullptr, std::move(order), std::move(strides), type,
                           Device(DeviceType::CPU), tensor.shape_dynamism());
  }
  std::vector<uint8_t> bytes;
  if (type == tensor.scalar_type()) {
    bytes.assign(data, data + tensor.nbytes());
  } else {
    ET_CHECK_MSG(runtime::canCast(tensor.scalar_type(), type), "%s can't become %s",
                 runtime::toString(tensor.scalar_type()), runtime::toString(type));
    bytes = internal::cast_elements(data, static_cast<size_t>(tensor.numel()), tensor.scalar_type(),
                                    type);
  }
  return make_tensor_ptr(std::move(sizes), std::move(bytes), std::move(order), std::move(strides),
                         type, tensor.shape_dynamism());
}

TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, Device target) {
  const Device source = tensor->device();
  if (source.is_cpu() && target.is_cpu()) return clone_tensor_ptr(tensor);
  ET_CHECK_MSG(source.is_cpu() || target.is_cpu(), "%s",
               "a tensor can't be copied from one device to another");
  const Device device = source.is_cpu() ? target : source;
  DeviceAllocator* const allocator = runtime::get_device_allocator(device.type());
  ET_CHECK_MSG(allocator != nullptr, "no allocator is registered for devices of kind %d",
               static_cast<int>(device.type()));
  std::vector<SizesType> sizes(tensor->sizes().begin(), tensor->sizes().end());
  std::vector<DimOrderType> order(tensor->dim_order().begin(), tensor->dim_order().end());
  std::vector<StridesType> strides(tensor->strides().begin(), tensor->strides().end());
  const size_t size = tensor->nbytes();
  if (target.is_cpu()) {
    std::vector<uint8_t> bytes(size);
    const Error error = size == 0
                            ? Error::Ok
                            : allocator->copy_device_to_host(bytes.data(), tensor->const_data_ptr(),
                                                             size, device.index());
    ET_CHECK_MSG(error == Error::Ok, "a copy from the device failed: %s",
                 runtime::to_string(error));
    return make_tensor_ptr(std::move(sizes), std::move(bytes), std::move(order), std::move(strides),
                           tensor->scalar_type(), tensor->shape_dynamism());
  }
  void* memory = nullptr;
  if (size != 0) {
    const auto allocated = allocator->allocate(size, device.index());
    ET_CHECK_MSG(allocated.ok(), "the device has no %zu bytes: %s", size,
                 runtime::to_string(allocated.error()));
    memory = *allocated;
    const Error error =
        allocator->copy_host_to_device(memory, tensor->const_data_ptr(), size, device.index());
    ET_CHECK_MSG(error == Error::Ok, "a copy to the device failed: %s", runtime::to_string(error));
  }
  return make_tensor_ptr(std::move(sizes), memory, std::move(order), std::move(strides),
                         tensor->scalar_type(), target, tensor->shape_dynamism(),
                         [allocator, index = device.index()](void* data) {
                           if (data != nullptr) allocator->deallocate(data, index);
                         });
}

Error resize_tensor_ptr(TensorPtr& tensor, const std::vector<SizesType>& sizes) {
  return runtime::resize_tensor(*tensor, runtime::ArrayRef<SizesType>(sizes.data(), sizes.size()));
}

}  // namespace executorch::extension
