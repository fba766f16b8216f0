#include "verifier/loader/path_tree.h"

#include <gtest/gtest.h>

namespace wheelcheck {
namespace {

TEST(PathTree, FollowsPathsAsAKernelDoes) {
  PathTree tree;
  EXPECT_TRUE(tree.add_file("/a/b/file", 7));
  EXPECT_TRUE(tree.add_link("/a/link", "b"));
  EXPECT_TRUE(tree.add_link("/far", "/a/b"));
  for (const char* path : {"/a/b/file", "/a//b/./file", "/a/link/file", "/far/file",
                           "/far/../b/file", "/a/b/../link/file", "/../a/b/file"}) {
    EXPECT_EQ(tree.look_up(path).kind, PathKind::file) << path;
    EXPECT_EQ(tree.look_up(path).file, 7U) << path;
  }
  for (const char* path :
       {"/far/../../b/file", "/a/none/../b/file", "/a/b/file/", "/a/b/file/..", "/a/b/none"}) {
    EXPECT_EQ(tree.look_up(path).kind, PathKind::absent) << path;
  }
  EXPECT_EQ(tree.look_up("/far/").kind, PathKind::directory);
  EXPECT_EQ(tree.list("/far"), std::vector<std::string>{"file"});
}

TEST(PathTree, TellsWhichFilesLieBelowAPathWithoutLinks) {
  PathTree tree;
  EXPECT_TRUE(tree.add_file("/a/b/file", 7));
  EXPECT_TRUE(tree.add_file("/a/bc", 8));
  EXPECT_TRUE(tree.add_link("/link", "a"));
  tree.add_directory("/empty");
  const auto seven = [](std::size_t file) { return file == 7; };
  for (const char* path : {"/", "", "/a", "/a/", "/a/b", "/a/b/file"}) {
    EXPECT_TRUE(tree.any_file_below(path, seven)) << path;
  }
  for (const char* path : {"/a/bc", "/empty", "/link", "/link/b", "/none", "/a/b/file/x"}) {
    EXPECT_FALSE(tree.any_file_below(path, seven)) << path;
  }
}

TEST(PathTree, WhatCameFirstStays) {
  PathTree tree;
  EXPECT_TRUE(tree.add_file("/a", 1));
  EXPECT_FALSE(tree.add_file("/a", 2));
  EXPECT_FALSE(tree.add_file("/a/b", 3));
  EXPECT_FALSE(tree.add_link("/a", "/b"));
  EXPECT_FALSE(tree.add_file("/x/../y", 4));
  EXPECT_EQ(tree.look_up("/a").file, 1U);
}

TEST(PathTree, LoopsAreToldApartFromWhatIsMissing) {
  PathTree tree;
  EXPECT_TRUE(tree.add_link("/self", "self"));
  EXPECT_TRUE(tree.add_link("/one", "/two"));
  EXPECT_TRUE(tree.add_link("/two", "/one"));
  EXPECT_TRUE(tree.add_link("/broken", "/nowhere"));
  EXPECT_EQ(tree.look_up("/self").kind, PathKind::loop);
  EXPECT_EQ(tree.look_up("/one/x").kind, PathKind::loop);
  EXPECT_EQ(tree.look_up("/broken").kind, PathKind::absent);
}

}  // namespace
}  // namespace wheelcheck
