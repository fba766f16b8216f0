#include <array>
#include <cmath>
#include <cstdint>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::ScalarType;
using etensor::Tensor;
using etensor::TensorImpl;
using ::testing::ElementsAre;

// A tensor that owns everything.
class Owned {
 public:
  explicit Owned(std::vector<int32_t> sizes, ScalarType type = ScalarType::Float,
                 std::vector<uint8_t> order = {},
                 etensor::DeviceType device = etensor::DeviceType::CPU)
      : sizes_(std::move(sizes)), order_(std::move(order)), strides_(sizes_.size()) {
    if (order_.empty()) {
      for (size_t i = 0; i < sizes_.size(); ++i) {
        order_.push_back(static_cast<uint8_t>(i));
      }
    }
    dim_order_to_stride_nocheck(sizes_.data(), order_.data(), sizes_.size(), strides_.data());
    impl_ = std::make_unique<TensorImpl>(type, static_cast<ssize_t>(sizes_.size()), sizes_.data(),
                                         nullptr, order_.data(), strides_.data(),
                                         TensorShapeDynamism::DYNAMIC_BOUND, device);
    data_.resize(impl_->nbytes());
    impl_->set_data(data_.data());
  }
  Tensor operator*() const { return Tensor(impl_.get()); }

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::vector<uint8_t> data_;
  std::unique_ptr<TensorImpl> impl_;
};

TEST(TensorCheckTest, ShapesTypesAndRanks) {
  const Owned a({2, 3});
  const Owned b({2, 3}, ScalarType::Int);
  const Owned c({3, 2});
  EXPECT_TRUE(tensors_have_same_shape(*a, *b));
  EXPECT_FALSE(tensors_have_same_shape(*a, *c));
  EXPECT_FALSE(tensors_have_same_shape(*a, *b, *c));
  EXPECT_FALSE(tensors_have_same_dtype(*a, *b));
  EXPECT_TRUE(tensors_have_same_dtype(*a, *c));
  EXPECT_TRUE(tensors_have_same_rank(*a, *c));
  EXPECT_TRUE(tensor_is_rank(*a, 2));
  EXPECT_FALSE(tensor_has_rank_greater_or_equal_to(*a, 3));
  EXPECT_FALSE(tensor_has_rank_smaller_or_equal_to(*a, 1));
  EXPECT_TRUE(tensor_is_floating_type(*a));
  EXPECT_FALSE(tensor_is_floating_type(*b));
  EXPECT_TRUE(tensor_is_integral_type(*b));
  EXPECT_FALSE(tensor_is_type(*a, ScalarType::Int, ScalarType::Long));
  EXPECT_TRUE(tensor_can_cast_to(*b, ScalarType::Float));
  EXPECT_FALSE(tensor_can_cast_to(*a, ScalarType::Int));
  const int32_t expected[] = {2, 3};
  EXPECT_TRUE(tensor_has_expected_size(*a, expected));
  EXPECT_FALSE(tensor_has_expected_size(*c, expected));
  EXPECT_TRUE(tensors_have_same_size_at_dims(*a, 0, *c, 1));
  EXPECT_FALSE(tensors_have_same_size_at_dims(*a, 0, *c, 0));
  EXPECT_FALSE(tensors_have_same_size_at_dims(*a, 2, *c, 0));
}

TEST(TensorCheckTest, TensorsOfOneElementHaveTheSameShape) {
  EXPECT_TRUE(tensors_have_same_shape(*Owned({1, 1}), *Owned({})));
  EXPECT_TRUE(tensor_is_scalar(*Owned({})));
  EXPECT_FALSE(tensor_is_scalar(*Owned({1})));
}

TEST(TensorCheckTest, DimensionsCountFromBothEnds) {
  const Owned tensor({2, 0});
  EXPECT_TRUE(tensor_has_dim(*tensor, 1));
  EXPECT_TRUE(tensor_has_dim(*tensor, -2));
  EXPECT_FALSE(tensor_has_dim(*tensor, 2));
  EXPECT_FALSE(tensor_has_dim(*tensor, -3));
  EXPECT_TRUE(tensor_has_dim(*Owned({}), -1));
  EXPECT_FALSE(tensor_has_dim(*Owned({}), 1));
  EXPECT_TRUE(tensor_has_non_empty_dim(*tensor, -2));
  EXPECT_FALSE(tensor_has_non_empty_dim(*tensor, 1));
  EXPECT_TRUE(tensor_dim_has_index(*tensor, 0, -2));
  EXPECT_FALSE(tensor_dim_has_index(*tensor, 0, 2));
  EXPECT_EQ(nonzero_dim(*Owned({})), 1);
  EXPECT_EQ(nonempty_size(*Owned({}), 0), 1);
}

