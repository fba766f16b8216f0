#include <executorch/runtime/core/evalue.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using ::testing::ElementsAre;

class EValueTest : public ::testing::Test {
 protected:
  etensor::TensorImpl::SizesType sizes_[2] = {2, 3};
  float data_[6] = {};
  etensor::TensorImpl impl_{etensor::ScalarType::Float, 2, sizes_, data_};
  etensor::Tensor tensor_{&impl_};
};

TEST_F(EValueTest, NumbersKeepTheirKind) {
  EXPECT_EQ(EValue(int64_t{3}).toInt(), 3);
  EXPECT_EQ(EValue(2.5).toDouble(), 2.5);
  EXPECT_TRUE(EValue(true).toBool());
  EXPECT_TRUE(EValue().isNone());
  EXPECT_EQ(EValue(etensor::Scalar(4)).toInt(), 4);
  EXPECT_EQ(EValue(etensor::Scalar(4.5)).toDouble(), 4.5);
  EXPECT_TRUE(EValue(etensor::Scalar(true)).isBool());
  EXPECT_EQ(EValue(int64_t{3}).toScalar().to<int64_t>(), 3);
  EXPECT_TRUE(EValue(false).toScalar().isBoolean());
}

TEST_F(EValueTest, AnotherKindIsInvalidType) {
  const EValue value(int64_t{3});
  EXPECT_EQ(value.tryToDouble().error(), Error::InvalidType);
  EXPECT_EQ(value.tryToTensor().error(), Error::InvalidType);
  EXPECT_EQ(value.tryToIntList().error(), Error::InvalidType);
  EXPECT_EQ(value.tryToString().error(), Error::InvalidType);
  EXPECT_EQ(EValue(tensor_).tryToScalar().error(), Error::InvalidType);
  EXPECT_DEATH((void)value.toDouble(), "Int, not Double");
  EXPECT_DEATH((void)EValue().toTensor(), "None, not Tensor");
}

TEST_F(EValueTest, IntegersReadAsEnumerations) {
  const EValue value(int64_t{6});
  EXPECT_EQ(value.toScalarType(), etensor::ScalarType::Float);
  EXPECT_EQ(*value.tryTo<etensor::ScalarType>(), etensor::ScalarType::Float);
  EXPECT_EQ(EValue(int64_t{1}).toMemoryFormat(), etensor::MemoryFormat::Preserve);
  EXPECT_EQ(EValue(int64_t{0}).toLayout(), etensor::Layout::Strided);
  EXPECT_EQ(EValue(int64_t{1}).toDevice().type(), etensor::DeviceType::CUDA);
  EXPECT_EQ(EValue(1.0).tryToDevice().error(), Error::InvalidType);
}

TEST_F(EValueTest, TensorsAreHandles) {
  EValue value(tensor_);
  EXPECT_EQ(value.toTensor().unsafeGetTensorImpl(), &impl_);
  EXPECT_EQ(value.to<etensor::Tensor>().const_data_ptr(), data_);
  const EValue copy = value;
  EXPECT_EQ(copy.toTensor().unsafeGetTensorImpl(), &impl_);
  EXPECT_EQ(std::move(value).toTensor().unsafeGetTensorImpl(), &impl_);
  EXPECT_TRUE(value.isNone());
}

TEST_F(EValueTest, MovingLeavesNothing) {
  EValue first(tensor_);
  EValue second(std::move(first));
  EXPECT_TRUE(first.isNone());
  EXPECT_TRUE(second.isTensor());
  EValue third(2.0);
  third = std::move(second);
  EXPECT_TRUE(second.isNone());
  EXPECT_TRUE(third.isTensor());
  EValue& self = third;
  third = self;
  EXPECT_TRUE(third.isTensor());
}

TEST_F(EValueTest, SmartPointersGiveWhatTheyPointTo) {
  EXPECT_TRUE(EValue(std::make_shared<etensor::Tensor>(tensor_)).isTensor());
  EXPECT_EQ(EValue(std::make_unique<EValue>(int64_t{5})).toInt(), 5);
  EXPECT_DEATH(EValue(std::shared_ptr<etensor::Tensor>()), "null pointer");
}

