// Where tensors have their data: how much of it they may use, and copies from one place to another.

#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch::runtime::internal {

/// What a tensor is apart from its sizes. The arrays are the tensor's own, of `rank` entries.
struct TensorFrame {
  etensor::ScalarType type;
  std::size_t rank;
  etensor::TensorImpl::SizesType* sizes;
  etensor::TensorImpl::DimOrderType* dim_order;
  etensor::TensorImpl::StridesType* strides;
  TensorShapeDynamism dynamism;
};

/// The frame of a tensor that is there.
TensorFrame frame_of(const etensor::TensorImpl& tensor);

/// Makes a dynamic tensor at `place` that never holds more than `capacity` elements, whatever it
/// is resized to; it begins with sizes of 0. The frame's strides are set. The capacity may be
/// rounded down when it is above 2^31.
void make_bounded(etensor::TensorImpl* place, const TensorFrame& frame, std::uint64_t capacity,
                  void* data, etensor::Device device);

/// Copies `size` bytes from one place to another, of which each is on the CPU or on a device whose
/// allocator is registered. NotFound without such an allocator.
Error copy_bytes(void* destination, etensor::Device destination_device, const void* source,
                 etensor::Device source_device, std::size_t size);

}  // namespace executorch::runtime::internal
