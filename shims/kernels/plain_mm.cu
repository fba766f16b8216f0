// Matrix-vector products with weights of 4 to 8 bits. The weights are read once for up to eight
// rows of activations, 16 bytes a lane; everything else is small and comes from the caches.
#include <bit>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "shims/kernels/device_facts.h"
#include "shims/kernels/launch.h"
#include "shims/kernels/plain_mm.h"

namespace shims {
namespace {

constexpr int kChunk = 32;  // activations that share a scale
constexpr int kWarps = 4;   // of a block

using Format = PlainFormat;

// A lane takes one unit at a time: 16 bytes of `low`.
constexpr int unit_of(Format format) { return format == Format::kInt8 ? 16 : 32; }
// Sums of activations are kept for so many neighbours: the finest group that can occur in a unit.
constexpr int span_of(Format format) { return format == Format::kInt6 ? 8 : unit_of(format); }

// The scratch: quantised activations [M, K], a scale for each chunk, a sum for each span.
struct Quantised {
  int8_t* values;
  float* scales;
  float* sums;
};

Quantised place(void* scratch, int64_t m, int64_t k) {
  auto* values = static_cast<int8_t*>(scratch);
  auto* scales = reinterpret_cast<float*>(values + (m * k + 15) / 16 * 16);
  return {values, scales, scales + (m * (k / kChunk) + 3) / 4 * 4};
}

// Four lanes a chunk, eight activations a lane. Where weights come as nibbles, the even ones of
// eight are one word of the result and the odd ones another, 16 bytes behind: a word of weights
// masked with 0x0f0f0f0f then meets its activations without being taken apart.
template <Format kFormat>
__global__ void quantise(const uint4* activations, Quantised to, int64_t eights) {
  let_next_kernel_start();
  const int64_t eight = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool inside = eight < eights;
  const uint4 raw = inside ? activations[eight] : uint4{};
  const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
  float x[8];
  float largest = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    x[i] = __uint_as_float(i % 2 == 0 ? words[i / 2] << 16 : words[i / 2] & 0xffff0000u);
    largest = fmaxf(largest, fabsf(x[i]));
  }
  largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
  largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
  const float scale = largest / 127.0f;
  const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
  int q[8];
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    q[i] = max(-128, min(127, __float2int_rn(x[i] * inverse)));
    sum += q[i];
  }
  const auto pack = [&](int a, int b, int c, int d) {
    return static_cast<uint32_t>((q[a] & 255) | (q[b] & 255) << 8 | (q[c] & 255) << 16 |
                                 q[d] << 24);
  };
  const int64_t chunk = eight / 4;
  const int part = threadIdx.x % 4;
  if (inside) {
    auto* out = reinterpret_cast<uint32_t*>(to.values + chunk * kChunk);
    if constexpr (kFormat == Format::kInt8) {
      out[2 * part] = pack(0, 1, 2, 3);
      out[2 * part + 1] = pack(4, 5, 6, 7);
    } else {
      out[part] = pack(0, 2, 4, 6);
      out[4 + part] = pack(1, 3, 5, 7);
    }
  }
  constexpr int kSpan = span_of(kFormat);
#pragma unroll
  for (int lanes = 1; lanes < kSpan / 8; lanes *= 2) {
    sum += __shfl_xor_sync(~0u, sum, lanes);
  }
  if (inside) {
    if (part % (kSpan / 8) == 0) {
      to.sums[eight / (kSpan / 8)] = static_cast<float>(sum);
    }
    if (part == 0) {
      to.scales[chunk] = scale;
    }
  }
}

__device__ uint4 load_once(const void* base, int64_t index) {
  return __ldcs(static_cast<const uint4*>(base) + index);
}

// One unit of weights of one row, as it lies in memory.
template <Format kFormat>
struct RawUnit {
  uint4 low;
  uint32_t high[kFormat == Format::kInt6 ? 2 : 1];
};

