// The packed layout is that of a tensor core's operand: a lane's word holds what the lane feeds to
// two m16n8k16 products. Here the weights are the left operand, two tiles of 8 rows at a time, and
// eight rows of activations the right one, so that few activations waste little and no weight
// passes through shared memory.
#include <algorithm>
#include <bit>
#include <cuda_bf16.h>

#include "shims/kernels/device_facts.h"
#include "shims/kernels/launch.h"
#include "shims/kernels/packed_mm.h"

namespace shims {
inline namespace packed_mm_cu {  // without a name, nvcc would make one of the path of this file

constexpr int kWarps = 8;  // of a block; they share the rows and divide K
// Of the 48 KiB that a block gets without asking, what the sums leave.
constexpr std::size_t kSharedBytes = 40 * 1024;

std::size_t shared_bytes(int64_t m, int64_t k) {
  return static_cast<std::size_t>(m * (k / 8 + 1)) * sizeof(uint4);
}

__device__ void tensor_core(float (&sum)[4], const uint32_t (&weights)[4], uint32_t low,
                            uint32_t high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "r"(low), "r"(high));
}

// Two weights from bits 0-3 and 16-19 of `nibbles`.
__device__ uint32_t dequantise(uint32_t nibbles, __nv_bfloat162 scale, __nv_bfloat162 zero) {
  // 0x4300 is 128 in bfloat16, with the unit in the last place.
  const uint32_t raised = (nibbles & 0x000f000fu) | 0x43004300u;
  __nv_bfloat162 value = *reinterpret_cast<const __nv_bfloat162*>(&raised);
  value = __hsub2(value, __nv_bfloat162{__float2bfloat16_rn(136.0f), __float2bfloat16_rn(136.0f)});
  value = __hfma2(value, scale, zero);
  return *reinterpret_cast<const uint32_t*>(&value);
}

// The right operand for 32 k's and eight rows m, as a lane needs it: for its row lane/4, pairs of
// neighbours at k = 2 (lane % 4) + {0, 8, 16, 24}.
__device__ uint4 gather(const __nv_bfloat16* row, int k) {
  const auto* words = reinterpret_cast<const uint32_t*>(row + k);
  return {words[0], words[4], words[8], words[12]};
}

// All of them in the order in which `multiply` reads: [K/32][M/8][lane].
__global__ void arrange(const __nv_bfloat16* activations, uint4* to, int64_t m, int64_t k,
                        int64_t m_tiles, int64_t count) {
  let_next_kernel_start();
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count) {
    const int lane = static_cast<int>(at % 32);
    const int64_t row = at / 32 % m_tiles * 8 + lane / 4;
    const auto step = static_cast<int>(at / 32 / m_tiles);
    to[at] = row < m ? gather(activations + row * k, step * 32 + 2 * (lane % 4)) : uint4{};
  }
}

// Where a block finds the activations.
enum class Source {
  kTensor,    // where they are; for up to eight rows
  kShared,    // it copies them, up to eight rows, into shared memory
  kArranged,  // `arrange` was there before
};

template <int kWords>
struct Packed {
  uint32_t word[kWords];
};

// A lane's words of one outer k (16 I of K) of one tile of 8 rows.
template <int kWords>
__device__ Packed<kWords> load_packed(const void* weights, int64_t index) {
  Packed<kWords> result;
  if constexpr (kWords == 4) {
    const uint4 v = __ldcs(static_cast<const uint4*>(weights) + index);
    result.word[0] = v.x;
    result.word[1] = v.y;
    result.word[2] = v.z;
    result.word[3] = v.w;
  } else if constexpr (kWords == 2) {
    const uint2 v = __ldcs(static_cast<const uint2*>(weights) + index);
    result.word[0] = v.x;
    result.word[1] = v.y;
  } else {
    result.word[0] = __ldcs(static_cast<const uint32_t*>(weights) + index);
  }
  return result;
}

