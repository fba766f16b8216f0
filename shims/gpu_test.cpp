// The operations on a GPU, through the C functions, against plain references on the host. Without a
// GPU every test here is skipped.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "shims/abi.h"
#include "shims/dtype.h"
#include "shims/error.h"
#include "shims/testing/reference.h"
#include "shims/testing/tensors.h"

namespace shims::testing {
namespace {

using reference::Op;
using reference::Weights;

constexpr int kOk = 0;
constexpr int kInvalidArgument = static_cast<int>(Error::kInvalidArgument);
constexpr int kNotSupported = static_cast<int>(Error::kNotSupported);
constexpr int32_t id(DType dtype) { return static_cast<int32_t>(dtype); }

// The device under test: that of GPU_TEST_DEVICE, or the first.
int device() {
  static const int chosen = [] {
    const char* const text = std::getenv("GPU_TEST_DEVICE");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return chosen;
}

// Device memory that a test owns.
class Memory {
 public:
  explicit Memory(const void* host, std::size_t bytes) {
    if (cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)) != cudaSuccess ||
        cudaMemcpy(data_, host, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
      ADD_FAILURE() << "no device memory";
    }
  }
  template <typename T>
  explicit Memory(const std::vector<T>& values)
      : Memory(values.data(), values.size() * sizeof(T)) {}
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

template <typename T>
std::vector<T> download(const Owned& tensor) {
  int64_t count = 0;
  aoti_torch_get_numel(tensor.get(), &count);
  std::vector<T> values(static_cast<std::size_t>(count));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(
      cudaMemcpy(values.data(), data_of(tensor), values.size() * sizeof(T), cudaMemcpyDeviceToHost),
      cudaSuccess);
  return values;
}

Owned on_device(const Memory& memory, const std::vector<int64_t>& sizes, DType dtype) {
  return over(memory.get(), sizes, contiguous_strides(sizes), id(dtype), device());
}

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
      GTEST_SKIP() << "there is no GPU";
    }
    ASSERT_LT(device(), count) << "GPU_TEST_DEVICE";
    ASSERT_EQ(cudaSetDevice(device()), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    ASSERT_EQ(aoti_torch_create_cuda_stream_guard(stream_, device(), &guard_), kOk);
  }
  void TearDown() override {
    if (guard_ != nullptr) {
      EXPECT_EQ(aoti_torch_delete_cuda_stream_guard(guard_), kOk);
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
  }
  cudaStream_t stream_ = nullptr;
  CUDAStreamGuardHandle guard_ = nullptr;
};

// --- products
// -------------------------------------------------------------------------------------

std::mt19937_64 generator(6);
uint64_t bits() { return generator(); }
float uniform(float low, float high) {
  return low + (high - low) * static_cast<float>(bits() >> 40) * 0x1p-24f;
}
template <typename T, typename Make>
std::vector<T> filled(int64_t count, Make make) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), make);
  return values;
}
std::vector<uint8_t> any_bytes(int64_t count) {
  return filled<uint8_t>(count, [] { return static_cast<uint8_t>(bits()); });
}
std::vector<uint16_t> bfloats(int64_t count, float low, float high) {
  return filled<uint16_t>(count, [=] {
    const __nv_bfloat16 value = __float2bfloat16(uniform(low, high));
    uint16_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    return word;
  });
}
std::vector<uint16_t> halves(int64_t count, float low, float high) {
  return filled<uint16_t>(count, [=] {
    const __half value = __float2half(uniform(low, high));
    uint16_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    return word;
  });
}

struct Case {
  Op op;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t g;
  int64_t inner = 8;
};

std::string name_of(const Case& c) {
  static const char* const kNames[] = {"packed", "int4", "int4wide", "int5", "int6", "int8"};
  return std::string(kNames[static_cast<int>(c.op)]) + "_m" + std::to_string(c.m) + "_n" +
         std::to_string(c.n) + "_k" + std::to_string(c.k) + "_g" + std::to_string(c.g) + "_i" +
         std::to_string(c.inner);
}

// The host's copy of everything a product reads.
struct Operands {
  std::vector<uint16_t> activations;
  std::vector<uint8_t> low;
  std::vector<uint8_t> high;
  std::vector<uint8_t> code_scale;
  std::vector<uint16_t> wide_scale;
  std::vector<uint8_t> code_zero;
  std::vector<uint16_t> wide_zero;
  std::vector<uint16_t> scale_step;
  std::vector<uint16_t> zero_step;

  explicit Operands(const Case& c) {
    activations = bfloats(c.m * c.k, -1, 1);
    low = any_bytes(c.op == Op::kInt8 ? c.n * c.k : c.n * c.k / 2);
    high = any_bytes(c.op == Op::kInt5 ? c.n * c.k / 8 : c.op == Op::kInt6 ? c.n * c.k / 4 : 0);
    const int64_t groups = c.n * (c.k / c.g);
    code_scale = any_bytes(groups);
    code_zero = any_bytes(groups);
    wide_scale = bfloats(c.op == Op::kPacked ? 2 * groups : groups, -0.1f, 0.1f);
    wide_zero = bfloats(groups, 0, 15);
    scale_step = halves(c.n * std::max<int64_t>(c.k / 256, 1), 0.0001f, 0.001f);
    zero_step = halves(c.n * std::max<int64_t>(c.k / 256, 1), 0.01f, 0.1f);
  }

