// Numbers that programs, files and other languages rely on.
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/tag.h>

#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

TEST(NumbersTest, ErrorsKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Error::AlreadyLoaded), 0x04);
  EXPECT_EQ(static_cast<int>(Error::NotSupported), 0x10);
  EXPECT_EQ(static_cast<int>(Error::OperatorMissing), 0x14);
  EXPECT_EQ(static_cast<int>(Error::RegistrationAlreadyRegistered), 0x16);
  EXPECT_EQ(static_cast<int>(Error::NotFound), 0x20);
  EXPECT_EQ(static_cast<int>(Error::OutOfResources), 0x25);
  EXPECT_EQ(static_cast<int>(Error::DelegateInvalidHandle), 0x32);
}

TEST(NumbersTest, ErrorsHaveNames) {
  EXPECT_STREQ(to_string(Error::Ok), "Error::Ok");
  EXPECT_STREQ(to_string(Error::InvalidExternalData), "Error::InvalidExternalData");
  EXPECT_STREQ(to_string(static_cast<Error>(0x99)), "Error::Unknown");
}

TEST(NumbersTest, TagsKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Tag::None), 0);
  EXPECT_EQ(static_cast<int>(Tag::Tensor), 1);
  EXPECT_EQ(static_cast<int>(Tag::Bool), 5);
  EXPECT_EQ(static_cast<int>(Tag::ListOptionalTensor), 11);
}

TEST(NumbersTest, ElementTypesKeepTheNumbersOfTorch) {
  using etensor::ScalarType;
  const std::pair<ScalarType, int> expected[] = {
      {ScalarType::Byte, 0},      {ScalarType::Half, 5},         {ScalarType::Float, 6},
      {ScalarType::Bool, 11},     {ScalarType::QInt8, 12},       {ScalarType::QInt32, 14},
      {ScalarType::BFloat16, 15}, {ScalarType::QUInt2x4, 17},    {ScalarType::Bits16, 22},
      {ScalarType::UInt16, 27},   {ScalarType::Float8_e5m2, 23}, {ScalarType::UInt64, 29},
      {ScalarType::Undefined, 30}};
  for (const auto& [type, number] : expected) {
    EXPECT_EQ(static_cast<int>(type), number) << toString(type);
  }
}

}  // namespace
}  // namespace executorch::runtime