TEST_F(EValueTest, StringsAndPlainListsAreViews) {
  const std::string text = "hello";
  ArrayRef<char> string(text.data(), text.size());
  EXPECT_EQ(EValue(&string).toString(), "hello");
  const bool bools[] = {true, false};
  ArrayRef<bool> bool_list(bools);
  EXPECT_THAT(EValue(&bool_list).toBoolList(), ElementsAre(true, false));
  const double doubles[] = {1.5, 2.5};
  ArrayRef<double> double_list(doubles);
  EXPECT_THAT(*EValue(&double_list).tryToDoubleList(), ElementsAre(1.5, 2.5));
  EXPECT_DEATH(EValue(static_cast<ArrayRef<char>*>(nullptr)), "null");
}

TEST_F(EValueTest, ANullListIsInvalidState) {
  EValue value;
  value.tag = Tag::ListDouble;
  value.payload.copyable_union.as_double_list_ptr = nullptr;
  EXPECT_EQ(value.tryToDoubleList().error(), Error::InvalidState);
  value.tag = Tag::ListTensor;
  EXPECT_EQ(value.tryToTensorList().error(), Error::InvalidState);
}

TEST_F(EValueTest, IntListsFollowTheirValues) {
  EValue values[] = {int64_t{1}, int64_t{2}};
  EValue* wrapped[] = {&values[0], &values[1]};
  int64_t room[2] = {};
  BoxedEvalueList<int64_t> list(wrapped, room, 2);
  const EValue value(&list);
  EXPECT_THAT(value.toIntList(), ElementsAre(1, 2));
  values[1] = EValue(int64_t{7});
  EXPECT_THAT(*value.tryToIntList(), ElementsAre(1, 7));
  values[0] = EValue(1.0);
  EXPECT_EQ(value.tryToIntList().error(), Error::InvalidType);
  EXPECT_DEATH((void)value.toIntList(), "InvalidType");
}

TEST_F(EValueTest, TensorListsHoldHandles) {
  EValue values[] = {tensor_, tensor_};
  EValue* wrapped[] = {&values[0], &values[1]};
  alignas(etensor::Tensor) unsigned char room[2 * sizeof(etensor::Tensor)];
  BoxedEvalueList<etensor::Tensor> list(wrapped, reinterpret_cast<etensor::Tensor*>(room), 2);
  const EValue value(&list);
  ASSERT_EQ(value.toTensorList().size(), 2u);
  EXPECT_EQ(value.toTensorList()[1].unsafeGetTensorImpl(), &impl_);
}

TEST_F(EValueTest, OptionalTensorListsTakeNoneInBothSpellings) {
  EValue values[] = {tensor_, EValue()};
  EValue* wrapped[] = {&values[0], &values[1], nullptr};
  alignas(std::optional<etensor::Tensor>) unsigned char
      room[3 * sizeof(std::optional<etensor::Tensor>)];
  BoxedEvalueList<std::optional<etensor::Tensor>> list(
      wrapped, reinterpret_cast<std::optional<etensor::Tensor>*>(room), 3);
  const EValue value(&list);
  const auto tensors = value.toListOptionalTensor();
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_TRUE(tensors[0].has_value());
  EXPECT_FALSE(tensors[1].has_value());
  EXPECT_FALSE(tensors[2].has_value());
}

TEST_F(EValueTest, ANullEntryOfAPlainListIsInvalidState) {
  EValue* wrapped[] = {nullptr};
  int64_t room[1] = {};
  BoxedEvalueList<int64_t> list(wrapped, room, 1);
  EXPECT_EQ(EValue(&list).tryToIntList().error(), Error::InvalidState);
}

TEST_F(EValueTest, OptionalsAreNoneOrTheValue) {
  EXPECT_EQ(EValue().toOptional<int64_t>(), std::nullopt);
  EXPECT_EQ(EValue(int64_t{3}).toOptional<int64_t>(), 3);
  EXPECT_FALSE(EValue().to<std::optional<etensor::Tensor>>().has_value());
  EXPECT_TRUE(EValue(tensor_).to<std::optional<etensor::Tensor>>().has_value());
  EXPECT_EQ(*EValue().tryToOptional<double>(), std::nullopt);
  EXPECT_EQ(EValue(true).tryToOptional<double>().error(), Error::InvalidType);
}

}  // namespace
}  // namespace executorch::runtime