  Weights weights(const Case& c) const {
    const bool codes = c.op == Op::kInt4 || c.op == Op::kInt5 || c.op == Op::kInt6;
    return {c.op,
            c.n,
            c.k,
            c.g,
            c.inner,
            low.data(),
            high.data(),
            codes ? static_cast<const void*>(code_scale.data()) : wide_scale.data(),
            scale_step.data(),
            c.op == Op::kInt4Wide ? static_cast<const void*>(wide_zero.data()) : code_zero.data(),
            zero_step.data()};
  }
};

int call(const Case& c, const Operands& o, std::vector<uint16_t>* result) {
  const Memory activations(o.activations);
  const Memory low(o.low);
  const Memory high(o.high);
  const Memory code_scale(o.code_scale);
  const Memory wide_scale(o.wide_scale);
  const Memory code_zero(o.code_zero);
  const Memory wide_zero(o.wide_zero);
  const Memory scale_step(o.scale_step);
  const Memory zero_step(o.zero_step);
  const int64_t groups = c.k / c.g;
  const int64_t steps = std::max<int64_t>(c.k / 256, 1);
  const Owned a = on_device(activations, {c.m, c.k}, DType::kBFloat16);
  const Owned s1 = on_device(scale_step, {c.n, steps}, DType::kFloat16);
  const Owned s2 = on_device(zero_step, {c.n, steps}, DType::kFloat16);
  const Owned codes =
      on_device(code_scale, {c.n, groups}, c.op == Op::kInt6 ? DType::kInt8 : DType::kUInt8);
  const Owned zeros =
      on_device(code_zero, {c.n, groups}, c.op == Op::kInt8 ? DType::kInt8 : DType::kUInt8);
  Owned out;
  int code = -1;
  switch (c.op) {
    case Op::kPacked: {
      const Owned w =
          on_device(low, {c.n / 8, c.k / (16 * c.inner), 32, c.inner / 2}, DType::kInt32);
      const Owned s = on_device(wide_scale, {groups, c.n, 2}, DType::kBFloat16);
      code = aoti_torch_cuda__weight_int4pack_mm(a.get(), w.get(), c.g, s.get(), out.out());
      break;
    }
    case Op::kInt4: {
      const Owned w = on_device(low, {c.n, c.k / 2}, DType::kUInt8);
      code = aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), codes.get(), s1.get(), zeros.get(),
                                           s2.get(), c.g, out.out());
      break;
    }
    case Op::kInt4Wide: {
      const Owned w = on_device(low, {c.n, c.k / 2}, DType::kUInt8);
      const Owned s = on_device(wide_scale, {groups, c.n}, DType::kBFloat16);
      const Owned z = on_device(wide_zero, {groups, c.n}, DType::kBFloat16);
      // As a program of 1.3 calls it: six arguments.
      using SixArguments = AOTITorchError(AtenTensorHandle, AtenTensorHandle, AtenTensorHandle,
                                          AtenTensorHandle, int64_t, AtenTensorHandle*);
      auto* function =
          reinterpret_cast<SixArguments*>(reinterpret_cast<void*>(&aoti_torch_cuda_int4_plain_mm));
      code = function(a.get(), w.get(), s.get(), z.get(), c.g, out.out());
      break;
    }
    case Op::kInt5: {
      const Owned w = on_device(low, {c.n, c.k / 2}, DType::kUInt8);
      const Owned h = on_device(high, {c.n, c.k / 8}, DType::kUInt8);
      code = aoti_torch_cuda_int5_plain_mm(a.get(), w.get(), h.get(), codes.get(), s1.get(),
                                           zeros.get(), s2.get(), c.g, out.out());
      break;
    }
    case Op::kInt6: {
      const Owned w = on_device(low, {c.n, c.k / 2}, DType::kUInt8);
      const Owned h = on_device(high, {c.n, c.k / 4}, DType::kUInt8);
      code = aoti_torch_cuda_int6_plain_mm(a.get(), w.get(), h.get(), codes.get(), s1.get(), c.g,
                                           out.out());
      break;
    }
    case Op::kInt8: {
      const Owned w = on_device(low, {c.n, c.k}, DType::kInt8);
      const Owned s = on_device(wide_scale, {c.n, groups}, DType::kBFloat16);
      code = aoti_torch_cuda_int8_plain_mm(a.get(), w.get(), s.get(), zeros.get(), c.g, out.out());
      break;
    }
  }
  if (code == kOk) {
    EXPECT_THAT(sizes_of(out), ::testing::ElementsAre(c.m, c.n));
    *result = download<uint16_t>(out);
  }
  return code;
}

