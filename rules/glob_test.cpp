#include "rules/glob.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

TEST(Glob, StarStaysWithinAComponent) {
  EXPECT_TRUE(glob_match("lib/lib*.so", "lib/libx.so"));
  EXPECT_TRUE(glob_match("lib/*.so", "lib/.so"));
  EXPECT_FALSE(glob_match("lib/*.so", "lib/a/b.so"));
  EXPECT_FALSE(glob_match("lib/lib*.so", "lib/libx.so.1"));
  EXPECT_TRUE(glob_match("a*b*c", "aXbbYc"));
  EXPECT_FALSE(glob_match("a*b*c", "aXbbYd"));
  EXPECT_TRUE(glob_match("sm_??", "sm_90"));
}

TEST(Glob, DoubleStarIsAnyNumberOfComponents) {
  EXPECT_TRUE(glob_match("**/libx.so", "libx.so"));
  EXPECT_TRUE(glob_match("**/libx.so", "a/b/libx.so"));
  EXPECT_FALSE(glob_match("**/libx.so", "a/b/xlibx.so"));
  EXPECT_TRUE(glob_match("executorch/**/*.py", "executorch/a/b/c.py"));
  EXPECT_TRUE(glob_match("executorch/**", "executorch/a/b"));
  EXPECT_FALSE(glob_match("executorch/**", "executorch"));
  EXPECT_TRUE(glob_match("a/**/b", "a/b"));
  EXPECT_FALSE(glob_match("a/**/b", "ab"));
  EXPECT_FALSE(glob_match("**/b.so", "a/lib.so"));
  EXPECT_TRUE(glob_match("**", "a"));
  EXPECT_FALSE(glob_match("executorch/**", "executorch_x/a"));
}

TEST(Glob, LiteralIsTheWholePath) {
  EXPECT_TRUE(glob_match("a/b.so", "a/b.so"));
  EXPECT_FALSE(glob_match("a/b.so", "x/a/b.so"));
  EXPECT_FALSE(glob_match("a/b.so", "a/b.so/c"));
  EXPECT_FALSE(glob_match("", "a"));
}

}  // namespace
}  // namespace wheelcheck
