// compare OURS OTHER [quick|all [FILTER [N]]]: runs every operation of two libraries on the same
// bytes, in alternating pairs, and prints for each shape the median ratio of times and both errors
// against double precision. Dependencies are found on LD_LIBRARY_PATH.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <random>
#include <string>
#include <vector>

#include "shims/testing/library.h"
#include "shims/testing/reference.h"

namespace {

using shims::reference::Op;
using shims::reference::Weights;
using shims::testing::Handle;
using shims::testing::Library;

enum : int32_t { kU8 = 0, kI8 = 1, kI32 = 3, kI64 = 4, kF16 = 5, kF32 = 6, kBF16 = 15 };

void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
    std::exit(1);
  }
}
#define CHECK(call) check(call, #call)

std::mt19937_64 generator(20261129);

template <typename T, typename Make>
std::vector<T> filled(int64_t count, Make make) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    value = make();
  }
  return values;
}

template <typename T>
void* upload(const std::vector<T>& values) {
  void* data = nullptr;
  CHECK(cudaMalloc(&data, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

uint64_t random_bits() { return generator(); }
float uniform(float low, float high) {
  return low + (high - low) * static_cast<float>(random_bits() >> 40) * 0x1p-24f;
}
void* random_words(int64_t bytes) { return upload(filled<uint64_t>((bytes + 7) / 8, random_bits)); }
void* random_codes(int64_t count, int low, int high) {
  return upload(filled<uint8_t>(count, [&] {
    return static_cast<uint8_t>(low + static_cast<int>(random_bits() % (high - low + 1)));
  }));
}
void* random_bf16(int64_t count, float low, float high) {
  return upload(filled<__nv_bfloat16>(count, [&] { return __float2bfloat16(uniform(low, high)); }));
}
void* random_f16(int64_t count, float low, float high) {
  return upload(filled<__half>(count, [&] { return __float2half(uniform(low, high)); }));
}

__global__ void widen(const void* activations, int64_t rows, int64_t k, bool quantised,
                      double* to) {
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < rows * k;
       at += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    to[at] = quantised ? shims::reference::quantised_activation(activations, at / k, at % k, k)
                       : shims::reference::bf16(activations, at);
  }
}

// One block a result, plain sums in double precision.
__global__ void reference_product(Weights w, const double* activations, double* result) {
  const int64_t n = blockIdx.x;
  const int64_t m = blockIdx.y;
  double sum = 0;
  for (int64_t k = threadIdx.x; k < w.k; k += blockDim.x) {
    sum += activations[m * w.k + k] * shims::reference::weight(w, n, k);
  }
  __shared__ double sums[128];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    result[m * w.n + n] = sums[0];
  }
}

struct ErrorOf {
  double rms = 0;  // of the difference, over that of the reference
  double worst = 0;
};

ErrorOf error_of(const std::vector<__nv_bfloat16>& got, const std::vector<double>& expected) {
  double difference = 0;
  double size = 0;
  ErrorOf result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = static_cast<double>(__bfloat162float(got[i])) - expected[i];
    difference += d * d;
    size += expected[i] * expected[i];
    result.worst = std::max(result.worst, std::fabs(d));
    if (!(d == d)) {
      result.worst = INFINITY;
    }
  }
  result.rms = std::sqrt(difference / size);
  return result;
}

struct Side {
  const Library* library;
  cudaStream_t stream;
  cudaEvent_t begin;
  cudaEvent_t end;
};