void expect_close(const Case& c) {
  SCOPED_TRACE(name_of(c));
  const Operands operands(c);
  std::vector<uint16_t> got;
  ASSERT_EQ(call(c, operands, &got), kOk) << last_error();
  const Weights w = operands.weights(c);
  std::vector<double> weights(static_cast<std::size_t>(c.n * c.k));
  std::vector<double> activations(static_cast<std::size_t>(c.m * c.k));
  for (int64_t i = 0; i < c.n * c.k; ++i) {
    weights[static_cast<std::size_t>(i)] = reference::weight(w, i / c.k, i % c.k);
  }
  for (int64_t i = 0; i < c.m * c.k; ++i) {
    activations[static_cast<std::size_t>(i)] =
        c.op == Op::kPacked
            ? reference::bf16(operands.activations.data(), i)
            : reference::quantised_activation(operands.activations.data(), i / c.k, i % c.k, c.k);
  }
  for (int64_t m = 0; m < c.m; ++m) {
    for (int64_t n = 0; n < c.n; ++n) {
      double sum = 0;
      double size = 0;
      for (int64_t k = 0; k < c.k; ++k) {
        const double term = activations[static_cast<std::size_t>(m * c.k + k)] *
                            weights[static_cast<std::size_t>(n * c.k + k)];
        sum += term;
        size += std::fabs(term);
      }
      const double value = reference::bf16(got.data(), m * c.n + n);
      // The result's own rounding, sums in float, and, for packed weights, each weight's rounding.
      const double allowed = std::fabs(sum) / 256 + size * (c.op == Op::kPacked ? 1.0 / 256 : 1e-5);
      ASSERT_NEAR(value, sum, allowed) << "m " << m << " n " << n;
    }
  }
}

TEST_F(Gpu, PackedProductForEveryTilingGroupAndRows) {
  for (const int64_t inner : {2, 4, 8}) {
    for (const int64_t g : {32, 64, 128, 256}) {
      for (const int64_t m : {1, 3, 8, 9, 17, 40, 65}) {
        expect_close({Op::kPacked, m, m == 3 ? 24 : 16, 512, g, inner});
      }
    }
  }
  expect_close({Op::kPacked, 1, 8, 256, 256, 8});       // one half pair
  expect_close({Op::kPacked, 2, 64, 14336, 128, 8});    // too wide for shared memory together
  expect_close({Op::kPacked, 7, 40, 2048, 64, 8});      // likewise
  expect_close({Op::kPacked, 130, 4104, 128, 128, 8});  // many blocks
  expect_close({Op::kPacked, 1, 16, 32, 32, 2});        // fewer outer k's than warps
}

TEST_F(Gpu, PlainProductForEveryFormatGroupAndRows) {
  for (const Op op : {Op::kInt4, Op::kInt4Wide, Op::kInt5, Op::kInt6, Op::kInt8}) {
    for (const int64_t g : {8, 16, 32, 64, 128, 256}) {
      if (g < 32 && op != Op::kInt6) {
        continue;
      }
      for (const int64_t m : {1, 2, 3, 4, 5, 8, 9, 17}) {
        expect_close({op, m, m % 2 == 0 ? 13 : 16, 768, g});
      }
    }
    expect_close({op, 1, 1, 256, 32});
    expect_close({op, 1, 5, 29952, 32});     // does not fit a block's shared memory
    expect_close({op, 1, 16500, 256, 128});  // many rows: two kernels
    expect_close({op, 2, 16500, 256, 128});
    expect_close({op, 3, 4, 1280, 256});
  }
  // Formats without steps do not need a multiple of 256.
  for (const int64_t k : {32, 96, 160, 1056}) {
    expect_close({Op::kInt4Wide, 1, 9, k, 32});
    expect_close({Op::kInt8, 2, 9, k, 32});
  }
}

TEST_F(Gpu, ProductsOfNothingAreEmpty) {
  std::vector<uint16_t> got;
  const Case none{Op::kInt4, 0, 16, 256, 32};
  EXPECT_EQ(call(none, Operands(none), &got), kOk) << last_error();
  EXPECT_TRUE(got.empty());
}

TEST_F(Gpu, ProductOfZeroActivationsIsZero) {
  const Case c{Op::kInt6, 1, 8, 256, 16};
  Operands operands(c);
  std::fill(operands.activations.begin(), operands.activations.end(), uint16_t{0});
  std::vector<uint16_t> got;
  ASSERT_EQ(call(c, operands, &got), kOk);
  for (const uint16_t value : got) {
    EXPECT_EQ(value & 0x7fff, 0);
  }
}

