#pragma once

#include <exception>

#include "backends/cuda/refusal.h"
#include "cuda_runtime_api.h"

namespace executorch::backends::cuda {

/// Logs which CUDA call failed, CUDA's name and words for it, and, when the error ends the context,
/// that it does; takes the pending error off the CUDA runtime. MemoryAllocationFailed when memory
/// ran out, NotFound when there is no usable driver or device, else Internal.
[[nodiscard]] Error cuda_failed(cudaError_t result, const char* call);

/// Runs the body of an entry point: no exception leaves it. `what` is for the log.
template <typename Body>
auto guarded(const char* what, Body body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& exception) {
    ET_LOG(Error, "CudaBackend: %s: %s", what, exception.what());
  } catch (...) {
    ET_LOG(Error, "CudaBackend: %s: an unknown exception", what);
  }
  return Error::MemoryAllocationFailed;
}

}  // namespace executorch::backends::cuda

/// Returns the error from the enclosing function unless the call of the CUDA runtime succeeds.
#define CUDA_OR_RETURN(call)                                                  \
  do {                                                                        \
    if (const cudaError_t cuda_result = (call); cuda_result != cudaSuccess) { \
      return ::executorch::backends::cuda::cuda_failed(cuda_result, #call);   \
    }                                                                         \
  } while (false)
