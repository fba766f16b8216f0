#include <cstdint>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/scalar.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::ScalarType;
using ::testing::ElementsAre;

// Rows and columns: torch.promote_types of PyTorch 2.13.
constexpr ScalarType kTypes[] = {
    ScalarType::Byte,         ScalarType::Char,          ScalarType::Short,
    ScalarType::Int,          ScalarType::Long,          ScalarType::Half,
    ScalarType::Float,        ScalarType::Double,        ScalarType::ComplexHalf,
    ScalarType::ComplexFloat, ScalarType::ComplexDouble, ScalarType::Bool,
    ScalarType::BFloat16};
constexpr const char* kPromoted[] = {
    "u1 i2 i2 i4 i8 f2 f4 f8 c2 c4 c8 u1 bf", "i2 i1 i2 i4 i8 f2 f4 f8 c2 c4 c8 i1 bf",
    "i2 i2 i2 i4 i8 f2 f4 f8 c2 c4 c8 i2 bf", "i4 i4 i4 i4 i8 f2 f4 f8 c2 c4 c8 i4 bf",
    "i8 i8 i8 i8 i8 f2 f4 f8 c2 c4 c8 i8 bf", "f2 f2 f2 f2 f2 f2 f4 f8 c2 c4 c8 f2 f4",
    "f4 f4 f4 f4 f4 f4 f4 f8 c4 c4 c8 f4 f4", "f8 f8 f8 f8 f8 f8 f8 f8 c8 c8 c8 f8 f8",
    "c2 c2 c2 c2 c2 c2 c4 c8 c2 c4 c8 c2 c4", "c4 c4 c4 c4 c4 c4 c4 c8 c4 c4 c8 c4 c4",
    "c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8", "u1 i1 i2 i4 i8 f2 f4 f8 c2 c4 c8 b1 bf",
    "bf bf bf bf bf f4 f4 f8 c4 c4 c8 bf bf"};

std::string short_name(ScalarType type) {
  static const char* const names[] = {"u1", "i1", "i2", "i4", "i8", "f2", "f4",
                                      "f8", "c2", "c4", "c8", "b1", "bf"};
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i] == type) {
      return names[i];
    }
  }
  return toString(type);
}

TEST(ScalarTypeTest, PromotionIsThatOfTorch) {
  for (size_t row = 0; row < std::size(kTypes); ++row) {
    std::string promoted;
    for (const ScalarType column : kTypes) {
      promoted += (promoted.empty() ? "" : " ") + short_name(promoteTypes(kTypes[row], column));
    }
    EXPECT_EQ(promoted, kPromoted[row]) << toString(kTypes[row]);
  }
}

TEST(ScalarTypeTest, PromotionCanAvoid16Bits) {
  EXPECT_EQ(promoteTypes(ScalarType::Half, ScalarType::Int, true), ScalarType::Float);
  EXPECT_EQ(promoteTypes(ScalarType::BFloat16, ScalarType::BFloat16, true), ScalarType::Float);
  EXPECT_EQ(promoteTypes(ScalarType::Double, ScalarType::Half, true), ScalarType::Double);
  static_assert(std::is_same_v<promote_types<int8_t, uint8_t>::type, int16_t>);
  static_assert(std::is_same_v<promote_types<etensor::Half, bool, true>::type, float>);
}

TEST(ScalarTypeTest, OpaqueTypesGoOnlyWithThemselves) {
  EXPECT_EQ(promoteTypes(ScalarType::QInt8, ScalarType::QInt8), ScalarType::QInt8);
  EXPECT_EQ(promoteTypes(ScalarType::UInt16, ScalarType::UInt16), ScalarType::UInt16);
  EXPECT_DEATH((void)promoteTypes(ScalarType::QInt8, ScalarType::Float), "no common type");
  EXPECT_DEATH((void)promoteTypes(ScalarType::UInt16, ScalarType::Int), "no common type");
}

TEST(ScalarTypeTest, SizesAreThoseOfTheTypes) {
  EXPECT_EQ(elementSize(ScalarType::Half), 2u);
  EXPECT_EQ(elementSize(ScalarType::ComplexDouble), 16u);
  EXPECT_EQ(elementSize(ScalarType::Bool), 1u);
  EXPECT_EQ(elementSize(ScalarType::Bits16), 2u);
  EXPECT_EQ(elementSize(ScalarType::Float8_e4m3fn), 1u);
  EXPECT_EQ(elementSize(ScalarType::UInt64), 8u);
  EXPECT_DEATH((void)elementSize(ScalarType::Undefined), "element type 30");
  EXPECT_DEATH((void)elementSize(static_cast<ScalarType>(-1)), "element type -1");
}

