#pragma once

// What the quantised products compute, weight by weight and in double precision, written from the
// formats' definitions and sharing nothing with the kernels. For the host and for the device.

#include <cmath>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef __CUDACC__
#define SHIMS_BOTH __host__ __device__
#else
#define SHIMS_BOTH
#endif

namespace shims::reference {

enum class Op { kPacked, kInt4, kInt4Wide, kInt5, kInt6, kInt8 };

struct Weights {
  Op op = Op::kPacked;
  int64_t n = 0;
  int64_t k = 0;
  int64_t g = 0;
  int64_t inner = 0;  // kPacked
  const void* low = nullptr;
  const void* high = nullptr;
  const void* scale = nullptr;
  const void* scale_step = nullptr;
  const void* zero = nullptr;
  const void* zero_step = nullptr;
};

SHIMS_BOTH inline double bf16(const void* data, int64_t at) {
  return static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]));
}
SHIMS_BOTH inline double f16(const void* data, int64_t at) {
  return static_cast<double>(__half2float(static_cast<const __half*>(data)[at]));
}
SHIMS_BOTH inline int u8(const void* data, int64_t at) {
  return static_cast<const uint8_t*>(data)[at];
}
SHIMS_BOTH inline int i8(const void* data, int64_t at) {
  return static_cast<const int8_t*>(data)[at];
}
SHIMS_BOTH inline int nibble(const void* data, int64_t row, int64_t k, int64_t width) {
  return u8(data, row * (width / 2) + k / 2) >> (k % 2 == 0 ? 0 : 4) & 15;
}

// The packed layout: which word of which lane holds (n, k), and which nibble of it.
SHIMS_BOTH inline int packed_nibble(const Weights& w, int64_t n, int64_t k) {
  const int64_t outer = k / (16 * w.inner);
  const int64_t pair = k % (16 * w.inner) / 32;
  const int64_t in_pair = k % 32;
  // In 32 k's: column = 2 (lane % 4) + odd + {0, 8, 16, 24}.
  const int64_t odd = in_pair % 2;
  const int64_t lane = n % 8 * 4 + in_pair % 8 / 2;
  const int64_t nibble_at = in_pair / 8 + 4 * odd;
  const int64_t word =
      ((n / 8 * (w.k / (16 * w.inner)) + outer) * 32 + lane) * (w.inner / 2) + pair;
  return static_cast<int>(static_cast<const uint32_t*>(w.low)[word] >> (4 * nibble_at) & 15u);
}

SHIMS_BOTH inline double weight(const Weights& w, int64_t n, int64_t k) {
  const int64_t groups = w.k / w.g;
  const int64_t group = k / w.g;
  const int64_t steps = w.k / 256;
  const int64_t chunk = n * (w.k / 32) + k / 32;  // of 32 weights
  const int64_t word = k % 32 / 8;                // of 8 weights
  const int64_t bit = k % 8 / 2;                  // among the even or the odd ones
  const bool odd = k % 2 != 0;
  switch (w.op) {
    case Op::kPacked: {
      const int64_t at = (group * w.n + n) * 2;
      return (packed_nibble(w, n, k) - 8) * bf16(w.scale, at) + bf16(w.scale, at + 1);
    }
    case Op::kInt4Wide:
      return (nibble(w.low, n, k, w.k) - bf16(w.zero, group * w.n + n)) *
             bf16(w.scale, group * w.n + n);
    case Op::kInt8:
      return (i8(w.low, n * w.k + k) - i8(w.zero, n * groups + group)) *
             bf16(w.scale, n * groups + group);
    case Op::kInt6: {
      const int byte = u8(w.high, chunk * 8 + (odd ? 4 : 0) + word);
      const int value = nibble(w.low, n, k, w.k) + 16 * (byte >> (2 * bit) & 3);
      return (value - 32) * static_cast<double>(i8(w.scale, n * groups + group)) *
             f16(w.scale_step, n * steps + k / 256);
    }
    default: {
      int value = nibble(w.low, n, k, w.k);
      if (w.op == Op::kInt5) {
        value += 16 * (u8(w.high, chunk * 4 + word) >> (bit + (odd ? 4 : 0)) & 1);
      }
      const double scale = u8(w.scale, n * groups + group) * f16(w.scale_step, n * steps + k / 256);
      const double zero = u8(w.zero, n * groups + group) * f16(w.zero_step, n * steps + k / 256);
      return (value - zero) * scale;
    }
  }
}

/// The activation as the plain products see it: of 32 neighbours, rounded to 1/127 of the largest.
SHIMS_BOTH inline double quantised_activation(const void* a, int64_t row, int64_t k,
                                              int64_t width) {
  float largest = 0;
  for (int64_t i = k / 32 * 32; i < k / 32 * 32 + 32; ++i) {
    largest = fmaxf(largest, fabsf(static_cast<float>(bf16(a, row * width + i))));
  }
  const float step = largest / 127.0f;
  const float inverse = step > 0 ? 1.0f / step : 0.0f;
  const float x = static_cast<float>(bf16(a, row * width + k));
  const float q = fminf(fmaxf(rintf(x * inverse), -128.0f), 127.0f);
  return static_cast<double>(q) * static_cast<double>(step);
}

}  // namespace shims::reference
