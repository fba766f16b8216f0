#include "verifier/scan/scan.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/archive/checksum.h"
#include "verifier/archive/testing.h"
#include "verifier/foreign/sample_files.h"
#include "verifier/scan/kind.h"
#include "verifier/scan/read_only.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ZipArchive;
using testing::ZipEntry;

constexpr const char* kName = "dir/pkg-1.0-py3-none-any.whl";

/// A real ELF file: this program.
const std::string& own_program() {
  static const std::string bytes = [] {
    std::ifstream in("/proc/self/exe", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }();
  return bytes;
}

ZipArchive wheel_with(std::vector<ZipEntry> entries) {
  ZipArchive archive;
  archive.entries = std::move(entries);
  archive.entries.push_back({.name = "pkg-1.0.dist-info/METADATA",
                             .data = "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n"});
  archive.entries.push_back(
      {.name = "pkg-1.0.dist-info/WHEEL",
       .data = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"});
  archive.entries.push_back({.name = "pkg-1.0.dist-info/top_level.txt", .data = "pkg\n"});
  archive.entries.push_back(
      {.name = "pkg-1.0.dist-info/RECORD",
       .data = "pkg/hashed.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n"
               "pkg/plain.py,,\npkg-1.0.dist-info/RECORD,,\n"});
  return archive;
}

Result<WheelFacts> scan(const std::string& file, const ScanOptions& options = {}) {
  return scan_wheel(FileSource::from_memory(kName, as_bytes(file)), options);
}

TEST(Scan, WheelIsReadWithItsMetadata) {
  const std::string file = wheel_with({{.name = "pkg/hashed.py", .data = "abc"},
                                       {.name = "pkg/plain.py", .data = "def"},
                                       {.name = "pkg-1.0.data/scripts/run", .data = "#!python\n"}})
                               .build();
  const Result<WheelFacts> wheel = scan(file);
  ASSERT_TRUE(wheel.ok()) << wheel.error().message();
  EXPECT_EQ(wheel->path, kName);
  ASSERT_TRUE(wheel->file_name);
  EXPECT_EQ(wheel->file_name->normalised, "pkg");
  EXPECT_EQ(wheel->dist_info, "pkg-1.0.dist-info");
  EXPECT_EQ(wheel->data_directory, "pkg-1.0.data");
  ASSERT_TRUE(wheel->metadata && wheel->wheel && wheel->record);
  EXPECT_EQ(wheel->metadata->name, "pkg");
  EXPECT_EQ(wheel->record->rows.size(), 3U);
  EXPECT_THAT(wheel->top_level, ElementsAre("pkg"));
  EXPECT_THAT(wheel->archive.problems, IsEmpty());
  EXPECT_TRUE(wheel->archive.libzip_agrees);
  EXPECT_EQ(wheel->find("pkg-1.0.data/scripts/run")->kind, ContentKind::script);
  EXPECT_EQ(wheel->find("pkg-1.0.data/scripts/run")->install.scheme, Scheme::scripts);
  EXPECT_EQ(wheel->find("pkg/plain.py")->install.scheme, Scheme::purelib);
  EXPECT_EQ(wheel->stats.members, 7U);
  EXPECT_EQ(wheel->stats.archive_bytes, file.size());
}

TEST(Scan, OnlyMembersWithAHashInRecordAreHashed) {
  const Result<WheelFacts> wheel = scan(wheel_with({{.name = "pkg/hashed.py", .data = "abc"},
                                                    {.name = "pkg/plain.py", .data = "def"}})
                                            .build());
  ASSERT_TRUE(wheel.ok());
  EXPECT_EQ(wheel->find("pkg/hashed.py")->sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(wheel->find("pkg/plain.py")->sha256, "");
  EXPECT_EQ(wheel->find("pkg/plain.py")->crc32, crc32(0, as_bytes("def")));
  EXPECT_EQ(wheel->stats.hashed_bytes, 3U);
}

TEST(Scan, ElfMembersGiveTheFactsThatTheirFileGives) {
  const Result<WheelFacts> wheel =
      scan(wheel_with({{.name = "pkg/data.txt", .data = own_program()}}).build());
  ASSERT_TRUE(wheel.ok());
  const MemberFacts* member = wheel->find("pkg/data.txt");
  EXPECT_EQ(member->kind, ContentKind::elf);
  ASSERT_TRUE(member->elf) << member->unread->message();
  const Result<ElfFacts> direct = read_elf("x", as_bytes(own_program()));
  ASSERT_TRUE(direct.ok());
  EXPECT_THAT(direct->needed, Not(IsEmpty()));
  EXPECT_EQ(member->elf->needed, direct->needed);
  EXPECT_EQ(member->elf->dynamic_symbols.size(), direct->dynamic_symbols.size());
  EXPECT_EQ(wheel->stats.elf_files, 1U);

  const Result<MemberFacts> bare = scan_file("/proc/self/exe", {});
  ASSERT_TRUE(bare.ok()) << bare.error().message();
  ASSERT_TRUE(bare->elf);
  EXPECT_EQ(bare->elf->needed, direct->needed);
}

TEST(Scan, TruncatedElfIsUnread) {
  const Result<WheelFacts> wheel =
      scan(wheel_with({{.name = "pkg/x.so", .data = own_program().substr(0, 2000)}}).build());
  ASSERT_TRUE(wheel.ok());
  const MemberFacts* member = wheel->find("pkg/x.so");
  EXPECT_EQ(member->kind, ContentKind::elf);
  ASSERT_TRUE(member->unread);
  EXPECT_THAT(member->unread->where, HasSubstr("pkg/x.so"));
  EXPECT_FALSE(member->elf);
}

TEST(Scan, ForeignMembersAreReadByContent) {
  sample::MachO with_rpath;
  with_rpath.rpaths = {"@loader_path"};
  const std::string mach_o_file = sample::write_mach_o(with_rpath);
  sample::Pe with_import;
  with_import.imports = {"python3.dll"};
  const std::string pe_file = sample::write_pe(with_import);
  const Result<WheelFacts> wheel = scan(
      wheel_with({{.name = "pkg/a.so", .data = mach_o_file},
                  {.name = "pkg/b.pyd", .data = pe_file},
                  {.name = "pkg/c.lib", .data = "!<arch>\n"},
                  {.name = "pkg/broken.dylib", .data = sample::write_mach_o({}).substr(0, 60)}})
          .build());
  ASSERT_TRUE(wheel.ok());
  const MemberFacts* mach_o = wheel->find("pkg/a.so");
  EXPECT_EQ(mach_o->kind, ContentKind::mach_o);
  ASSERT_TRUE(mach_o->foreign) << mach_o->unread->message();
  EXPECT_THAT(mach_o->foreign->images.at(0).rpaths, ElementsAre("@loader_path"));
  const MemberFacts* pe = wheel->find("pkg/b.pyd");
  EXPECT_EQ(pe->kind, ContentKind::pe);
  ASSERT_TRUE(pe->foreign) << pe->unread->message();
  EXPECT_THAT(pe->foreign->images.at(0).libraries, ElementsAre("python3.dll"));
  EXPECT_EQ(wheel->find("pkg/c.lib")->kind, ContentKind::ar_archive);
  EXPECT_TRUE(wheel->find("pkg/broken.dylib")->unread);
}

TEST(Scan, ForeignMembersOverTheLimitAreUnreadNotSilent) {
  const std::string file =
      wheel_with({{.name = "pkg/a.so", .data = sample::write_mach_o({})}}).build();
  const Result<WheelFacts> wheel = scan(file, {.foreign_limit = 100});
  ASSERT_TRUE(wheel.ok());
  ASSERT_TRUE(wheel->find("pkg/a.so")->unread);
  EXPECT_THAT(wheel->find("pkg/a.so")->unread->what, HasSubstr("more than the limit of 100"));
}

TEST(Scan, CrossCheckComparesElfFilesOrSaysWhyNot) {
  const std::string file = wheel_with({{.name = "pkg/x.so", .data = own_program()}}).build();
  const Result<WheelFacts> wheel = scan(file, {.cross_check = true});
  ASSERT_TRUE(wheel.ok());
  const MemberFacts* member = wheel->find("pkg/x.so");
  EXPECT_THAT(member->cross_check, IsEmpty());
  EXPECT_EQ(wheel->stats.cross_checked + wheel->stats.cross_check_skipped, 1U);
  EXPECT_EQ(member->cross_check_skipped.has_value(), wheel->stats.cross_check_skipped == 1);

  const Result<WheelFacts> limited = scan(file, {.cross_check_limit = 100, .cross_check = true});
  ASSERT_TRUE(limited.ok());
  ASSERT_TRUE(limited->find("pkg/x.so")->cross_check_skipped);
  EXPECT_EQ(limited->stats.cross_check_skipped, 1U);
}

TEST(Scan, MembersThatLieAreUnreadAndAProblem) {
  ZipArchive archive = wheel_with(
      {{.name = "pkg/a.so", .data = own_program()}, {.name = "pkg/b.py", .data = "abc"}});
  archive.entries[0].local.crc = archive.entries[0].central.crc = 1;
  archive.entries[1].local.size = archive.entries[1].central.size = 4;
  const Result<WheelFacts> wheel = scan(archive.build());
  ASSERT_TRUE(wheel.ok());
  EXPECT_TRUE(wheel->members[0].unread);
  EXPECT_FALSE(wheel->members[0].elf);
  EXPECT_TRUE(wheel->members[1].unread);
  ASSERT_EQ(wheel->archive.problems.size(), 2U);
  EXPECT_EQ(wheel->archive.problems[0].oddity, ArchiveOddity::crc_mismatch);
  EXPECT_EQ(wheel->archive.problems[0].member, "pkg/a.so");
  EXPECT_EQ(wheel->archive.problems[1].oddity, ArchiveOddity::size_lie);
}

TEST(Scan, TotalLimitStopsMembersInDirectoryOrder) {
  const std::string file = wheel_with({{.name = "pkg/a", .data = std::string(1000, 'a')},
                                       {.name = "pkg/b", .data = std::string(5000, 'b')},
                                       {.name = "pkg/c", .data = std::string(100, 'c')}})
                               .build();
  const Result<WheelFacts> wheel = scan(file, {.inflate_limit = 2000});
  ASSERT_TRUE(wheel.ok());
  EXPECT_FALSE(wheel->find("pkg/a")->unread);
  ASSERT_TRUE(wheel->find("pkg/b")->unread);
  EXPECT_THAT(wheel->find("pkg/b")->unread->what, HasSubstr("the limit of 2000 bytes"));
  EXPECT_FALSE(wheel->find("pkg/c")->unread);
}

TEST(Scan, SymbolicLinksKeepTheirTarget) {
  const Result<WheelFacts> wheel =
      scan(wheel_with({{.name = "pkg/libx.so", .data = "libx.so.1", .mode = 0120777}}).build());
  ASSERT_TRUE(wheel.ok());
  EXPECT_EQ(wheel->find("pkg/libx.so")->symlink_target, "libx.so.1");
}

TEST(Scan, TextIsKeptWhereRulesReadIt) {
  const Result<WheelFacts> wheel =
      scan(wheel_with({{.name = "pkg/cmake/x.cmake", .data = "set(A /__w/x)\n"},
                       {.name = "pkg/version.py", .data = ""},
                       {.name = "pkg/other.py", .data = "x = '/__w/x'\n"},
                       {.name = "pkg-1.0.dist-info/licenses/LICENSE", .data = "MIT"}})
               .build());
  ASSERT_TRUE(wheel.ok());
  EXPECT_EQ(wheel->find("pkg/cmake/x.cmake")->text, "set(A /__w/x)\n");
  EXPECT_TRUE(wheel->find("pkg/version.py")->text_kept);
  EXPECT_FALSE(wheel->find("pkg/other.py")->text_kept);
  EXPECT_EQ(wheel->find("pkg/other.py")->text, "");
  EXPECT_EQ(wheel->find("pkg/other.py")->build_paths.count, 1U);
  EXPECT_EQ(wheel->find("pkg-1.0.dist-info/licenses/LICENSE")->text, "MIT");
}

TEST(Scan, HeadersAreKeptOnlyWhenAskedFor) {
  const std::string file = wheel_with({{.name = "pkg/x.cuh", .data = "#pragma once\n"}}).build();
  const Result<WheelFacts> without = scan(file);
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->find("pkg/x.cuh")->text_kept);
  const Result<WheelFacts> with = scan(file, {.keep_headers = true});
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with->find("pkg/x.cuh")->text, "#pragma once\n");
}

TEST(Scan, SeveralDistInfosTheOwnOneIsChosen) {
  ZipArchive archive = wheel_with({});
  archive.entries.insert(archive.entries.begin(),
                         {.name = "other-2.0.dist-info/METADATA", .data = "Name: other\n"});
  const Result<WheelFacts> wheel = scan(archive.build());
  ASSERT_TRUE(wheel.ok());
  EXPECT_THAT(wheel->dist_info_directories,
              ElementsAre("other-2.0.dist-info", "pkg-1.0.dist-info"));
  EXPECT_EQ(wheel->dist_info, "pkg-1.0.dist-info");
}

/// Everything that a report could show, in one string.
std::string flatten(const WheelFacts& wheel) {
  std::string all;
  for (const MemberFacts& member : wheel.members) {
    all += member.entry.path + " " + std::to_string(static_cast<int>(member.kind)) + " " +
           std::to_string(member.crc32) + " " + member.sha256 + " " +
           (member.unread ? member.unread->message() : "") + " " +
           std::to_string(member.build_paths.count) + "\n";
  }
  for (const ArchiveProblem& problem : wheel.archive.problems) {
    all += std::string(oddity_name(problem.oddity)) + problem.member + problem.detail + "\n";
  }
  return all;
}

TEST(Scan, ResultsAreTheSameWithAnyNumberOfThreads) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 300; ++i) {
    ZipEntry entry{.name = "pkg/m" + std::to_string(i),
                   .data = std::string(static_cast<std::size_t>(i * 37 % 5000), 'x') + " /home/u/" +
                           std::to_string(i)};
    if (i % 10 == 0) entry.local.crc = entry.central.crc = 1;
    entries.push_back(entry);
  }
  const std::string file = wheel_with(entries).build();
  const Result<WheelFacts> one = scan(file, {.threads = 1});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->archive.problems.size(), 30U);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const Result<WheelFacts> many = scan(file, {.threads = threads});
    ASSERT_TRUE(many.ok());
    EXPECT_EQ(flatten(*one), flatten(*many));
  }
}