TEST_F(Gpu, PlainProductRefusesTheTransposedLayoutAndOddGroups) {
  const Case c{Op::kInt4, 1, 8, 512, 32};
  const Operands o(c);
  const Memory activations(o.activations);
  const Memory low(o.low);
  const Memory scale(o.code_scale);
  const Memory steps(o.scale_step);
  const Owned a = on_device(activations, {1, 512}, DType::kBFloat16);
  const Owned w = on_device(low, {8, 256}, DType::kUInt8);
  const Owned s = on_device(scale, {8, 16}, DType::kUInt8);
  const Owned transposed = on_device(scale, {16, 8}, DType::kUInt8);
  const Owned step = on_device(steps, {8, 2}, DType::kFloat16);
  Owned out;
  EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), transposed.get(), step.get(), s.get(),
                                          step.get(), 32, out.out()),
            kInvalidArgument);
  EXPECT_THAT(last_error(), ::testing::HasSubstr("scale is [16, 8] instead of [8, 16]"));
  EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), s.get(), step.get(), s.get(),
                                          step.get(), 48, out.out()),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), s.get(), step.get(), nullptr,
                                          step.get(), 32, out.out()),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), s.get(), step.get(), s.get(),
                                          step.get(), 32, nullptr),
            kInvalidArgument);
  EXPECT_EQ(out.get(), nullptr);
}

TEST_F(Gpu, OperandsMayBeStridedAndUnaligned) {
  const Case c{Op::kInt8, 3, 8, 256, 32};
  const Operands o(c);
  std::vector<uint16_t> plain;
  ASSERT_EQ(call(c, o, &plain), kOk);
  // The same activations, transposed in memory and two bytes off.
  std::vector<uint16_t> moved(o.activations.size() + 1);
  for (int64_t m = 0; m < 3; ++m) {
    for (int64_t k = 0; k < 256; ++k) {
      moved[static_cast<std::size_t>(1 + k * 3 + m)] =
          o.activations[static_cast<std::size_t>(m * 256 + k)];
    }
  }
  const Memory activations(moved);
  const Memory low(o.low);
  const Memory scale(o.wide_scale);
  const Memory zero(o.code_zero);
  const std::array<int64_t, 2> sizes{3, 256};
  const std::array<int64_t, 2> strides{1, 3};
  Owned a;
  ASSERT_EQ(aoti_torch_create_tensor_from_blob(activations.get(), 2, sizes.data(), strides.data(),
                                               1, id(DType::kBFloat16), 1, device(), a.out()),
            kOk);
  const Owned w = on_device(low, {8, 256}, DType::kInt8);
  const Owned s = on_device(scale, {8, 8}, DType::kBFloat16);
  const Owned z = on_device(zero, {8, 8}, DType::kInt8);
  Owned out;
  ASSERT_EQ(aoti_torch_cuda_int8_plain_mm(a.get(), w.get(), s.get(), z.get(), 32, out.out()), kOk)
      << last_error();
  EXPECT_EQ(download<uint16_t>(out), plain);
}

// --- sorting
// --------------------------------------------------------------------------------------

// torch's order: NaN is greater than everything.
template <typename T>
bool before(T a, T b, bool descending) {
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  const auto less = [](T x, T y, bool x_nan, bool y_nan) { return (y_nan && !x_nan) || x < y; };
  return descending ? less(b, a, b_nan, a_nan) : less(a, b, a_nan, b_nan);
}

template <typename T>
void expect_sorted(const std::vector<T>& values, const std::vector<int64_t>& sizes, int64_t dim,
                   bool descending, DType dtype) {
  SCOPED_TRACE(std::string(dtype_name(dtype)) + " dim " + std::to_string(dim) + " of " +
               ::testing::PrintToString(sizes) + (descending ? " descending" : ""));
  const Memory memory(values);
  const Owned self = on_device(memory, sizes, dtype);
  Owned sorted;
  Owned indices;
  int32_t stable = 1;
  ASSERT_EQ(aoti_torch_cuda_sort_stable(self.get(), &stable, dim, descending ? 1 : 0, sorted.out(),
                                        indices.out()),
            kOk)
      << last_error();
  EXPECT_EQ(sizes_of(sorted), sizes);
  EXPECT_EQ(sizes_of(indices), sizes);
  const auto got = download<T>(sorted);
  const auto at = download<int64_t>(indices);
  const std::size_t ndim = sizes.size();
  const std::size_t d =
      ndim == 0 ? 0 : static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(ndim) : dim);
  std::size_t outer = 1;
  std::size_t inner = 1;
  const std::size_t length = ndim == 0 ? 1 : static_cast<std::size_t>(sizes[d]);
  for (std::size_t i = 0; i < ndim; ++i) {
    (i < d ? outer : inner) *= i == d ? 1 : static_cast<std::size_t>(sizes[i]);
  }
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      const auto place = [&](std::size_t j) { return (o * length + j) * inner + i; };
      std::vector<std::size_t> order(length);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return before(values[place(a)], values[place(b)], descending);
      });
      for (std::size_t j = 0; j < length; ++j) {
        ASSERT_EQ(static_cast<std::size_t>(at[place(j)]), order[j]) << "place " << j;
        ASSERT_EQ(std::memcmp(&got[place(j)], &values[place(order[j])], sizeof(T)), 0);
      }
    }
  }
}