template <typename Call>
double microseconds(const Side& side, int calls, Call call) {
  CHECK(cudaEventRecord(side.begin, side.stream));
  for (int i = 0; i < calls; ++i) {
    call(i);
  }
  CHECK(cudaEventRecord(side.end, side.stream));
  CHECK(cudaEventSynchronize(side.end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, side.begin, side.end));
  return ms * 1e3 / calls;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Times {
  double ours = 0;
  double other = 0;
  double ratio = 0;
};

// Pairs that alternate in order; the ratio is the median of the pairs' ratios.
template <typename Ours, typename Other>
Times alternate(const Side (&sides)[2], int pairs, int calls, Ours ours, Other other) {
  for (int i = 0; i < 3; ++i) {
    ours(i);
    other(i);
  }
  CHECK(cudaDeviceSynchronize());
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    double x = 0;
    double y = 0;
    if (pair % 2 == 0) {
      x = microseconds(sides[0], calls, ours);
      y = microseconds(sides[1], calls, other);
    } else {
      y = microseconds(sides[1], calls, other);
      x = microseconds(sides[0], calls, ours);
    }
    a.push_back(x);
    b.push_back(y);
    ratios.push_back(x / y);
  }
  return {median(a), median(b), median(ratios)};
}

const char* name_of(Op op) {
  switch (op) {
    case Op::kPacked:
      return "_weight_int4pack_mm";
    case Op::kInt4:
    case Op::kInt4Wide:
      return "int4_plain_mm";
    case Op::kInt5:
      return "int5_plain_mm";
    case Op::kInt6:
      return "int6_plain_mm";
    default:
      return "int8_plain_mm";
  }
}

int failures = 0;

