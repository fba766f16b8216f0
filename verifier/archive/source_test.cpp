#include "verifier/archive/source.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

using ::testing::HasSubstr;

std::string temporary(const char* name) {
  return ::testing::TempDir() + "/" + name + std::to_string(getpid());
}

TEST(FileSource, ReadsAtAnyOffset) {
  const std::string path = temporary("source");
  std::ofstream(path) << "0123456789";
  {
    Result<FileSource> source = FileSource::open(path);
    ASSERT_TRUE(source.ok()) << source.error().message();
    EXPECT_EQ(source->size(), 10U);
    const FileSource moved = *std::move(source);
    const Result<std::vector<std::byte>> bytes = moved.read(3, 4);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(as_text(*bytes), "3456");
  }
  std::remove(path.c_str());
}

TEST(FileSource, RangesBeyondTheEndAreErrorsWithTheirOffset) {
  const FileSource source = FileSource::from_memory("m", as_bytes("0123456789"));
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [offset, size] : {std::pair<std::uint64_t, std::uint64_t>{10, 1},
                                     {11, 0},
                                     {0, 11},
                                     {huge, huge},
                                     {1, huge}}) {
    const Result<std::vector<std::byte>> bytes = source.read(offset, size);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().offset, offset);
    EXPECT_EQ(bytes.error().where, "m");
  }
  EXPECT_TRUE(source.read(10, std::uint64_t{0}).ok());
}

TEST(FileSource, OnlyRegularFilesAreOpened) {
  const Result<FileSource> missing = FileSource::open(temporary("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), HasSubstr("No such file"));

  const Result<FileSource> folder = FileSource::open(::testing::TempDir());
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message(), HasSubstr("is a directory"));

  const std::string fifo = temporary("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Result<FileSource> pipe = FileSource::open(fifo);
  std::remove(fifo.c_str());
  ASSERT_FALSE(pipe.ok());
  EXPECT_THAT(pipe.error().message(), HasSubstr("is not a regular file"));
}

TEST(FileSource, FileThatShrinksIsAnError) {
  const std::string path = temporary("shrinks");
  std::ofstream(path) << std::string(1000, 'x');
  const Result<FileSource> source = FileSource::open(path);
  ASSERT_TRUE(source.ok());
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  const Result<std::vector<std::byte>> bytes = source->read(0, 1000);
  std::remove(path.c_str());
  ASSERT_FALSE(bytes.ok());
  EXPECT_THAT(bytes.error().what, HasSubstr("became shorter"));
}

}  // namespace
}  // namespace wheelcheck
