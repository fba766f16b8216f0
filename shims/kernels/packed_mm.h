#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/error.h"

namespace shims {

/// A product with int4 weights packed for tensor cores. Operands on one device, contiguous, 16-byte
/// aligned.
struct PackedProduct {
  const void* activations = nullptr;       // bfloat16 [M, K]
  const void* weights = nullptr;           // int32 [N/8, K/(16 I), 32, I/2]
  const void* scales_and_zeros = nullptr;  // bfloat16 [K/g, N, 2]
  void* result = nullptr;                  // bfloat16 [M, N]
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t group_size = 0;   // 32, 64, 128 or 256
  int64_t inner_tiles = 0;  // I: 2, 4 or 8
};

/// Bytes of device memory that `packed_mm` needs while it runs.
std::size_t packed_mm_scratch_bytes(int64_t m, int64_t k);

/// Enqueues result = activations * w transposed, w = (nibble - 8) * scale + zero rounded to
/// bfloat16, products summed as float.
[[nodiscard]] Error packed_mm(const PackedProduct& product, void* scratch, int32_t device,
                              cudaStream_t stream);

}  // namespace shims
