#include "verifier/check/given.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

WheelFacts named(const char* name) {
  WheelFacts wheel;
  auto parsed = parse_wheel_filename(name);
  EXPECT_TRUE(parsed.ok()) << name;
  if (parsed) wheel.file_name = *parsed;
  return wheel;
}

bool beside(const char* subject, const char* other) {
  const bool forward = installable_beside(named(subject), named(other));
  EXPECT_EQ(forward, installable_beside(named(other), named(subject))) << "order must not matter";
  return forward;
}

constexpr const char* kSubject = "a-1-cp312-cp312-manylinux_2_28_x86_64.whl";

TEST(InstallableBeside, PlatformsMustMeet) {
  EXPECT_TRUE(beside(kSubject, "b-1-cp312-cp312-manylinux2014_x86_64.whl"));
  EXPECT_TRUE(beside(kSubject, "b-1-cp312-cp312-linux_x86_64.whl"));
  EXPECT_TRUE(beside(kSubject, "b-1-py3-none-any.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp312-cp312-manylinux_2_28_aarch64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp312-cp312-musllinux_1_2_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp312-cp312-win_amd64.whl"));
  EXPECT_TRUE(beside("a-1-cp312-cp312-macosx_11_0_universal2.whl",
                     "b-1-cp312-cp312-macosx_12_0_arm64.whl"));
  EXPECT_FALSE(
      beside("a-1-cp312-cp312-macosx_11_0_x86_64.whl", "b-1-cp312-cp312-macosx_12_0_arm64.whl"));
}

TEST(InstallableBeside, OneTagOfACompressedSetIsEnough) {
  EXPECT_TRUE(beside(kSubject, "b-1-cp311.cp312-cp312-manylinux2014_aarch64.linux_x86_64.whl"));
}

TEST(InstallableBeside, InterpretersMustMeet) {
  EXPECT_TRUE(beside(kSubject, "b-1-py3-none-manylinux_2_28_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp311-cp311-manylinux_2_28_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp312-cp312t-manylinux_2_28_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-pp312-pypy312_pp73-manylinux_2_28_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-py2-none-any.whl"));
  EXPECT_TRUE(beside(kSubject, "b-1-py2.py3-none-any.whl"));
}

TEST(InstallableBeside, StableAbiServesLaterVersions) {
  EXPECT_TRUE(beside(kSubject, "b-1-cp39-abi3-manylinux_2_28_x86_64.whl"));
  EXPECT_FALSE(beside(kSubject, "b-1-cp313-abi3-manylinux_2_28_x86_64.whl"));
  EXPECT_TRUE(beside("a-1-cp39-abi3-linux_x86_64.whl", "b-1-cp313-abi3-linux_x86_64.whl"));
}

TEST(InstallableBeside, NothingIsKnownAgainstAnInstalledPackage) {
  EXPECT_TRUE(installable_beside(named(kSubject), WheelFacts{}));
}

class Given : public ::testing::Test {
 protected:
  Given() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wheelcheck-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  ~Given() override { std::filesystem::remove_all(root); }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << content;
  }
  void install(const std::string& name, const std::string& version) const {
    const std::string dist_info = name + "-" + version + ".dist-info/";
    write(dist_info + "METADATA",
          "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n");
    write(name + "/__init__.py", "");
    write(dist_info + "RECORD", name + "/__init__.py,,\n../../bin/tool,,\n/etc/passwd,,\n");
  }
  std::filesystem::path root;
};

TEST_F(Given, SitePackagesAreReadByTheirRecords) {
  install("one", "1.0");
  install("two", "2.0");
  GivenPackages given;
  given.add(root.string(), {});
  EXPECT_TRUE(given.errors().empty());
  const auto suiting = given.suiting(named(kSubject));
  ASSERT_EQ(suiting.size(), 2U);
  EXPECT_EQ(suiting[0]->metadata->name, "one");
  ASSERT_EQ(suiting[0]->members.size(), 1U) << "nothing outside of site-packages";
  EXPECT_EQ(suiting[0]->members[0].install.path, "one/__init__.py");
}