void products(const Side (&sides)[2], const std::string& filter, bool quick, int64_t only_n) {
  struct Shape {
    int64_t n;
    int64_t k;
  };
  const Shape shapes[] = {{4096, 4096}, {14336, 4096}, {4096, 14336}, {39936, 6656}};
  for (const Shape& shape : shapes) {
    if (only_n != 0 && shape.n != only_n) {
      continue;
    }
    for (const Op op : {Op::kPacked, Op::kInt4, Op::kInt5, Op::kInt6, Op::kInt8}) {
      const std::string name = std::string("aoti_torch_cuda_") + name_of(op);
      if (name.find(filter) == std::string::npos) {
        continue;
      }
      const int64_t n = shape.n;
      const int64_t k = shape.k;
      const int64_t g = op == Op::kInt5 ? 32 : op == Op::kInt6 ? 16 : 128;
      const int64_t low_bytes = op == Op::kInt8 ? n * k : n * k / 2;
      const int64_t high_bytes = op == Op::kInt5 ? n * k / 8 : op == Op::kInt6 ? n * k / 4 : 0;
      const int copies = static_cast<int>(std::clamp<int64_t>(200000000 / low_bytes + 1, 2, 24));
      std::vector<void*> low;
      for (int i = 0; i < copies; ++i) {
        low.push_back(i < 2 ? random_words(low_bytes) : nullptr);
        if (i >= 2) {
          CHECK(cudaMalloc(&low.back(), low_bytes));
          CHECK(cudaMemcpy(low.back(), low[i % 2], low_bytes, cudaMemcpyDeviceToDevice));
        }
      }
      void* high = high_bytes != 0 ? random_words(high_bytes) : nullptr;
      void* scale = op == Op::kPacked ? random_bf16(n * k / g * 2, -0.02f, 0.02f)
                    : op == Op::kInt8 ? random_bf16(n * k / g, 0.001f, 0.02f)
                    : op == Op::kInt6 ? random_codes(n * k / g, -60, 60)
                                      : random_codes(n * k / g, 1, 60);
      void* zero = random_codes(n * k / g, 0, op == Op::kInt8 ? 12 : 63);
      void* scale_step = random_f16(n * k / 256, 0.0002f, 0.0004f);
      void* zero_step = random_f16(n * k / 256, 0.1f, 0.3f);
      for (const int64_t m : {1, 2, 3, 4, 16, 64}) {
        if (((op == Op::kInt5 || op == Op::kInt6) && m > 4) || (quick && (m == 2 || m == 3))) {
          continue;
        }
        void* activations = random_bf16(m * k, -1, 1);
        struct Arguments {
          Handle self, high, scale, zero, scale_step, zero_step;
          std::vector<Handle> low;
          Handle result = nullptr;
          int code = 0;
        } arguments[2];
        auto caller = [&](int which) {
          const Library& library = *sides[which].library;
          Arguments& a = arguments[which];
          void* function = reinterpret_cast<void*>(library.get<int()>(name.c_str()));
          return [&a, &library, function, op, g, copies](int i) {
            Handle result = nullptr;
            Handle weights = a.low[i % copies];
            const auto h = [](void* f) { return f; };
            void* f = h(function);
            switch (op) {
              case Op::kPacked:
                a.code |= reinterpret_cast<int (*)(Handle, Handle, int64_t, Handle, Handle*)>(f)(
                    a.self, weights, g, a.scale, &result);
                break;
              case Op::kInt5:
                a.code |= reinterpret_cast<int (*)(Handle, Handle, Handle, Handle, Handle, Handle,
                                                   Handle, int64_t, Handle*)>(f)(
                    a.self, weights, a.high, a.scale, a.scale_step, a.zero, a.zero_step, g,
                    &result);
                break;
              case Op::kInt6:
                a.code |= reinterpret_cast<int (*)(Handle, Handle, Handle, Handle, Handle, int64_t,
                                                   Handle*)>(f)(a.self, weights, a.high, a.scale,
                                                                a.scale_step, g, &result);
                break;
              case Op::kInt8:
                a.code |=
                    reinterpret_cast<int (*)(Handle, Handle, Handle, Handle, int64_t, Handle*)>(f)(
                        a.self, weights, a.scale, a.zero, g, &result);
                break;
              default:
                a.code |= reinterpret_cast<int (*)(Handle, Handle, Handle, Handle, Handle, Handle,
                                                   int64_t, Handle*)>(f)(
                    a.self, weights, a.scale, a.scale_step, a.zero, a.zero_step, g, &result);
                break;
            }
            if (a.result != nullptr) {
              library.free(a.result);
            }
            a.result = result;
          };
        };
        for (int which = 0; which < 2; ++which) {
          const Library& l = *sides[which].library;
          Arguments& a = arguments[which];
          a.self = l.wrap(activations, {m, k}, kBF16);
          for (void* weights : low) {
            a.low.push_back(op == Op::kPacked ? l.wrap(weights, {n / 8, k / 128, 32, 4}, kI32)
                            : op == Op::kInt8 ? l.wrap(weights, {n, k}, kI8)
                                              : l.wrap(weights, {n, k / 2}, kU8));
          }
          a.high = high_bytes != 0 ? l.wrap(high, {n, high_bytes / n}, kU8) : nullptr;
          a.scale = op == Op::kPacked ? l.wrap(scale, {k / g, n, 2}, kBF16)
                                      : l.wrap(scale, {n, k / g},
                                               op == Op::kInt8   ? kBF16
                                               : op == Op::kInt6 ? kI8
                                                                 : kU8);
          a.zero = l.wrap(zero, {n, k / g}, op == Op::kInt8 ? kI8 : kU8);
          a.scale_step = l.wrap(scale_step, {n, k / 256}, kF16);
          a.zero_step = l.wrap(zero_step, {n, k / 256}, kF16);
        }
        auto ours = caller(0);
        auto other = caller(1);
        const Times burst = alternate(sides, 15, 16, ours, other);
        const Times single = alternate(sides, 25, 1, ours, other);
        // Errors, on the first copy of the weights.
        ours(0);
        other(0);
        CHECK(cudaDeviceSynchronize());
        double* expected_on_device = nullptr;
        CHECK(cudaMalloc(&expected_on_device, m * n * sizeof(double)));
        double* wide = nullptr;
        CHECK(cudaMalloc(&wide, m * k * sizeof(double)));
        ErrorOf errors[2][2];
        const int kinds = op == Op::kPacked ? 1 : 2;
        for (int kind = 0; kind < kinds; ++kind) {
          widen<<<256, 256>>>(activations, m, k, kind == 1, wide);
          const Weights w{op, n, k, g, 8, low[0], high, scale, scale_step, zero, zero_step};
          reference_product<<<dim3(static_cast<unsigned>(n), static_cast<unsigned>(m)), 128>>>(
              w, wide, expected_on_device);
          std::vector<double> expected(m * n);
          CHECK(cudaMemcpy(expected.data(), expected_on_device, m * n * sizeof(double),
                           cudaMemcpyDeviceToHost));
          for (int which = 0; which < 2; ++which) {
            std::vector<__nv_bfloat16> got(m * n);
            CHECK(cudaMemcpy(got.data(), sides[which].library->data(arguments[which].result),
                             m * n * 2, cudaMemcpyDeviceToHost));
            errors[kind][which] = error_of(got, expected);
          }
        }
        CHECK(cudaFree(expected_on_device));
        CHECK(cudaFree(wide));
        std::printf(
            "%-12.12s N=%-5ld K=%-5ld M=%-2ld rc=%d,%d burst %7.1f/%7.1f us ratio %.3f | call "
            "%7.1f/%7.1f ratio %.3f | rms %.6f/%.6f max %.4g/%.4g",
            name_of(op), n, k, m, arguments[0].code, arguments[1].code, burst.ours, burst.other,
            burst.ratio, single.ours, single.other, single.ratio, errors[0][0].rms,
            errors[0][1].rms, errors[0][0].worst, errors[0][1].worst);
        if (kinds == 2) {
          std::printf(" | quantised rms %.6f/%.6f max %.4g/%.4g", errors[1][0].rms,
                      errors[1][1].rms, errors[1][0].worst, errors[1][1].worst);
        }
        const bool slow = burst.ratio > 1.03 || single.ratio > 1.03;
        const bool wrong = errors[0][0].rms > errors[0][1].rms * 1.001 || arguments[0].code != 0;
        failures += slow || wrong;
        std::printf("%s%s\n", slow ? " SLOW" : "", wrong ? " WORSE" : "");
        for (int which = 0; which < 2; ++which) {
          const Library& l = *sides[which].library;
          Arguments& a = arguments[which];
          for (Handle handle : a.low) {
            l.free(handle);
          }
          for (Handle handle :
               {a.self, a.high, a.scale, a.zero, a.scale_step, a.zero_step, a.result}) {
            if (handle != nullptr) {
              l.free(handle);
            }
          }
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(activations));
      }
      for (void* data : low) {
        CHECK(cudaFree(data));
      }
      for (void* data : {high, scale, zero, scale_step, zero_step}) {
        if (data != nullptr) {
          CHECK(cudaFree(data));
        }
      }
    }
  }
}

