#include <cstdint>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/portable_type/tensor.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::ScalarType;
using etensor::Tensor;
using etensor::TensorImpl;
using ::testing::ElementsAre;

// A tensor of sizes 2, 3, 4 with its arrays.
struct Fixture {
  explicit Fixture(TensorShapeDynamism dynamism)
      : impl(ScalarType::Float, 3, sizes, data, order, strides, dynamism) {}

  TensorImpl::SizesType sizes[3] = {2, 3, 4};
  TensorImpl::DimOrderType order[3] = {0, 2, 1};
  TensorImpl::StridesType strides[3] = {12, 1, 3};
  float data[24] = {};
  TensorImpl impl;
};

Error resize(TensorImpl& impl, std::initializer_list<int32_t> sizes) {
  return resize_tensor(Tensor(&impl), ArrayRef<int32_t>(sizes.begin(), sizes.size()));
}

TEST(TensorImplTest, SaysWhatItWasMadeOf) {
  Fixture fixture(TensorShapeDynamism::DYNAMIC_BOUND);
  const Tensor tensor(&fixture.impl);
  EXPECT_EQ(tensor.dim(), 3);
  EXPECT_EQ(tensor.numel(), 24);
  EXPECT_EQ(tensor.nbytes(), 96u);
  EXPECT_EQ(tensor.element_size(), 4);
  EXPECT_EQ(tensor.size(1), 3);
  EXPECT_THAT(tensor.sizes(), ElementsAre(2, 3, 4));
  EXPECT_THAT(tensor.strides(), ElementsAre(12, 1, 3));
  EXPECT_THAT(tensor.dim_order(), ElementsAre(0, 2, 1));
  EXPECT_EQ(tensor.const_data_ptr<float>(), fixture.data);
  EXPECT_EQ(tensor.device(), etensor::Device(etensor::DeviceType::CPU));
  EXPECT_DEATH((void)tensor.size(3), "dimension 3");
  EXPECT_DEATH((void)tensor.size(-1), "dimension -1");
}

TEST(TensorImplTest, ATensorOfRankZeroHasOneElement) {
  TensorImpl impl(ScalarType::Long, 0, nullptr);
  EXPECT_EQ(impl.numel(), 1);
  EXPECT_EQ(impl.nbytes(), 8u);
  EXPECT_TRUE(impl.sizes().empty());
}

TEST(TensorImplTest, ImpossibleSizesEndTheProcess) {
  int32_t negative[] = {2, -1};
  int32_t large[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 2, negative), "size -1 at dimension 1");
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 3, large), "too large");
  EXPECT_DEATH(TensorImpl(ScalarType::Float, 1, nullptr), "without sizes");
  EXPECT_DEATH(TensorImpl(static_cast<ScalarType>(99), 0, nullptr), "element type 99");
  EXPECT_EQ(etensor::safe_numel(negative, 2).error(), Error::InvalidArgument);
  EXPECT_EQ(etensor::safe_numel(large, 3).error(), Error::InvalidArgument);
  EXPECT_EQ(etensor::safe_numel(nullptr, 1).error(), Error::InvalidArgument);
}

TEST(ResizeTest, ABoundedTensorTakesSmallerSizesAndTheirStrides) {
  Fixture fixture(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(fixture.impl, {2, 2, 5}), Error::Ok);
  EXPECT_EQ(fixture.impl.numel(), 20);
  EXPECT_THAT(fixture.impl.sizes(), ElementsAre(2, 2, 5));
  EXPECT_THAT(fixture.impl.strides(), ElementsAre(10, 1, 2));
  EXPECT_EQ(resize(fixture.impl, {0, 3, 4}), Error::Ok);
  EXPECT_EQ(fixture.impl.nbytes(), 0u);
  EXPECT_EQ(resize(fixture.impl, {2, 3, 4}), Error::Ok) << "back to the bound";
}

TEST(ResizeTest, NothingGrowsBeyondItsBound) {
  for (const auto dynamism :
       {TensorShapeDynamism::DYNAMIC_BOUND, TensorShapeDynamism::DYNAMIC_UNBOUND}) {
    Fixture fixture(dynamism);
    EXPECT_EQ(resize(fixture.impl, {2, 3, 5}), Error::NotSupported);
    EXPECT_THAT(fixture.impl.sizes(), ElementsAre(2, 3, 4)) << "unchanged after an error";
    EXPECT_THAT(fixture.impl.strides(), ElementsAre(12, 1, 3));
  }
}

TEST(ResizeTest, AStaticTensorTakesOnlyItsOwnSizes) {
  Fixture fixture(TensorShapeDynamism::STATIC);
  EXPECT_EQ(resize(fixture.impl, {2, 3, 4}), Error::Ok);
  EXPECT_EQ(resize(fixture.impl, {2, 4, 3}), Error::NotSupported);
}

TEST(ResizeTest, TheRankNeverChanges) {
  Fixture fixture(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(fixture.impl, {2, 3}), Error::NotSupported);
}

TEST(ResizeTest, ImpossibleSizesAreRefused) {
  Fixture fixture(TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(fixture.impl, {2, -3, 4}), Error::InvalidArgument);
  EXPECT_EQ(resize(fixture.impl, {INT32_MAX, INT32_MAX, INT32_MAX}), Error::InvalidArgument);
  const int64_t wide[] = {2, int64_t{1} << 32, 4};
  EXPECT_EQ(resize_tensor(Tensor(&fixture.impl), ArrayRef<int64_t>(wide)), Error::InvalidArgument);
  const int64_t many[17] = {};
  EXPECT_EQ(resize_tensor(Tensor(&fixture.impl), ArrayRef<int64_t>(many)), Error::InvalidArgument);
  const int64_t good[] = {1, 2, 3};
  EXPECT_EQ(resize_tensor(Tensor(&fixture.impl), ArrayRef<int64_t>(good)), Error::Ok);
}

TEST(ResizeTest, SizesAreComparedBeforeAnythingElse) {
  // Without strides and an order only the sizes change.
  int32_t sizes[] = {4};
  TensorImpl impl(ScalarType::Byte, 1, sizes, nullptr, nullptr, nullptr,
                  TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize(impl, {3}), Error::Ok);
  EXPECT_EQ(impl.numel(), 3);
}

}  // namespace
}  // namespace executorch::runtime