TEST(Scan, ProgressReachesTheTotal) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 4; ++i) {
    entries.push_back({.name = "z" + std::to_string(i), .data = std::string(6 << 20, '\0')});
  }
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> furthest{0};
  std::atomic<std::uint64_t> total{0};
  ScanOptions options;
  options.threads = 2;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    ++calls;
    total = all;
    std::uint64_t before = furthest;
    while (before < done && !furthest.compare_exchange_weak(before, done)) {
    }
  };
  const Result<WheelFacts> wheel = scan(wheel_with(entries).build(), options);
  ASSERT_TRUE(wheel.ok());
  EXPECT_GE(calls, 4U);
  EXPECT_EQ(total, wheel->stats.inflated_bytes);
  EXPECT_GT(furthest, total / 2);
  EXPECT_LE(furthest, total);
}

TEST(Scan, FilesThatAreNoArchivesAreErrors) {
  const Result<WheelFacts> wheel = scan("not a wheel");
  ASSERT_FALSE(wheel.ok());
  EXPECT_THAT(wheel.error().message(), HasSubstr("is not a zip archive"));
  EXPECT_FALSE(scan_wheel(std::string("/does/not/exist.whl"), {}).ok());
}

TEST(Kind, IsToldByTheFirstBytes) {
  EXPECT_EQ(classify(as_bytes("\x7f"
                              "ELF\2\1\1")),
            ContentKind::elf);
  EXPECT_EQ(classify(as_bytes("#!/usr/bin/env python\n")), ContentKind::script);
  EXPECT_EQ(classify(as_bytes("import os\n")), ContentKind::text);
  EXPECT_EQ(classify(as_bytes(std::string("\0\1\2\3", 4))), ContentKind::other);
  EXPECT_EQ(classify(as_bytes("!<arch>\n")), ContentKind::ar_archive);
  EXPECT_EQ(classify(as_bytes(std::string("\xca\xfe\xba\xbe\0\0\0\x34\0\x10\x0a\0", 12))),
            ContentKind::other);
  EXPECT_EQ(classify(as_bytes("na\xc3\xafve caf\xe9\n")), ContentKind::text);
}

