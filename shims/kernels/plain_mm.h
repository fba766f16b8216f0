#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/error.h"

namespace shims {

/// How the weights of a plain product are written down. All are rows of N.
enum class PlainFormat {
  kInt4,      ///< nibbles; uint8 codes for scale and zero, float16 steps for each 256 weights
  kInt4Wide,  ///< nibbles; bfloat16 scale and zero, [K/g, N]
  kInt5,      ///< nibbles and a plane of fifth bits; codes and steps as kInt4
  kInt6,      ///< nibbles and a plane of two bits; int8 codes and steps, no zero (it is 32)
  kInt8,      ///< int8 weights; bfloat16 scale and int8 zero, [N, K/g]
};

/// Operands on one device, contiguous, 16-byte aligned.
struct PlainProduct {
  const void* activations = nullptr;  // bfloat16 [M, K]
  const void* low = nullptr;          // the weights, or their nibbles
  const void* high = nullptr;         // the plane of higher bits
  const void* scale = nullptr;
  const void* scale_step = nullptr;
  const void* zero = nullptr;
  const void* zero_step = nullptr;
  void* result = nullptr;  // bfloat16 [M, N]
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t group_size = 0;  // a power of two, at most 512
};

/// Bytes of device memory that `plain_mm` needs while it runs; none for some products.
std::size_t plain_mm_scratch_bytes(PlainFormat format, int64_t m, int64_t n, int64_t k);

/// Enqueues result = activations * dequantised weights transposed. Each 32 activations of a row are
/// rounded to int8 with a scale of their own, products are summed as integers within them and as
/// float beyond.
[[nodiscard]] Error plain_mm(PlainFormat format, const PlainProduct& product, void* scratch,
                             int32_t device, cudaStream_t stream);

}  // namespace shims
