// ld.so gets other paths wherever a compiler put them.
#include "verifier/loader/worlds/loader_files.h"

#include <cstring>
#include <gtest/gtest.h>

namespace wheelcheck::worlds {
namespace {

using namespace std::string_literals;

// What glibc 2.39 of Ubuntu 24.04 holds: the lists, and comparisons of eight and four bytes.
const std::string kLists =
    "/etc/ld.so.cache\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0/usr/lib/\0"s;

std::string movabs(const std::string& word) { return "\x48\xb8" + word; }
std::string comparison(const std::string& word) { return "\x81\x3f" + word; }

/// "/t0aa…/", as long and with the same ends as asked for.
std::string made_up(std::size_t index, const PathShape& shape) {
  std::string path = shape.head.empty() ? "/t" + std::to_string(index) : shape.head;
  const std::string tail = shape.tail.empty() ? "/" : shape.tail;
  if (path.size() + tail.size() > shape.length) path.resize(shape.length - tail.size());
  path.resize(shape.length - tail.size(), 'a');
  return path + tail;
}

TEST(ChangedLoader, InstructionsCompareWithTheNewPaths) {
  const std::string code = kLists + movabs("/lib/x86") + movabs("_64-linu") + movabs("nux-gnu/") +
                           movabs("/usr/lib") + movabs("/x86_64-") + movabs("86_64-li") +
                           comparison("/lib");
  const auto changed = with_other_paths(code, "ld.so", made_up);
  ASSERT_TRUE(changed) << changed.error().message();
  const auto& paths = changed->directories;
  ASSERT_EQ(paths.size(), 4U);
  EXPECT_EQ(changed->code, std::string(kCacheName) +
                               std::string(17 - std::strlen(kCacheName), '\0') + paths[0] + '\0' +
                               paths[1] + '\0' + paths[2] + '\0' + paths[3] + '\0' +
                               movabs(paths[0].substr(0, 8)) + movabs(paths[0].substr(8, 8)) +
                               movabs(paths[0].substr(14)) + movabs(paths[1].substr(0, 8)) +
                               movabs(paths[1].substr(8, 8)) + movabs(paths[1].substr(10, 8)) +
                               comparison(paths[2].substr(0, 4)));
  // One constant serves two directories that begin or end alike.
  EXPECT_EQ(paths[1].substr(0, 8), paths[3].substr(0, 8));
  EXPECT_EQ(paths[0].substr(6), paths[1].substr(10));
}

TEST(ChangedLoader, TheSameBytesElsewhereStay) {
  const std::string elsewhere = "see /lib/x86 and\x81\x47/lib"s + "\x48\x89/lib/x86";
  const auto changed = with_other_paths(kLists + elsewhere, "ld.so", made_up);
  ASSERT_TRUE(changed) << changed.error().message();
  EXPECT_TRUE(changed->code.ends_with(elsewhere));
}

TEST(ChangedLoader, PathsThatDoNotFitAreRefused) {
  const auto changed =
      with_other_paths(kLists, "ld.so", [](std::size_t, const PathShape&) { return "/x/"s; });
  EXPECT_FALSE(changed);
}

TEST(ShortLinks, NamesHoldToTheShape) {
  ShortLinks links;
  const std::string path = links.make({20, "/tmp/abc", "-end/"}, "/nowhere");
  EXPECT_EQ(path.size(), 20U);
  EXPECT_TRUE(path.starts_with("/tmp/abc")) << path;
  EXPECT_TRUE(path.ends_with("-end/")) << path;
  EXPECT_EQ(links.make({5, {}, {}}, "/nowhere"), "/___/");
}

}  // namespace
}  // namespace wheelcheck::worlds