TEST(TensorCheckTest, DimOrdersAreTold) {
  const Owned plain({2, 3, 4, 5});
  const Owned channels_last({2, 3, 4, 5}, ScalarType::Float, {0, 2, 3, 1});
  const Owned other({2, 3, 4, 5}, ScalarType::Float, {3, 2, 1, 0});
  EXPECT_TRUE(tensor_is_default_dim_order(*plain));
  EXPECT_TRUE(tensor_is_contiguous(*plain));
  EXPECT_FALSE(tensor_is_contiguous(*channels_last));
  EXPECT_TRUE(tensor_is_channels_last_dim_order(*channels_last));
  EXPECT_TRUE(tensor_is_default_or_channels_last_dim_order(*channels_last));
  EXPECT_FALSE(tensor_is_default_or_channels_last_dim_order(*other));
  EXPECT_TRUE(tensor_has_valid_dim_order(*other));
  EXPECT_TRUE(tensors_have_same_dim_order(*plain, *plain));
  EXPECT_FALSE(tensors_have_same_dim_order(*plain, *channels_last));
  EXPECT_FALSE(tensors_have_same_strides(*plain, *channels_last));
  uint8_t order[4];
  ASSERT_EQ(get_dim_order(*channels_last, order, 4), Error::Ok);
  EXPECT_THAT(order, ElementsAre(0, 2, 3, 1));
  EXPECT_EQ(get_dim_order(*channels_last, order, 3), Error::InvalidArgument);
}

TEST(PositionTest, CoordinatesAndIndicesAreInverse) {
  const Owned owned({2, 3, 4});
  const Tensor tensor = *owned;
  EXPECT_EQ(getLeadingDims(tensor, 2), 6u);
  EXPECT_EQ(getTrailingDims(tensor, 0), 12u);
  EXPECT_EQ(getTrailingDims(tensor, -1), 24u);
  size_t memo[kTensorDimensionLimit];
  memoizeTrailingDims(tensor, memo);
  for (size_t i = 0; i < 24; ++i) {
    size_t coordinate[3];
    indexToCoordinate(tensor, i, coordinate);
    EXPECT_EQ(coordinateToIndex(tensor, coordinate), i);
    EXPECT_EQ(coordinateToIndexWithTrailingDimsMemo(tensor, coordinate, memo), i);
  }
  size_t coordinate[3];
  EXPECT_DEATH(indexToCoordinate(tensor, 24, coordinate), "index <");
}

TEST(ExtractTest, IntegersMustFit) {
  const Owned owned({1}, ScalarType::Long);
  *(*owned).mutable_data_ptr<int64_t>() = 300;
  int16_t small = 0;
  EXPECT_TRUE(extract_scalar_tensor(*owned, &small));
  EXPECT_EQ(small, 300);
  uint8_t tiny = 0;
  EXPECT_FALSE(extract_scalar_tensor(*owned, &tiny));
  bool no_bool = false;
  EXPECT_FALSE(extract_scalar_tensor(*owned, &no_bool));
  int64_t two = 0;
  EXPECT_FALSE(extract_scalar_tensor(*Owned({2}, ScalarType::Long), &two));
  EXPECT_FALSE(extract_scalar_tensor(*Owned({1}), &two)) << "a float is no integer";
}

TEST(ExtractTest, FloatsComeFromAnyNumber) {
  const Owned owned({}, ScalarType::Double);
  double* const data = (*owned).mutable_data_ptr<double>();
  float value = 0;
  *data = 1e300;
  EXPECT_FALSE(extract_scalar_tensor(*owned, &value));
  *data = HUGE_VAL;
  EXPECT_TRUE(extract_scalar_tensor(*owned, &value));
  EXPECT_TRUE(std::isinf(value));
  *data = -2.5;
  etensor::Half half;
  EXPECT_TRUE(extract_scalar_tensor(*owned, &half));
  EXPECT_EQ(static_cast<float>(half), -2.5f);
  EXPECT_FALSE(extract_scalar_tensor(*Owned({}, ScalarType::Bool), &value));
}

