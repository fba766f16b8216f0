#include "verifier/scan/build_paths.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Feeds `text` in pieces of `piece` bytes.
BuildPathFacts scan(std::string_view text, std::size_t piece = 1 << 20) {
  BuildPathScanner scanner(true, text.size());
  for (std::size_t at = 0; at < text.size(); at += piece) {
    scanner.consume(as_bytes(text.substr(at, piece)));
  }
  return scanner.finish();
}

std::vector<std::string> found(std::string_view text) {
  std::vector<std::string> all;
  for (const BuildPathHit& hit : scan(text).examples) all.push_back(hit.text);
  return all;
}

TEST(BuildPaths, EveryPatternIsFound) {
  for (const BuildPathPattern& pattern : build_path_patterns()) {
    const std::string path = pattern.place == BuildPathPlace::prefix
                                 ? std::string(pattern.text) + "x/y"
                                 : "/srv/a/" + std::string(pattern.text) +
                                       (pattern.place == BuildPathPlace::component ? "" : "1") +
                                       "/b";
    const BuildPathFacts facts = scan("set(X \"" + path + "\")\n");
    ASSERT_EQ(facts.examples.size(), 1U) << path;
    EXPECT_EQ(facts.examples[0].text, path);
    EXPECT_STREQ(facts.examples[0].pattern, pattern.name) << path;
    EXPECT_EQ(facts.by_pattern.at(pattern.name), 1U);
  }
}

TEST(BuildPaths, ComponentsCountWhereverTheyAre) {
  EXPECT_THAT(found("/data/actions-runner/_work/x"), ElementsAre("/data/actions-runner/_work/x"));
  EXPECT_THAT(found("/srv/_temp"), ElementsAre("/srv/_temp"));
  EXPECT_THAT(found("/srv/my_work/x /srv/_works/x /srv/_work.txt"), IsEmpty());
}

TEST(BuildPaths, FlagsListsAndUrlsHoldPaths) {
  EXPECT_THAT(found("-I/home/u/include -L/home/u/lib"),
              ElementsAre("/home/u/include", "/home/u/lib"));
  EXPECT_THAT(found("RPATH=/__w/a/lib:/__w/b/lib"), ElementsAre("/__w/a/lib", "/__w/b/lib"));
  EXPECT_THAT(found("{\"url\": \"file:///home/u/pkg.whl\"}"), ElementsAre("/home/u/pkg.whl"));
}

TEST(BuildPaths, RelativePathsAndOthersAreNotMeant) {
  EXPECT_THAT(found("share/home/u x/tmp/y ./tmp/z ../root/q"), IsEmpty());
  EXPECT_THAT(found("${prefix}/home/u $(X)/tmp/y %{x}/io/z"), IsEmpty());
  EXPECT_THAT(found("https://example.org/home/u http://tmp/x"), IsEmpty());
  EXPECT_THAT(found("// comment /* comment */ </home> 1/2"), IsEmpty());
  EXPECT_THAT(found("/usr/lib/x /etc/y /opt/z /usr/local/bin/cuda"), IsEmpty());
}

TEST(BuildPaths, DirectoriesThatEveryMachineHasNeedMoreBehindThem) {
  EXPECT_THAT(found("in /tmp/ or /home/. or /root"), IsEmpty());
  EXPECT_THAT(found("/usr/local/cuda and more"), ElementsAre("/usr/local/cuda"));
}

TEST(BuildPaths, FullStopEndsTheSentence) {
  EXPECT_THAT(found("Written to /tmp/log.txt."), ElementsAre("/tmp/log.txt"));
}

TEST(BuildPaths, LongPathsAreCut) {
  const std::vector<std::string> all = found("/home/" + std::string(5000, 'u') + "/_work/x");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].size(), 200U);
}

TEST(BuildPaths, LinesAndOffsetsAreRightHoweverTheBytesArrive) {
  std::string text;
  std::vector<std::uint64_t> offsets;
  for (int line = 1; line <= 400; ++line) {
    if (line % 97 == 0) {
      offsets.push_back(text.size() + 2);
      text += "x /home/u/line" + std::to_string(line) + "\n";
    } else {
      text += std::string(static_cast<std::size_t>(line % 61), 'a') + "\n";
    }
  }
  offsets.push_back(text.size());
  text += "/home/u/last";
  for (const std::size_t piece : std::initializer_list<std::size_t>{
           1, 2, 7, 100, 199, 200, 201, 399, 400, 401, 408, 600, 1000, 4096, 1 << 20}) {
    const BuildPathFacts facts = scan(text, piece);
    ASSERT_EQ(facts.count, 5U) << piece;
    ASSERT_EQ(facts.examples.size(), 4U) << piece;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(facts.examples[i].line, 97 * (i + 1)) << piece;
      EXPECT_EQ(facts.examples[i].offset, offsets[i]) << piece;
      EXPECT_EQ(facts.examples[i].text, "/home/u/line" + std::to_string(97 * (i + 1))) << piece;
    }
  }
}

TEST(BuildPaths, EveryHitIsFoundOnceAtEveryPlaceInAChunk) {
  for (std::size_t before = 300; before < 1300; before += 7) {
    const std::string text = std::string(before, ' ') + "/tmp/some/path" + std::string(900, ' ');
    for (const std::size_t piece : std::initializer_list<std::size_t>{500, 512, 1024}) {
      const BuildPathFacts facts = scan(text, piece);
      ASSERT_EQ(facts.count, 1U) << before << " " << piece;
      EXPECT_EQ(facts.examples[0].offset, before);
    }
  }
}

TEST(BuildPaths, SkippedBytesAreNotReadAcross) {
  BuildPathScanner scanner(false, 1000);
  scanner.consume(as_bytes("/home"));
  scanner.skip(100);
  scanner.consume(as_bytes("/u/x /tmp/a"));
  const BuildPathFacts facts = scanner.finish();
  ASSERT_EQ(facts.count, 1U);
  EXPECT_EQ(facts.examples[0].text, "/tmp/a");
  EXPECT_EQ(facts.examples[0].offset, 110U);
  EXPECT_EQ(facts.examples[0].line, 0U);
}

}  // namespace
}  // namespace wheelcheck
