// Matrix-vector products with weights of 4 to 8 bits. The weights are read once for up to eight
// rows of activations, 16 bytes a lane; everything else is small and comes from the caches.
#include <bit>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "shims/kernels/device_facts.h"
#include "shims/kernels/launch.h"
#include "shims/kernels/plain_mm.h"

namespace shims {
inline namespace plain_mm_cu {  // without a name, nvcc would make one of the path of this file

constexpr int kChunk = 32;              // activations that share a scale
constexpr int64_t kLargestGroup = 512;  // a warp of the smallest units
// Shared memory that a block gets without asking for more.
constexpr int64_t kOwnBytes = 48 * 1024;
// Up to so many rows of weights, one launch in which each block prepares the activations again is
// faster than two, and warps are too few to hide the memory's latency by their number.
constexpr int64_t kFewRows = 16384;

// Of a block. Larger blocks where each has to prepare the activations.
constexpr int warps_of(bool own) { return own ? 8 : 4; }

using Format = PlainFormat;

// A lane takes one unit at a time: 16 bytes of `low`.
constexpr int unit_of(Format format) { return format == Format::kInt8 ? 16 : 32; }
// Sums of activations are kept for so many neighbours: the finest group that can occur in a unit.
constexpr int span_of(Format format) { return format == Format::kInt6 ? 8 : unit_of(format); }

// Quantised activations: [M, K] values, a scale for each chunk, a sum for each span. Where weights
// come as nibbles, a row's even activations come first and its odd ones behind: a word of weights
// masked with 0x0f0f0f0f then meets its activations without being taken apart, and neighbouring
// lanes read neighbouring 16 bytes.
struct Quantised {
  int8_t* values;
  float* scales;
  float* sums;
};

__host__ __device__ Quantised place(void* memory, int64_t m, int64_t k) {
  auto* values = static_cast<int8_t*>(memory);
  auto* scales = reinterpret_cast<float*>(values + m * k);
  return {values, scales, scales + (m * (k / kChunk) + 3) / 4 * 4};
}

int64_t quantised_bytes(Format format, int64_t m, int64_t k) {
  return m * k + ((m * (k / kChunk) + 3) / 4 + m * (k / span_of(format)) / 4 + 1) * 16;
}

// Eight activations of the row that `to` begins with; four neighbouring lanes have a chunk.
template <Format kFormat>
__device__ void quantise_eight(const uint4& raw, int eight, bool inside, int k,
                               const Quantised& to) {
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
  constexpr int kSpan = span_of(kFormat);
#pragma unroll
  for (int lanes = 1; lanes < kSpan / 8; lanes *= 2) {
    sum += __shfl_xor_sync(~0u, sum, lanes);
  }
  if (!inside) {
    return;
  }
  auto* out = reinterpret_cast<uint32_t*>(to.values);
  if constexpr (kFormat == Format::kInt8) {
    out[2 * eight] = pack(0, 1, 2, 3);
    out[2 * eight + 1] = pack(4, 5, 6, 7);
  } else {
    out[eight] = pack(0, 2, 4, 6);
    out[k / 8 + eight] = pack(1, 3, 5, 7);
  }
  if (eight % (kSpan / 8) == 0) {
    to.sums[eight / (kSpan / 8)] = static_cast<float>(sum);
  }
  if (eight % 4 == 0) {
    to.scales[eight / 4] = scale;
  }
}

template <Format kFormat>
__device__ Quantised row_of(const Quantised& all, int64_t m, int64_t k) {
  return {all.values + m * k, all.scales + m * (k / kChunk), all.sums + m * (k / span_of(kFormat))};
}

// A row of blocks for each row of activations.
template <Format kFormat>
__global__ void quantise(const uint4* activations, Quantised to, int k) {
  let_next_kernel_start();
  const int64_t m = blockIdx.x;
  const int eight = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x);
  const bool inside = eight < k / 8;
  quantise_eight<kFormat>(inside ? activations[m * (k / 8) + eight] : uint4{}, eight, inside, k,
                          row_of<kFormat>(to, m, k));
}

// One unit of weights of one row, as it lies in memory.
template <Format kFormat>
struct RawUnit {
  uint4 low;
  uint32_t high[kFormat == Format::kInt6 ? 2 : 1];
};

// Indices fit 32 bits (plain_mm has seen to that), which halves the work of addressing.
template <Format kFormat>
__device__ RawUnit<kFormat> load_unit(const PlainProduct& p, uint32_t index) {
  RawUnit<kFormat> raw;
  raw.low = __ldcs(static_cast<const uint4*>(p.low) + index);
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

// Scale and zero of the group that weight `k` of `row` belongs to: first as they lie in memory, so
// that they can be on their way while something else is computed.
template <Format kFormat>
struct RawScale {
  uint16_t scale;
  uint16_t zero;
  __half step;
  __half zero_step;
};
struct ScaleZero {
  float scale;
  float zero;
};

// `at` counts groups in the tensors of scales, `step_at` the 256 weights that share a step.
template <Format kFormat>
__device__ RawScale<kFormat> load_scale(const PlainProduct& p, uint32_t at, uint32_t step_at) {
  RawScale<kFormat> raw;
  if constexpr (kFormat == Format::kInt4Wide) {
    raw.scale = __ldg(static_cast<const uint16_t*>(p.scale) + at);
    raw.zero = __ldg(static_cast<const uint16_t*>(p.zero) + at);
  } else if constexpr (kFormat == Format::kInt8) {
    raw.scale = __ldg(static_cast<const uint16_t*>(p.scale) + at);
    raw.zero = __ldg(static_cast<const uint8_t*>(p.zero) + at);
  } else {
    raw.scale = __ldg(static_cast<const uint8_t*>(p.scale) + at);
    raw.step = __ldg(static_cast<const __half*>(p.scale_step) + step_at);
    if constexpr (kFormat != Format::kInt6) {
      raw.zero = __ldg(static_cast<const uint8_t*>(p.zero) + at);
      raw.zero_step = __ldg(static_cast<const __half*>(p.zero_step) + step_at);
    }
  }
  return raw;
}

template <Format kFormat>
__device__ ScaleZero decode(const RawScale<kFormat>& raw) {
  const auto bfloat = [](uint16_t bits) { return __uint_as_float(uint32_t{bits} << 16); };
  if constexpr (kFormat == Format::kInt4Wide) {
    return {bfloat(raw.scale), bfloat(raw.zero)};
  } else if constexpr (kFormat == Format::kInt8) {
    return {bfloat(raw.scale), static_cast<float>(static_cast<int8_t>(raw.zero))};
  } else if constexpr (kFormat == Format::kInt6) {
    return {static_cast<float>(static_cast<int8_t>(raw.scale)) * __half2float(raw.step), 32.0f};
  } else {
    return {static_cast<float>(raw.scale) * __half2float(raw.step),
            static_cast<float>(raw.zero) * __half2float(raw.zero_step)};
  }
}

// Where a warp stands in one row: the lane's next unit, the group and the step it belongs to.
struct Cursor {
  uint32_t unit;
  uint32_t group;
  uint32_t step;
};

// A warp makes kRows results for each of kM rows of activations; lanes share the row's units.
// kParts: groups in a unit (more than one only for kInt6 with groups of 8 and 16). kOwn: each block
// quantises the one row of activations for itself, in shared memory; otherwise `quantise` has done
// it. kDeep: weights and scales are asked for two units ahead, for when few warps share the work;
// with many, registers are better spent on having all of them.
template <Format kFormat, int kM, int kRows, int kParts, bool kOwn, bool kDeep>
__global__ void __launch_bounds__(warps_of(kOwn) * 32)
    multiply(PlainProduct p, Quantised all, int group_bits, unsigned m_tiles) {
  constexpr int kUnit = unit_of(kFormat);
  constexpr int kWords = Words<kFormat>::kCount;
  constexpr int kWarps = warps_of(kOwn);
  constexpr int kAhead = kDeep ? 2 : 1;
  constexpr bool kScalesAhead = kDeep;
  const int lane = static_cast<int>(threadIdx.x % 32);
  // Neighbouring blocks take the same weights for other activations, so that these come from L2.
  const auto first_row =
      static_cast<int>((blockIdx.x / m_tiles * kWarps + threadIdx.x / 32) * kRows);
  const int64_t first_m = static_cast<int64_t>(blockIdx.x % m_tiles) * kM;
  const int n = static_cast<int>(p.n);
  const int k = static_cast<int>(p.k);
  const int units = k / kUnit;
  if (!kOwn && first_row >= n) {
    return;
  }

  Cursor cursors[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const auto row = static_cast<uint32_t>(min(first_row + r, n - 1));
    const auto group = static_cast<uint32_t>(lane * kUnit >> group_bits);
    cursors[r].unit = row * static_cast<uint32_t>(units) + static_cast<uint32_t>(lane);
    cursors[r].group = kFormat == Format::kInt4Wide
                           ? group * static_cast<uint32_t>(n) + row
                           : row * static_cast<uint32_t>(k >> group_bits) + group;
    cursors[r].step =
        row * static_cast<uint32_t>(k / 256) + static_cast<uint32_t>(lane * kUnit / 256);
  }
  // A warp's units are a whole number of groups, so every lane moves on by the same.
  const uint32_t group_step = static_cast<uint32_t>(32 * kUnit >> group_bits) *
                              (kFormat == Format::kInt4Wide ? static_cast<uint32_t>(n) : 1u);

  struct Ahead {
    RawUnit<kFormat> weights[kRows];
    RawScale<kFormat> scales[kRows][kParts];
  };
  const auto load_weights = [&](Ahead* to) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      to->weights[r] = load_unit<kFormat>(p, cursors[r].unit);
      cursors[r].unit += 32;
    }
  };
  const auto load_scales = [&](Ahead* to) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        to->scales[r][part] =
            load_scale<kFormat>(p, cursors[r].group + static_cast<uint32_t>(part), cursors[r].step);
      }
      cursors[r].group += group_step;
      cursors[r].step += 32 * kUnit / 256;
    }
  };
  Ahead ahead[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    if (lane + 32 * i < units) {
      load_weights(&ahead[i]);
      if constexpr (kScalesAhead) {
        load_scales(&ahead[i]);
      }
    }
  }

  if constexpr (kOwn) {
    extern __shared__ uint4 shared[];
    all = place(shared, p.m, k);
    for (int m = 0; m < static_cast<int>(p.m); ++m) {
      const Quantised row = row_of<kFormat>(all, m, k);
      const auto* activations = static_cast<const uint4*>(p.activations) + m * (k / 8);
      for (int eight = static_cast<int>(threadIdx.x); eight < (k / 8 + 31) / 32 * 32;
           eight += kWarps * 32) {
        const bool inside = eight < k / 8;
        quantise_eight<kFormat>(inside ? activations[eight] : uint4{}, eight, inside, k, row);
      }
    }
    __syncthreads();
  } else {
    // The weights were there before the previous kernel; what it wrote is read from here on.
    wait_for_previous_kernel();
  }
  Quantised rows[kM];
