#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kWheel = "My_Pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";

/// As a build backend leaves it.
WheelBuilder complete(const char* name = kWheel) {
  WheelBuilder wheel(name);
  wheel.facts().record = Record{};
  return wheel;
}

constexpr const char* kFamily[] = {
    "file-name-invalid",    "name-mismatch",        "version-mismatch", "tag-mismatch",
    "dist-info-incomplete", "dist-info-ambiguous",  "metadata-broken",  "wheel-file-broken",
    "entry-points-broken",  "version-file-mismatch"};

TEST(Identity, AWheelThatAgreesIsClean) {
  for (const char* name :
       {kWheel, "pkg-1.0+cu130-cp312-cp312-linux_x86_64.whl", "pkg-2!1.0rc1-1-py3-none-any.whl",
        "pkg-1.0-cp37-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"}) {
    WheelBuilder wheel = complete(name);
    for (const char* slug : kFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug << name;
  }
}

TEST(FileName, MustBeAWheels) {
  WheelBuilder broken = complete("pkg-1.0.whl");
  EXPECT_EQ(judge("file-name-invalid", broken).size(), 1U);
  WheelBuilder no_version = complete("pkg-one-py3-none-any.whl");
  EXPECT_THAT(judge("file-name-invalid", no_version), ElementsAre(FindingAt("", "one")));
}

TEST(NameMismatch, SpellingsAreOneName) {
  WheelBuilder wheel = complete();
  wheel.facts().metadata->name = "my.pkg";
  EXPECT_THAT(judge("name-mismatch", wheel), IsEmpty());
  wheel.facts().metadata->name = "my-other";
  // File name, dist-info and data directory all say the other name.
  EXPECT_EQ(judge("name-mismatch", wheel).size(), 3U);
}

TEST(VersionMismatch, MetadataAgainstTheRest) {
  WheelBuilder wheel = complete();
  wheel.facts().metadata->version_text = "1.0.0";  // the same version, written differently
  EXPECT_THAT(judge("version-mismatch", wheel), ElementsAre(HasLevel(Level::warning)));
  wheel.facts().metadata->version_text = "1.0.1";
  const auto findings = judge("version-mismatch", wheel);
  ASSERT_THAT(findings, ElementsAre(HasLevel(Level::error)));
  EXPECT_THAT(findings[0].what, HasSubstr("; the file name and the directory "));
}

TEST(VersionMismatch, ALabelOnlyInTheFileName) {
  WheelBuilder wheel = complete("pkg-1.0+cu130-cp312-cp312-linux_x86_64.whl");
  wheel.facts().metadata->version_text = "1.0";
  wheel.facts().metadata->version = *Version::parse("1.0");
  const auto findings = judge("version-mismatch", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what,
            "METADATA has version 1.0, without a label; the file name and the directory "
            "pkg-1.0+cu130.dist-info have 1.0+cu130");
  EXPECT_THAT(findings[0].fix, HasSubstr("lost on installation"));
}

TEST(VersionMismatch, ALabelThatTheFileNameLost) {
  WheelBuilder wheel = complete("pkg-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.facts().metadata->version_text = "1.0+cu130";
  wheel.facts().metadata->version = *Version::parse("1.0+cu130");
  const auto findings = judge("version-mismatch", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what,
            "METADATA has version 1.0+cu130; the file name and the directory pkg-1.0.dist-info "
            "have 1.0, without a label");
}

TEST(VersionMismatch, UnderscoresOfFileNamesAreDashes) {
  WheelBuilder wheel = complete("pkg-1.0+local_1-py3-none-any.whl");
  wheel.facts().metadata->version_text = "1.0+local.1";
  EXPECT_THAT(judge("version-mismatch", wheel), IsEmpty());
}

TEST(TagMismatch, ARenamedWheelOfTheSameMachineIsAWarning) {
  WheelBuilder wheel = complete();
  wheel.facts().wheel->tags = {{"cp312", "cp312", "linux_x86_64"}};
  EXPECT_THAT(judge("tag-mismatch", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(TagMismatch, AnotherPythonOrMachineIsAnError) {
  WheelBuilder wheel = complete();
  wheel.facts().wheel->tags = {{"cp311", "cp311", "manylinux_2_28_x86_64"}};
  EXPECT_THAT(judge("tag-mismatch", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.facts().wheel->tags = {{"cp312", "cp312", "manylinux_2_28_aarch64"}};
  EXPECT_THAT(judge("tag-mismatch", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.facts().wheel->tags = {{"cp312", "cp312", "musllinux_1_2_x86_64"}};
  EXPECT_THAT(judge("tag-mismatch", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(DistInfo, EachMissingPartIsNamed) {
  WheelBuilder wheel = complete();
  wheel.facts().wheel.reset();
  wheel.facts().record.reset();
  EXPECT_THAT(judge("dist-info-incomplete", wheel),
              ElementsAre(FindingAt("My_Pkg-1.0.dist-info/WHEEL", "WHEEL"),
                          FindingAt("My_Pkg-1.0.dist-info/RECORD", "RECORD")));
  wheel.facts().dist_info.clear();
  EXPECT_THAT(judge("dist-info-incomplete", wheel), ElementsAre(FindingAt("", ".dist-info")));
}

TEST(DistInfo, NameVersionAndTagMustBeThere) {
  WheelBuilder wheel = complete();
  wheel.facts().metadata->name.clear();
  wheel.facts().metadata->version_text.clear();
  wheel.facts().wheel->tag_lines.clear();
  EXPECT_EQ(judge("dist-info-incomplete", wheel).size(), 3U);
}

TEST(DistInfo, SeveralAreAmbiguous) {
  WheelBuilder wheel = complete();
  wheel.facts().dist_info_directories.push_back("other-2.0.dist-info");
  EXPECT_THAT(judge("dist-info-ambiguous", wheel),
              ElementsAre(FindingAt("other-2.0.dist-info", ".dist-info")));
}

TEST(BrokenText, EachFileHasItsRule) {
  WheelBuilder wheel = complete();
  wheel.facts().metadata->problems.push_back({4, "not a requirement: x=="});
  EXPECT_THAT(judge("metadata-broken", wheel),
              ElementsAre(FindingAt("My_Pkg-1.0.dist-info/METADATA", "line 4")));
  EXPECT_THAT(judge("wheel-file-broken", wheel), IsEmpty());
  wheel.facts().wheel->problems.push_back({2, "not a tag: cp312"});
  EXPECT_EQ(judge("wheel-file-broken", wheel).size(), 1U);
  EXPECT_THAT(judge("entry-points-broken", wheel), IsEmpty());
  wheel.facts().entry_points = EntryPoints{};
  wheel.facts().entry_points->problems.push_back({1, "no section"});
  EXPECT_EQ(judge("entry-points-broken", wheel).size(), 1U);
}

// --- Files that repeat the version
// ----------------------------------------------------------------

constexpr const char* kPy = "executorch/version.py";
constexpr const char* kShare = "executorch/share/cmake/executorch-config-version.cmake";
constexpr const char* kLib = "executorch/lib/cmake/executorch/executorch-config-version.cmake";

std::string py(const std::string& version) {
  return "from typing import Optional\n__all__ = [\"__version__\", \"git_version\"]\n"
         "__version__ = \"" +
         version + "\"\n";
}
std::string cmake(const std::string& package, const std::string& build) {
  return "# PACKAGE_VERSION \"0.0\" of a comment\nset(PACKAGE_VERSION \"" + package +
         "\")\nset(EXECUTORCH_BUILD_VERSION \"" + build +
         "\")\nif(\"${PACKAGE_VERSION}\" VERSION_LESS \"9\")\nendif()\n";
}

WheelBuilder versioned(const std::string& version) {
  WheelBuilder wheel("executorch-" + version + "-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py");
  return wheel;
}

TEST(VersionFiles, ANightlyHasAShortAndALongVersion) {
  const std::string version = "1.5.0.dev20260822+cu130";
  WheelBuilder wheel = versioned(version);
  wheel.text(kPy, py(version))
      .text(kShare, cmake("1.5.0", version))
      .text(kLib, cmake("1.5.0", version));
  EXPECT_THAT(judge("version-file-mismatch", wheel), IsEmpty());
}

TEST(VersionFiles, APublishedWheelShedItsCpuLabel) {
  WheelBuilder wheel = versioned("1.5.1");
  wheel.text(kPy, py("1.5.1+cpu")).text(kShare, cmake("1.5.1", "1.5.1+cpu"));
  EXPECT_THAT(judge("version-file-mismatch", wheel), IsEmpty());
  WheelBuilder cuda = versioned("1.5.1");
  cuda.text(kPy, py("1.5.1+cu130"));
  EXPECT_THAT(judge("version-file-mismatch", cuda), ElementsAre(FindingAt(kPy, "__version__")));
}

TEST(VersionFiles, EachCopyIsCompared) {
  WheelBuilder wheel = versioned("1.5.1+cpu");
  wheel.text(kPy, py("1.5.0+cpu"))
      .text(kShare, cmake("1.5.0", "1.5.1+cpu"))
      .text(kLib, cmake("1.5.1", "1.5.0+cpu"));
  EXPECT_THAT(judge("version-file-mismatch", wheel),
              ElementsAre(FindingAt(kPy, "__version__"), FindingAt(kShare, "PACKAGE_VERSION"),
                          FindingAt(kLib, "EXECUTORCH_BUILD_VERSION")));
}

TEST(VersionFiles, MetadataAloneAtOddsIsNotTheirFault) {
  WheelBuilder wheel = versioned("1.5.1+cpu");
  wheel.text(kPy, py("1.5.1+cpu")).text(kShare, cmake("1.5.1", "1.5.1+cpu"));
  wheel.facts().metadata->version_text = "1.5.0+cpu";
  wheel.facts().metadata->version = *Version::parse("1.5.0+cpu");
  EXPECT_THAT(judge("version-file-mismatch", wheel), IsEmpty());
  EXPECT_FALSE(judge("version-mismatch", wheel).empty());
}

}  // namespace
}  // namespace wheelcheck
