#include "backends/cuda/device_allocator.h"

#include <executorch/extension/cuda/caller_stream.h>

#include "backends/cuda/device.h"
#include "backends/cuda/error.h"

namespace executorch::backends::cuda {
namespace {

using runtime::etensor::DeviceIndex;

// What cudaMalloc() promises.
constexpr std::size_t kAlignment = 256;

Error checked_device(DeviceIndex index, int* ret) {
  if (index < -1) REFUSE(InvalidArgument, "CUDA device %d", index);
  int device = static_cast<int>(index);
  if (index == -1) CUDA_OR_RETURN(cudaGetDevice(&device));
  *ret = device;
  return Error::Ok;
}

Error copy(void* dst, const void* src, std::size_t nbytes, DeviceIndex index, bool to_device) {
  int device = 0;
  if (index < -1) REFUSE(InvalidArgument, "CUDA device %d", index);
  if (nbytes == 0) return Error::Ok;
  if (dst == nullptr || src == nullptr) {
    REFUSE(InvalidArgument, "a copy of %zu bytes from or to nowhere", nbytes);
  }
  OK_OR_RETURN(checked_device(index, &device));
  const DeviceScope scope(device);
  OK_OR_RETURN(scope.error());
  const cudaMemcpyKind kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  const auto stream = extension::cuda::getCallerStream();
  if (!stream.has_value()) {
    CUDA_OR_RETURN(cudaMemcpy(dst, src, nbytes, kind));
    return Error::Ok;
  }
  // From ordinary memory the data has been read when this returns; from pinned memory it would be
  // read later, when the caller may have other use for it.
  Place source = Place::kHost;
  if (to_device) OK_OR_RETURN(place_of(src, device, &source));
  CUDA_OR_RETURN(cudaMemcpyAsync(dst, src, nbytes, kind, *stream));
  if (!to_device || source != Place::kHost) CUDA_OR_RETURN(cudaStreamSynchronize(*stream));
  return Error::Ok;
}

}  // namespace

runtime::Result<void*> CudaAllocator::allocate(std::size_t nbytes, DeviceIndex index,
                                               std::size_t alignment) {
  int device = 0;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    ET_LOG(Error, "CudaBackend: an alignment of %zu is not a power of two", alignment);
    return Error::InvalidArgument;
  }
  if (alignment > kAlignment) {
    ET_LOG(Error, "CudaBackend: device memory is aligned to %zu bytes, not to %zu", kAlignment,
           alignment);
    return Error::NotSupported;
  }
  if (const Error error = checked_device(index, &device); error != Error::Ok) return error;
  if (const Error error = check_device(device); error != Error::Ok) return error;
  const DeviceScope scope(device);
  if (scope.error() != Error::Ok) return scope.error();
  void* memory = nullptr;
  if (const cudaError_t result = cudaMalloc(&memory, nbytes); result != cudaSuccess) {
    ET_LOG(Error, "CudaBackend: %zu bytes on device %d can't be had", nbytes, device);
    return cuda_failed(result, "cudaMalloc");
  }
  return memory;
}

void CudaAllocator::deallocate(void* ptr, DeviceIndex index) {
  if (ptr == nullptr) return;
  int device = 0;
  if (checked_device(index, &device) != Error::Ok) return;
  const DeviceScope scope(device);
  if (const cudaError_t result = cudaFree(ptr); result != cudaSuccess) {
    static_cast<void>(cuda_failed(result, "cudaFree"));
  }
}

Error CudaAllocator::copy_host_to_device(void* dst, const void* src, std::size_t nbytes,
                                         DeviceIndex index) {
  return copy(dst, src, nbytes, index, true);
}

Error CudaAllocator::copy_device_to_host(void* dst, const void* src, std::size_t nbytes,
                                         DeviceIndex index) {
  return copy(dst, src, nbytes, index, false);
}

}  // namespace executorch::backends::cuda