#pragma unroll
  for (int m = 0; m < kM; ++m) {
    rows[m] = row_of<kFormat>(all, min(first_m + m, p.m - 1), k);
  }

  float sums[kRows][kM] = {};
  for (int unit = lane; unit < units; unit += 32) {
    Ahead now = ahead[0];
    if constexpr (!kScalesAhead) {
      load_scales(&now);
    }
#pragma unroll
    for (int i = 0; i + 1 < kAhead; ++i) {
      ahead[i] = ahead[i + 1];
    }
    if (unit + 32 * kAhead < units) {
      load_weights(&ahead[kAhead - 1]);
      if constexpr (kScalesAhead) {
        load_scales(&ahead[kAhead - 1]);
      }
    }
    ScaleZero groups[kRows][kParts];
    Words<kFormat> weights[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      weights[r] = unpack<kFormat>(now.weights[r]);
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        groups[r][part] = decode<kFormat>(now.scales[r][part]);
      }
    }
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      int a[kWords];
#pragma unroll
      for (int i = 0; i < kWords / 4; ++i) {
        const uint4 four = reinterpret_cast<const uint4*>(rows[m].values)[i * units + unit];
        a[4 * i] = static_cast<int>(four.x);
        a[4 * i + 1] = static_cast<int>(four.y);
        a[4 * i + 2] = static_cast<int>(four.z);
        a[4 * i + 3] = static_cast<int>(four.w);
      }
      const float scale = rows[m].scales[unit / (kChunk / kUnit)];
      constexpr int kSpans = kUnit / span_of(kFormat);
      float span_sums[kSpans];
      if constexpr (kSpans == 4) {
        const float4 four = reinterpret_cast<const float4*>(rows[m].sums)[unit];
        span_sums[0] = four.x;
        span_sums[1] = four.y;
        span_sums[2] = four.z;
        span_sums[3] = four.w;
      } else {
        span_sums[0] = rows[m].sums[unit];
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
      if (lane == 0 && first_row + r < n && first_m + m < p.m) {
        static_cast<__nv_bfloat16*>(p.result)[(first_m + m) * p.n + first_row + r] =
            __float2bfloat16_rn(sums[r][m]);
      }
    }
  }
}

