#include "rules/platform_policy.h"

#include <gtest/gtest.h>

#include "rules/embedded.h"
#include "rules/testing.h"

namespace wheelcheck {
namespace {

const PlatformPolicies& policies() {
  static const PlatformPolicies parsed = [] {
    auto result = PlatformPolicies::parse(embedded::platforms_json());
    EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message());
    return result ? *std::move(result) : PlatformPolicies();
  }();
  return parsed;
}

const PlatformPolicy* of_tag(const std::string& tag) {
  return policies().find(parse_platform(tag));
}

TEST(PlatformPolicy, AliasAndNumberedTagAreTheSamePolicy) {
  ASSERT_NE(of_tag("manylinux2014_x86_64"), nullptr);
  EXPECT_EQ(of_tag("manylinux2014_x86_64"), of_tag("manylinux_2_17_x86_64"));
  EXPECT_EQ(of_tag("manylinux1_x86_64")->name, "manylinux_2_5");
}

TEST(PlatformPolicy, TagBetweenTwoPoliciesIsHeldToTheOlder) {
  ASSERT_NE(of_tag("manylinux_2_30_aarch64"), nullptr);
  EXPECT_EQ(of_tag("manylinux_2_30_aarch64")->name, "manylinux_2_28");
}

TEST(PlatformPolicy, PlainLinuxIsHeldToTheNewest) {
  ASSERT_NE(of_tag("linux_x86_64"), nullptr);
  EXPECT_EQ(of_tag("linux_x86_64"), of_tag("manylinux_2_99_x86_64"));
}

TEST(PlatformPolicy, TagOlderThanAnyPolicyAndForeignSystemsHaveNone) {
  EXPECT_EQ(of_tag("manylinux_2_3_x86_64"), nullptr);
  EXPECT_EQ(of_tag("manylinux_2_28_riscv64"), nullptr);
  EXPECT_EQ(of_tag("macosx_11_0_arm64"), nullptr);
  EXPECT_EQ(of_tag("win_amd64"), nullptr);
  EXPECT_EQ(of_tag("any"), nullptr);
}

TEST(PlatformPolicy, LibrariesHoldTheLoaderOfTheArchitecture) {
  EXPECT_TRUE(of_tag("manylinux_2_28_x86_64")->allows_library("ld-linux-x86-64.so.2"));
  EXPECT_FALSE(of_tag("manylinux_2_28_x86_64")->allows_library("ld-linux-aarch64.so.1"));
  EXPECT_TRUE(of_tag("manylinux_2_28_aarch64")->allows_library("ld-linux-aarch64.so.1"));
  EXPECT_TRUE(of_tag("musllinux_1_2_x86_64")->allows_library("libc.musl-x86_64.so.1"));
  EXPECT_FALSE(of_tag("musllinux_1_2_x86_64")->allows_library("libstdc++.so.6"));
  EXPECT_FALSE(of_tag("manylinux_2_28_x86_64")->allows_library("libgomp.so.1"));
  EXPECT_NE(policies().common("libgomp.so.1"), nullptr);
}

TEST(PlatformPolicy, VersionsUpToTheTagAreAllowed) {
  const PlatformPolicy& policy = *of_tag("manylinux_2_28_x86_64");
  EXPECT_TRUE(policy.allows_version("GLIBC_2.28"));
  EXPECT_FALSE(policy.allows_version("GLIBC_2.29"));
  EXPECT_FALSE(policy.allows_version("GLIBCXX_3.4.29"));
  EXPECT_TRUE(policy.allows_version("SOMETHING_ELSE_1.0"));
}

TEST(PlatformPolicy, EachTagOfACompoundIsAPromise) {
  const WheelFacts wheel =
      testing::WheelBuilder("p-1-cp312-cp312-manylinux_2_28_x86_64.manylinux_2_17_x86_64.whl")
          .build();
  ASSERT_NE(strictest(policies(), wheel), nullptr);
  EXPECT_EQ(strictest(policies(), wheel)->name, "manylinux_2_17");
}

TEST(PlatformPolicy, ElfInAnAnyWheelIsHeldToTheNewestOfItsMachine) {
  const WheelFacts pure = testing::WheelBuilder("p-1-py3-none-any.whl").build();
  EXPECT_EQ(strictest(policies(), pure), nullptr);
  const WheelFacts mixed = testing::WheelBuilder("p-1-py3-none-any.whl")
                               .elf("p/libx.so", testing::Elf().machine(183))
                               .build();
  ASSERT_NE(strictest(policies(), mixed), nullptr);
  EXPECT_EQ(strictest(policies(), mixed)->arch, "aarch64");
}

TEST(PlatformPolicy, DamagedFileIsAnError) {
  EXPECT_FALSE(PlatformPolicies::parse("{").ok());
  EXPECT_FALSE(PlatformPolicies::parse("{\"policies\":[{}],\"common\":[]}").ok());
}

}  // namespace
}  // namespace wheelcheck
