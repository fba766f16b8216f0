#include "verifier/report/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/report/sample_report.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using wheelcheck::testing::kBuilderPath;
using wheelcheck::testing::kNeeded;
using wheelcheck::testing::kPathNote;
using wheelcheck::testing::sample_wheel;

Finding finding(const CatalogueRow& row, std::string place, std::string subject) {
  Finding result;
  result.rule = &row;
  result.level = row.level;
  result.place = std::move(place);
  result.subject = std::move(subject);
  return result;
}

std::vector<std::string> summary(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& one : findings) {
    lines.push_back(one.place + "|" + one.rule->id + "|" + one.subject + "|" +
                    std::to_string(one.count));
  }
  return lines;
}

WheelFacts wheel_of(const std::vector<std::string>& paths) {
  WheelFacts wheel;
  for (const std::string& path : paths) wheel.by_path.emplace(path, wheel.by_path.size());
  return wheel;
}

TEST(Arrange, WheelFirstThenMembersInArchiveOrderThenOtherPlaces) {
  const WheelFacts wheel = wheel_of({"z.so", "a.so"});
  std::vector<Finding> findings = {
      finding(kNeeded, "nowhere.txt", "x"),  finding(kNeeded, "a.so", "x"),
      finding(kBuilderPath, "z.so", "x"),    finding(kNeeded, "z.so", "y"),
      finding(kNeeded, "z.so", "x"),         finding(kPathNote, "", "x"),
      finding(kNeeded, "elsewhere.txt", "x")};
  arrange(findings, wheel);
  EXPECT_THAT(summary(findings),
              ElementsAre("|WC403|x|1", "z.so|WC101|x|1", "z.so|WC101|y|1", "z.so|WC202|x|1",
                          "a.so|WC101|x|1", "elsewhere.txt|WC101|x|1", "nowhere.txt|WC101|x|1"));
}

TEST(Arrange, IdenticalFindingsFoldAndAddTheirCounts) {
  const WheelFacts wheel = wheel_of({"a.so"});
  std::vector<Finding> findings = {finding(kNeeded, "a.so", "x"), finding(kNeeded, "a.so", "x"),
                                   finding(kNeeded, "a.so", "x")};
  findings[1].count = 5;
  findings[2].searched = {"elsewhere"};  // not identical
  arrange(findings, wheel);
  EXPECT_THAT(summary(findings), ElementsAre("a.so|WC101|x|6", "a.so|WC101|x|1"));
}

TEST(Arrange, FoldsIdenticalFindingsThatADifferentOneStandsBetween) {
  const WheelFacts wheel = wheel_of({"a.so"});
  std::vector<Finding> findings = {finding(kNeeded, "a.so", "x"), finding(kNeeded, "a.so", "x"),
                                   finding(kNeeded, "a.so", "x")};
  findings[1].fix = "another";
  arrange(findings, wheel);
  EXPECT_THAT(summary(findings), ElementsAre("a.so|WC101|x|2", "a.so|WC101|x|1"));
}

TEST(Tally, CountsFindingsAsTheReportListsThem) {
  const Tally tally = sample_wheel().tally();
  EXPECT_EQ(tally.errors, 1U);
  EXPECT_EQ(tally.warnings, 2U);
  EXPECT_EQ(tally.notes, 1U) << "found twice in one place";
}

TEST(ExitCode, FollowsFailOn) {
  Report report;
  report.wheels.push_back(sample_wheel());
  for (const FailOn level : {FailOn::error, FailOn::warning, FailOn::note}) {
    report.fail_on = level;
    EXPECT_EQ(report.exit_code(), 1);
  }
  report.fail_on = FailOn::never;
  EXPECT_EQ(report.exit_code(), 0);

  report.wheels[0].findings.resize(1);  // the note
  report.fail_on = FailOn::error;
  EXPECT_EQ(report.exit_code(), 0);
  report.fail_on = FailOn::warning;
  EXPECT_EQ(report.exit_code(), 0);
  report.fail_on = FailOn::note;
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(ExitCode, WhatCouldNotBeReadWinsOverFindingsAndOverFailOnNever) {
  Report report;
  report.fail_on = FailOn::never;
  report.wheels.push_back(sample_wheel());
  ASSERT_EQ(report.exit_code(), 0);

  Report unread = report;
  unread.wheels[0].unread.push_back({"a.so", Error{"a.so", "truncated", {}}});
  EXPECT_EQ(unread.exit_code(), 3);

  Report unreadable = report;
  unreadable.wheels[0].unreadable = Error{"x.whl", "not a zip archive", {}};
  EXPECT_EQ(unreadable.exit_code(), 3);

  Report with = report;
  with.with_errors.push_back(Error{"torch.whl", "no such file", {}});
  EXPECT_EQ(with.exit_code(), 3);
}

}  // namespace
}  // namespace wheelcheck