void report(const char* what, const Times& times, const char* more = "") {
  std::printf("%-34s %9.1f/%9.1f us ratio %.3f%s%s\n", what, times.ours, times.other, times.ratio,
              more, times.ratio > 1.03 ? " SLOW" : "");
  failures += times.ratio > 1.03;
}

void sorts(const Side (&sides)[2]) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {1000}, {32000}, {128256}, {1 << 20}, {1 << 24}, {256, 4096}, {4096, 256}}) {
    for (const int64_t dim : {int64_t{-1}, int64_t{0}}) {
      if (sizes.size() == 1 && dim == 0) {
        continue;
      }
      int64_t count = 1;
      for (const int64_t size : sizes) {
        count *= size;
      }
      void* data =
          upload(filled<float>(count, [] { return static_cast<float>(random_bits() % 100003); }));
      Handle values[2] = {};
      Handle indices[2] = {};
      int code = 0;
      auto caller = [&](int which) {
        const Library& l = *sides[which].library;
        Handle self = l.wrap(data, sizes, kF32);
        auto* sort = l.get<int(Handle, int32_t*, int64_t, int32_t, Handle*, Handle*)>(
            "aoti_torch_cuda_sort_stable");
        return [&, which, self, sort](int) {
          const Library& library = *sides[which].library;
          if (values[which] != nullptr) {
            library.free(values[which]);
            library.free(indices[which]);
          }
          int32_t stable = 1;
          code |= sort(self, &stable, dim, 0, &values[which], &indices[which]);
        };
      };
      const bool slow_peer = sizes.size() == 2;
      auto ours = caller(0);
      auto other = caller(1);
      const Times times = alternate(sides, slow_peer ? 3 : 15, 1, ours, other);
      CHECK(cudaDeviceSynchronize());
      std::vector<float> v[2];
      std::vector<int64_t> x[2];
      for (int which = 0; which < 2; ++which) {
        v[which].resize(count);
        x[which].resize(count);
        CHECK(cudaMemcpy(v[which].data(), sides[which].library->data(values[which]), count * 4,
                         cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(x[which].data(), sides[which].library->data(indices[which]), count * 8,
                         cudaMemcpyDeviceToHost));
      }
      const bool same = v[0] == v[1] && x[0] == x[1] && code == 0;
      failures += !same;
      char what[64];
      std::snprintf(what, sizeof what, "sort f32 %ldx%ld dim %ld", sizes[0],
                    sizes.size() > 1 ? sizes[1] : 1, dim);
      report(what, times, same ? " same" : " DIFFERENT");
      CHECK(cudaFree(data));
    }
  }
}

