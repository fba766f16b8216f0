#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kLinux = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";

WheelBuilder with_problem(ArchiveOddity oddity, const char* name = kLinux) {
  WheelBuilder wheel(name);
  wheel.facts().archive.problems.push_back({oddity, "pkg/a.py", 100, "what was found"});
  return wheel;
}

struct OddityCase {
  ArchiveOddity oddity;
  const char* slug;
  Level level;
};

constexpr OddityCase kOddities[] = {
    {ArchiveOddity::duplicate_name, "duplicate-member", Level::error},
    {ArchiveOddity::case_collision, "case-collision", Level::warning},
    {ArchiveOddity::local_header_mismatch, "local-header-mismatch", Level::error},
    {ArchiveOddity::leading_data, "leading-data", Level::error},
    {ArchiveOddity::trailing_data, "trailing-data", Level::error},
    {ArchiveOddity::gap, "archive-gap", Level::warning},
    {ArchiveOddity::overlap, "member-overlap", Level::error},
    {ArchiveOddity::archive_comment, "archive-comment", Level::warning},
    {ArchiveOddity::entry_comment, "member-comment", Level::warning},
    {ArchiveOddity::data_descriptor, "data-descriptor", Level::warning},
    {ArchiveOddity::encrypted, "encrypted-member", Level::error},
    {ArchiveOddity::unsupported_method, "unsupported-method", Level::error},
    {ArchiveOddity::absolute_path, "absolute-path", Level::error},
    {ArchiveOddity::parent_path, "parent-path", Level::error},
    {ArchiveOddity::backslash_path, "backslash-path", Level::error},
    {ArchiveOddity::odd_path, "odd-path", Level::error},
    {ArchiveOddity::symlink, "symlink-member", Level::error},
    {ArchiveOddity::special_file, "special-member", Level::error},
    {ArchiveOddity::directory_with_data, "directory-with-data", Level::warning},
    {ArchiveOddity::absurd_ratio, "absurd-ratio", Level::error},
    {ArchiveOddity::size_lie, "size-lie", Level::error},
    {ArchiveOddity::crc_mismatch, "crc-mismatch", Level::error},
    {ArchiveOddity::stray_zip64, "stray-zip64", Level::error},
    {ArchiveOddity::too_many_members, "too-many-members", Level::error},
    {ArchiveOddity::disagreeing_count, "disagreeing-count", Level::error},
    {ArchiveOddity::ambiguous_end, "ambiguous-end", Level::error},
    {ArchiveOddity::odd_extra_field, "odd-extra-field", Level::error},
    {ArchiveOddity::readers_disagree, "readers-disagree", Level::error},
};

TEST(ArchiveOddities, EachIsJudgedByItsRuleAndByNoOther) {
  EXPECT_EQ(std::size(kOddities), static_cast<std::size_t>(kLastArchiveOddity) + 1);
  for (const OddityCase& expected : kOddities) {
    WheelBuilder wheel = with_problem(expected.oddity);
    for (const OddityCase& rule : kOddities) {
      const auto findings = judge(rule.slug, wheel);
      if (rule.oddity != expected.oddity) {
        EXPECT_THAT(findings, IsEmpty()) << rule.slug;
        continue;
      }
      ASSERT_EQ(findings.size(), 1U) << rule.slug;
      EXPECT_EQ(findings[0].level, expected.level) << rule.slug;
      EXPECT_EQ(findings[0].place, "pkg/a.py");
      EXPECT_EQ(findings[0].what, "what was found");
    }
  }
}

TEST(CaseCollision, LosesAFileWhereCaseIsIgnored) {
  WheelBuilder any = with_problem(ArchiveOddity::case_collision, "pkg-1.0-py3-none-any.whl");
  EXPECT_THAT(judge("case-collision", any), ElementsAre(HasLevel(Level::error)));
  WheelBuilder macos =
      with_problem(ArchiveOddity::case_collision, "pkg-1.0-py3-none-macosx_11_0_arm64.whl");
  EXPECT_THAT(judge("case-collision", macos), ElementsAre(HasLevel(Level::error)));
}

TEST(DataDescriptor, OfEveryMemberIsOneFinding) {
  WheelBuilder wheel = with_problem(ArchiveOddity::data_descriptor);
  wheel.facts().archive.problems.push_back({ArchiveOddity::data_descriptor, "pkg/b.py", 200, "x"});
  const auto findings = judge("data-descriptor", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 2U);
}

TEST(ReadersDisagree, IsANoteWhereAnotherFindingExplainsIt) {
  WheelBuilder wheel = with_problem(ArchiveOddity::readers_disagree);
  wheel.facts().archive.problems.push_back({ArchiveOddity::data_descriptor, "pkg/b.py", 200, "x"});
  EXPECT_THAT(judge("readers-disagree", wheel), ElementsAre(HasLevel(Level::error)));
  // An extra field explains what is read of its own member only.
  wheel.facts().archive.problems.push_back({ArchiveOddity::odd_extra_field, "pkg/c.py", 0, "x"});
  EXPECT_THAT(judge("readers-disagree", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.facts().archive.problems.push_back({ArchiveOddity::disagreeing_count, "", 0, "x"});
  EXPECT_THAT(judge("readers-disagree", wheel), ElementsAre(HasLevel(Level::note)));
}

MemberFacts& with_mode(WheelBuilder& wheel, const char* path, std::uint32_t mode) {
  wheel.file(path);
  wheel.last().entry.version_made_by = 3U << 8;
  wheel.last().entry.external_attributes = mode << 16;
  return wheel.last();
}

TEST(OddMode, WorldWritableAndSpecialBits) {
  WheelBuilder wheel(kLinux);
  with_mode(wheel, "pkg/a.so", 0100777);
  with_mode(wheel, "pkg/b.so", 0100777);
  with_mode(wheel, "pkg/c", 0104755);
  const auto findings = judge("odd-mode", wheel);
  EXPECT_THAT(findings, ElementsAre(FindingAt("pkg/a.so", "0777"), FindingAt("pkg/c", "4755")));
  EXPECT_EQ(findings[0].count, 2U);
}

TEST(OddMode, WhatBuildToolsWriteIsFine) {
  WheelBuilder wheel(kLinux);
  with_mode(wheel, "pkg/a.so", 0100755);
  with_mode(wheel, "pkg/b.py", 0100644);
  with_mode(wheel, "pkg/RECORD", 0100664);
  with_mode(wheel, "pkg/c.so", 0100555);
  with_mode(wheel, "pkg/", 040777);
  // A link's mode is always this one; the link has a finding of its own.
  with_mode(wheel, "pkg/link.so", 0120777);
  EXPECT_THAT(judge("odd-mode", wheel), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
