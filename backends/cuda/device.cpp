#include "backends/cuda/device.h"

#include "backends/cuda/error.h"

namespace executorch::backends::cuda {

Error place_of(const void* address, int device, Place* ret) {
  cudaPointerAttributes attributes{};
  CUDA_OR_RETURN(cudaPointerGetAttributes(&attributes, address));
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      *ret = Place::kPinned;
      break;
    case cudaMemoryTypeDevice:
      *ret = attributes.device == device ? Place::kDevice : Place::kOther;
      break;
    case cudaMemoryTypeManaged:
      *ret = Place::kDevice;
      break;
    default:
      *ret = Place::kHost;
      break;
  }
  return Error::Ok;
}

Error wait_for_owner(const void* address) {
  cudaPointerAttributes attributes{};
  CUDA_OR_RETURN(cudaPointerGetAttributes(&attributes, address));
  const DeviceScope scope(attributes.device);
  OK_OR_RETURN(scope.error());
  CUDA_OR_RETURN(cudaStreamSynchronize(cudaStreamLegacy));
  return Error::Ok;
}

Error check_device(int device) {
  int count = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&count); result != cudaSuccess) {
    static_cast<void>(cuda_failed(result, "cudaGetDeviceCount"));
    REFUSE(NotFound, "there is no CUDA device that can be used: %s", cudaGetErrorString(result));
  }
  if (device < 0 || device >= count) {
    REFUSE(NotFound, "CUDA device %d of %d", device, count);
  }
  return Error::Ok;
}

Error architecture_of(int device, std::uint32_t* ret) {
  int major = 0;
  int minor = 0;
  CUDA_OR_RETURN(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  CUDA_OR_RETURN(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  *ret = static_cast<std::uint32_t>(major * 10 + minor);
  return Error::Ok;
}

DeviceScope::DeviceScope(int device) {
  int current = -1;
  if (const cudaError_t result = cudaGetDevice(&current); result != cudaSuccess) {
    error_ = cuda_failed(result, "cudaGetDevice");
  } else if (current != device) {
    if (const cudaError_t set = cudaSetDevice(device); set != cudaSuccess) {
      error_ = cuda_failed(set, "cudaSetDevice");
    } else {
      previous_ = current;
    }
  }
}

DeviceScope::~DeviceScope() {
  if (previous_ >= 0) static_cast<void>(cudaSetDevice(previous_));
}

}  // namespace executorch::backends::cuda
