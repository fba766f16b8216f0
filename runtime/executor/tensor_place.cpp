#include "runtime/executor/tensor_place.h"

#include <algorithm>
#include <cstring>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>
#include <limits>
#include <memory>
#include <new>

namespace executorch::runtime::internal {

using etensor::Device;
using etensor::DeviceType;
using etensor::TensorImpl;

TensorFrame frame_of(const TensorImpl& tensor) {
  return {tensor.scalar_type(),
          static_cast<std::size_t>(tensor.dim()),
          const_cast<TensorImpl::SizesType*>(tensor.sizes().data()),
          const_cast<TensorImpl::DimOrderType*>(tensor.dim_order().data()),
          const_cast<TensorImpl::StridesType*>(tensor.strides().data()),
          tensor.shape_dynamism()};
}

void make_bounded(TensorImpl* place, const TensorFrame& frame, std::uint64_t capacity, void* data,
                  Device device) {
  // The sizes that a tensor is made with are its bound for ever: so they are chosen to have the
  // product that is wanted.
  constexpr std::uint64_t kMost = std::numeric_limits<TensorImpl::SizesType>::max();
  std::fill_n(frame.sizes, frame.rank, 1);
  if (frame.rank > 0) {
    frame.sizes[0] = static_cast<TensorImpl::SizesType>(std::min(capacity, kMost));
    if (frame.rank > 1 && capacity > kMost) {
      frame.sizes[1] = static_cast<TensorImpl::SizesType>(std::min(capacity / kMost, kMost));
    }
  }
  new (place)
      TensorImpl(frame.type, static_cast<ssize_t>(frame.rank), frame.sizes, data, frame.dim_order,
                 frame.strides, frame.dynamism, device.type(), device.index());
  const TensorImpl::SizesType zeros[kTensorDimensionLimit] = {};
  // A bound of 0 makes the sizes 0 already, and then the strides aren't touched.
  std::fill_n(frame.strides, frame.rank, 1);
  const Error error = resize_tensor_impl(place, {zeros, frame.rank});
  ET_CHECK_MSG(error == Error::Ok, "a dynamic tensor of rank %zu can't be empty: %s", frame.rank,
               to_string(error));
}

namespace {

Error allocator_of(DeviceType type, DeviceAllocator** allocator) {
  *allocator = get_device_allocator(type);
  ET_CHECK_OR_RETURN_ERROR(
      *allocator != nullptr, NotFound, "No allocator is registered for devices of kind %d. %s",
      static_cast<int>(type),
      type == DeviceType::CUDA ? "Link executorch::backend_cuda (libexecutorch_backend_cuda.so)."
                               : "Link the library of that device.");
  return Error::Ok;
}

}  // namespace

Error copy_bytes(void* destination, Device destination_device, const void* source,
                 Device source_device, std::size_t size) {
  if (size == 0) return Error::Ok;
  ET_CHECK_OR_RETURN_ERROR(destination != nullptr && source != nullptr, InvalidArgument,
                           "%zu bytes to be copied from or to nowhere.", size);
  if (destination_device.is_cpu() && source_device.is_cpu()) {
    // A caller may well pass the method's own memory.
    std::memmove(destination, source, size);
    return Error::Ok;
  }
  DeviceAllocator* allocator = nullptr;
  if (source_device.is_cpu()) {
    ET_CHECK_OK_OR_RETURN_ERROR(allocator_of(destination_device.type(), &allocator));
    return allocator->copy_host_to_device(destination, source, size, destination_device.index());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(allocator_of(source_device.type(), &allocator));
  if (destination_device.is_cpu()) {
    return allocator->copy_device_to_host(destination, source, size, source_device.index());
  }
  // Allocators only know the way to the CPU and back.
  const std::unique_ptr<std::uint8_t[]> between(new (std::nothrow) std::uint8_t[size]);
  ET_CHECK_OR_RETURN_ERROR(between != nullptr, MemoryAllocationFailed, "%zu bytes for a copy.",
                           size);
  ET_CHECK_OK_OR_RETURN_ERROR(
      allocator->copy_device_to_host(between.get(), source, size, source_device.index()));
  return copy_bytes(destination, destination_device, between.get(), Device(DeviceType::CPU), size);
}

}  // namespace executorch::runtime::internal