std::vector<float> floats_with_everything(std::size_t count) {
  std::vector<float> values(count);
  const float special[] = {0.0f, -0.0f,  INFINITY, -INFINITY, NAN,
                           -NAN, 1e-45f, -1e-45f,  3.4e38f,   -3.4e38f};
  for (float& value : values) {
    const uint64_t draw = bits();
    value = draw % 4 == 0 ? special[draw / 4 % 10]
                          : static_cast<float>(static_cast<int>(draw >> 40) % 50);
  }
  return values;
}

TEST_F(Gpu, SortsFloatsInTorchsOrder) {
  for (const bool descending : {false, true}) {
    for (const int64_t length : {1, 2, 31, 256, 257, 1000, 1024, 1025, 4096, 4097, 9000, 32768,
                                 32769, 100000, 262144, 262145, 500000}) {
      expect_sorted(floats_with_everything(static_cast<std::size_t>(length)), {length}, -1,
                    descending, DType::kFloat32);
    }
  }
}

TEST_F(Gpu, SortsAlongAnyDimension) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {7, 300, 5}, {3, 2, 5000}, {5000, 3}, {2, 9000, 2}, {1, 1, 1}, {4, 1, 6}}) {
    const int64_t count =
        std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    for (int64_t dim = -static_cast<int64_t>(sizes.size());
         dim < static_cast<int64_t>(sizes.size()); ++dim) {
      expect_sorted(floats_with_everything(static_cast<std::size_t>(count)), sizes, dim,
                    dim % 2 == 0, DType::kFloat32);
    }
  }
}

template <typename T>
void sort_whole_numbers(DType dtype) {
  for (const bool descending : {false, true}) {
    for (const int64_t length : {100, 3000, 20000}) {
      auto values = filled<T>(length, [] { return static_cast<T>(bits()); });
      values[0] = std::numeric_limits<T>::min();
      values[1] = std::numeric_limits<T>::max();
      values[2] = values[3] = values[50];
      expect_sorted(values, {length}, 0, descending, dtype);
      expect_sorted(values, {2, length / 2}, 1, descending, dtype);
    }
  }
}

TEST_F(Gpu, SortsWholeNumbersOfEveryWidth) {
  sort_whole_numbers<int64_t>(DType::kInt64);
  sort_whole_numbers<int32_t>(DType::kInt32);
  sort_whole_numbers<int16_t>(DType::kInt16);
  sort_whole_numbers<int8_t>(DType::kInt8);
  sort_whole_numbers<uint8_t>(DType::kUInt8);
}

TEST_F(Gpu, SortsDoubles) {
  std::vector<double> values;
  for (const float value : floats_with_everything(5000)) {
    values.push_back(value);
  }
  expect_sorted(values, {5000}, 0, false, DType::kFloat64);
  expect_sorted(values, {50, 100}, 0, true, DType::kFloat64);
}

// Halves have no type on the host: their order is that of the floats they stand for.
TEST_F(Gpu, SortsHalfTypes) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    for (const bool descending : {false, true}) {
      const auto words = filled<uint16_t>(70000, [] { return static_cast<uint16_t>(bits()); });
      const Memory memory(words);
      const Owned self = on_device(memory, {70000}, dtype);
      Owned sorted;
      Owned indices;
      ASSERT_EQ(aoti_torch_cuda_sort_stable(self.get(), nullptr, 0, descending ? 1 : 0,
                                            sorted.out(), indices.out()),
                kOk);
      const auto at = download<int64_t>(indices);
      const auto got = download<uint16_t>(sorted);
      const auto real = [&](int64_t i) {
        return dtype == DType::kFloat16 ? static_cast<float>(reference::f16(words.data(), i))
                                        : static_cast<float>(reference::bf16(words.data(), i));
      };
      for (std::size_t j = 0; j + 1 < at.size(); ++j) {
        const float a = real(at[j]);
        const float b = real(at[j + 1]);
        ASSERT_FALSE(before(b, a, descending)) << j;
        if (!before(a, b, descending)) {
          ASSERT_LT(at[j], at[j + 1]) << "equal elements changed their order at " << j;
        }
      }
      EXPECT_EQ(std::set<int64_t>(at.begin(), at.end()).size(), at.size());
      for (std::size_t j = 0; j < got.size(); ++j) {
        ASSERT_EQ(got[j], words[static_cast<std::size_t>(at[j])]);
      }
    }
  }
}