// kWords: words of a lane in an outer k, each 32 k's. kGroups: groups that begin in an outer k
// (one, too, where a group spans several). kTiles: tiles of eight rows of activations.
template <int kWords, int kGroups, int kTiles, Source kSource>
__global__ void __launch_bounds__(kWarps * 32)
    multiply(PackedProduct p, const uint4* arranged, int all_tiles, unsigned m_blocks,
             int group_bits) {
  constexpr int kOuter = 32 * kWords;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int pair = static_cast<int>(blockIdx.x / m_blocks);
  const int first_tile = static_cast<int>(blockIdx.x % m_blocks) * kTiles;
  const int outers = static_cast<int>(p.k / kOuter);
  const int n_tiles = static_cast<int>(p.n / 8);
  // The last pair may be half: its second tile repeats the first and is not stored.
  const int tiles[2] = {2 * pair, min(2 * pair + 1, n_tiles - 1)};
  const auto* scales = static_cast<const __nv_bfloat162*>(p.scales_and_zeros);

  struct Stage {
    Packed<kWords> weights[2];
    __nv_bfloat162 scale_zero[2][kGroups];
  };
  const auto load = [&](int outer) {
    Stage stage;
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      stage.weights[t] = load_packed<kWords>(
          p.weights, (static_cast<int64_t>(tiles[t]) * outers + outer) * 32 + lane);
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        const int row = (outer * kOuter + group * (kOuter / kGroups)) >> group_bits;
        stage.scale_zero[t][group] =
            __ldg(scales + static_cast<int64_t>(row) * p.n + tiles[t] * 8 + lane / 4);
      }
    }
    return stage;
  };

  float sums[kTiles][4] = {};
  Stage next{};
  Stage after{};
  if (warp < outers) {
    next = load(warp);
  }
  if (warp + kWarps < outers) {
    after = load(warp + kWarps);
  }
  // Rows lie 16 bytes further apart in shared memory than they are long: eight lanes that read the
  // same place of eight rows then use different banks.
  extern __shared__ uint4 copies[];
  const __nv_bfloat16* own_row = nullptr;
  if constexpr (kSource == Source::kArranged) {
    wait_for_previous_kernel();
  } else if constexpr (kSource == Source::kShared) {
    const int width = static_cast<int>(p.k / 8);
    for (int row = 0; row < p.m; ++row) {
      for (int at = static_cast<int>(threadIdx.x); at < width; at += kWarps * 32) {
        copies[row * (width + 1) + at] =
            static_cast<const uint4*>(p.activations)[static_cast<int64_t>(row) * width + at];
      }
    }
    __syncthreads();
    own_row = reinterpret_cast<const __nv_bfloat16*>(copies + lane / 4 * (width + 1));
  } else {
    own_row = static_cast<const __nv_bfloat16*>(p.activations) + lane / 4 * p.k;
  }
  for (int outer = warp; outer < outers; outer += kWarps) {
    const Stage stage = next;
    next = after;
    if (outer + 2 * kWarps < outers) {
      after = load(outer + 2 * kWarps);
    }
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      const int step = outer * kWords + w;
      uint4 right[kTiles];
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        if constexpr (kSource == Source::kArranged) {
          right[tile] =
              first_tile + tile < all_tiles
                  ? arranged[(static_cast<int64_t>(step) * all_tiles + first_tile + tile) * 32 +
                             lane]
                  : uint4{};
        } else {
          right[tile] = lane / 4 < p.m ? gather(own_row, step * 32 + 2 * (lane % 4)) : uint4{};
        }
      }
      uint32_t left[2][4];  // [16 k's][operand]
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const __nv_bfloat162 scale_zero = stage.scale_zero[t][w * kGroups / kWords];
        const __nv_bfloat162 scale = __low2bfloat162(scale_zero);
        const __nv_bfloat162 zero = __high2bfloat162(scale_zero);
        const uint32_t word = stage.weights[t].word[w];
        left[0][t] = dequantise(word, scale, zero);
        left[0][2 + t] = dequantise(word >> 4, scale, zero);
        left[1][t] = dequantise(word >> 8, scale, zero);
        left[1][2 + t] = dequantise(word >> 12, scale, zero);
      }
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        tensor_core(sums[tile], left[0], right[tile].x, right[tile].y);
        tensor_core(sums[tile], left[1], right[tile].z, right[tile].w);
      }
    }
  }

  // A lane's four sums: rows n = lane/4 and 8 more, columns m = 2 (lane % 4) and the next.
  __shared__ float shared[kWarps][kTiles * 8][17];
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      shared[warp][tile * 8 + 2 * (lane % 4) + i % 2][lane / 4 + i / 2 * 8] = sums[tile][i];
    }
  }
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < kTiles * 8 * 16; at += kWarps * 32) {
    const int column = at / 16;
    const int64_t m = static_cast<int64_t>(first_tile) * 8 + column;
    const int64_t n = static_cast<int64_t>(pair) * 16 + at % 16;
    if (m < p.m && n < p.n) {
      float sum = 0;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        sum += shared[w][column][at % 16];
      }
      static_cast<__nv_bfloat16*>(p.result)[m * p.n + n] = __float2bfloat16_rn(sum);
    }
  }
}

