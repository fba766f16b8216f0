// Tensors on the host, through the C functions: these pass on a machine without a GPU.
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "shims/abi.h"
#include "shims/dtype.h"
#include "shims/error.h"
#include "shims/testing/tensors.h"

namespace shims::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kOk = 0;
constexpr int kInvalidArgument = static_cast<int>(Error::kInvalidArgument);
constexpr int kNotSupported = static_cast<int>(Error::kNotSupported);

template <typename T>
std::vector<T> counting(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{});
  return values;
}

constexpr int32_t id(DType dtype) { return static_cast<int32_t>(dtype); }

TEST(CreateTensorFromBlob, ReportsWhatItWasGiven) {
  auto values = counting<float>(64);
  const std::array<int64_t, 2> sizes{3, 4};
  const std::array<int64_t, 2> strides{1, 3};
  Owned tensor;
  ASSERT_EQ(
      aoti_torch_create_tensor_from_blob_v2(values.data(), 2, sizes.data(), strides.data(), 5,
                                            id(DType::kFloat32), 0, 0, tensor.out(), 0, nullptr, 0),
      kOk);
  EXPECT_THAT(sizes_of(tensor), ElementsAre(3, 4));
  EXPECT_THAT(strides_of(tensor), ElementsAre(1, 3));
  EXPECT_EQ(data_of(tensor), values.data() + 5);
  int64_t number = 0;
  EXPECT_EQ(aoti_torch_get_storage_offset(tensor.get(), &number), kOk);
  EXPECT_EQ(number, 5);
  EXPECT_EQ(aoti_torch_get_storage_size(tensor.get(), &number), kOk);
  EXPECT_EQ(number, 4 * (5 + 1 + 2 * 1 + 3 * 3));
  EXPECT_EQ(aoti_torch_get_numel(tensor.get(), &number), kOk);
  EXPECT_EQ(number, 12);
  int32_t type = -1;
  EXPECT_EQ(aoti_torch_get_dtype(tensor.get(), &type), kOk);
  EXPECT_EQ(type, 6);
  EXPECT_EQ(aoti_torch_get_device_type(tensor.get(), &type), kOk);
  EXPECT_EQ(type, 0);
  bool contiguous = true;
  EXPECT_EQ(aoti_torch_is_contiguous(tensor.get(), &contiguous), kOk);
  EXPECT_FALSE(contiguous);
}

TEST(CreateTensorFromBlob, NullStridesMeanContiguous) {
  auto values = counting<float>(24);
  const std::array<int64_t, 3> sizes{2, 3, 4};
  for (const bool second : {false, true}) {
    Owned tensor;
    ASSERT_EQ(second
                  ? aoti_torch_create_tensor_from_blob_v2(values.data(), 3, sizes.data(), nullptr,
                                                          0, 6, 0, 0, tensor.out(), 0, nullptr, 0)
                  : aoti_torch_create_tensor_from_blob(values.data(), 3, sizes.data(), nullptr, 0,
                                                       6, 0, 0, tensor.out()),
              kOk);
    EXPECT_THAT(strides_of(tensor), ElementsAre(12, 4, 1));
  }
}

TEST(CreateTensorFromBlob, NullDataIsForEmptyTensorsOnly) {
  const std::array<int64_t, 2> none{0, 4};
  const std::array<int64_t, 2> some{1, 4};
  Owned tensor;
  EXPECT_EQ(aoti_torch_create_tensor_from_blob(nullptr, 2, none.data(), nullptr, 0, 6, 0, 0,
                                               tensor.out()),
            kOk);
  EXPECT_EQ(data_of(tensor), nullptr);
  Owned refused;
  EXPECT_EQ(aoti_torch_create_tensor_from_blob(nullptr, 2, some.data(), nullptr, 0, 6, 0, 0,
                                               refused.out()),
            kInvalidArgument);
  EXPECT_THAT(last_error(), HasSubstr("no data"));
}