int group_bits(const PlainProduct& p) {
  return std::countr_zero(static_cast<uint64_t>(p.group_size));
}

template <Format kFormat, int kM, int kRows, int kParts, bool kDeep = false>
Error launch_multiply(const PlainProduct& p, const Quantised& activations, const DeviceFacts& facts,
                      cudaStream_t stream) {
  constexpr int64_t kRowsOfBlock = warps_of(false) * kRows;
  const auto m_tiles = static_cast<unsigned>((p.m + kM - 1) / kM);
  const dim3 grid(static_cast<unsigned>((p.n + kRowsOfBlock - 1) / kRowsOfBlock * m_tiles));
  return launch_with({.overlapping = facts.overlapping_launches},
                     multiply<kFormat, kM, kRows, kParts, false, kDeep>, grid,
                     dim3(warps_of(false) * 32), stream, p, activations, group_bits(p), m_tiles);
}

template <Format kFormat, int kM, int kParts>
Error launch_own(const PlainProduct& p, cudaStream_t stream) {
  constexpr int kRows = 2;
  constexpr int64_t kRowsOfBlock = warps_of(true) * kRows;
  return launch_with({.shared_bytes = static_cast<std::size_t>(quantised_bytes(kFormat, p.m, p.k))},
                     multiply<kFormat, kM, kRows, kParts, true, true>,
                     dim3(static_cast<unsigned>((p.n + kRowsOfBlock - 1) / kRowsOfBlock)),
                     dim3(warps_of(true) * 32), stream, p, Quantised{}, group_bits(p), 1u);
}