void randoms(const Side (&sides)[2]) {
  for (const int64_t count : {int64_t{1} << 10, int64_t{1} << 20, int64_t{1} << 26}) {
    auto uniform_caller = [&](int which) {
      const Library& l = *sides[which].library;
      auto* rand = l.get<int(const int64_t*, int64_t, int32_t*, int32_t*, int32_t*, int32_t,
                             int32_t*, Handle*)>("aoti_torch_cuda_rand");
      return [&l, rand, count](int) {
        Handle result = nullptr;
        rand(&count, 1, nullptr, nullptr, nullptr, 0, nullptr, &result);
        if (result != nullptr) {
          l.free(result);
        }
      };
    };
    char what[64];
    std::snprintf(what, sizeof what, "rand f32 %ld", count);
    report(what, alternate(sides, 21, 1, uniform_caller(0), uniform_caller(1)));
    std::snprintf(what, sizeof what, "rand f32 %ld, burst of 16", count);
    report(what, alternate(sides, 11, 16, uniform_caller(0), uniform_caller(1)));
    void* data = nullptr;
    CHECK(cudaMalloc(&data, 8 * count));
    auto integer_caller = [&](int which) {
      const Library& l = *sides[which].library;
      auto* randint = l.get<int(Handle, int64_t, int64_t, const int64_t*, int64_t)>(
          "aoti_torch_cuda_randint_low_out");
      Handle out = l.wrap(data, {count}, kI64);
      return [randint, out, count](int) { randint(out, 0, 100, &count, 1); };
    };
    std::snprintf(what, sizeof what, "randint i64 %ld", count);
    report(what, alternate(sides, 21, 1, integer_caller(0), integer_caller(1)));
    std::snprintf(what, sizeof what, "randint i64 %ld, burst of 16", count);
    report(what, alternate(sides, 11, 16, integer_caller(0), integer_caller(1)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s OURS OTHER [quick|all [FILTER [N]]]\n", argv[0]);
    return 2;
  }
  CHECK(cudaFree(nullptr));
  const Library ours(argv[1]);
  const Library other(argv[2]);
  Side sides[2] = {{&ours, {}, {}, {}}, {&other, {}, {}, {}}};
  for (Side& side : sides) {
    CHECK(cudaStreamCreate(&side.stream));
    CHECK(cudaEventCreate(&side.begin));
    CHECK(cudaEventCreate(&side.end));
    Handle guard = nullptr;
    side.library->get<int(void*, int32_t, Handle*)>("aoti_torch_create_cuda_stream_guard")(
        side.stream, 0, &guard);
  }
  const bool quick = argc > 3 && std::strcmp(argv[3], "quick") == 0;
  const std::string filter = argc > 4 ? argv[4] : "";
  products(sides, filter, quick, argc > 5 ? std::atoll(argv[5]) : 0);
  if (filter.empty() || filter == "sort") {
    sorts(sides);
  }
  if (filter.empty() || filter == "rand") {
    randoms(sides);
  }
  std::printf("%d of the above are slower than 1.03 or worse\n", failures);
  return failures == 0 ? 0 : 1;
}
