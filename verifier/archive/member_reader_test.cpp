#include "verifier/archive/member_reader.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/archive/directory.h"
#include "verifier/archive/libzip_view.h"
#include "verifier/archive/testing.h"

namespace wheelcheck {
namespace {

using testing::deflate;
using ::testing::HasSubstr;
using testing::ZipArchive;
using testing::ZipEntry;

/// Text-like bytes that compress, but not to nothing.
std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 7);
  return text;
}

struct Outcome {
  MemberContent content;
  std::string bytes;
};

Outcome read_member(const std::string& file, std::size_t index, bool sha256 = true,
                    RawVia via = RawVia::own) {
  const FileSource source = FileSource::from_memory("x.whl", as_bytes(file));
  Result<ArchiveFacts> facts = read_archive(source);
  if (!facts) {
    ADD_FAILURE() << facts.error().message();
    return {};
  }
  facts->libzip_agrees = compare_with_libzip(source, *facts).empty();
  EXPECT_TRUE(via == RawVia::own || facts->libzip_agrees);
  MemberReader reader(source, *facts, via);
  Outcome outcome;
  outcome.content =
      reader.read(index, sha256, [&](Bytes bytes) { outcome.bytes.append(as_text(bytes)); });
  return outcome;
}

Outcome read_one(const ZipEntry& entry) {
  return read_member(ZipArchive{.entries = {entry}}.build(), 0);
}

