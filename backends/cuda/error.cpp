#include "backends/cuda/error.h"

#include <algorithm>
#include <iterator>

namespace executorch::backends::cuda {
namespace {

// After one of these every call in the process fails in the same way.
constexpr cudaError_t kEndOfContext[] = {
    cudaErrorECCUncorrectable,   cudaErrorIllegalAddress,
    cudaErrorLaunchTimeout,      cudaErrorAssert,
    cudaErrorHardwareStackError, cudaErrorIllegalInstruction,
    cudaErrorMisalignedAddress,  cudaErrorInvalidAddressSpace,
    cudaErrorInvalidPc,          cudaErrorLaunchFailure,
    cudaErrorContextIsDestroyed,
};

}  // namespace

Error cuda_failed(cudaError_t result, const char* call) {
  const bool lost = std::find(std::begin(kEndOfContext), std::end(kEndOfContext), result) !=
                    std::end(kEndOfContext);
  ET_LOG(Error, "CudaBackend: %s failed: %s: %s.%s", call, cudaGetErrorName(result),
         cudaGetErrorString(result),
         lost
             ? " A kernel before this call went wrong; this process cannot use the device any more."
             : "");
  static_cast<void>(cudaGetLastError());
  switch (result) {
    case cudaErrorMemoryAllocation:
      return Error::MemoryAllocationFailed;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
      return Error::NotFound;
    default:
      return Error::Internal;
  }
}

}  // namespace executorch::backends::cuda