template <Format kFormat>
__device__ RawUnit<kFormat> load_unit(const PlainProduct& p, int64_t row, int unit) {
  RawUnit<kFormat> raw;
  const int64_t index = row * (p.k / unit_of(kFormat)) + unit;
  raw.low = load_once(p.low, index);
  if constexpr (kFormat == Format::kInt5) {
    raw.high[0] = __ldcs(static_cast<const uint32_t*>(p.high) + index);
  } else if constexpr (kFormat == Format::kInt6) {
    const uint2 high = __ldcs(static_cast<const uint2*>(p.high) + index);
    raw.high[0] = high.x;
    raw.high[1] = high.y;
  }
  return raw;
}

// Four weights a word: word w holds the even weights of eight, 4 + w the odd ones; int8 as they
// are.
template <Format kFormat>
struct Words {
  static constexpr int kCount = unit_of(kFormat) / 4;
  int word[kCount];
};

template <Format kFormat>
__device__ Words<kFormat> unpack(const RawUnit<kFormat>& raw) {
  Words<kFormat> result;
  const uint32_t low[4] = {raw.low.x, raw.low.y, raw.low.z, raw.low.w};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    if constexpr (kFormat == Format::kInt8) {
      result.word[w] = static_cast<int>(low[w]);
    } else {
      uint32_t even = low[w] & 0x0f0f0f0fu;
      uint32_t odd = low[w] >> 4 & 0x0f0f0f0fu;
      if constexpr (kFormat == Format::kInt5) {
        // Bit i of four goes to bit 4 of byte i: one multiplication makes four shifted copies.
        const uint32_t bits = raw.high[0] >> (8 * w);
        even |= (bits & 15u) * 0x02040810u & 0x10101010u;
        odd |= (bits >> 4 & 15u) * 0x02040810u & 0x10101010u;
      } else if constexpr (kFormat == Format::kInt6) {
        const auto spread = [w](uint32_t plane) {
          uint32_t fields = plane >> (8 * w) & 255u;
          fields = (fields | fields << 12) & 0x000f000fu;
          return ((fields | fields << 6) & 0x03030303u) << 4;
        };
        even |= spread(raw.high[0]);
        odd |= spread(raw.high[1]);
      }
      result.word[w] = static_cast<int>(even);
      result.word[4 + w] = static_cast<int>(odd);
    }
  }
  return result;
}

// Scale and zero of the group that weight `k` of `row` belongs to.
struct ScaleZero {
  float scale;
  float zero;
};

template <Format kFormat>
__device__ ScaleZero scale_zero(const PlainProduct& p, int group_bits, int64_t row, int k) {
  const int group = k >> group_bits;
  const auto groups = static_cast<int64_t>(p.k >> group_bits);
  if constexpr (kFormat == Format::kInt4Wide) {
    const int64_t at = group * p.n + row;
    return {__bfloat162float(static_cast<const __nv_bfloat16*>(p.scale)[at]),
            __bfloat162float(static_cast<const __nv_bfloat16*>(p.zero)[at])};
  } else if constexpr (kFormat == Format::kInt8) {
    const int64_t at = row * groups + group;
    return {__bfloat162float(static_cast<const __nv_bfloat16*>(p.scale)[at]),
            static_cast<float>(static_cast<const int8_t*>(p.zero)[at])};
  } else {
    const int64_t at = row * groups + group;
    const int64_t step_at = row * (p.k / 256) + k / 256;
    const float step = __half2float(static_cast<const __half*>(p.scale_step)[step_at]);
    if constexpr (kFormat == Format::kInt6) {
      return {static_cast<float>(static_cast<const int8_t*>(p.scale)[at]) * step, 32.0f};
    } else {
      const float zero_step = __half2float(static_cast<const __half*>(p.zero_step)[step_at]);
      return {static_cast<float>(static_cast<const uint8_t*>(p.scale)[at]) * step,
              static_cast<float>(static_cast<const uint8_t*>(p.zero)[at]) * zero_step};
    }
  }
}