TEST(TensorDataTest, CopyingNeedsDataOfOneSizeOnTheCpu) {
  const Owned from({2});
  const Owned to({2}, ScalarType::Int);
  const Owned other({3});
  (*from).mutable_data_ptr<float>()[1] = 1.0f;
  EXPECT_EQ(internal::copy_tensor_data(*to, *from), Error::Ok);
  EXPECT_EQ((*to).const_data_ptr<int32_t>()[1], 0x3f800000);
  EXPECT_EQ(internal::copy_tensor_data(*other, *from), Error::InvalidArgument);
  const Owned cuda({2}, ScalarType::Float, {}, etensor::DeviceType::CUDA);
  EXPECT_EQ(internal::copy_tensor_data(*cuda, *from), Error::NotSupported);
  EXPECT_EQ(internal::copy_tensor_data(*to, *cuda), Error::NotSupported);
  internal::reset_data_ptr(*to);
  EXPECT_EQ(internal::copy_tensor_data(*to, *from), Error::InvalidArgument);
}

TEST(TensorDataTest, SharingAndSetting) {
  const Owned from({2});
  const Owned to({2});
  EXPECT_EQ(internal::share_tensor_data(*to, *from), Error::Ok);
  EXPECT_EQ((*to).const_data_ptr(), (*from).const_data_ptr());
  EXPECT_EQ(internal::share_tensor_data(*Owned({3}), *from), Error::InvalidArgument);
  float buffer[2];
  EXPECT_EQ(internal::set_tensor_data(*to, buffer, sizeof(buffer)), Error::Ok);
  EXPECT_EQ((*to).const_data_ptr(), buffer);
  EXPECT_EQ(internal::set_tensor_data(*to, buffer, 7), Error::InvalidArgument);
  EXPECT_EQ(internal::set_tensor_data(*to, nullptr, 8), Error::InvalidArgument);
  internal::reset_data_ptr(*from);
  EXPECT_EQ(internal::share_tensor_data(*to, *from), Error::InvalidArgument);
  const Owned empty({0});
  internal::reset_data_ptr(*empty);
  EXPECT_EQ(internal::share_tensor_data(*Owned({0}), *empty), Error::Ok);
}

TEST(KernelCheckTest, FailsTheContext) {
  KernelRuntimeContext context;
  const auto kernel = [&](bool good) {
    // NOLINTNEXTLINE(bugprone-lambda-function-name)
    ET_KERNEL_CHECK_MSG(context, good, InvalidArgument, 1, "good is %d", good);
    return 0;
  };
  EXPECT_EQ(kernel(true), 0);
  EXPECT_EQ(context.failure_state(), Error::Ok);
  EXPECT_EQ(kernel(false), 1);
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
}

TEST(KernelContextTest, TemporaryMemoryIsOptional) {
  KernelRuntimeContext none;
  EXPECT_EQ(none.allocate_temp(1).error(), Error::NotFound);
  uint8_t memory[16];
  MemoryAllocator allocator(sizeof(memory), memory);
  KernelRuntimeContext some(nullptr, &allocator);
  EXPECT_TRUE(some.allocate_temp(16, 1).ok());
  EXPECT_EQ(some.allocate_temp(1, 1).error(), Error::MemoryAllocationFailed);
}

TEST(ShapeStringTest, IsReadable) {
  const auto text = [](std::vector<int64_t> shape) {
    return std::string(
        tensor_shape_to_c_string(Span<const int64_t>(shape.data(), shape.size())).data());
  };
  EXPECT_EQ(text({}), "()");
  EXPECT_EQ(text({2, 3}), "(2, 3)");
  EXPECT_EQ(text({-1, int64_t{1} << 40}), "(ERR, ERR)");
  EXPECT_EQ(text(std::vector<int64_t>(20, 1)),
            "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...)");
  EXPECT_EQ(text(std::vector<int64_t>(16, INT32_MAX)).size(), 16 * 10 + 15 * 2 + 2u);
  const int32_t small[] = {7};
  EXPECT_STREQ(tensor_shape_to_c_string(Span<const int32_t>(small)).data(), "(7)");
}

}  // namespace
}  // namespace executorch::runtime
