#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::FindingAt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

// SHA-256 of nothing, as RECORD and as facts write it.
constexpr const char* kDigest = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
constexpr const char* kHex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kRecord = "pkg-1.0.dist-info/RECORD";

RecordRow row(const char* path, std::uint32_t line) { return {path, "sha256", kDigest, 0, line}; }

/// A wheel of two files that RECORD describes rightly.
WheelBuilder good() {
  WheelBuilder wheel("pkg-1.0-py3-none-any.whl");
  for (const char* path : {"pkg/a.py", "pkg/b.py"}) {
    wheel.file(path);
    wheel.last().sha256 = kHex;
  }
  wheel.file(kRecord);
  Record record;
  record.rows = {row("pkg/a.py", 1), row("pkg/b.py", 2), {kRecord, "", "", {}, 3}};
  wheel.facts().record = std::move(record);
  return wheel;
}

std::vector<RecordRow>& rows(WheelBuilder& wheel) { return wheel.facts().record->rows; }

TEST(RecordRules, ARightRecordIsClean) {
  WheelBuilder wheel = good();
  for (const char* slug : {"record-missing-file", "record-extra-row", "record-hash-mismatch",
                           "record-size-mismatch", "record-directory", "record-broken"}) {
    EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
  }
}

TEST(RecordMissing, AFileThatIsNotListed) {
  WheelBuilder wheel = good();
  wheel.file("pkg/c.py");
  EXPECT_THAT(judge("record-missing-file", wheel), ElementsAre(FindingAt("pkg/c.py", "pkg/c.py")));
}

TEST(RecordMissing, SignaturesAndDirectoriesAreNotListed) {
  WheelBuilder wheel = good();
  wheel.file("pkg-1.0.dist-info/RECORD.jws").file("pkg-1.0.dist-info/RECORD.p7s").file("pkg/");
  EXPECT_THAT(judge("record-missing-file", wheel), IsEmpty());
  // A file of that name elsewhere is no signature.
  wheel.file("pkg/RECORD.jws");
  EXPECT_EQ(judge("record-missing-file", wheel).size(), 1U);
}

TEST(RecordExtra, ARowWithoutAFile) {
  WheelBuilder wheel = good();
  rows(wheel).push_back(row("pkg/gone.py", 4));
  EXPECT_THAT(judge("record-extra-row", wheel), ElementsAre(FindingAt(kRecord, "pkg/gone.py")));
}

TEST(RecordExtra, ARowThatComesTwice) {
  WheelBuilder wheel = good();
  rows(wheel).push_back(row("pkg/a.py", 4));
  const auto findings = judge("record-extra-row", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, HasSubstr("a second time"));
}

TEST(RecordHash, AFileThatWasPatchedLater) {
  WheelBuilder wheel = good();
  wheel.facts().members[0].sha256 = std::string(64, '0');
  EXPECT_THAT(judge("record-hash-mismatch", wheel), ElementsAre(FindingAt("pkg/a.py", "pkg/a.py")));
}

TEST(RecordHash, ADigestThatIsNone) {
  WheelBuilder wheel = good();
  rows(wheel)[0].digest = "abc";
  EXPECT_THAT(judge("record-hash-mismatch", wheel), ElementsAre(FindingAt(kRecord, "pkg/a.py")));
}

TEST(RecordSize, AnotherSizeThanWasRead) {
  WheelBuilder wheel = good();
  rows(wheel)[1].size = 7;
  EXPECT_THAT(judge("record-size-mismatch", wheel), ElementsAre(FindingAt("pkg/b.py", "pkg/b.py")));
  // The size column may be empty.
  rows(wheel)[1].size.reset();
  EXPECT_THAT(judge("record-size-mismatch", wheel), IsEmpty());
}

TEST(RecordSize, AFileThatCouldNotBeReadHasNoSize) {
  WheelBuilder wheel = good();
  rows(wheel)[1].size = 7;
  wheel.facts().members[1].unread = Error{"pkg/b.py", "damaged", {}};
  wheel.facts().members[1].inflated_whole = false;
  EXPECT_THAT(judge("record-size-mismatch", wheel), IsEmpty());
}

TEST(RecordSize, AMemberThatIsNoSoundElfFileHasASizeAllTheSame) {
  WheelBuilder wheel = good();
  rows(wheel)[1].size = 7;
  wheel.facts().members[1].unread = Error{"pkg/b.py", "its dynamic table is cut", {}};
  EXPECT_THAT(judge("record-size-mismatch", wheel), ElementsAre(FindingAt("pkg/b.py", "pkg/b.py")));
}

TEST(RecordDirectory, WithAndWithoutItsSlash) {
  WheelBuilder wheel = good();
  rows(wheel).push_back({"pkg/", "", "", {}, 4});
  EXPECT_THAT(judge("record-directory", wheel), ElementsAre(FindingAt(kRecord, "pkg/")));
  rows(wheel).back().path = "pkg";
  EXPECT_THAT(judge("record-directory", wheel), ElementsAre(FindingAt(kRecord, "pkg")));
  EXPECT_THAT(judge("record-extra-row", wheel), IsEmpty());
}

TEST(RecordBroken, NoHashWeakHashAndSignatures) {
  WheelBuilder wheel = good();
  rows(wheel)[0].algorithm.clear();
  rows(wheel)[1].algorithm = "md5";
  rows(wheel).push_back({"pkg-1.0.dist-info/RECORD.jws", "sha256", kDigest, 0, 4});
  wheel.facts().record->problems.push_back({9, "has two fields"});
  const auto findings = judge("record-broken", wheel);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_THAT(findings[0].what, HasSubstr("line 9: has two fields"));
  EXPECT_THAT(findings[1].what, HasSubstr("no hash"));
  EXPECT_THAT(findings[2].what, HasSubstr("md5"));
  EXPECT_THAT(findings[3].what, HasSubstr("signature"));
}

TEST(RecordBroken, ANameThatTheArchiveShouldNotHaveIsJudgedThere) {
  WheelBuilder wheel = good();
  wheel.facts().record->problems.push_back({4, "\"/etc/x\": the path is absolute"});
  EXPECT_EQ(judge("record-broken", wheel).size(), 1U);
  wheel.facts().archive.problems.push_back({ArchiveOddity::absolute_path, "/etc/x", 0, "absolute"});
  EXPECT_THAT(judge("record-broken", wheel), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
