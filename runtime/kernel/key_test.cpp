#include <cstring>
#include <executorch/runtime/kernel/operator_registry.h>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::ScalarType;

std::string key_of(std::vector<TensorMeta> metas) {
  char buffer[internal::kKernelKeyBufSize];
  EXPECT_EQ(internal::make_kernel_key_string({metas.data(), metas.size()}, buffer, sizeof(buffer)),
            Error::Ok);
  return buffer;
}

TEST(KernelKeyTest, HoldsTypesAndOrders) {
  uint8_t order[] = {0, 1, 2, 3};
  uint8_t channels_last[] = {0, 2, 3, 1};
  EXPECT_EQ(key_of({{ScalarType::Float, order}}), "v1/6;0,1,2,3");
  EXPECT_EQ(key_of({{ScalarType::Float, order}, {ScalarType::BFloat16, channels_last}}),
            "v1/6;0,1,2,3|15;0,2,3,1");
  EXPECT_EQ(key_of({{ScalarType::Long, {}}}), "v1/4;");
  EXPECT_EQ(key_of({}), "");
}

TEST(KernelKeyTest, SixteenTensorsOfRankSixteenFit) {
  uint8_t order[16];
  for (uint8_t i = 0; i < 16; ++i) {
    order[i] = i;
  }
  // 16 times "<2 digits>;" and an order of 37 characters, 15 bars, "v1/".
  const std::vector<TensorMeta> metas(16, {ScalarType::UInt64, order});
  EXPECT_EQ(key_of(metas).size(), internal::kKernelKeyBufSize - 1);
}

TEST(KernelKeyTest, WhatDoesNotFitIsRefused) {
  uint8_t order[] = {0, 1};
  const TensorMeta meta(ScalarType::Float, order);
  const size_t needed = sizeof("v1/6;0,1");
  char buffer[32];
  for (size_t size = 0; size < sizeof(buffer); ++size) {
    std::memset(buffer, 'x', sizeof(buffer));
    EXPECT_EQ(internal::make_kernel_key_string({&meta, size_t{1}}, buffer, size),
              size < needed ? Error::InvalidArgument : Error::Ok)
        << size;
    EXPECT_EQ(buffer[size], 'x') << "wrote behind a buffer of " << size;
  }
}

TEST(KernelKeyTest, MetasAndKeysCompareByContent) {
  uint8_t a[] = {0, 1};
  uint8_t b[] = {0, 1};
  uint8_t c[] = {1, 0};
  EXPECT_EQ(TensorMeta(ScalarType::Float, a), TensorMeta(ScalarType::Float, b));
  EXPECT_NE(TensorMeta(ScalarType::Float, a), TensorMeta(ScalarType::Float, c));
  EXPECT_NE(TensorMeta(ScalarType::Float, a), TensorMeta(ScalarType::Int, b));
  EXPECT_EQ(KernelKey(), KernelKey());
  EXPECT_NE(KernelKey(), KernelKey("v1/6;0"));
  const std::string copy = "v1/6;0";
  EXPECT_EQ(KernelKey("v1/6;0"), KernelKey(copy.c_str()));
}

}  // namespace
}  // namespace executorch::runtime
