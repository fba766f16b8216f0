#include "verifier/loader/search_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wheelcheck {
namespace {

using testing::ElementsAre;

constexpr std::string_view kOrigin = "/site/pkg";

std::vector<std::string> paths(LoaderKind loader, std::string_view raw) {
  std::vector<std::string> found;
  for (const PathElement& element : split_search_path(loader, raw, kOrigin)) {
    found.push_back(element.ignored                ? "ignored"
                    : element.is_working_directory ? "cwd"
                                                   : element.path);
  }
  return found;
}

std::vector<std::string> glibc(std::string_view raw) { return paths(LoaderKind::glibc, raw); }
std::vector<std::string> musl(std::string_view raw) { return paths(LoaderKind::musl, raw); }

TEST(SearchPath, OriginIsTheDirectoryOfTheCarrier) {
  EXPECT_THAT(glibc("$ORIGIN"), ElementsAre("/site/pkg"));
  EXPECT_THAT(glibc("$ORIGIN/../lib:${ORIGIN}/x"), ElementsAre("/site/pkg/../lib", "/site/pkg/x"));
}

TEST(SearchPath, TrailingSlashesAreNoPartOfTheDirectory) {
  EXPECT_THAT(glibc("$ORIGIN/:/a//:/"), ElementsAre("/site/pkg", "/a", "/"));
}

TEST(SearchPath, TokenNamesAreGreedy) {
  EXPECT_THAT(glibc("$ORIGINAL/../lib"), ElementsAre("$ORIGINAL/../lib"));
  EXPECT_THAT(glibc("$ORIGIN_X:$ORIGIN2:$ORIGIN-x"),
              ElementsAre("$ORIGIN_X", "$ORIGIN2", "/site/pkg-x"));
  EXPECT_THAT(glibc("${ORIGIN}AL:${ORIGINAL}:${ORIGIN"),
              ElementsAre("/site/pkgAL", "${ORIGINAL}", "${ORIGIN"));
  const auto element = split_search_path(LoaderKind::glibc, "$ORIGINAL/../lib", kOrigin).front();
  EXPECT_THAT(element.unknown_tokens, ElementsAre("$ORIGINAL"));
  EXPECT_FALSE(element.has_origin);
  EXPECT_FALSE(element.is_absolute());
}

TEST(SearchPath, UnknownTokenStaysLiteral) {
  EXPECT_THAT(glibc("/a/$FOO/b:$"), ElementsAre("/a/$FOO/b", "$"));
}

TEST(SearchPath, LibAndPlatformVaryBySystem) {
  const auto elements = split_search_path(LoaderKind::glibc, "/x/$LIB:/x/${PLATFORM}/y", kOrigin);
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_TRUE(elements[0].varies);
  EXPECT_TRUE(elements[1].varies);
  EXPECT_TRUE(elements[0].unknown_tokens.empty());
}

TEST(SearchPath, EmptyElementIsTheWorkingDirectory) {
  EXPECT_THAT(glibc("$ORIGIN:"), ElementsAre("/site/pkg", "cwd"));
  EXPECT_THAT(glibc(":$ORIGIN"), ElementsAre("cwd", "/site/pkg"));
  EXPECT_THAT(glibc("/a::/b"), ElementsAre("/a", "cwd", "/b"));
  EXPECT_THAT(glibc(":"), ElementsAre("cwd", "cwd"));
}

TEST(SearchPath, WhollyEmptyStringIsIgnored) {
  EXPECT_TRUE(glibc("").empty());
  EXPECT_TRUE(musl("").empty());
}

TEST(SearchPath, RelativeElementsStayRelative) {
  EXPECT_THAT(glibc(".:lib:../lib"), ElementsAre(".", "lib", "../lib"));
}

TEST(MuslSearchPath, EmptyElementsAreSkippedAndNewlineSeparates) {
  EXPECT_THAT(musl("/a::/b\n/c:"), ElementsAre("/a", "ignored", "/b", "/c", "ignored"));
}

TEST(MuslSearchPath, AnyOtherTokenVoidsTheWholeString) {
  EXPECT_THAT(musl("$ORIGIN:/a/$LIB"), ElementsAre("ignored", "ignored"));
  EXPECT_THAT(musl("/a:$FOO"), ElementsAre("ignored", "ignored"));
}

TEST(MuslSearchPath, OriginNeedsNoEndOfName) {
  EXPECT_THAT(musl("$ORIGIN/a:${ORIGIN}/b:$ORIGINAL"),
              ElementsAre("/site/pkg/a", "/site/pkg/b", "/site/pkgAL"));
}

TEST(NeededWithSlash, TokensAreReplacedByGlibcAlone) {
  EXPECT_EQ(expand_path(LoaderKind::glibc, "$ORIGIN/liba.so", kOrigin).path, "/site/pkg/liba.so");
  EXPECT_EQ(expand_path(LoaderKind::musl, "$ORIGIN/liba.so", kOrigin).path, "$ORIGIN/liba.so");
}

TEST(NormalisePath, ResolvesDotsByTextAlone) {
  EXPECT_EQ(normalise_path("/a/b/../c/./d/"), "/a/c/d");
  EXPECT_EQ(normalise_path("/a/../../b"), "/b");
  EXPECT_EQ(normalise_path("/"), "/");
  EXPECT_EQ(directory_of("/a/b"), "/a");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("a"), "");
  EXPECT_EQ(base_name_of("/a/b"), "b");
}

}  // namespace
}  // namespace wheelcheck
