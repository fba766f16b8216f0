#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string>& messages() {
  static std::vector<std::string> all;
  return all;
}

void collect(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t,
             const char* message, size_t length) {
  messages().push_back(std::string(1, static_cast<char>(level)) + " " + filename + " " +
                       std::string(message, length));
}

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    messages().clear();
    ASSERT_TRUE(register_pal(PalImpl::create(collect, __FILE__)));
  }
  void TearDown() override {
    ASSERT_TRUE(register_pal(PalImpl::create(et_pal_emit_log_message, __FILE__)));
  }
};

TEST_F(LogTest, AMessageCarriesLevelFileAndText) {
  ET_LOG(Info, "%d of %s", 3, "four");
  ET_LOG(Error, "plain");
  EXPECT_THAT(messages(), ElementsAre("I log_test.cpp 3 of four", "E log_test.cpp plain"));
}

TEST_F(LogTest, LevelsBelowTheMinimumAreDropped) {
  ET_LOG(Debug, "nobody asked");
  EXPECT_TRUE(messages().empty());
}

TEST_F(LogTest, ALongMessageIsCutVisibly) {
  const std::string text(1000, 'x');
  ET_LOG(Info, "%s", text.c_str());
  ASSERT_EQ(messages().size(), 1u);
  EXPECT_EQ(messages()[0].size(), std::string("I log_test.cpp ").size() + 255);
  EXPECT_THAT(messages()[0], EndsWith("xx..."));
}

Error fail_when(bool failing) {
  ET_CHECK_OR_RETURN_ERROR(!failing, InvalidArgument, "failing is %d", failing);
  return Error::Ok;
}

TEST_F(LogTest, CheckOrReturnErrorReturnsTheErrorAndLogs) {
  EXPECT_EQ(fail_when(false), Error::Ok);
  EXPECT_TRUE(messages().empty());
  EXPECT_EQ(fail_when(true), Error::InvalidArgument);
  EXPECT_THAT(messages(), ElementsAre("E log_test.cpp failing is 1"));
}

Error pass_on(Error error, int* evaluated) {
  const auto once = [&] {
    ++*evaluated;
    return error;
  };
  ET_CHECK_OK_OR_RETURN_ERROR(once());
  ET_CHECK_OK_OR_RETURN_ERROR(error, "not reached when the first returns");
  return Error::EndOfMethod;
}

TEST_F(LogTest, CheckOkEvaluatesItsArgumentOnce) {
  int evaluated = 0;
  EXPECT_EQ(pass_on(Error::NotFound, &evaluated), Error::NotFound);
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(pass_on(Error::Ok, &evaluated), Error::EndOfMethod);
  EXPECT_TRUE(messages().empty());
}

Error logged(Error error) {
  ET_CHECK_OK_OR_RETURN_ERROR(error, "step %d failed", 2);
  return Error::Ok;
}

TEST_F(LogTest, CheckOkLogsAMessageOnlyOnFailure) {
  EXPECT_EQ(logged(Error::Ok), Error::Ok);
  EXPECT_TRUE(messages().empty());
  EXPECT_EQ(logged(Error::Internal), Error::Internal);
  EXPECT_THAT(messages(), ElementsAre("E log_test.cpp step 2 failed"));
}

Result<int> twice(Result<int> number) {
  const int value = ET_UNWRAP(number.ok() ? Result<int>(*number) : number.error());
  ET_ASSIGN_OR_RETURN(other, Result<int>(value), "unused %d", value);
  return value + other;
}

TEST_F(LogTest, UnwrapGivesTheValueOrReturnsTheError) {
  EXPECT_EQ(*twice(21), 42);
  EXPECT_EQ(twice(Error::AccessFailed).error(), Error::AccessFailed);
}

TEST(ResultTest, OkWithoutAValueBecomesInternal) {
  const Result<int> result = Error::Ok;
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error(), Error::Internal);
}

TEST(ResultTest, TheValueOfAnErrorEndsTheProcess) {
  Result<int> result = Error::NotFound;
  EXPECT_DEATH((void)result.get(), "Error::NotFound");
}

TEST(ResultTest, MovingTakesTheValueAlong) {
  Result<std::string> first = std::string("a value that lies on the heap, as it is long");
  Result<std::string> second = std::move(first);
  EXPECT_EQ(*second, "a value that lies on the heap, as it is long");
}

TEST(CheckTest, AFailedCheckNamesConditionAndMessage) {
  const int limit = 3;
  EXPECT_DEATH(ET_CHECK_MSG(limit > 5, "limit is %d", limit), "limit > 5.*limit is 3");
}

}  // namespace
}  // namespace executorch::runtime
