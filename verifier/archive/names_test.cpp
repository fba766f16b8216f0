// Names that lead through more directories than any real wheel's.
#include <gtest/gtest.h>
#include <string>

#include "verifier/archive/directory.h"
#include "verifier/archive/testing.h"

namespace wheelcheck {
namespace {

using testing::ZipArchive;

std::string deep(int levels) {
  std::string path;
  for (int i = 0; i < levels; ++i) path += "a/";
  return path;
}

Result<ArchiveFacts> read(const ZipArchive& archive, const ArchiveBudget& budget = {}) {
  const std::string file = archive.build();
  return read_archive(FileSource::from_memory("x.whl", as_bytes(file)), budget);
}

TEST(Names, AFileThatIsADirectoryIsSeenFarBelowIt) {
  constexpr int kLevels = 30'000;
  ZipArchive archive;
  archive.entries.push_back({.name = deep(kLevels / 2) + "File", .data = "x"});
  archive.entries.push_back({.name = deep(kLevels / 2) + "file/" + deep(kLevels / 2), .data = "x"});
  const Result<ArchiveFacts> facts = read(archive);
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  std::vector<std::string> twice;
  for (const ArchiveProblem& problem : facts->problems) {
    if (problem.oddity == ArchiveOddity::duplicate_name) twice.push_back(problem.member);
  }
  EXPECT_EQ(twice, std::vector<std::string>{archive.entries[0].name});
}

// What names share with the name before is counted once: a real wheel has thousands of files in
// a directory.
TEST(Names, LeadThroughSoManyDirectoriesAndNoMore) {
  ZipArchive archive;
  for (int i = 0; i < 10; ++i) {
    archive.entries.push_back({.name = deep(6) + std::to_string(i) + ".py", .data = "x"});
  }
  ArchiveBudget budget;
  budget.directories = 6 + 10;
  EXPECT_TRUE(read(archive, budget).ok());
  archive.entries.push_back({.name = "b/" + deep(6) + "c.py", .data = "x"});
  const Result<ArchiveFacts> facts = read(archive, budget);
  ASSERT_FALSE(facts.ok());
  EXPECT_NE(facts.error().what.find("more than 16 directories"), std::string::npos);
  EXPECT_TRUE(facts.error().offset.has_value());
  budget.directories += 8;
  EXPECT_TRUE(read(archive, budget).ok());
}

}  // namespace
}  // namespace wheelcheck