TEST_F(Gpu, SortsScalarsAndNothing) {
  expect_sorted<float>({3.0f}, {}, 0, false, DType::kFloat32);
  expect_sorted<float>({3.0f}, {}, -1, true, DType::kFloat32);
  expect_sorted<float>({}, {0}, 0, false, DType::kFloat32);
  expect_sorted<float>({}, {3, 0}, 0, false, DType::kFloat32);
  const Memory memory(std::vector<float>(4));
  Owned values;
  Owned indices;
  const Owned self = on_device(memory, {2, 2}, DType::kFloat32);
  EXPECT_EQ(aoti_torch_cuda_sort_stable(self.get(), nullptr, 2, 0, values.out(), indices.out()),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_sort_stable(self.get(), nullptr, -3, 0, values.out(), indices.out()),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_sort_stable(self.get(), nullptr, 0, 0, nullptr, indices.out()),
            kInvalidArgument);
}

// --- random numbers
// -------------------------------------------------------------------------------

Owned random_tensor(const std::vector<int64_t>& sizes, DType dtype) {
  Owned out;
  int32_t type = id(dtype);
  EXPECT_EQ(aoti_torch_cuda_rand(sizes.data(), static_cast<int64_t>(sizes.size()), &type, nullptr,
                                 nullptr, device(), nullptr, out.out()),
            kOk)
      << last_error();
  return out;
}

TEST_F(Gpu, RandIsUniformAndNewAtEveryCall) {
  constexpr int64_t kCount = 1 << 20;
  const auto first = download<float>(random_tensor({kCount}, DType::kFloat32));
  const auto second = download<float>(random_tensor({1024, 1024}, DType::kFloat32));
  EXPECT_NE(first, second);
  std::vector<int> cells(256);
  double sum = 0;
  for (const float value : first) {
    ASSERT_GE(value, 0.0f);
    ASSERT_LT(value, 1.0f);
    ++cells[static_cast<std::size_t>(value * 256)];
    sum += static_cast<double>(value);
  }
  // Chi-squared with 255 degrees of freedom: 400 is about 6.4 deviations above.
  double chi = 0;
  for (const int cell : cells) {
    chi += std::pow(cell - kCount / 256.0, 2) / (kCount / 256.0);
  }
  EXPECT_LT(chi, 400);
  EXPECT_NEAR(sum / kCount, 0.5, 6 * 0.2887 / 1024);
  double product = 0;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    product += (static_cast<double>(first[i]) - 0.5) * (static_cast<double>(first[i + 1]) - 0.5);
  }
  EXPECT_NEAR(product / kCount * 12, 0, 6.0 / 1024);
}

TEST_F(Gpu, RandNeverRepeatsAStretch) {
  // 24 bits a value: pairs of neighbours are 48, and two calls of this size share one about never.
  const auto first = download<float>(random_tensor({1 << 16}, DType::kFloat32));
  const auto second = download<float>(random_tensor({1 << 16}, DType::kFloat32));
  std::set<std::pair<float, float>> pairs;
  for (std::size_t i = 0; i < first.size(); i += 2) {
    pairs.insert({first[i], first[i + 1]});
  }
  int shared = 0;
  for (std::size_t i = 0; i < second.size(); i += 2) {
    shared += static_cast<int>(pairs.count({second[i], second[i + 1]}));
  }
  EXPECT_LT(shared, 3);
}

TEST_F(Gpu, RandOfBFloat16StaysBelowOne) {
  const auto words = download<uint16_t>(random_tensor({1 << 20}, DType::kBFloat16));
  double sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double value = reference::bf16(words.data(), static_cast<int64_t>(i));
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / static_cast<double>(words.size()), 0.5, 0.003);
}

TEST_F(Gpu, RandTakesDefaultsAndRefusesTheRest) {
  Owned out;
  const std::array<int64_t, 2> sizes{3, 0};
  ASSERT_EQ(aoti_torch_cuda_rand(sizes.data(), 2, nullptr, nullptr, nullptr, device(), nullptr,
                                 out.out()),
            kOk);
  int32_t dtype = -1;
  aoti_torch_get_dtype(out.get(), &dtype);
  EXPECT_EQ(dtype, id(DType::kFloat32));
  Owned scalar;
  EXPECT_EQ(
      aoti_torch_cuda_rand(nullptr, 0, nullptr, nullptr, nullptr, device(), nullptr, scalar.out()),
      kOk);
  int32_t whole = id(DType::kInt64);
  Owned refused;
  EXPECT_EQ(aoti_torch_cuda_rand(sizes.data(), 2, &whole, nullptr, nullptr, device(), nullptr,
                                 refused.out()),
            kNotSupported);
  EXPECT_EQ(
      aoti_torch_cuda_rand(sizes.data(), 2, nullptr, nullptr, nullptr, device(), nullptr, nullptr),
      kInvalidArgument);
}

std::vector<int64_t> random_integers(int64_t count, int64_t low, int64_t high) {
  const std::vector<int64_t> nothing(static_cast<std::size_t>(count), -77);
  const Memory memory(nothing);
  const Owned out = on_device(memory, {count}, DType::kInt64);
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(out.get(), low, high, &count, 1), kOk) << last_error();
  return download<int64_t>(out);
}