// A warp makes kRows results for each of kM rows of activations; lanes share the row's units.
// kParts: groups in a unit (more than one only for kInt6 with groups of 8 and 16).
template <Format kFormat, int kM, int kRows, int kParts>
__global__ void __launch_bounds__(kWarps * 32)
    multiply(PlainProduct p, Quantised activations, int group_bits, unsigned m_tiles) {
  constexpr int kUnit = unit_of(kFormat);
  constexpr int kWords = Words<kFormat>::kCount;
  const int lane = threadIdx.x % 32;
  // Neighbouring blocks take the same weights for other activations, so that these come from L2.
  const int64_t first_row =
      (static_cast<int64_t>(blockIdx.x / m_tiles) * kWarps + threadIdx.x / 32) * kRows;
  const int64_t first_m = static_cast<int64_t>(blockIdx.x % m_tiles) * kM;
  const int units = static_cast<int>(p.k / kUnit);
  if (first_row >= p.n) {
    return;
  }
  const auto row_of = [&](int r) { return min(first_row + r, p.n - 1); };
  const auto m_of = [&](int m) { return min(first_m + m, p.m - 1); };

  float sums[kRows][kM] = {};
  RawUnit<kFormat> next[kRows];
  if (lane < units) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      next[r] = load_unit<kFormat>(p, row_of(r), lane);
    }
  }
  // The weights were there before the previous kernel; what it wrote is read from here on.
  wait_for_previous_kernel();

  for (int unit = lane; unit < units; unit += 32) {
    RawUnit<kFormat> raw[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      raw[r] = next[r];
    }
    if (unit + 32 < units) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        next[r] = load_unit<kFormat>(p, row_of(r), unit + 32);
      }
    }
    ScaleZero groups[kRows][kParts];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        groups[r][part] =
            scale_zero<kFormat>(p, group_bits, row_of(r), unit * kUnit + part * (kUnit / kParts));
      }
    }
    Words<kFormat> weights[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      weights[r] = unpack<kFormat>(raw[r]);
    }
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      const int64_t at = m_of(m) * units + unit;
      int a[kWords];
#pragma unroll
      for (int i = 0; i < kWords / 4; ++i) {
        const uint4 four =
            reinterpret_cast<const uint4*>(activations.values)[at * (kWords / 4) + i];
        a[4 * i] = static_cast<int>(four.x);
        a[4 * i + 1] = static_cast<int>(four.y);
        a[4 * i + 2] = static_cast<int>(four.z);
        a[4 * i + 3] = static_cast<int>(four.w);
      }
      const float scale = activations.scales[at * kUnit / kChunk];
      constexpr int kSpans = kUnit / span_of(kFormat);
      float span_sums[kSpans];
      if constexpr (kSpans == 4) {
        const float4 four = reinterpret_cast<const float4*>(activations.sums)[at];
        span_sums[0] = four.x;
        span_sums[1] = four.y;
        span_sums[2] = four.z;
        span_sums[3] = four.w;
      } else {
        span_sums[0] = activations.sums[at];
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          int dot = 0;
          float sum = 0;
#pragma unroll
          for (int w = 0; w < kWords; ++w) {
            // Words w and 4 + w are the same eight weights, so both are of one part.
            if (kParts == 1 || w % 4 / (4 / kParts) == part) {
              dot = __dp4a(weights[r].word[w], a[w], dot);
            }
          }
#pragma unroll
          for (int span = 0; span < kSpans; ++span) {
            if (span * kParts / kSpans == part) {
              sum += span_sums[span];
            }
          }
          const float value = fmaf(-groups[r][part].zero, sum, static_cast<float>(dot));
          sums[r][m] = fmaf(groups[r][part].scale * scale, value, sums[r][m]);
        }
      }
    }
  }