template <Format kFormat, int kParts>
Error multiply_parts(const PlainProduct& p, void* scratch, const DeviceFacts& facts,
                     cudaStream_t stream) {
  if (scratch == nullptr) {
    return p.m == 1   ? launch_own<kFormat, 1, kParts>(p, stream)
           : p.m == 2 ? launch_own<kFormat, 2, kParts>(p, stream)
                      : launch_own<kFormat, 4, kParts>(p, stream);
  }
  const Quantised activations = place(scratch, p.m, p.k);
  constexpr int64_t kThreads = 128;
  SHIMS_TRY(launch(
      quantise<kFormat>,
      dim3(static_cast<unsigned>(p.m), static_cast<unsigned>((p.k / 8 + kThreads - 1) / kThreads)),
      dim3(kThreads), stream, static_cast<const uint4*>(p.activations), activations,
      static_cast<int>(p.k)));
  if (p.m == 1) {
    return launch_multiply<kFormat, 1, 2, kParts>(p, activations, facts, stream);
  }
  if (p.m <= 4 && p.n <= kFewRows) {
    return launch_multiply<kFormat, 4, 2, kParts, true>(p, activations, facts, stream);
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
  if constexpr (kFormat == Format::kInt6) {
    if (p.group_size == 8) {
      return multiply_parts<kFormat, 4>(p, scratch, facts, stream);
    }
    if (p.group_size == 16) {
      return multiply_parts<kFormat, 2>(p, scratch, facts, stream);
    }
  }
  return multiply_parts<kFormat, 1>(p, scratch, facts, stream);
}

}  // namespace plain_mm_cu

std::size_t plain_mm_scratch_bytes(PlainFormat format, int64_t m, int64_t n, int64_t k) {
  const int64_t bytes = quantised_bytes(format, m, k);
  return m <= 4 && n <= kFewRows && bytes <= kOwnBytes ? 0 : static_cast<std::size_t>(bytes);
}

Error plain_mm(PlainFormat format, const PlainProduct& product, void* scratch, int32_t device,
               cudaStream_t stream) {
  // The finest index counts groups of eight.
  if (product.n * (product.k / 8) > UINT32_MAX) {
    return fail(Error::kNotSupported, "more than 2^35 weights");
  }
  if (product.group_size > kLargestGroup) {
    return fail(Error::kNotSupported, "groups of more than 512 weights");
  }
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