TEST_F(Gpu, RandintStaysInItsRangeAndReachesAllOfIt) {
  for (const auto& [low, high] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1}, {0, 2}, {-3, 4}, {10, 110}, {-(int64_t{1} << 40), int64_t{1} << 40}}) {
    const auto values = random_integers(100001, low, high);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*least, low);
    EXPECT_LT(*most, high);
    if (high - low <= 100) {
      EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()).size(),
                static_cast<std::size_t>(high - low));
    }
  }
}

TEST_F(Gpu, RandintOfAllOfInt64) {
  const auto values = random_integers(100000, INT64_MIN, INT64_MAX);
  double negative = 0;
  for (const int64_t value : values) {
    EXPECT_NE(value, INT64_MAX);
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_NEAR(negative / 100000, 0.5, 6 * 0.5 / 316);
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()).size(), values.size());
  EXPECT_NE(values, random_integers(100000, INT64_MIN, INT64_MAX));
}

TEST_F(Gpu, RandintRefusesEmptyRangesAndWrongTensors) {
  const Memory memory(std::vector<int64_t>(4));
  const Owned out = on_device(memory, {4}, DType::kInt64);
  const Owned real = on_device(memory, {4}, DType::kFloat64);
  const int64_t four = 4;
  const int64_t five = 5;
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(out.get(), 3, 3, &four, 1), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(out.get(), 3, 2, &four, 1), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(out.get(), 0, 2, &five, 1), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(real.get(), 0, 2, &four, 1), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_randint_low_out(nullptr, 0, 2, &four, 1), kInvalidArgument);
}

// --- streams, guards, copies, capture
// --------------------------------------------------------------

TEST_F(Gpu, GuardsSelectStreamsAndPutThemBack) {
  void* seen = nullptr;
  ASSERT_EQ(aoti_torch_get_current_cuda_stream(device(), &seen), kOk);
  EXPECT_EQ(seen, stream_);
  CUDAStreamGuardHandle inner = nullptr;
  ASSERT_EQ(aoti_torch_create_cuda_stream_guard(nullptr, -1, &inner), kOk);
  ASSERT_EQ(aoti_torch_get_current_cuda_stream(-1, &seen), kOk);
  EXPECT_EQ(seen, nullptr) << "the legacy default stream can be selected";
  std::thread([&] {
    void* other = stream_;
    EXPECT_EQ(aoti_torch_get_current_cuda_stream(device(), &other), kOk);
    EXPECT_NE(other, stream_) << "another thread's selection";
    EXPECT_NE(other, nullptr);
    void* again = nullptr;
    EXPECT_EQ(aoti_torch_get_current_cuda_stream(device(), &again), kOk);
    EXPECT_EQ(again, other);
  }).join();
  ASSERT_EQ(aoti_torch_delete_cuda_stream_guard(inner), kOk);
  ASSERT_EQ(aoti_torch_get_current_cuda_stream(device(), &seen), kOk);
  EXPECT_EQ(seen, stream_);
}

TEST_F(Gpu, DeviceGuardsRefuseDevicesThatAreNotThere) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  CUDAGuardHandle guard = nullptr;
  EXPECT_EQ(aoti_torch_create_cuda_guard(count, &guard), kInvalidArgument);
  EXPECT_EQ(aoti_torch_create_cuda_guard(-5, &guard), kInvalidArgument);
  ASSERT_EQ(aoti_torch_create_cuda_guard(0, &guard), kOk);
  EXPECT_EQ(aoti_torch_cuda_guard_set_index(guard, count), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_guard_set_index(guard, count - 1), kOk);
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, count - 1);
  EXPECT_EQ(aoti_torch_delete_cuda_guard(guard), kOk);
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, device());
}

TEST_F(Gpu, CopiesBetweenAnyTwoPlacesTypesAndStrides) {
  std::vector<int32_t> host(12);
  std::iota(host.begin(), host.end(), -5);
  const Owned source = over(host.data(), {3, 4}, {1, 3}, id(DType::kInt32));
  const Owned moved = fresh({3, 4}, {4, 1}, id(DType::kBFloat16), device());
  ASSERT_EQ(aoti_torch_copy_(moved.get(), source.get(), 0), kOk) << last_error();
  const Owned spread = fresh({3, 4}, {16, 2}, id(DType::kFloat64), device());
  ASSERT_EQ(aoti_torch_zero_(spread.get()), kOk);
  ASSERT_EQ(aoti_torch_copy_(spread.get(), moved.get(), 1), kOk) << last_error();
  std::vector<int64_t> back(12, 99);
  const Owned target = over(back.data(), {3, 4}, {1, 3}, id(DType::kInt64));
  ASSERT_EQ(aoti_torch_copy_(target.get(), spread.get(), 0), kOk) << last_error();
  EXPECT_EQ(back, std::vector<int64_t>(host.begin(), host.end()));
}

TEST_F(Gpu, ItemBoolWaitsForTheDevice) {
  const Memory memory(std::vector<uint8_t>{1, 0});
  bool value = false;
  ASSERT_EQ(aoti_torch_item_bool(on_device(memory, {1}, DType::kBool).get(), &value), kOk);
  EXPECT_TRUE(value);
}