TEST(ReadOnly, RangesAreTheSegmentsWithoutWriteAndExecute) {
  const std::vector<ByteRange> ranges = read_only_ranges(as_bytes(own_program()));
  const Result<ElfFacts> elf = read_elf("x", as_bytes(own_program()));
  ASSERT_TRUE(elf.ok());
  std::uint64_t expected = 0;
  std::uint64_t expected_all = 0;
  for (const ElfSegment& segment : elf->segments) {
    if (segment.type != 1) continue;
    if ((segment.flags & 3U) == 0) expected += segment.file_size;
    if ((segment.flags & 2U) == 0) expected_all += segment.file_size;
  }
  std::uint64_t total = 0;
  for (const ByteRange& range : ranges) total += range.end - range.begin;
  EXPECT_EQ(total, expected != 0 ? expected : expected_all);
}

TEST(ReadOnly, HeaderWithoutItsProgramHeadersMeansEverything) {
  const std::vector<ByteRange> ranges =
      read_only_ranges(as_bytes(std::string_view(own_program()).substr(0, 70)));
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].begin, 0U);
  EXPECT_EQ(ranges[0].end, ~std::uint64_t{0});
}

TEST(Scan, PathsInReadOnlyDataAreFound) {
  // Kept in .rodata of this program, behind a comma so that no other test's text is meant.
  static const char kPath[] = ",/__w/_temp/conda_environment_42/lib";
  ASSERT_EQ(kPath[0], ',');
  const Result<WheelFacts> wheel =
      scan(wheel_with({{.name = "pkg/x.so", .data = own_program()}}).build());
  ASSERT_TRUE(wheel.ok());
  const BuildPathFacts& paths = wheel->find("pkg/x.so")->build_paths;
  EXPECT_GT(paths.count, 0U);
  EXPECT_TRUE(paths.by_pattern.contains("ci-work"));
}

}  // namespace
}  // namespace wheelcheck
