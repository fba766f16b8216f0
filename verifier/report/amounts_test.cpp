#include "verifier/report/amounts.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

TEST(Amounts, CountsAgreeWithTheirNoun) {
  EXPECT_EQ(count_text(0, "error"), "0 errors");
  EXPECT_EQ(count_text(1, "error"), "1 error");
  EXPECT_EQ(count_text(2, "second pass"), "2 second passes");
  EXPECT_EQ(count_text(999, "member"), "999 members");
  EXPECT_EQ(count_text(1234, "member"), "1.2k members");
  EXPECT_EQ(count_text(9949, "member"), "9.9k members");
  EXPECT_EQ(count_text(12'345, "member"), "12k members");
  EXPECT_EQ(count_text(1'500'000, "member"), "1.5M members");
}

TEST(Amounts, BytesNeverShowFourDigitsBeforeTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.0 KiB");
  EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(526'605'292), "502.2 MiB");
  EXPECT_EQ(bytes_text(~0ull), "16.0 EiB");
}

TEST(Amounts, RateOfNoTimeIsUnknown) {
  EXPECT_EQ(rate_text(1'000'000'000, 0.5), "2000 MB/s");
  EXPECT_EQ(rate_text(1, 0), "-");
  EXPECT_EQ(seconds_text(0.0841), "0.084 s");
  EXPECT_EQ(seconds_text(12.34), "12.3 s");
}

}  // namespace
}  // namespace wheelcheck