TEST_F(Given, TheFoldersOfASplitInstallationAreTwoSchemes) {
  const auto folder = [&](const std::string& name) { return (root / name).string(); };
  write("lib64/site/plat-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: plat\nVersion: 1\n");
  write("lib64/site/plat-1.dist-info/RECORD", "plat/a.py,,\n../../lib/site/plat/b.py,,\n");
  write("lib64/site/plat/a.py", "");
  write("lib/site/plat/b.py", "");
  const auto folders = folders_of_installation({folder("lib/site"), folder("lib64/site")});
  ASSERT_TRUE(folders);
  ASSERT_EQ(folders->size(), 2U);
  EXPECT_EQ((*folders)[0].scheme, Scheme::purelib);
  EXPECT_EQ((*folders)[1].scheme, Scheme::platlib);
  GivenPackages given;
  for (const SitePackagesFolder& one : *folders) {
    if (one.scheme == Scheme::platlib) given.add(one.path, *folders, {});
  }
  const auto suiting = given.suiting(named(kSubject));
  ASSERT_EQ(suiting.size(), 1U);
  const std::vector<MemberFacts>& members = suiting[0]->members;
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].install.scheme, Scheme::platlib);
  EXPECT_EQ(members[1].install.scheme, Scheme::purelib);
  EXPECT_EQ(members[1].install.path, "plat/b.py");
}

TEST_F(Given, OneFolderByTwoNamesIsJoined) {
  std::filesystem::create_directories(root / "lib/site");
  std::filesystem::create_directory_symlink("lib", root / "lib64");
  const auto folder = [&](const std::string& name) { return (root / name).string(); };
  const auto folders = folders_of_installation({folder("lib64/site"), folder("lib/site")});
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->size(), 1U);
  EXPECT_FALSE(folders_of_installation({folder("lib/site"), folder("opt/site")}));
  EXPECT_FALSE(folders_of_installation({folder("a"), folder("b"), folder("c")}));
}

TEST_F(Given, AFolderThatStandsForWheelsHasTheirSchemes) {
  install("low", "1");
  write("low-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n");
  GivenPackages given;
  given.add(root.string(), {});
  const auto suiting = given.suiting(named(kSubject));
  ASSERT_EQ(suiting.size(), 1U);
  EXPECT_EQ(suiting[0]->members[0].install.scheme, Scheme::purelib);
}

TEST_F(Given, TheSubjectItselfIsNotGiven) {
  install("a", "9");
  install("b", "1");
  GivenPackages given;
  given.add(root.string(), {});
  const auto suiting = given.suiting(named(kSubject));
  ASSERT_EQ(suiting.size(), 1U);
  EXPECT_EQ(suiting[0]->metadata->name, "b");
}

TEST_F(Given, OfOneNameTheNewestIsTaken) {
  install("b", "1.9");
  install("b", "1.10");
  GivenPackages given;
  given.add(root.string(), {});
  const auto suiting = given.suiting(named(kSubject));
  ASSERT_EQ(suiting.size(), 1U);
  EXPECT_EQ(suiting[0]->metadata->version_text, "1.10");
}

TEST_F(Given, WhatCannotBeReadIsAnErrorThatNamesIt) {
  install("b", "1");
  write("c-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: c\nVersion: 1\n");  // no RECORD
  write("b/libcut.so", std::string("\x7f"
                                   "ELF\2\1\1",
                                   7));
  write("b-1.dist-info/RECORD", "b/libcut.so,,\n");
  GivenPackages given;
  given.add(root.string(), {});
  given.add((root / "nowhere").string(), {});
  ASSERT_EQ(given.errors().size(), 3U);
  EXPECT_THAT(given.errors()[0].where, ::testing::HasSubstr("c-1.dist-info/RECORD"));
  EXPECT_THAT(given.errors()[1].where, ::testing::HasSubstr("b/libcut.so"));
  EXPECT_THAT(given.errors()[2].message(), ::testing::HasSubstr("nowhere"));
}

}  // namespace
}  // namespace wheelcheck