TEST(ScalarTypeTest, KindsCoverEveryType) {
  EXPECT_FALSE(isValid(static_cast<ScalarType>(-1)));
  EXPECT_FALSE(isValid(ScalarType::Undefined));
  int kinds[5] = {};
  for (int number = 0; number < static_cast<int>(ScalarType::Undefined); ++number) {
    const auto type = static_cast<ScalarType>(number);
    const bool of_kind[] = {isRealHBBF16Type(type), isComplexType(type), isQIntType(type),
                            isBitsType(type), isFloat8Type(type) || isBarebonesUnsignedType(type)};
    int found = 0;
    for (size_t i = 0; i < std::size(of_kind); ++i) {
      found += of_kind[i] ? 1 : 0;
      kinds[i] += of_kind[i] ? 1 : 0;
    }
    EXPECT_EQ(found, 1) << toString(type);
  }
  EXPECT_THAT(kinds, ElementsAre(10, 3, 5, 5, 7));
}

TEST(ScalarTypeTest, CastingLosesNoKind) {
  EXPECT_TRUE(canCast(ScalarType::Int, ScalarType::Float));
  EXPECT_TRUE(canCast(ScalarType::Bool, ScalarType::Bool));
  EXPECT_FALSE(canCast(ScalarType::Float, ScalarType::Int));
  EXPECT_FALSE(canCast(ScalarType::ComplexFloat, ScalarType::Float));
  EXPECT_FALSE(canCast(ScalarType::Int, ScalarType::Bool));
  EXPECT_EQ((convert<uint8_t>(300.7)), 44);
  EXPECT_EQ((convert<float>(3)), 3.0f);
}

TEST(ScalarTypeTest, RelatedTypesAreFound) {
  EXPECT_EQ(toQIntType(ScalarType::Char), ScalarType::QInt8);
  EXPECT_EQ(toUnderlying(ScalarType::QUInt4x2), ScalarType::Byte);
  EXPECT_TRUE(isUnderlying(ScalarType::Int, ScalarType::QInt32));
  EXPECT_EQ(toRealValueType(ScalarType::ComplexHalf), ScalarType::Half);
  EXPECT_EQ(toComplexType(ScalarType::BFloat16), ScalarType::ComplexFloat);
  EXPECT_TRUE(isSignedType(ScalarType::BFloat16));
  EXPECT_FALSE(isSignedType(ScalarType::Byte));
}

TEST(SwitchTest, RunsTheCodeForTheType) {
  KernelRuntimeContext context;
  size_t size = 0;
  // NOLINTNEXTLINE(bugprone-lambda-function-name)
  ET_SWITCH_REALHBBF16_TYPES(ScalarType::BFloat16, context, "op", CTYPE,
                             [&] { size = sizeof(CTYPE); });
  EXPECT_EQ(size, 2u);
  const bool is_double = [&] {
    bool result = false;
    // NOLINTNEXTLINE(bugprone-lambda-function-name)
    ET_SWITCH_TWO_TYPES(Long, Double, ScalarType::Double, context, "op", CTYPE,
                        [&] { result = std::is_same_v<CTYPE, double>; });
    return result;
  }();
  EXPECT_TRUE(is_double);
  EXPECT_EQ(context.failure_state(), Error::Ok);
}

