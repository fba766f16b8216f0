#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "cuda_runtime.h"
#include "shims/error.h"

namespace shims {

// Kernels are only ever started through these, from .cu files.

struct LaunchOptions {
  std::size_t shared_bytes = 0;
  /// The start may overlap the end of the kernel before it in the stream, which must be ours. The
  /// kernel calls wait_for_previous_kernel before it reads what that one wrote.
  bool overlapping = false;
};

/// Starts `kernel` and returns what the launch said.
template <typename... Parameters, typename... Arguments>
[[nodiscard]] Error launch_with(const LaunchOptions& options, void (*kernel)(Parameters...),
                                dim3 grid, dim3 block, cudaStream_t stream,
                                Arguments&&... arguments) {
  if (!options.overlapping) {
    // The older way in is the shorter one; for small products that is measurable.
    std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
    return std::apply(
        [&](Parameters&... value) {
          void* pointers[] = {&value...};
          SHIMS_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers,
                                      options.shared_bytes, stream));
          return Error::kOk;
        },
        values);
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = options.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  SHIMS_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
  return Error::kOk;
}

template <typename... Parameters, typename... Arguments>
[[nodiscard]] Error launch(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                           cudaStream_t stream, Arguments&&... arguments) {
  return launch_with({}, kernel, grid, block, stream, std::forward<Arguments>(arguments)...);
}

/// In an overlapping kernel: returns when the kernel before it is complete.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// In the kernel before such a one: from here on it may start.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

}  // namespace shims