// What is freed comes back to the same stream, and what a graph holds survives until it is gone.
TEST_F(Gpu, OperationsCanBeCapturedAndReplayed) {
  const Case c{Op::kInt4, 9, 16, 512, 32};
  const Operands o(c);
  const Memory activations(o.activations);
  const Memory low(o.low);
  const Memory scale(o.code_scale);
  const Memory steps(o.scale_step);
  const Memory integers(std::vector<int64_t>(8));
  const std::vector<float> to_sort = floats_with_everything(9000);
  const Memory sortable(to_sort);
  const Owned a = on_device(activations, {9, 512}, DType::kBFloat16);
  const Owned w = on_device(low, {16, 256}, DType::kUInt8);
  const Owned s = on_device(scale, {16, 16}, DType::kUInt8);
  const Owned step = on_device(steps, {16, 2}, DType::kFloat16);
  const Owned numbers = on_device(integers, {8}, DType::kInt64);
  const Owned unsorted = on_device(sortable, {9000}, DType::kFloat32);
  const Owned kept = fresh({9, 16}, {16, 1}, id(DType::kBFloat16), device());
  const Owned kept_indices = fresh({9000}, {1}, id(DType::kInt64), device());
  const int64_t eight = 8;
  const auto everything = [&] {
    Owned product;
    EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(a.get(), w.get(), s.get(), step.get(), s.get(),
                                            step.get(), 32, product.out()),
              kOk)
        << last_error();
    EXPECT_EQ(aoti_torch_copy_(kept.get(), product.get(), 1), kOk) << last_error();
    EXPECT_EQ(aoti_torch_cuda_randint_low_out(numbers.get(), INT64_MIN, INT64_MAX, &eight, 1), kOk)
        << last_error();
    Owned values;
    Owned indices;
    EXPECT_EQ(
        aoti_torch_cuda_sort_stable(unsorted.get(), nullptr, 0, 0, values.out(), indices.out()),
        kOk)
        << last_error();
    EXPECT_EQ(aoti_torch_copy_(kept_indices.get(), indices.get(), 1), kOk) << last_error();
  };
  everything();
  const auto product = download<uint16_t>(kept);
  const auto indices = download<int64_t>(kept_indices);
  Owned released_during_capture = fresh({1000}, {1}, 6, device());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  everything();
  released_during_capture = Owned();
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
            cudaSuccess);
  std::set<std::vector<int64_t>> draws;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaMemsetAsync(data_of(kept), 0xff, 9 * 16 * 2, stream_), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(data_of(kept_indices), 0xff, 9000 * 8, stream_), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(download<uint16_t>(kept), product);
    EXPECT_EQ(download<int64_t>(kept_indices), indices);
    draws.insert(download<int64_t>(numbers));
  }
  EXPECT_EQ(draws.size(), 3u) << "a replay must draw new numbers";
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  everything();
  EXPECT_EQ(download<uint16_t>(kept), product);
}

TEST_F(Gpu, MemoryIsFlatOverManyCalls) {
  const auto cycle = [&] {
    const Owned tensor = random_tensor({1 << 18}, DType::kFloat32);
    Owned copy;
    ASSERT_EQ(aoti_torch_clone(tensor.get(), copy.out()), kOk);
    Owned values;
    Owned indices;
    ASSERT_EQ(aoti_torch_cuda_sort_stable(copy.get(), nullptr, 0, 0, values.out(), indices.out()),
              kOk);
  };
  for (int i = 0; i < 20; ++i) {
    cycle();
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t before_free = 0;
  std::size_t after_free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before_free, &total), cudaSuccess);
  for (int i = 0; i < 500; ++i) {
    cycle();
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&after_free, &total), cudaSuccess);
  EXPECT_EQ(after_free, before_free);
}

TEST_F(Gpu, ThreadsWithTheirOwnStreamsDoNotDisturbEachOther) {
  const Case c{Op::kInt8, 2, 64, 1024, 32};
  const Operands o(c);
  std::vector<uint16_t> expected;
  ASSERT_EQ(call(c, o, &expected), kOk);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ASSERT_EQ(cudaSetDevice(device()), cudaSuccess);
      cudaStream_t own = nullptr;
      ASSERT_EQ(cudaStreamCreate(&own), cudaSuccess);
      CUDAStreamGuardHandle guard = nullptr;
      ASSERT_EQ(aoti_torch_create_cuda_stream_guard(own, device(), &guard), kOk);
      for (int i = 0; i < 20; ++i) {
        std::vector<uint16_t> got;
        EXPECT_EQ(call(c, o, &got), kOk) << last_error();
        EXPECT_EQ(got, expected);
      }
      EXPECT_EQ(aoti_torch_delete_cuda_stream_guard(guard), kOk);
      EXPECT_EQ(cudaStreamDestroy(own), cudaSuccess);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace shims::testing