#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2) {
        sums[r][m] += __shfl_xor_sync(~0u, sums[r][m], lanes);
      }
      if (lane == 0 && first_row + r < p.n && first_m + m < p.m) {
        static_cast<__nv_bfloat16*>(p.result)[(first_m + m) * p.n + first_row + r] =
            __float2bfloat16_rn(sums[r][m]);
      }
    }
  }
}

template <Format kFormat, int kM, int kRows, int kParts>
Error launch_multiply(const PlainProduct& p, const Quantised& activations, const DeviceFacts& facts,
                      cudaStream_t stream) {
  constexpr int64_t kRowsOfBlock = kWarps * kRows;
  const auto m_tiles = static_cast<unsigned>((p.m + kM - 1) / kM);
  const dim3 grid(static_cast<unsigned>((p.n + kRowsOfBlock - 1) / kRowsOfBlock * m_tiles));
  return launch_overlapping(multiply<kFormat, kM, kRows, kParts>, grid, dim3(kWarps * 32), stream,
                            facts.overlapping_launches, p, activations,
                            std::countr_zero(static_cast<uint64_t>(p.group_size)), m_tiles);
}

template <Format kFormat, int kParts>
Error multiply_parts(const PlainProduct& p, const Quantised& activations, const DeviceFacts& facts,
                     cudaStream_t stream) {
  if (p.m == 1) {
    return launch_multiply<kFormat, 1, 2, kParts>(p, activations, facts, stream);
  }
  if (p.m == 2) {
    return launch_multiply<kFormat, 2, 2, kParts>(p, activations, facts, stream);
  }
  if (p.m <= 4) {
    return launch_multiply<kFormat, 4, 4, kParts>(p, activations, facts, stream);
  }
  return launch_multiply<kFormat, 8, 4, kParts>(p, activations, facts, stream);
}

template <Format kFormat>
Error run(const PlainProduct& p, void* scratch, const DeviceFacts& facts, cudaStream_t stream) {
  const Quantised activations = place(scratch, p.m, p.k);
  const int64_t eights = p.m * p.k / 8;
  constexpr unsigned kThreads = 128;
  SHIMS_TRY(launch(quantise<kFormat>,
                   dim3(static_cast<unsigned>((eights + kThreads - 1) / kThreads)), dim3(kThreads),
                   stream, static_cast<const uint4*>(p.activations), activations, eights));
  if constexpr (kFormat == Format::kInt6) {
    if (p.group_size == 8) {
      return multiply_parts<kFormat, 4>(p, activations, facts, stream);
    }
    if (p.group_size == 16) {
      return multiply_parts<kFormat, 2>(p, activations, facts, stream);
    }
  }
  return multiply_parts<kFormat, 1>(p, activations, facts, stream);
}

}  // namespace

std::size_t plain_mm_scratch_bytes(PlainFormat format, int64_t m, int64_t k) {
  const int64_t span = span_of(format);
  return static_cast<std::size_t>((m * k + 15) / 16 * 16 + ((m * (k / kChunk) + 3) / 4 * 4) * 4 +
                                  (m * (k / span)) * 4);
}

Error plain_mm(PlainFormat format, const PlainProduct& product, void* scratch, int32_t device,
               cudaStream_t stream) {
  DeviceFacts facts;
  SHIMS_TRY(device_facts(device, &facts));
  switch (format) {
    case PlainFormat::kInt4:
      return run<PlainFormat::kInt4>(product, scratch, facts, stream);
    case PlainFormat::kInt4Wide:
      return run<PlainFormat::kInt4Wide>(product, scratch, facts, stream);
    case PlainFormat::kInt5:
      return run<PlainFormat::kInt5>(product, scratch, facts, stream);
    case PlainFormat::kInt6:
      return run<PlainFormat::kInt6>(product, scratch, facts, stream);
    case PlainFormat::kInt8:
      return run<PlainFormat::kInt8>(product, scratch, facts, stream);
  }
  return fail(Error::kInternal, "unknown format");
}

}  // namespace shims
