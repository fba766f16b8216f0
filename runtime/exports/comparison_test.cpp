// The comparison has to fail where it should: otherwise the exports prove nothing.

#include "runtime/exports/comparison.h"

#include <cmath>
#include <executorch/extension/tensor/tensor.h>
#include <gtest/gtest.h>

namespace executorch::exports {
namespace {

using extension::make_tensor_ptr;

template <typename T>
TensorFile file_of(aten::ScalarType type, const std::vector<T>& values) {
  TensorFile file{type, {static_cast<std::int32_t>(values.size())}, {}};
  using Byte = decltype(file.bytes)::value_type;
  const auto* first = reinterpret_cast<const Byte*>(values.data());
  file.bytes.assign(first, first + values.size() * sizeof(T));
  return file;
}

TEST(Comparison, AcceptsRoundingOfTheLargestElement) {
  const TensorFile reference = file_of<float>(aten::ScalarType::Float, {1000, 0, -1});
  EXPECT_EQ(difference(*make_tensor_ptr({1000.009F, 0.009F, -1.009F}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({1000.02F, 0.F, -1.F}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({1000.F, 0.02F, -1.F}), reference), "");
}

TEST(Comparison, WantsInfinityAndNanInTheirPlaces) {
  const TensorFile reference = file_of<float>(aten::ScalarType::Float, {INFINITY, NAN, 1});
  EXPECT_EQ(difference(*make_tensor_ptr({INFINITY, NAN, 1.F}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({-INFINITY, NAN, 1.F}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({INFINITY, 0.F, 1.F}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({INFINITY, NAN, NAN}), reference), "");
}

TEST(Comparison, WantsIntegersExactly) {
  const TensorFile reference = file_of<std::int64_t>(aten::ScalarType::Long, {1000000000, 2});
  EXPECT_EQ(difference(*make_tensor_ptr<std::int64_t>({1000000000, 2}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr<std::int64_t>({1000000001, 2}), reference), "");
}

TEST(Comparison, WantsTypeAndSizes) {
  const TensorFile reference = file_of<float>(aten::ScalarType::Float, {1, 2});
  EXPECT_NE(difference(*make_tensor_ptr<double>({1, 2}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({1, 2}, std::vector<float>{1, 2}), reference), "");
  EXPECT_NE(difference(*make_tensor_ptr({1.F, 2.F, 3.F}), reference), "");
}

}  // namespace
}  // namespace executorch::exports
