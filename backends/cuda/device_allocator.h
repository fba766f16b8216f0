#pragma once

#include <executorch/runtime/core/device_allocator.h>

namespace executorch::backends::cuda {

/// Memory of CUDA devices for the runtime: the arenas that a program plans there, and the copies at
/// its boundary. Index -1 is the thread's current device. Copies go the caller's stream where there
/// is one (extension/cuda/caller_stream.h), else the legacy default stream, which waits for the
/// delegates' own streams.
class CudaAllocator final : public runtime::DeviceAllocator {
 public:
  runtime::Result<void*> allocate(std::size_t nbytes, runtime::etensor::DeviceIndex index,
                                  std::size_t alignment) override;
  void deallocate(void* ptr, runtime::etensor::DeviceIndex index) override;
  runtime::Error copy_host_to_device(void* dst, const void* src, std::size_t nbytes,
                                     runtime::etensor::DeviceIndex index) override;
  runtime::Error copy_device_to_host(void* dst, const void* src, std::size_t nbytes,
                                     runtime::etensor::DeviceIndex index) override;
  runtime::etensor::DeviceType device_type() const override {
    return runtime::etensor::DeviceType::CUDA;
  }
};

}  // namespace executorch::backends::cuda
