#include "verifier/archive/directory.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/archive/checksum.h"
#include "verifier/archive/libzip_view.h"
#include "verifier/archive/testing.h"

namespace wheelcheck {
namespace {

using ::testing::Contains;
using testing::data_descriptor;
using testing::extra_block;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::little_endian;
using testing::ZipArchive;
using testing::ZipEntry;

ZipArchive two_files() {
  ZipArchive archive;
  archive.entries.push_back({.name = "pkg/a.py", .data = "import os\n"});
  archive.entries.push_back({.name = "pkg/b.bin", .data = std::string(5000, 'b')});
  return archive;
}

Result<ArchiveFacts> read(const std::string& file, const ArchiveBudget& budget = {}) {
  const FileSource source = FileSource::from_memory("x.whl", as_bytes(file));
  Result<ArchiveFacts> facts = read_archive(source, budget);
  if (facts) {
    std::vector<ArchiveProblem> more = compare_with_libzip(source, *facts);
    facts->libzip_agrees = more.empty();
    facts->problems.insert(facts->problems.end(), more.begin(), more.end());
  }
  return facts;
}

/// "kind member" of every problem.
std::vector<std::string> kinds(const ArchiveFacts& facts) {
  std::vector<std::string> all;
  for (const ArchiveProblem& problem : facts.problems) {
    all.push_back(oddity_name(problem.oddity) +
                  (problem.member.empty() ? "" : " " + problem.member));
  }
  return all;
}

std::string describe(const ArchiveFacts& facts) {
  std::string text;
  for (const ArchiveProblem& problem : facts.problems) {
    text += std::string(oddity_name(problem.oddity)) + " [" + problem.member + "] " +
            problem.detail + "\n";
  }
  return text;
}

TEST(Directory, CleanArchiveHasNoProblems) {
  const Result<ArchiveFacts> facts = read(two_files().build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  EXPECT_THAT(kinds(*facts), IsEmpty()) << describe(*facts);
  EXPECT_TRUE(facts->libzip_agrees);
  ASSERT_EQ(facts->members.size(), 2U);
  EXPECT_EQ(facts->members[0].path, "pkg/a.py");
  EXPECT_EQ(facts->members[0].size, 10U);
  EXPECT_EQ(facts->members[0].unix_mode(), 0100644U);
  EXPECT_EQ(facts->members[0].header_offset, 0U);
  EXPECT_EQ(facts->members[0].data_offset, 38U);
  EXPECT_EQ(facts->members[1].size, 5000U);
  EXPECT_LT(facts->members[1].compressed_size, 500U);
}

TEST(Directory, EmptyArchiveIsReadAndHoldsNothing) {
  const Result<ArchiveFacts> facts = read(ZipArchive().build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  EXPECT_THAT(facts->members, IsEmpty());
  EXPECT_THAT(kinds(*facts), IsEmpty());
}

TEST(Directory, Zip64ArchiveWithoutLiesHasNoProblems) {
  ZipArchive archive = two_files();
  archive.zip64_end = true;
  archive.entries[0].zip64 = true;
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  EXPECT_THAT(kinds(*facts), IsEmpty()) << describe(*facts);
  ASSERT_EQ(facts->members.size(), 2U);
  EXPECT_EQ(facts->members[0].size, 10U);
}

TEST(Directory, StoredMembersAndDirectoriesHaveNoProblems) {
  ZipArchive archive = two_files();
  archive.entries[0].method = zip::kStored;
  archive.entries.push_back({.name = "pkg/sub/", .method = zip::kStored, .mode = 040755});
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  EXPECT_THAT(kinds(*facts), IsEmpty()) << describe(*facts);
}

// One archive per oddity: what is changed about the clean one, and what must be found.
struct Oddity {
  const char* name;
  std::function<void(ZipArchive&)> spoil;
  std::vector<std::string> expected;  // all of these, among others
};

class OddityTest : public ::testing::TestWithParam<Oddity> {};

TEST_P(OddityTest, IsFound) {
  ZipArchive archive = two_files();
  GetParam().spoil(archive);
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  for (const std::string& expected : GetParam().expected) {
    EXPECT_THAT(kinds(*facts), Contains(expected)) << describe(*facts);
  }
}

const Oddity kOddities[] = {
    {"DuplicateName",
     [](ZipArchive& a) { a.entries.push_back({.name = "pkg/a.py", .data = "other"}); },
     {"duplicate-name pkg/a.py"}},
    {"FileAndDirectoryOfOneName",
     [](ZipArchive& a) {
       a.entries.push_back({.name = "pkg/a.py/", .method = zip::kStored, .mode = 040755});
     },
     {"duplicate-name pkg/a.py"}},
    {"FileThatHoldsAnother",
     [](ZipArchive& a) { a.entries.push_back({.name = "pkg/a.py/x/y", .data = "y"}); },
     {"duplicate-name pkg/a.py"}},
    {"CaseCollision",
     [](ZipArchive& a) { a.entries.push_back({.name = "pkg/A.py", .data = "other"}); },
     {"case-collision pkg/A.py"}},
    {"CaseCollisionBeyondAscii",
     [](ZipArchive& a) {
       for (const char* name : {"pkg/\xC3\x84.py", "pkg/\xC3\xA4.py"}) {
         ZipEntry entry{.name = name, .data = "x"};
         entry.local.flags = entry.central.flags = zip::kFlagUtf8;
         a.entries.push_back(entry);
       }
     },
     {"case-collision pkg/\xC3\xA4.py"}},
    {"LocalName",
     [](ZipArchive& a) { a.entries[0].local.name = "pkg/evil.py"; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalMethod",
     [](ZipArchive& a) { a.entries[0].local.method = 0; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalSize",
     [](ZipArchive& a) { a.entries[0].local.size = 11; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalCompressedSize",
     [](ZipArchive& a) { a.entries[0].local.compressed_size = 1; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalCrc",
     [](ZipArchive& a) { a.entries[0].local.crc = 1; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalFlags",
     [](ZipArchive& a) { a.entries[0].local.flags = zip::kFlagEncrypted; },
     {"local-header-mismatch pkg/a.py"}},
    {"LocalSignature",
     [](ZipArchive& a) { a.entries[0].local.signature = 0x12345678; },
     {"local-header-mismatch pkg/a.py"}},
    {"HeaderOffsetIntoData",
     [](ZipArchive& a) { a.entries[1].header_offset = 7; },
     {"local-header-mismatch pkg/b.bin"}},
    {"HeaderOffsetBeyondFile",
     [](ZipArchive& a) { a.entries[1].header_offset = 0x7FFFFFFF; },
     {"local-header-mismatch pkg/b.bin"}},
    {"LeadingData", [](ZipArchive& a) { a.prefix = "#!/bin/sh\n"; }, {"leading-data"}},
    {"LeadingDataNotCounted",
     [](ZipArchive& a) {
       a.prefix = "#!/bin/sh\n";
       a.offsets_count_prefix = false;
     },
     {"leading-data", "readers-disagree"}},
    {"LeadingDataNotCountedWithZip64",
     [](ZipArchive& a) {
       a.prefix = "#!/bin/sh\n";
       a.offsets_count_prefix = false;
       a.zip64_end = true;
     },
     {"leading-data"}},
    {"TrailingData", [](ZipArchive& a) { a.suffix = "more"; }, {"trailing-data"}},
    {"GapBetweenMembers", [](ZipArchive& a) { a.entries[1].before = "hidden"; }, {"gap"}},
    {"GapBeforeDirectory", [](ZipArchive& a) { a.before_directory = "hidden"; }, {"gap"}},
    {"GapAfterDirectory", [](ZipArchive& a) { a.after_directory = "hidden"; }, {"gap"}},
    {"OverlapSameHeader",
     [](ZipArchive& a) {
       a.entries[1] = a.entries[0];
       a.entries[1].name = "pkg/c.py";
       a.entries[1].header_offset = 0;
     },
     {"overlap pkg/c.py", "local-header-mismatch pkg/c.py"}},
    {"OverlapLongerThanItsData",
     [](ZipArchive& a) {
       a.entries[0].local.compressed_size = 140;
       a.entries[0].central.compressed_size = 140;
     },
     {"overlap pkg/b.bin"}},
    {"OverlapWithDirectory",
     [](ZipArchive& a) {
       a.entries[1].local.compressed_size = 14000;
       a.entries[1].central.compressed_size = 14000;
     },
     {"overlap pkg/b.bin"}},
    {"ArchiveComment", [](ZipArchive& a) { a.comment = "made by me"; }, {"archive-comment"}},
    {"EntryComment",
     [](ZipArchive& a) { a.entries[1].comment = "hello"; },
     {"entry-comment pkg/b.bin"}},
    {"DataDescriptor",
     [](ZipArchive& a) {
       a.entries[0].descriptor = data_descriptor(a.entries[0].data, true, false);
     },
     {"data-descriptor pkg/a.py"}},
    {"DataDescriptorThatLies",
     [](ZipArchive& a) { a.entries[0].descriptor = data_descriptor("other data", true, false); },
     {"data-descriptor pkg/a.py", "local-header-mismatch pkg/a.py"}},
    {"DataDescriptorMissing",
     [](ZipArchive& a) { a.entries[0].descriptor = ""; },
     {"data-descriptor pkg/a.py", "local-header-mismatch pkg/a.py"}},
    {"Encrypted",
     [](ZipArchive& a) {
       a.entries[0].local.flags = a.entries[0].central.flags = zip::kFlagEncrypted;
     },
     {"encrypted pkg/a.py"}},
    {"StrongEncryption",
     [](ZipArchive& a) {
       a.entries[0].local.flags = a.entries[0].central.flags = zip::kFlagStrongEncryption;
     },
     {"encrypted pkg/a.py"}},
    {"UnsupportedMethod",
     [](ZipArchive& a) { a.entries[0].method = 12; },
     {"unsupported-method pkg/a.py"}},
    {"AbsolutePath",
     [](ZipArchive& a) { a.entries[0].name = "/etc/passwd"; },
     {"absolute-path /etc/passwd"}},
    {"DrivePath",
     [](ZipArchive& a) { a.entries[0].name = "C:evil.py"; },
     {"absolute-path C:evil.py"}},
    {"ParentPath",
     [](ZipArchive& a) { a.entries[0].name = "pkg/../../x"; },
     {"parent-path pkg/../../x"}},
    {"ParentPathWithBackslash",
     [](ZipArchive& a) { a.entries[0].name = "pkg\\..\\x"; },
     {"parent-path pkg\\..\\x", "backslash-path pkg\\..\\x"}},
    {"EmptyName", [](ZipArchive& a) { a.entries[0].name = ""; }, {"odd-path"}},
    {"NameWithNul",
     [](ZipArchive& a) { a.entries[0].name = std::string("pkg/a.py\0.txt", 13); },
     {std::string("odd-path pkg/a.py\0.txt", 22)}},
    {"NameWithNewline",
     [](ZipArchive& a) { a.entries[0].name = "pkg/a\n.py"; },
     {"odd-path pkg/a\n.py"}},
    {"NameWithEmptyComponent",
     [](ZipArchive& a) { a.entries[0].name = "pkg//a.py"; },
     {"odd-path pkg//a.py"}},
    {"NameWithDotComponent",
     [](ZipArchive& a) { a.entries[0].name = "./pkg/a.py"; },
     {"odd-path ./pkg/a.py"}},
    {"NameInUnknownEncoding",
     [](ZipArchive& a) { a.entries[0].name = "pkg/\xC3\xA4.py"; },
     {"odd-path pkg/\xC3\xA4.py"}},
    {"NameThatIsNotUtf8",
     [](ZipArchive& a) {
       a.entries[0].name = "pkg/\xC3.py";
       a.entries[0].local.flags = a.entries[0].central.flags = zip::kFlagUtf8;
     },
     {"odd-path pkg/\xC3.py"}},
    {"Symlink",
     [](ZipArchive& a) {
       a.entries[0].mode = 0120777;
       a.entries[0].data = "../../target";
     },
     {"symlink pkg/a.py"}},
    {"Device", [](ZipArchive& a) { a.entries[0].mode = 020644; }, {"special-file pkg/a.py"}},
    {"Fifo", [](ZipArchive& a) { a.entries[0].mode = 010644; }, {"special-file pkg/a.py"}},
    {"DirectoryWithData",
     [](ZipArchive& a) { a.entries[0].name = "pkg/a/"; },
     {"directory-with-data pkg/a/"}},
    {"DirectoryModeOnFile",
     [](ZipArchive& a) { a.entries[0].mode = 040755; },
     {"directory-with-data pkg/a.py"}},
    {"RatioBeyondDeflate",
     [](ZipArchive& a) { a.entries[0].local.size = a.entries[0].central.size = 4'000'000'000; },
     {"absurd-ratio pkg/a.py", "absurd-ratio"}},
    {"StoredSizesDiffer",
     [](ZipArchive& a) {
       a.entries[0].method = zip::kStored;
       a.entries[0].local.size = a.entries[0].central.size = 11;
     },
     {"size-lie pkg/a.py"}},
    {"StrayZip64InCentralHeader",
     [](ZipArchive& a) {
       a.entries[0].central.extra = extra_block(zip::kExtraZip64, little_endian(10, 8));
     },
     {"stray-zip64 pkg/a.py"}},
    {"StrayZip64InLocalHeader",
     [](ZipArchive& a) {
       a.entries[0].local.extra = extra_block(zip::kExtraZip64, std::string(16, '\0'));
     },
     {"stray-zip64 pkg/a.py"}},
    {"Zip64BlockMissing",
     [](ZipArchive& a) { a.entries[0].central.size = 0xFFFFFFFF; },
     {"stray-zip64 pkg/a.py"}},
    {"StrayZip64EndRecord",
     [](ZipArchive& a) {
       a.zip64_end = true;
       a.saturate_end = false;
     },
     {"stray-zip64"}},
    {"Zip64EndRecordDisagrees",
     [](ZipArchive& a) {
       a.zip64_end = true;
       a.saturate_end = false;
       a.zip64_entries = 1;
     },
     {"ambiguous-end", "disagreeing-count"}},
    {"CountTooHigh",
     [](ZipArchive& a) { a.stated_entries = 3; },
     {"disagreeing-count", "readers-disagree"}},
    {"CountTooLow",
     [](ZipArchive& a) { a.stated_entries = 1; },
     {"disagreeing-count", "readers-disagree"}},
    {"CountOfThisDisk", [](ZipArchive& a) { a.stated_entries_here = 1; }, {"disagreeing-count"}},
    {"SecondEndRecordInComment",
     [](ZipArchive& a) { a.comment = ZipArchive().build(); },
     {"ambiguous-end", "readers-disagree"}},
    {"ArchiveAppendedToAnother",
     [](ZipArchive& a) { a.prefix = two_files().build(); },
     {"ambiguous-end", "leading-data"}},
    {"EndRecordThatIsCut",
     [](ZipArchive& a) { a.suffix = ZipArchive{.stated_comment_size = 500}.build(); },
     {"ambiguous-end", "trailing-data"}},
    {"TwoDirectories",
     [](ZipArchive& a) {
       // The stated directory and one of the same length behind it.
       const std::string file = a.build();
       const std::size_t at = file.find("PK\x01\x02");
       a.after_directory = file.substr(at, file.size() - at - zip::kEndSize);
     },
     {"ambiguous-end"}},
    {"DamagedExtraField",
     [](ZipArchive& a) { a.entries[0].central.extra = little_endian(0xFFFFFFFF, 4); },
     {"odd-extra-field pkg/a.py"}},
    {"RepeatedZip64Block",
     [](ZipArchive& a) {
       a.entries[0].zip64 = true;
       a.entries[0].central.extra = extra_block(zip::kExtraZip64, std::string(16, '\0'));
     },
     {"odd-extra-field pkg/a.py"}},
    {"UnicodePathGivesAnotherName",
     [](ZipArchive& a) {
       // The block counts where its CRC is that of the header's name.
       a.entries[0].central.extra = extra_block(
           zip::kExtraUnicodePath,
           little_endian(1, 1) + little_endian(crc32(0, as_bytes("pkg/a.py")), 4) + "pkg/evil.py");
     },
     {"odd-extra-field pkg/a.py"}},
};

INSTANTIATE_TEST_SUITE_P(Directory, OddityTest, ::testing::ValuesIn(kOddities),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Directory, DataDescriptorsOfAllFormsBelongToTheirMember) {
  for (const bool signature : {true, false}) {
    for (const bool wide : {true, false}) {
      ZipArchive archive = two_files();
      ZipEntry& entry = archive.entries[0];
      entry.descriptor = data_descriptor(entry.data, signature, wide);
      entry.local.crc = entry.local.size = entry.local.compressed_size = 0;
      const Result<ArchiveFacts> facts = read(archive.build());
      ASSERT_TRUE(facts.ok());
      EXPECT_THAT(kinds(*facts), ::testing::ElementsAre("data-descriptor pkg/a.py"))
          << describe(*facts);
    }
  }
}

TEST(Directory, StoredArchiveInsideIsNotTakenForAnEnd) {
  ZipArchive archive = two_files();
  archive.entries.push_back(
      {.name = "inner.zip", .data = two_files().build(), .method = zip::kStored});
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok());
  EXPECT_THAT(kinds(*facts), IsEmpty()) << describe(*facts);
}

TEST(Directory, TooManyMembersAreAProblemAndThenAnError) {
  const std::string file = two_files().build();
  const Result<ArchiveFacts> some = read(file, {.usual_members = 1});
  ASSERT_TRUE(some.ok());
  EXPECT_THAT(kinds(*some), Contains("too-many-members"));
  const Result<ArchiveFacts> many = read(file, {.members = 1});
  ASSERT_FALSE(many.ok());
  EXPECT_THAT(many.error().message(), HasSubstr("more than 1 members"));
}

TEST(Directory, DirectoryBeyondItsBudgetIsAnError) {
  const Result<ArchiveFacts> facts = read(two_files().build(), {.directory_bytes = 50});
  ASSERT_FALSE(facts.ok());
  EXPECT_THAT(facts.error().message(), HasSubstr("larger than the limit of 50"));
}

TEST(Directory, ManyProblemsOfOneKindAreCounted) {
  ZipArchive archive;
  for (int i = 0; i < 150; ++i) {
    archive.entries.push_back({.name = "m" + std::to_string(i), .data = "x", .comment = "c"});
  }
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok());
  ASSERT_EQ(facts->problems.size(), 101U);
  EXPECT_EQ(facts->problems.back().detail, "and 50 more of these");
}

TEST(Directory, MembersThatShareBytesAreNotReadable) {
  ZipArchive archive = two_files();
  archive.entries[0].local.compressed_size = archive.entries[0].central.compressed_size = 140;
  const Result<ArchiveFacts> facts = read(archive.build());
  ASSERT_TRUE(facts.ok());
  EXPECT_THAT(facts->members[0].unreadable, HasSubstr("shares bytes with pkg/b.bin"));
  EXPECT_THAT(facts->members[1].unreadable, HasSubstr("shares bytes with pkg/a.py"));
}

struct Unreadable {
  const char* name;
  std::function<std::string()> make;
  const char* message;
};

class UnreadableTest : public ::testing::TestWithParam<Unreadable> {};

TEST_P(UnreadableTest, IsAnErrorThatSaysWhy) {
  const std::string file = GetParam().make();
  const Result<ArchiveFacts> facts = read(file);
  ASSERT_FALSE(facts.ok()) << describe(*facts);
  EXPECT_THAT(facts.error().message(), HasSubstr(GetParam().message));
  EXPECT_EQ(facts.error().where, "x.whl");
}

const Unreadable kUnreadable[] = {
    {"Empty", [] { return std::string(); }, "is empty"},
    {"Text", [] { return std::string(1000, 'x'); }, "is not a zip archive"},
    {"Gzip", [] { return std::string("\x1f\x8b\x08 whatever"); }, "is not a zip archive"},
    {"Truncated",
     [] {
       const std::string file = two_files().build();
       return file.substr(0, file.size() / 2);
     },
     "truncated: it starts as a zip archive"},
    {"TruncatedInEndRecord",
     [] {
       const std::string file = two_files().build();
       return file.substr(0, file.size() - 5);
     },
     "truncated"},
    {"TruncatedComment",
     [] {
       ZipArchive archive = two_files();
       archive.stated_comment_size = 100;
       return archive.build();
     },
     "comment of 100 bytes does not fit"},
    {"FrontMissing", [] { return two_files().build().substr(30); }, "bytes are missing"},
    {"DirectoryOffsetWrong",
     [] {
       ZipArchive archive = two_files();
       archive.stated_directory_offset = 3;
       archive.stated_directory_size = 60;
       return archive.build();
     },
     "no central directory at the stated offset (offset 0x3)"},
    {"DirectorySizeAbsurd",
     [] {
       ZipArchive archive = two_files();
       archive.stated_directory_size = 0xFFFFFFF0;
       return archive.build();
     },
     "bytes are missing"},
    {"CentralSignature",
     [] {
       ZipArchive archive = two_files();
       archive.entries[1].central.signature = 0x12345678;
       return archive.build();
     },
     "entry 1 of the central directory does not begin with its signature"},
    {"SplitArchive",
     [] {
       ZipArchive archive = two_files();
       archive.disk = 1;
       return archive.build();
     },
     "spans several files"},
    {"Zip64RecordMissing",
     [] {
       ZipArchive archive = two_files();
       archive.stated_directory_offset = 0xFFFFFFFF;
       return archive.build();
     },
     "refers to a zip64 record"},
    {"Zip64LocatorToOtherPlace",
     [] {
       ZipArchive archive = two_files();
       archive.zip64_end = true;
       archive.stated_zip64_end_offset = 5;
       std::string file = archive.build();
       file[file.find("PK\x06\x06")] = 'X';
       return file;
     },
     "locator points to offset 5"},
};

INSTANTIATE_TEST_SUITE_P(Directory, UnreadableTest, ::testing::ValuesIn(kUnreadable),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A cut at any length, and any single changed byte, gives facts or an error that names the place.
TEST(Directory, CutAnywhereIsAnErrorOrAProblem) {
  const std::string file = two_files().build();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Result<ArchiveFacts> facts = read(file.substr(0, size));
    EXPECT_FALSE(facts.ok() && facts->problems.empty()) << size;
  }
}

TEST(Directory, ChangedBytesAreHandled) {
  ZipArchive archive = two_files();
  archive.zip64_end = true;
  archive.entries[0].zip64 = true;
  const std::string file = archive.build();
  int noticed = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const char value : {'\x00', '\x01', '\x7F', '\x80', '\xFF'}) {
      std::string changed = file;
      changed[at] = value;
      const Result<ArchiveFacts> facts = read(changed);
      if (!facts.ok() || !facts->problems.empty()) ++noticed;
    }
  }
  EXPECT_GT(noticed, 500);
}

}  // namespace
}  // namespace wheelcheck
