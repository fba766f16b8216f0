#include <executorch/extension/tensor/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace executorch::extension {
namespace {

using aten::ScalarType;
using runtime::Error;
using ::testing::ElementsAre;

template <typename T>
std::vector<T> elements(const TensorPtr& tensor) {
  return {tensor->const_data_ptr<T>(), tensor->const_data_ptr<T>() + tensor->numel()};
}

TEST(TensorPtrTest, LaysOutBySizesOrderOrStrides) {
  float data[24] = {};
  const auto plain = make_tensor_ptr({2, 3, 4}, data);
  EXPECT_THAT(plain->strides(), ElementsAre(12, 4, 1));
  EXPECT_THAT(plain->dim_order(), ElementsAre(0, 1, 2));
  const auto ordered = make_tensor_ptr({2, 3, 4}, data, {0, 2, 1}, {});
  EXPECT_THAT(ordered->strides(), ElementsAre(12, 1, 3));
  const auto strided = make_tensor_ptr({2, 3, 4}, data, {}, {12, 1, 3});
  EXPECT_THAT(strided->dim_order(), ElementsAre(0, 2, 1));
  // Nobody steps along a dimension of one element.
  EXPECT_THAT(make_tensor_ptr({1, 4}, data, {}, {77, 1})->sizes(), ElementsAre(1, 4));
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {}, {1, 1}), "stride");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0, 0}, {}), "permutation");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, data, {0}, {}), "dim order");
  EXPECT_DEATH(make_tensor_ptr({2, 3}, std::vector<float>(5)), "5 elements");
}

TEST(TensorPtrTest, OwnsAndCasts) {
  EXPECT_THAT(elements<float>(make_tensor_ptr({1.F, 2.F})), ElementsAre(1, 2));
  EXPECT_THAT(elements<double>(make_tensor_ptr<std::int32_t>({1, 2}, ScalarType::Double)),
              ElementsAre(1, 2));
  EXPECT_EQ(make_tensor_ptr(3.F)->dim(), 0);
  const auto clone = clone_tensor_ptr(make_tensor_ptr({1.F, 2.F}), ScalarType::BFloat16);
  EXPECT_EQ(static_cast<float>(clone->const_data_ptr<aten::BFloat16>()[1]), 2);
  EXPECT_DEATH(clone_tensor_ptr(make_tensor_ptr({1.5F}), ScalarType::Int), "can't become");
}

TEST(TensorPtrTest, GivesBackWhatItWasGiven) {
  float data[2] = {};
  void* given_back = nullptr;
  {
    auto tensor = make_tensor_ptr({2}, data, ScalarType::Float, aten::DeviceType::CPU,
                                  aten::TensorShapeDynamism::DYNAMIC_BOUND,
                                  [&given_back](void* p) { given_back = p; });
    auto view = make_tensor_ptr(tensor, {2, 1});
    tensor.reset();
    EXPECT_EQ(given_back, nullptr);
    EXPECT_THAT(view->sizes(), ElementsAre(2, 1));
  }
  EXPECT_EQ(given_back, data);
}

TEST(TensorPtrTest, ResizesWithinItsElements) {
  auto tensor = make_tensor_ptr({2, 3}, std::vector<float>(6));
  EXPECT_EQ(resize_tensor_ptr(tensor, {3, 2}), Error::Ok);
  EXPECT_THAT(tensor->strides(), ElementsAre(2, 1));
  EXPECT_EQ(resize_tensor_ptr(tensor, {4, 2}), Error::NotSupported);
  EXPECT_EQ(resize_tensor_ptr(tensor, {6}), Error::NotSupported);
}

TEST(TensorPtrTest, FillsAndDraws) {
  EXPECT_THAT(elements<std::int64_t>(full({2}, 7, ScalarType::Long)), ElementsAre(7, 7));
  EXPECT_THAT(elements<float>(ones({2})), ElementsAre(1, 1));
  EXPECT_THAT(elements<float>(zeros_like(ones({2}))), ElementsAre(0, 0));
  EXPECT_THAT(elements<float>(rand({100})),
              ::testing::Each(::testing::AllOf(::testing::Ge(0.F), ::testing::Le(1.F))));
  EXPECT_THAT(elements<std::int32_t>(randint(-2, 3, {100})),
              ::testing::Each(::testing::AllOf(::testing::Ge(-2), ::testing::Lt(3))));
  const auto first = elements<float>(randn({100}));
  EXPECT_NE(first, elements<float>(randn({100})));
  EXPECT_THAT(elements<float>(from_blob(const_cast<float*>(first.data()), {100})), first);
}

}  // namespace
}  // namespace executorch::extension
