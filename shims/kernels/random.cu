#include <algorithm>
#include <cuda_bf16.h>
#include <random>

#include "shims/kernels/device_facts.h"
#include "shims/kernels/launch.h"
#include "shims/kernels/random.h"

namespace shims {
inline namespace random_cu {  // without a name, nvcc would make one of the path of this file

constexpr int kThreads = 256;

// How many blocks of four words were taken on this device. Every block of threads takes its own
// stretch, so one launch is enough, and launches on several streams never share a number.
__device__ unsigned long long taken;

struct FourWords {
  uint32_t word[4];
};

// Philox-4x32 with ten rounds: the generator of curand and torch. Constants from its paper.
__device__ FourWords philox(uint64_t counter, uint2 key) {
  uint4 c{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0};
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint32_t low0 = 0xD2511F53u * c.x;
    const uint32_t high0 = __umulhi(0xD2511F53u, c.x);
    const uint32_t low1 = 0xCD9E8D57u * c.z;
    const uint32_t high1 = __umulhi(0xCD9E8D57u, c.z);
    c = {high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return {{c.x, c.y, c.z, c.w}};
}

struct Uniform {
  using Type = float;
  static constexpr int kPerBlock = 4;  // results from four words
  __device__ float operator()(const FourWords& words, int i) const {
    return static_cast<float>(words.word[i] & 0xffffffu) * 0x1p-24f;
  }
};

struct UniformBFloat16 {
  using Type = __nv_bfloat16;
  static constexpr int kPerBlock = 4;
  __device__ __nv_bfloat16 operator()(const FourWords& words, int i) const {
    // 1 - 2^-8 is the largest below 1; rounding alone would reach 1.
    return __float2bfloat16_rn(fminf(Uniform()(words, i), 0.99609375f));
  }
};

struct Range {
  using Type = int64_t;
  static constexpr int kPerBlock = 2;
  int64_t low;
  uint64_t range;
  uint64_t inverse;  // floor((2^64 - 1) / range)
  __device__ int64_t operator()(const FourWords& words, int i) const {
    const uint64_t bits = static_cast<uint64_t>(words.word[2 * i + 1]) << 32 | words.word[2 * i];
    // The estimate of the quotient is at most two too small.
    uint64_t rest = bits - __umul64hi(bits, inverse) * range;
    rest = rest >= range ? rest - range : rest;
    rest = rest >= range ? rest - range : rest;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + rest);
  }
};

// The same for a range below 2^32: the 64 bits as a fraction of it, which takes two
// multiplications.
struct SmallRange {
  using Type = int64_t;
  static constexpr int kPerBlock = 2;
  int64_t low;
  uint32_t range;
  __device__ int64_t operator()(const FourWords& words, int i) const {
    const uint64_t carry = (static_cast<uint64_t>(words.word[2 * i]) * range) >> 32;
    const uint64_t whole = static_cast<uint64_t>(words.word[2 * i + 1]) * range + carry;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (whole >> 32));
  }
};

template <typename Make>
__global__ void __launch_bounds__(kThreads)
    fill(typename Make::Type* to, int64_t count, Make make, uint2 key) {
  constexpr int kPerBlock = Make::kPerBlock;
  const int64_t blocks = (count + kPerBlock - 1) / kPerBlock;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  const int64_t rounds = (blocks + step - 1) / step;
  __shared__ unsigned long long base;
  if (threadIdx.x == 0) {
    base = atomicAdd(&taken, static_cast<unsigned long long>(rounds) * kThreads);
  }
  __syncthreads();
  for (int64_t round = 0; round < rounds; ++round) {
    const int64_t at =
        (round * step + static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kPerBlock;
    if (at >= count) {
      break;
    }
    const FourWords words =
        philox(base + static_cast<uint64_t>(round) * kThreads + threadIdx.x, key);
    typename Make::Type values[kPerBlock];
#pragma unroll
    for (int i = 0; i < kPerBlock; ++i) {
      values[i] = make(words, i);
    }
    if (at + kPerBlock <= count) {
      // Results come from our own allocations or whole tensors: the first is aligned for this.
      if constexpr (sizeof(values) == 16) {
        __stcs(reinterpret_cast<uint4*>(to + at), *reinterpret_cast<const uint4*>(values));
      } else {
        __stcs(reinterpret_cast<uint2*>(to + at), *reinterpret_cast<const uint2*>(values));
      }
    } else {
#pragma unroll
      for (int i = 0; i < kPerBlock; ++i) {
        if (at + i < count) {
          to[at + i] = values[i];
        }
      }
    }
  }
}

// Chosen once in a process; the device's number is mixed in, so that devices differ.
uint64_t process_seed() {
  static const uint64_t seed = [] {
    std::random_device source;
    return static_cast<uint64_t>(source()) << 32 | source();
  }();
  return seed;
}

template <typename Make>
Error launch_fill(typename Make::Type* to, int64_t count, const Make& make, int32_t device,
                  cudaStream_t stream) {
  if (count == 0) {
    return Error::kOk;
  }
  DeviceFacts facts;
  SHIMS_TRY(device_facts(device, &facts));
  const int64_t blocks = (count + Make::kPerBlock - 1) / Make::kPerBlock;
  const int64_t most = static_cast<int64_t>(facts.multiprocessors) * 8;
  const auto grid = static_cast<unsigned>(std::min((blocks + kThreads - 1) / kThreads, most));
  const uint64_t seed = process_seed() ^ static_cast<uint64_t>(device) * 0x9E3779B97F4A7C15u;
  const uint2 key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  return launch(fill<Make>, dim3(grid), dim3(kThreads), stream, to, count, make, key);
}

}  // namespace random_cu

Error fill_uniform(float* to, int64_t count, int32_t device, cudaStream_t stream) {
  return launch_fill(to, count, Uniform{}, device, stream);
}

Error fill_uniform_bfloat16(void* to, int64_t count, int32_t device, cudaStream_t stream) {
  return launch_fill(static_cast<__nv_bfloat16*>(to), count, UniformBFloat16{}, device, stream);
}

Error fill_range(int64_t* to, int64_t count, int64_t low, uint64_t range, int32_t device,
                 cudaStream_t stream) {
  return range <= UINT32_MAX
             ? launch_fill(to, count, SmallRange{low, static_cast<uint32_t>(range)}, device, stream)
             : launch_fill(to, count, Range{low, range, UINT64_MAX / range}, device, stream);
}

}  // namespace shims
