#include <memory>
#include <string>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/tensor.h"

namespace shims {
namespace {

struct DeviceGuard {
  int original = 0;
};

struct StreamGuard {
  int32_t device = 0;
  StreamSelection previous;
  int original_device = 0;
};

Error switch_to(int32_t index) {
  int count = 0;
  SHIMS_CUDA(cudaGetDeviceCount(&count));
  if (index < 0 || index >= count) {
    return fail(Error::kInvalidArgument,
                "CUDA device " + std::to_string(index) + " of " + std::to_string(count));
  }
  SHIMS_CUDA(cudaSetDevice(index));
  return Error::kOk;
}

DeviceGuard* from_guard(CUDAGuardHandle guard) { return reinterpret_cast<DeviceGuard*>(guard); }
StreamGuard* from_guard(CUDAStreamGuardHandle guard) {
  return reinterpret_cast<StreamGuard*>(guard);
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(ret));
    auto guard = std::make_unique<shims::DeviceGuard>();
    SHIMS_CUDA(cudaGetDevice(&guard->original));
    SHIMS_TRY(shims::switch_to(device_index));
    *ret = reinterpret_cast<CUDAGuardHandle>(guard.release());
    return shims::Error::kOk;
  });
}

AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle handle) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(handle, "the guard"));
    const std::unique_ptr<shims::DeviceGuard> guard(shims::from_guard(handle));
    SHIMS_CUDA(cudaSetDevice(guard->original));
    return shims::Error::kOk;
  });
}

// What the guard restores stays the device from before it, however often the index changes.
AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle handle, int32_t device_index) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(handle, "the guard"));
    return shims::switch_to(device_index);
  });
}

// A null stream is the legacy default stream, as everywhere in CUDA. The device becomes current
// too: kernels that the library launches itself go to the current device.
AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                   CUDAStreamGuardHandle* ret) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(ret));
    auto guard = std::make_unique<shims::StreamGuard>();
    SHIMS_CUDA(cudaGetDevice(&guard->original_device));
    SHIMS_TRY(shims::resolve_device(device_index, &guard->device));
    if (guard->device != guard->original_device) {
      SHIMS_TRY(shims::switch_to(guard->device));
    }
    guard->previous =
        shims::select_stream(guard->device, {true, static_cast<cudaStream_t>(stream)});
    *ret = reinterpret_cast<CUDAStreamGuardHandle>(guard.release());
    return shims::Error::kOk;
  });
}

AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle handle) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(handle, "the guard"));
    const std::unique_ptr<shims::StreamGuard> guard(shims::from_guard(handle));
    shims::select_stream(guard->device, guard->previous);
    if (guard->device != guard->original_device) {
      SHIMS_CUDA(cudaSetDevice(guard->original_device));
    }
    return shims::Error::kOk;
  });
}

AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(ret));
    cudaStream_t stream = nullptr;
    SHIMS_TRY(shims::current_stream(device_index, &stream));
    *ret = stream;
    return shims::Error::kOk;
  });
}
