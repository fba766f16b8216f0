// Half and BFloat16 against the exact definition of their formats.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace c10 {
namespace {

// The value of a finite 16-bit float with these widths.
double value_of(uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <typename T>
struct Format;
template <>
struct Format<Half> {
  static constexpr int kExponent = 5;
  static constexpr int kMantissa = 10;
};
template <>
struct Format<BFloat16> {
  static constexpr int kExponent = 8;
  static constexpr int kMantissa = 7;
};

template <typename T>
class ReducedFloatTest : public ::testing::Test {
 protected:
  static constexpr int kInfinity = ((1 << Format<T>::kExponent) - 1) << Format<T>::kMantissa;
  static double value(uint16_t bits) {
    return value_of(bits, Format<T>::kExponent, Format<T>::kMantissa);
  }
};
using Types = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(ReducedFloatTest, Types);

TYPED_TEST(ReducedFloatTest, EveryNumberConvertsExactlyAndBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const TypeParam number(static_cast<uint16_t>(bits), TypeParam::from_bits());
    const float converted = number;
    if ((bits & 0x7fff) > this->kInfinity) {
      EXPECT_TRUE(std::isnan(converted)) << bits;
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(converted)))) << bits;
      continue;
    }
    if ((bits & 0x7fff) == this->kInfinity) {
      EXPECT_TRUE(std::isinf(converted)) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(converted), this->value(static_cast<uint16_t>(bits))) << bits;
    }
    EXPECT_EQ(TypeParam(converted).x, bits);
  }
}

TYPED_TEST(ReducedFloatTest, RoundingGoesToTheNearestAndTiesToEven) {
  // Between each number and the next: the middle, and a little to either side of it.
  for (int bits = 0; bits + 1 < this->kInfinity; ++bits) {
    const double low = this->value(static_cast<uint16_t>(bits));
    const double high = this->value(static_cast<uint16_t>(bits + 1));
    const float middle = static_cast<float>((low + high) / 2);
    EXPECT_EQ(TypeParam(middle).x, bits + (bits & 1)) << bits;
    EXPECT_EQ(TypeParam(std::nextafter(middle, 0.0f)).x, bits) << bits;
    EXPECT_EQ(TypeParam(std::nextafter(middle, HUGE_VALF)).x, bits + 1) << bits;
    EXPECT_EQ(TypeParam(-middle).x, 0x8000 + bits + (bits & 1)) << bits;
  }
}

TYPED_TEST(ReducedFloatTest, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::max()).x, this->kInfinity);
  EXPECT_EQ(TypeParam(-HUGE_VALF).x, 0x8000 | this->kInfinity);
}

TYPED_TEST(ReducedFloatTest, ArithmeticRoundsOnce) {
  const TypeParam a(3.0f);
  EXPECT_EQ(static_cast<float>(a + TypeParam(4.0f)), 7.0f);
  EXPECT_EQ(static_cast<float>(a - TypeParam(4.0f)), -1.0f);
  EXPECT_EQ(static_cast<float>(a * 2), 6.0f);
  EXPECT_EQ(a / 2.0f, 1.5f);
  EXPECT_EQ(2.0 * a, 6.0);
  EXPECT_EQ(static_cast<float>(-a), -3.0f);
  TypeParam b = a;
  b += a;
  b *= a;
  b -= a;
  b /= a;
  EXPECT_EQ(static_cast<float>(b), 5.0f);
  EXPECT_LT(a, b);
}

TYPED_TEST(ReducedFloatTest, LimitsAreThoseOfTheFormat) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(Limits::max().x, this->kInfinity - 1);
  EXPECT_EQ(Limits::lowest().x, 0x8000 | (this->kInfinity - 1));
  EXPECT_EQ(Limits::infinity().x, this->kInfinity);
  EXPECT_EQ(static_cast<double>(Limits::epsilon()), std::ldexp(1, -Format<TypeParam>::kMantissa));
  EXPECT_EQ(static_cast<double>(Limits::min()), std::ldexp(1, Limits::min_exponent - 1));
  EXPECT_EQ(static_cast<float>(Limits::round_error()), 0.5f);
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::signaling_NaN())));
}

TEST(ComplexTest, ArithmeticFollowsTheDefinition) {
  constexpr complex<float> a(1, 2);
  constexpr complex<float> b(3, -1);
  static_assert(a + b == complex<float>(4, 1));
  static_assert(a - b == complex<float>(-2, 3));
  static_assert(a * b == complex<float>(5, 5));
  EXPECT_EQ((a * b) / b, a);
  EXPECT_EQ(-a, complex<float>(-1, -2));
  EXPECT_EQ(static_cast<float>(complex<Half>(a).imag()), 2.0f);
  EXPECT_EQ(sizeof(complex<Half>), 4u);
  EXPECT_EQ(sizeof(complex<double>), 16u);
}

}  // namespace
}  // namespace c10