TEST(MemberReader, DeflatedMemberComesOutWithCrcAndSha256) {
  const Outcome outcome = read_one({.name = "a", .data = "abc"});
  ASSERT_FALSE(outcome.content.error) << outcome.content.error->message();
  EXPECT_EQ(outcome.bytes, "abc");
  EXPECT_EQ(outcome.content.size, 3U);
  EXPECT_EQ(outcome.content.crc32, 0x352441C2U);
  EXPECT_EQ(outcome.content.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(MemberReader, StoredMemberComesOut) {
  const std::string data = noise(300'000, 1);
  const Outcome outcome = read_one({.name = "a", .data = data, .method = zip::kStored});
  ASSERT_FALSE(outcome.content.error) << outcome.content.error->message();
  EXPECT_EQ(outcome.bytes, data);
}

TEST(MemberReader, EmptyMembersComeOut) {
  for (const std::uint16_t method : {zip::kStored, zip::kDeflated}) {
    const Outcome outcome = read_one({.name = "a", .method = method});
    ASSERT_FALSE(outcome.content.error) << outcome.content.error->message();
    EXPECT_EQ(outcome.content.size, 0U);
    EXPECT_EQ(outcome.content.sha256,
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }
}

TEST(MemberReader, SizesAroundTheBuffersComeOut) {
  ZipArchive archive;
  for (const std::size_t size : std::initializer_list<std::size_t>{
           1, 65'535, 65'536, 65'537, 131'071, 131'072, 131'073, 1'000'000}) {
    archive.entries.push_back(
        {.name = std::to_string(size), .data = noise(size, static_cast<unsigned>(size))});
    archive.entries.push_back(
        {.name = "zeros" + std::to_string(size), .data = std::string(size, '\0')});
  }
  const std::string file = archive.build();
  for (std::size_t i = 0; i < archive.entries.size(); ++i) {
    for (const RawVia via : {RawVia::own, RawVia::libzip}) {
      const Outcome outcome = read_member(file, i, true, via);
      ASSERT_FALSE(outcome.content.error) << outcome.content.error->message();
      EXPECT_TRUE(outcome.bytes == archive.entries[i].data) << archive.entries[i].name;
    }
  }
}

TEST(MemberReader, Zip64MemberComesOut) {
  const Outcome outcome = read_one({.name = "a", .data = "abc", .zip64 = true});
  ASSERT_FALSE(outcome.content.error) << outcome.content.error->message();
  EXPECT_EQ(outcome.bytes, "abc");
}

TEST(MemberReader, OneReaderReadsManyMembersAfterAnError) {
  ZipArchive archive;
  archive.entries.push_back({.name = "bad", .data = noise(500'000, 3)});
  archive.entries[0].compressed = deflate(archive.entries[0].data).substr(0, 1000);
  archive.entries.push_back({.name = "good", .data = noise(500'000, 4)});
  const std::string file = archive.build();
  const FileSource source = FileSource::from_memory("x.whl", as_bytes(file));
  const Result<ArchiveFacts> facts = read_archive(source);
  ASSERT_TRUE(facts.ok());
  MemberReader reader(source, *facts);
  EXPECT_TRUE(reader.read(0, true, nullptr).error);
  const MemberContent good = reader.read(1, true, nullptr);
  EXPECT_FALSE(good.error) << good.error->message();
}

TEST(MemberReader, OtherCrcIsAnError) {
  ZipEntry entry{.name = "a", .data = "abc"};
  entry.local.crc = entry.central.crc = 1;
  const Outcome outcome = read_one(entry);
  ASSERT_TRUE(outcome.content.error);
  EXPECT_EQ(outcome.content.oddity, ArchiveOddity::crc_mismatch);
  EXPECT_THAT(outcome.content.error->message(),
              HasSubstr("a: its bytes have CRC 352441c2, the directory states 00000001"));
  EXPECT_EQ(outcome.content.sha256, "");
}

TEST(MemberReader, MoreBytesThanStatedAreAnErrorAndAreNotDelivered) {
  ZipEntry entry{.name = "a", .data = noise(1'000'000, 5)};
  entry.local.size = entry.central.size = 300'000;
  const Outcome outcome = read_one(entry);
  ASSERT_TRUE(outcome.content.error);
  EXPECT_EQ(outcome.content.oddity, ArchiveOddity::size_lie);
  EXPECT_THAT(outcome.content.error->what, HasSubstr("more than the 300000 bytes"));
  EXPECT_LE(outcome.bytes.size(), 300'000U);
}

TEST(MemberReader, FewerBytesThanStatedAreAnError) {
  ZipEntry entry{.name = "a", .data = "abc"};
  entry.local.size = entry.central.size = 4;
  const Outcome outcome = read_one(entry);
  ASSERT_TRUE(outcome.content.error);
  EXPECT_EQ(outcome.content.oddity, ArchiveOddity::size_lie);
  EXPECT_THAT(outcome.content.error->what, HasSubstr("holds 3 bytes, the directory states 4"));
}

TEST(MemberReader, TruncatedStreamIsAnErrorAtItsEnd) {
  const std::string data = noise(200'000, 6);
  const std::string whole = deflate(data);
  for (const std::size_t cut :
       std::initializer_list<std::size_t>{std::size_t{500}, whole.size() / 2, whole.size() - 1}) {
    ZipEntry entry{.name = "a", .data = data, .compressed = whole.substr(0, cut)};
    const Outcome outcome = read_one(entry);
    ASSERT_TRUE(outcome.content.error) << cut;
    EXPECT_THAT(outcome.content.error->what, HasSubstr("has no end within its"));
    EXPECT_EQ(outcome.content.error->offset, 31 + cut);
  }
}

TEST(MemberReader, BytesAfterTheStreamAreAnErrorAtTheirPlace) {
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 3, 100, 200'000}) {
    const std::string data = noise(size, 7);
    const std::string whole = deflate(data);
    for (const std::size_t more : std::initializer_list<std::size_t>{1, 2, 7, 8, 9, 100, 100'000}) {
      ZipEntry entry{.name = "a", .data = data, .compressed = whole + std::string(more, 'x')};
      const Outcome outcome = read_one(entry);
      ASSERT_TRUE(outcome.content.error) << size << " " << more;
      EXPECT_THAT(outcome.content.error->what, HasSubstr("ends " + std::to_string(more) + " byte"));
      EXPECT_EQ(outcome.content.error->offset, 31 + whole.size());
    }
  }
}

TEST(MemberReader, GarbageIsAnError) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::string garbage(1 + random() % 2000, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    ZipEntry entry{.name = "a", .data = "abc", .compressed = garbage};
    entry.local.size = entry.central.size = 1000;
    EXPECT_TRUE(read_one(entry).content.error) << seed;
  }
}

TEST(MemberReader, LookbackBeforeTheStartIsAnError) {
  // A fixed block: the literal 'a', then a match of 3 bytes at distance 4.
  // Bits: final 1, type 01, literal 'a' (0x91), length 257 (0000001), distance code 3 (00011).
  std::string bits =
      "1"
      "10"
      "10010001"
      "0000001"
      "00011"
      "0000000";
  std::string stream((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] == '1') stream[i / 8] = static_cast<char>(stream[i / 8] | 1 << (i % 8));
  }
  ZipEntry entry{.name = "a", .data = "aaaa", .compressed = stream};
  const Outcome outcome = read_one(entry);
  ASSERT_TRUE(outcome.content.error);
  EXPECT_THAT(outcome.content.error->what, HasSubstr("the deflate stream is damaged"));
}

TEST(MemberReader, LyingMembersAreNotRead) {
  ZipEntry entry{.name = "a", .data = "abc"};
  entry.local.flags = entry.central.flags = zip::kFlagEncrypted;
  const Outcome outcome = read_one(entry);
  ASSERT_TRUE(outcome.content.error);
  EXPECT_THAT(outcome.content.error->message(), HasSubstr("a: is not read: it is encrypted"));
  EXPECT_EQ(outcome.content.size, 0U);
}

TEST(MemberReader, BothReadersOfRawBytesAgree) {
  ZipArchive archive;
  for (unsigned i = 0; i < 50; ++i) {
    archive.entries.push_back({.name = "m" + std::to_string(i),
                               .data = noise(std::size_t{i} * 4001, i),
                               .method = i % 3 == 0 ? zip::kStored : zip::kDeflated,
                               .zip64 = i % 5 == 0});
  }
  const std::string file = archive.build();
  for (std::size_t i = 0; i < archive.entries.size(); ++i) {
    const Outcome own = read_member(file, i, true, RawVia::own);
    const Outcome libzip = read_member(file, i, true, RawVia::libzip);
    ASSERT_FALSE(own.content.error) << own.content.error->message();
    ASSERT_FALSE(libzip.content.error) << libzip.content.error->message();
    EXPECT_EQ(own.content.sha256, libzip.content.sha256);
    EXPECT_TRUE(own.bytes == archive.entries[i].data);
  }
}

/// Peak memory, in KiB, of a child that runs `work`, or -1 when it failed.
template <class Work>
long peak_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  struct rusage usage = {};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return usage.ru_maxrss;
}

bool read_whole_file(const std::string& path) {
  const Result<FileSource> source = FileSource::open(path);
  if (!source) return false;
  const Result<ArchiveFacts> facts = read_archive(*source);
  if (!facts) return false;
  MemberReader reader(*source, *facts);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < facts->members.size(); ++i) {
    if (reader.read(i, false, [&](Bytes bytes) { seen += bytes.size(); }).error) return false;
  }
  return seen != 0;
}

TEST(MemberReader, MemoryIsFlatWhateverTheSize) {
  const std::string folder = ::testing::TempDir();
  const auto write = [&](const char* name, std::size_t size) {
    std::string path = folder + "/" + name + std::to_string(getpid()) + ".zip";
    std::ofstream(path, std::ios::binary)
        << ZipArchive{.entries = {{.name = "zeros", .data = std::string(size, '\0')}}}.build();
    return path;
  };
  const std::string small = write("small", 1 << 20);
  const std::string large = write("large", 300 << 20);
  const long with_small = peak_of_child([&] { return read_whole_file(small); });
  const long with_large = peak_of_child([&] { return read_whole_file(large); });
  std::remove(small.c_str());
  std::remove(large.c_str());
  ASSERT_GT(with_small, 0);
  ASSERT_GT(with_large, 0);
  EXPECT_LT(with_large - with_small, 4 << 10);
}

}  // namespace
}  // namespace wheelcheck