TEST(SwitchTest, AnotherTypeFailsTheContext) {
  KernelRuntimeContext context;
  bool ran = false;
  // NOLINTNEXTLINE(bugprone-lambda-function-name)
  ET_SWITCH_INT_TYPES(ScalarType::Float, context, "op", CTYPE,
                      [&] { ran = !std::is_void_v<CTYPE>; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
}

TEST(ScalarTest, KeepsItsKind) {
  using etensor::Scalar;
  EXPECT_TRUE(Scalar(3).isIntegral(false));
  EXPECT_TRUE(Scalar(true).isIntegral(true));
  EXPECT_FALSE(Scalar(true).isIntegral(false));
  EXPECT_EQ(Scalar(true).to<int64_t>(), 1);
  EXPECT_EQ(Scalar(etensor::Half(1.5f)).to<double>(), 1.5);
  EXPECT_DEATH((void)Scalar(3).to<double>(), "not a Double");
  EXPECT_DEATH((void)Scalar(3).to<bool>(), "not a Bool");
  EXPECT_DEATH((void)Scalar(1.0).to<int64_t>(), "not an Int");
}

TEST(DimOrderTest, StridesFollowTheOrder) {
  const int32_t sizes[] = {2, 3, 4, 5};
  int32_t strides[4];
  const uint8_t channels_last[] = {0, 2, 3, 1};
  ASSERT_EQ(dim_order_to_stride(sizes, channels_last, 4, strides), Error::Ok);
  EXPECT_THAT(strides, ElementsAre(60, 1, 15, 3));
  EXPECT_TRUE(is_channels_last_dim_order(channels_last, 4));
  EXPECT_FALSE(is_contiguous_dim_order(channels_last, 4));
  uint8_t order[4];
  ASSERT_EQ(stride_to_dim_order(strides, 4, order), Error::Ok);
  EXPECT_THAT(order, ElementsAre(0, 2, 3, 1));
}

TEST(DimOrderTest, ASizeOfZeroCountsAsOne) {
  const int32_t sizes[] = {2, 0, 3};
  const uint8_t order[] = {0, 1, 2};
  int32_t strides[3];
  dim_order_to_stride_nocheck(sizes, order, 3, strides);
  EXPECT_THAT(strides, ElementsAre(3, 3, 1));
}

TEST(DimOrderTest, EqualStridesKeepTheirOrder) {
  const int32_t strides[] = {4, 4, 1, 4};
  uint8_t order[4];
  ASSERT_EQ(stride_to_dim_order(strides, 4, order), Error::Ok);
  EXPECT_THAT(order, ElementsAre(0, 1, 3, 2));
}

TEST(DimOrderTest, OnlyPermutationsAreValid) {
  const uint8_t twice[] = {0, 0, 1};
  const uint8_t beyond[] = {0, 3, 1};
  EXPECT_FALSE(validate_dim_order(twice, 3));
  EXPECT_FALSE(validate_dim_order(beyond, 3));
  EXPECT_TRUE(validate_dim_order(twice, 0));
  uint8_t many[17];
  for (uint8_t i = 0; i < 17; ++i) {
    many[i] = i;
  }
  EXPECT_TRUE(validate_dim_order(many, 16));
  EXPECT_FALSE(validate_dim_order(many, 17));
  int32_t strides[3];
  const int32_t sizes[] = {1, 1, 1};
  EXPECT_EQ(dim_order_to_stride(sizes, twice, 3, strides), Error::InvalidArgument);
}

TEST(TensorLayoutTest, BytesFollowFromTypeAndSizes) {
  const int32_t sizes[] = {2, 3};
  const uint8_t order[] = {1, 0};
  const auto layout = TensorLayout::create(sizes, order, ScalarType::Double);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 48u);
  EXPECT_THAT(layout->dim_order(), ElementsAre(1, 0));
}

TEST(TensorLayoutTest, WhatIsNoLayoutIsRefused) {
  const int32_t sizes[] = {2, 3};
  const uint8_t order[] = {0, 1};
  const uint8_t no_order[] = {0, 0};
  const int32_t negative[] = {2, -3};
  const int32_t large[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  const uint8_t order3[] = {0, 1, 2};
  const int32_t bytes_overflow[] = {INT32_MAX, INT32_MAX, 2};
  const auto error = [](Span<const int32_t> s, Span<const uint8_t> o, ScalarType t) {
    return TensorLayout::create(s, o, t).error();
  };
  EXPECT_EQ(error(sizes, no_order, ScalarType::Float), Error::InvalidArgument);
  EXPECT_EQ(error(sizes, order3, ScalarType::Float), Error::InvalidArgument);
  EXPECT_EQ(error(negative, order, ScalarType::Float), Error::InvalidArgument);
  EXPECT_EQ(error(large, order3, ScalarType::Float), Error::InvalidArgument);
  EXPECT_EQ(error(bytes_overflow, order3, ScalarType::Double), Error::InvalidArgument);
  EXPECT_EQ(error(sizes, order, static_cast<ScalarType>(30)), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::runtime
