#pragma once

#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/error.h"

namespace shims {

/// The random state is on the device: each launch takes numbers that no other launch of the process
/// takes there, a replayed graph's too. What the values are differs from run to run.

/// Enqueues `count` uniform values in [0, 1) with 24 random bits; bfloat16 ones are rounded, and
/// stay below 1.
[[nodiscard]] Error fill_uniform(float* to, int64_t count, int32_t device, cudaStream_t stream);
[[nodiscard]] Error fill_uniform_bfloat16(void* to, int64_t count, int32_t device,
                                          cudaStream_t stream);
/// Enqueues `count` whole numbers low, low + 1, ..., low + (range - 1), modulo 2^64.
[[nodiscard]] Error fill_range(int64_t* to, int64_t count, int64_t low, uint64_t range,
                               int32_t device, cudaStream_t stream);

}  // namespace shims