TEST(CreateTensorFromBlob, RefusesWhatCannotBe) {
  std::array<float, 4> values{};
  const std::array<int64_t, 1> sizes{4};
  const std::array<int64_t, 1> negative{-1};
  const std::array<int64_t, 2> huge{INT64_MAX / 2, 8};
  AtenTensorHandle out = nullptr;
  const auto make = [&](int64_t ndim, const int64_t* size, const int64_t* stride, int64_t offset,
                        int32_t dtype, int32_t device, AtenTensorHandle* ret) {
    return aoti_torch_create_tensor_from_blob(values.data(), ndim, size, stride, offset, dtype,
                                              device, 0, ret);
  };
  EXPECT_EQ(make(1, sizes.data(), nullptr, 0, 6, 0, nullptr), kInvalidArgument);
  EXPECT_EQ(make(1, nullptr, nullptr, 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(-1, sizes.data(), nullptr, 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(65, sizes.data(), nullptr, 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, negative.data(), nullptr, 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, sizes.data(), negative.data(), 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(2, huge.data(), nullptr, 0, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, sizes.data(), nullptr, -1, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, sizes.data(), nullptr, INT64_MAX, 6, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, sizes.data(), nullptr, 0, 12, 0, &out), kInvalidArgument);
  EXPECT_EQ(make(1, sizes.data(), nullptr, 0, 6, 2, &out), kInvalidArgument);
  EXPECT_EQ(out, nullptr);
}

TEST(EmptyStrided, EveryTypeOnTheHost){
#define CHECK_TYPE(enumerator, name, bytes)                                    \
  {                                                                            \
    const Owned tensor = fresh({2, 5}, {5, 1}, id(DType::enumerator));         \
    int64_t size = 0;                                                          \
    ASSERT_EQ(aoti_torch_get_storage_size(tensor.get(), &size), kOk) << #name; \
    EXPECT_EQ(size, 10 * (bytes)) << #name;                                    \
    std::memset(data_of(tensor), 1, static_cast<std::size_t>(size));           \
  }
    SHIMS_FOR_EACH_DTYPE(CHECK_TYPE)
#undef CHECK_TYPE
}

TEST(EmptyStrided, ScalarsAndEmptyTensors) {
  const Owned scalar = fresh({}, {}, 6);
  EXPECT_NE(data_of(scalar), nullptr);
  int64_t size = -1;
  EXPECT_EQ(aoti_torch_get_storage_size(scalar.get(), &size), kOk);
  EXPECT_EQ(size, 4);
  const Owned none = fresh({3, 0, 2}, {0, 2, 1}, 6);
  EXPECT_EQ(aoti_torch_get_storage_size(none.get(), &size), kOk);
  EXPECT_EQ(size, 0);
  EXPECT_EQ(data_of(none), nullptr);
}

TEST(NewTensorHandle, SharesStorageInAnyOrderOfDeletion) {
  Owned first = fresh({4}, {1}, 6);
  float* data = data_as<float>(first);
  data[2] = 7;
  Owned second;
  ASSERT_EQ(aoti_torch_new_tensor_handle(first.get(), second.out()), kOk);
  EXPECT_NE(second.get(), first.get());
  first = Owned();
  EXPECT_EQ(data_of(second), data);
  EXPECT_EQ(data_as<float>(second)[2], 7);
}

TEST(NewTensorHandle, CountsAcrossThreads) {
  const Owned tensor = fresh({4}, {1}, 6);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5000; ++round) {
        Owned copy;
        aoti_torch_new_tensor_handle(tensor.get(), copy.out());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  data_as<float>(tensor)[3] = 1;  // still there: a lost count would have freed it
  EXPECT_EQ(data_as<float>(tensor)[3], 1);
}

TEST(ReinterpretTensor, OffsetCountsFromTheStorage) {
  auto values = counting<int64_t>(24);
  const Owned base = over(values.data(), {24}, {1}, 4);
  Owned half;
  const std::array<int64_t, 1> twelve{12};
  const std::array<int64_t, 1> one{1};
  ASSERT_EQ(
      aoti_torch__reinterpret_tensor(base.get(), 1, twelve.data(), one.data(), 12, half.out()),
      kOk);
  EXPECT_EQ(data_as<int64_t>(half)[0], 12);
  Owned again;
  const std::array<int64_t, 2> sizes{2, 3};
  const std::array<int64_t, 2> strides{1, 2};
  ASSERT_EQ(
      aoti_torch__reinterpret_tensor(half.get(), 2, sizes.data(), strides.data(), 3, again.out()),
      kOk);
  EXPECT_EQ(data_as<int64_t>(again)[0], 3);
  EXPECT_THAT(strides_of(again), ElementsAre(1, 2));
}

TEST(ReinterpretTensor, RefusesWhatLeavesTheStorage) {
  const Owned base = fresh({4, 4}, {4, 1}, 6);
  const std::array<int64_t, 1> sizes{8};
  const std::array<int64_t, 1> strides{2};
  Owned out;
  EXPECT_EQ(
      aoti_torch__reinterpret_tensor(base.get(), 1, sizes.data(), strides.data(), 1, out.out()),
      kOk);
  Owned beyond;
  EXPECT_EQ(
      aoti_torch__reinterpret_tensor(base.get(), 1, sizes.data(), strides.data(), 2, beyond.out()),
      kInvalidArgument);
  EXPECT_EQ(
      aoti_torch__reinterpret_tensor(base.get(), -1, sizes.data(), strides.data(), 0, beyond.out()),
      kInvalidArgument);
  EXPECT_EQ(aoti_torch__reinterpret_tensor(base.get(), 1, sizes.data(), nullptr, 0, beyond.out()),
            kInvalidArgument);
  EXPECT_EQ(
      aoti_torch__reinterpret_tensor(nullptr, 1, sizes.data(), strides.data(), 0, beyond.out()),
      kInvalidArgument);
  EXPECT_EQ(aoti_torch__reinterpret_tensor(base.get(), 1, sizes.data(), strides.data(), 0, nullptr),
            kInvalidArgument);
  Owned scalar;
  EXPECT_EQ(aoti_torch__reinterpret_tensor(base.get(), 0, nullptr, nullptr, 15, scalar.out()), kOk);
}

TEST(ViewDtype, CountsTheLastDimensionAnew) {
  auto values = counting<uint8_t>(32);
  const Owned bytes = over(values.data(), {2, 16}, {16, 1}, id(DType::kUInt8));
  Owned words;
  ASSERT_EQ(aoti_torch_cuda_view_dtype(bytes.get(), id(DType::kInt32), words.out()), kOk);
  EXPECT_THAT(sizes_of(words), ElementsAre(2, 4));
  EXPECT_THAT(strides_of(words), ElementsAre(4, 1));
  EXPECT_EQ(data_as<uint32_t>(words)[1], 0x07060504u);
  Owned back;
  ASSERT_EQ(aoti_torch_cuda_view_dtype(words.get(), id(DType::kInt16), back.out()), kOk);
  EXPECT_THAT(sizes_of(back), ElementsAre(2, 8));
  const Owned odd = over(values.data(), {2, 3}, {3, 1}, id(DType::kUInt8));
  Owned refused;
  EXPECT_EQ(aoti_torch_cuda_view_dtype(odd.get(), id(DType::kInt32), refused.out()),
            kInvalidArgument);
}

TEST(AllocFromPool, OffsetsAreBytes) {
  auto values = counting<uint8_t>(64);
  const Owned pool = over(values.data(), {64}, {1}, id(DType::kUInt8));
  const std::array<int64_t, 1> four{4};
  const std::array<int64_t, 1> one{1};
  Owned part;
  ASSERT_EQ(aoti_torch__alloc_from_pool(pool.get(), 16, id(DType::kFloat32), 1, four.data(),
                                        one.data(), part.out()),
            kOk);
  EXPECT_EQ(data_of(part), values.data() + 16);
  Owned refused;
  EXPECT_EQ(aoti_torch__alloc_from_pool(pool.get(), 2, id(DType::kFloat32), 1, four.data(),
                                        one.data(), refused.out()),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch__alloc_from_pool(pool.get(), 52, id(DType::kFloat32), 1, four.data(),
                                        one.data(), refused.out()),
            kInvalidArgument);
}

TEST(Clone, CopiesAndKeepsDenseStrides) {
  auto values = counting<float>(6);
  const Owned tensor = over(values.data(), {2, 3}, {1, 2}, 6);
  Owned copy;
  ASSERT_EQ(aoti_torch_clone(tensor.get(), copy.out()), kOk);
  values.assign(6, -1);
  EXPECT_THAT(strides_of(copy), ElementsAre(1, 2));
  EXPECT_THAT(std::vector<float>(data_as<float>(copy), data_as<float>(copy) + 6),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Clone, PacksTensorsWithHolesAndRepetitions) {
  auto values = counting<float>(12);
  const Owned holes = over(values.data(), {2, 3}, {6, 2}, 6);
  Owned packed;
  ASSERT_EQ(aoti_torch_clone(holes.get(), packed.out()), kOk);
  EXPECT_THAT(strides_of(packed), ElementsAre(3, 1));
  EXPECT_THAT(std::vector<float>(data_as<float>(packed), data_as<float>(packed) + 6),
              ElementsAre(0, 2, 4, 6, 8, 10));
  const Owned repeated = over(values.data(), {2, 3}, {0, 1}, 6);
  Owned twice;
  ASSERT_EQ(aoti_torch_clone(repeated.get(), twice.out()), kOk);
  int64_t bytes = 0;
  ASSERT_EQ(aoti_torch_get_storage_size(twice.get(), &bytes), kOk);
  EXPECT_EQ(bytes, 24);
}

TEST(ClonePreserveStrides, KeepsHolesAndRepetitions) {
  auto values = counting<float>(12);
  for (const auto& strides : {std::vector<int64_t>{6, 2}, std::vector<int64_t>{0, 1}}) {
    const Owned tensor = over(values.data(), {2, 3}, strides, 6);
    Owned copy;
    ASSERT_EQ(aoti_torch_clone_preserve_strides(tensor.get(), copy.out()), kOk);
    EXPECT_EQ(strides_of(copy), strides);
    EXPECT_NE(data_of(copy), data_of(tensor));
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const int64_t at = i * strides[0] + j * strides[1];
        EXPECT_EQ(data_as<float>(copy)[at], values[static_cast<std::size_t>(at)]);
      }
    }
  }
}

TEST(Copy, BroadcastsConvertsAndScatters) {
  std::vector<int32_t> from{1, -2, 3};
  std::vector<double> to(12, 99);
  const Owned source = over(from.data(), {1, 3}, {3, 1}, id(DType::kInt32));
  const Owned target = over(to.data(), {2, 3}, {1, 4}, id(DType::kFloat64));
  ASSERT_EQ(aoti_torch_copy_(target.get(), source.get(), 0), kOk);
  EXPECT_THAT(to, ElementsAre(1, 1, 99, 99, -2, -2, 99, 99, 3, 3, 99, 99));
}

TEST(Copy, ConvertsAsTorchDoes) {
  const std::vector<float> from{0.0f, -0.75f, 2.5f, 1.00390625f, 3.0e38f};
  std::vector<float> source_values = from;
  const Owned source = over(source_values.data(), {5}, {1}, 6);
  std::array<uint8_t, 5> bools{};
  ASSERT_EQ(aoti_torch_copy_(over(bools.data(), {5}, {1}, id(DType::kBool)).get(), source.get(), 0),
            kOk);
  EXPECT_THAT(bools, ElementsAre(0, 1, 1, 1, 1));
  std::array<int16_t, 3> shorts{};
  const Owned three = over(source_values.data(), {3}, {1}, 6);
  ASSERT_EQ(
      aoti_torch_copy_(over(shorts.data(), {3}, {1}, id(DType::kInt16)).get(), three.get(), 0),
      kOk);
  EXPECT_THAT(shorts, ElementsAre(0, 0, 2));
  std::array<uint16_t, 5> brains{};
  ASSERT_EQ(
      aoti_torch_copy_(over(brains.data(), {5}, {1}, id(DType::kBFloat16)).get(), source.get(), 0),
      kOk);
  // 1 + 2^-8 lies halfway between two bfloat16: to even.
  EXPECT_THAT(brains, ElementsAre(0x0000, 0xbf40, 0x4020, 0x3f80, 0x7f62));
}

TEST(Copy, RefusesOtherSizesAndUnknownConversions) {
  const Owned two = fresh({2}, {1}, 6);
  const Owned three = fresh({3}, {1}, 6);
  const Owned complex = fresh({2}, {1}, id(DType::kComplex64));
  EXPECT_EQ(aoti_torch_copy_(two.get(), three.get(), 0), kInvalidArgument);
  EXPECT_EQ(aoti_torch_copy_(two.get(), complex.get(), 0), kNotSupported);
  EXPECT_EQ(aoti_torch_copy_(two.get(), nullptr, 0), kInvalidArgument);
  EXPECT_EQ(aoti_torch_copy_(nullptr, two.get(), 0), kInvalidArgument);
  EXPECT_THAT(last_error(), HasSubstr("aoti_torch_copy_: the destination is null"));
}

TEST(Zero, FillsOnlyItsElements) {
  std::vector<float> values(8, 5);
  ASSERT_EQ(aoti_torch_zero_(over(values.data(), {2, 2}, {4, 2}, 6).get()), kOk);
  EXPECT_THAT(values, ElementsAre(0, 5, 0, 5, 0, 5, 0, 5));
}

TEST(ItemBool, TakesOneBoolAndNothingElse) {
  std::array<uint8_t, 2> values{1, 0};
  bool result = false;
  EXPECT_EQ(aoti_torch_item_bool(over(values.data(), {1}, {1}, 11).get(), &result), kOk);
  EXPECT_TRUE(result);
  EXPECT_EQ(aoti_torch_item_bool(over(values.data() + 1, {}, {}, 11).get(), &result), kOk);
  EXPECT_FALSE(result);
  EXPECT_EQ(aoti_torch_item_bool(over(values.data(), {2}, {1}, 11).get(), &result),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_item_bool(over(values.data(), {1}, {1}, 0).get(), &result),
            kInvalidArgument);
  EXPECT_EQ(aoti_torch_item_bool(nullptr, &result), kInvalidArgument);
  EXPECT_EQ(aoti_torch_item_bool(over(values.data(), {1}, {1}, 11).get(), nullptr),
            kInvalidArgument);
}

SHIMS_API AOTITorchError aoti_torch_item_int64(AtenTensorHandle, int64_t*);
SHIMS_API AOTITorchError aoti_torch_scalar_to_tensor_int64(int64_t, AtenTensorHandle*);

TEST(Scalars, GoAndComeBack) {
  Owned tensor;
  ASSERT_EQ(aoti_torch_scalar_to_tensor_int64(-42, tensor.out()), kOk);
  int64_t value = 0;
  ASSERT_EQ(aoti_torch_item_int64(tensor.get(), &value), kOk);
  EXPECT_EQ(value, -42);
  EXPECT_TRUE(sizes_of(tensor).empty());
}

TEST(AssignTensorsOut, GivesANewHandleAndLeavesTheSource) {
  const Owned source = fresh({4}, {1}, 6);
  Owned target;
  ASSERT_EQ(aoti_torch_assign_tensors_out(source.get(), target.out()), kOk);
  EXPECT_EQ(data_of(target), data_of(source));
  EXPECT_NE(target.get(), source.get());
}

TEST(UninitialisedTensor, IsUndefinedUntilAssigned) {
  Owned tensor;
  ASSERT_EQ(aoti_torch_new_uninitialized_tensor(tensor.out()), kOk);
  bool defined = true;
  EXPECT_EQ(aoti_torch_is_defined(tensor.get(), &defined), kOk);
  EXPECT_FALSE(defined);
  int64_t number = 0;
  EXPECT_EQ(aoti_torch_get_numel(tensor.get(), &number), kInvalidArgument);
  const Owned source = fresh({4}, {1}, 6);
  ASSERT_EQ(aoti_torch_assign_tensors(source.get(), tensor.get()), kOk);
  EXPECT_EQ(aoti_torch_get_numel(tensor.get(), &number), kOk);
  EXPECT_EQ(number, 4);
}

TEST(Getters, RefuseNullTensorsAndPlaces) {
  const Owned tensor = fresh({2, 3}, {3, 1}, 6);
  int64_t number = 0;
  int64_t* numbers = nullptr;
  int32_t small = 0;
  void* pointer = nullptr;
  EXPECT_EQ(aoti_torch_get_data_ptr(nullptr, &pointer), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_data_ptr(tensor.get(), nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_sizes(nullptr, &numbers), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_sizes(tensor.get(), nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_dtype(nullptr, &small), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_numel(tensor.get(), nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_size(tensor.get(), 2, &number), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_size(tensor.get(), -1, &number), kOk);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(aoti_torch_get_stride(tensor.get(), 0, &number), kOk);
  EXPECT_EQ(number, 3);
  int64_t* again = nullptr;
  ASSERT_EQ(aoti_torch_get_sizes(tensor.get(), &numbers), kOk);
  ASSERT_EQ(aoti_torch_get_sizes(tensor.get(), &again), kOk);
  EXPECT_EQ(numbers, again);
}

TEST(Getters, ManyDimensionsStayInPlace) {
  const std::vector<int64_t> sizes{1, 2, 1, 2, 1, 2, 1, 2, 1};
  const Owned tensor = fresh(sizes, contiguous_strides(sizes), 6);
  EXPECT_EQ(sizes_of(tensor), sizes);
  Owned copy;
  ASSERT_EQ(aoti_torch_new_tensor_handle(tensor.get(), copy.out()), kOk);
  EXPECT_EQ(sizes_of(copy), sizes);
  EXPECT_EQ(strides_of(copy), contiguous_strides(sizes));
}

TEST(Check, ThrowsOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(aoti_torch_check(true, "f", "file", 1, "no"));
  EXPECT_THROW(aoti_torch_check(false, "f", "file", 1, "rank 3 expected"), std::runtime_error);
}

TEST(LastError, IsOfTheThreadAndCanBeForgotten) {
  int64_t number = 0;
  ASSERT_EQ(aoti_torch_get_numel(nullptr, &number), kInvalidArgument);
  EXPECT_THAT(last_error(), HasSubstr("aoti_torch_get_numel: the tensor is null"));
  std::thread([] { EXPECT_EQ(last_error(), ""); }).join();
  executorch_cuda_shims_clear_last_error();
  EXPECT_EQ(last_error(), "");
}

TEST(Deletion, OfNullIsAnError) {
  EXPECT_EQ(aoti_torch_delete_tensor_object(nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_delete_cuda_guard(nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_delete_cuda_stream_guard(nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_cuda_guard_set_index(nullptr, 0), kInvalidArgument);
  EXPECT_EQ(aoti_torch_create_cuda_guard(0, nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_create_cuda_stream_guard(nullptr, 0, nullptr), kInvalidArgument);
  EXPECT_EQ(aoti_torch_get_current_cuda_stream(0, nullptr), kInvalidArgument);
}

TEST(Products, RefuseTensorsOfTheHost) {
  const Owned self = fresh({1, 256}, {256, 1}, id(DType::kBFloat16));
  const Owned weights = fresh({8, 128}, {128, 1}, id(DType::kUInt8));
  const Owned codes = fresh({8, 8}, {8, 1}, id(DType::kUInt8));
  const Owned steps = fresh({8, 1}, {1, 1}, id(DType::kFloat16));
  Owned out;
  EXPECT_EQ(aoti_torch_cuda_int4_plain_mm(self.get(), weights.get(), codes.get(), steps.get(),
                                          codes.get(), steps.get(), 32, out.out()),
            kInvalidArgument);
  EXPECT_THAT(last_error(), HasSubstr("not on a CUDA device"));
}

}  // namespace
}  // namespace shims::testing