template <int kWords, int kGroups, int kTiles, Source kSource>
Error launch_multiply(const PackedProduct& p, const uint4* arranged, const DeviceFacts& facts,
                      cudaStream_t stream) {
  const auto all_tiles = static_cast<int>((p.m + 7) / 8);
  const auto m_blocks = static_cast<unsigned>((all_tiles + kTiles - 1) / kTiles);
  const auto pairs = static_cast<unsigned>((p.n + 15) / 16);
  LaunchOptions options;
  options.shared_bytes = kSource == Source::kShared ? shared_bytes(p.m, p.k) : 0;
  options.overlapping = kSource == Source::kArranged && facts.overlapping_launches;
  return launch_with(options, multiply<kWords, kGroups, kTiles, kSource>, dim3(pairs * m_blocks),
                     dim3(kWarps * 32), stream, p, arranged, all_tiles, m_blocks,
                     static_cast<int>(std::countr_zero(static_cast<uint64_t>(p.group_size))));
}

template <int kWords, int kGroups>
Error run(const PackedProduct& p, void* scratch, const DeviceFacts& facts, cudaStream_t stream) {
  const int64_t tiles = (p.m + 7) / 8;
  if (tiles == 1) {
    return shared_bytes(p.m, p.k) <= kSharedBytes
               ? launch_multiply<kWords, kGroups, 1, Source::kShared>(p, nullptr, facts, stream)
               : launch_multiply<kWords, kGroups, 1, Source::kTensor>(p, nullptr, facts, stream);
  }
  auto* arranged = static_cast<uint4*>(scratch);
  const int64_t count = p.k / 32 * tiles * 32;
  constexpr unsigned kThreads = 128;
  SHIMS_TRY(launch(arrange, dim3(static_cast<unsigned>((count + kThreads - 1) / kThreads)),
                   dim3(kThreads), stream, static_cast<const __nv_bfloat16*>(p.activations),
                   arranged, p.m, p.k, tiles, count));
  if (tiles == 2) {
    return launch_multiply<kWords, kGroups, 2, Source::kArranged>(p, arranged, facts, stream);
  }
  if (tiles <= 4) {
    return launch_multiply<kWords, kGroups, 4, Source::kArranged>(p, arranged, facts, stream);
  }
  return launch_multiply<kWords, kGroups, 8, Source::kArranged>(p, arranged, facts, stream);
}

}  // namespace packed_mm_cu

std::size_t packed_mm_scratch_bytes(int64_t m, int64_t k) {
  return m <= 8 ? 0 : static_cast<std::size_t>(k / 32 * ((m + 7) / 8) * 32) * sizeof(uint4);
}

Error packed_mm(const PackedProduct& product, void* scratch, int32_t device, cudaStream_t stream) {
  DeviceFacts facts;
  SHIMS_TRY(device_facts(device, &facts));
  const int64_t outer = 16 * product.inner_tiles;
  const int64_t groups = std::max<int64_t>(1, outer / product.group_size);
  switch (product.inner_tiles * 10 + groups) {
    case 81:
      return run<4, 1>(product, scratch, facts, stream);
    case 82:
      return run<4, 2>(product, scratch, facts, stream);
    case 84:
      return run<4, 4>(product, scratch, facts, stream);
    case 41:
      return run<2, 1>(product, scratch, facts, stream);
    case 42:
      return run<2, 2>(product, scratch, facts, stream);
    case 21:
      return run<1, 1>(product, scratch, facts, stream);
    default:
      return fail(Error::kInvalidArgument, "inner tiles and group size that no packing has");
  }
}

}  // namespace shims
