#include "verifier/check/facts_cache.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/check/facts_format.h"
#include "verifier/cli/tiny_wheel.h"
#include "verifier/report/facts_writer.h"

namespace wheelcheck {
namespace {

namespace fs = std::filesystem;
using testing::tiny_library;
using testing::TinyWheel;

class Cached : public ::testing::Test {
 protected:
  Cached() {
    std::string pattern = (fs::temp_directory_path() / "wheelcheck-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    wheel = write({"libc.so.6"});
  }
  ~Cached() override { fs::remove_all(root); }

  std::string write(const std::vector<std::string>& needed) const {
    return TinyWheel("cp312-cp312-manylinux_2_28_x86_64", "numpy>=1.25")
        .add("demo/__init__.py", "")
        .add("demo/libx.so", tiny_library(needed, "$ORIGIN/lib"))
        .write(root);
  }
  std::string folder() const { return root + "/cache"; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder(), code)) paths.push_back(entry.path());
    return paths;
  }
  WheelFacts scan(const std::string& program = "one") {
    stats = {};
    auto facts = FactsCache(folder(), program).scan(wheel, {}, stats);
    EXPECT_TRUE(facts.ok()) << facts.error().message();
    return facts ? std::move(facts).value() : WheelFacts();
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void write_to(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }

  std::string root;
  std::string wheel;
  BesideStats stats;
};

/// Everything that is said of an ELF file, and where it lies.
std::string told(const WheelFacts& wheel) {
  std::string text = wheel.path + "\n" + wheel.dist_info + "\n";
  for (const MemberFacts& member : wheel.members) {
    text += member.entry.path + " " + std::to_string(member.entry.size) + " " +
            member.install.path + " " + std::to_string(static_cast<int>(member.install.scheme)) +
            "\n";
    if (member.elf) text += facts_of_member(member, {false, true});
  }
  return text;
}

TEST_F(Cached, TheSecondTimeTheFactsAreKnown) {
  const WheelFacts first = scan();
  EXPECT_EQ(stats.read, 1U);
  ASSERT_EQ(entries().size(), 1U);
  const WheelFacts second = scan();
  EXPECT_EQ(stats.read, 0U);
  EXPECT_EQ(stats.cached, 1U);
  EXPECT_EQ(told(first), told(second));
  ASSERT_TRUE(second.metadata && second.file_name && second.wheel);
  EXPECT_EQ(second.metadata->name, "demo");
  ASSERT_EQ(second.metadata->requires_dist.size(), 1U);
  EXPECT_EQ(second.metadata->requires_dist[0].normalised, "numpy");
  ASSERT_NE(second.find("demo/libx.so"), nullptr);
  EXPECT_EQ(second.find("demo/libx.so")->elf->runpath, "$ORIGIN/lib");
}

TEST_F(Cached, AnotherContentIsAnotherWheel) {
  scan();
  const std::string other = write({"libm.so.6"});
  ASSERT_EQ(other, wheel);
  const WheelFacts facts = scan();
  EXPECT_EQ(stats.read, 1U);
  EXPECT_EQ(facts.find("demo/libx.so")->elf->needed, std::vector<std::string>{"libm.so.6"});
}

TEST_F(Cached, AnotherProgramHasFactsOfItsOwn) {
  scan("one");
  scan("two");
  EXPECT_EQ(stats.read, 1U);
  EXPECT_EQ(entries().size(), 2U);
}

TEST_F(Cached, AnotherNameIsAnotherWheel) {
  scan();
  const std::string renamed = root + "/demo-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  fs::rename(wheel, renamed);
  wheel = renamed;
  EXPECT_EQ(scan().file_name->pythons, std::vector<std::string>{"cp311"});
  EXPECT_EQ(stats.read, 1U);
}

TEST_F(Cached, EveryDamageIsNoticedAndMended) {
  const std::string right = told(scan());
  const fs::path entry = entries().at(0);
  const std::string good = content(entry);
  const auto damaged = [&](std::string bytes, const std::string& how) {
    write_to(entry, bytes);
    EXPECT_EQ(told(scan()), right) << how;
    EXPECT_EQ(stats.read, 1U) << how;
    EXPECT_EQ(content(entry), good) << how;
  };
  damaged("", "empty");
  damaged(good.substr(0, good.size() / 2), "cut");
  damaged(good + "x", "longer");
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    damaged(bytes, "byte " + std::to_string(at));
  }
}

TEST_F(Cached, WhatCouldNotBeReadInFullIsNotKept) {
  wheel = TinyWheel("cp312-cp312-manylinux_2_28_x86_64")
              .add("demo/libcut.so", tiny_library({"libc.so.6"}).substr(0, 250))
              .write(root);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(scan().find("demo/libcut.so")->unread);
    EXPECT_EQ(stats.read, 1U);
  }
  EXPECT_TRUE(entries().empty());
}

TEST_F(Cached, AFolderThatCannotBeMadeIsNoFault) {
  write_to(folder(), "a file stands there");
  scan();
  scan();
  EXPECT_EQ(stats.read, 1U);
}

TEST(FactsFormat, EveryCutAndEveryFlippedByteGivesFactsOrNothing) {
  std::string pattern = (fs::temp_directory_path() / "wheelcheck-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::string path = TinyWheel("cp312-cp312-manylinux_2_28_x86_64")
                               .add("demo/libx.so", tiny_library({"libc.so.6"}))
                               .write(pattern);
  const auto facts = scan_wheel(path, {});
  fs::remove_all(pattern);
  ASSERT_TRUE(facts.ok());
  const std::string good = encode_facts(*facts);
  ASSERT_TRUE(decode_facts(as_bytes(good), path));
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_FALSE(decode_facts(as_bytes(std::string_view(good).substr(0, at)), path)) << at;
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x80);
    if (!decode_facts(as_bytes(bytes), path)) ++refused;
  }
  EXPECT_GT(refused, good.size() / 4);
  EXPECT_FALSE(decode_facts(as_bytes(good + "x"), path));
}

// Seeds of an earlier format are refused at their first byte, and the fuzzer learns nothing by
// them.
TEST(FactsCacheCorpus, SeedsAreOfTheFormatThatIsRead) {
  int seeds = 0;
  for (const auto& entry : fs::directory_iterator(FACTS_CORPUS)) {
    if (!entry.path().filename().string().starts_with("wheel-")) continue;
    ++seeds;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    const auto facts = decode_facts(std::as_bytes(std::span(bytes)),
                                    "demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl");
    EXPECT_TRUE(facts && !facts->members.empty())
        << entry.path() << ": take a file of the cache without its first 64 bytes";
  }
  EXPECT_GE(seeds, 3);
}

}  // namespace
}  // namespace wheelcheck
