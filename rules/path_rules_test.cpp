#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/build_machine.h"
#include "rules/rule_test_support.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Judged;
using testing::WheelBuilder;

constexpr const char* kName = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kExtension = "pkg/sub/ext.cpython-312-x86_64-linux-gnu.so";

/// What is said of a file two directories deep with that RUNPATH, in a wheel with pkg/lib.
std::vector<std::string> of_runpath(const std::string& runpath, Level from = Level::warning) {
  WheelBuilder builder(kName);
  builder.elf(kExtension, Elf().runpath(runpath)).elf("pkg/lib/liba.so", Elf());
  return Judged(builder, path_rules()).said(from);
}

TEST(SearchPaths, EntriesThatLeadIntoTheWheelAreFine) {
  EXPECT_THAT(of_runpath("$ORIGIN:$ORIGIN/../lib:${ORIGIN}/../lib/:$ORIGIN/", Level::note),
              IsEmpty());
  EXPECT_THAT(of_runpath("", Level::note), IsEmpty());
}

TEST(SearchPaths, BuildersPathAloneIsAnError) {
  EXPECT_THAT(
      of_runpath("/__w/_temp/conda_environment_31145339049/lib"),
      ElementsAre("error search-path-builder /__w/_temp/conda_environment_31145339049/lib"));
  EXPECT_THAT(of_runpath("/tmp/x/cmake-out"),
              ElementsAre("error search-path-builder /tmp/x/cmake-out"));
}

TEST(SearchPaths, BuildersPathBeforeAWorkingEntryIsAnError) {
  EXPECT_THAT(of_runpath("/home/u/torch/lib.backup:$ORIGIN/../lib"),
              ElementsAre("error search-path-builder /home/u/torch/lib.backup"));
  EXPECT_THAT(of_runpath("$ORIGIN:/home/u/lib:$ORIGIN/../lib"),
              ElementsAre("error search-path-builder /home/u/lib"));
}

TEST(SearchPaths, BuildersPathBehindAWorkingEntryIsAWarning) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:/root/.triton/llvm/lib"),
              ElementsAre("warning search-path-builder /root/.triton/llvm/lib"));
}

TEST(SearchPaths, BuildersPathBehindADeadEntryIsAnError) {
  EXPECT_THAT(of_runpath("$ORIGIN/nowhere:/root/x"),
              ElementsAre("error search-path-builder /root/x"));
}

TEST(SearchPaths, ToolkitDirectoryIsAbsolute) {
  EXPECT_THAT(of_runpath("/usr/local/cuda-12.6/targets/x86_64-linux/lib:$ORIGIN/../lib"),
              ElementsAre("error search-path-absolute "
                          "/usr/local/cuda-12.6/targets/x86_64-linux/lib"));
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:/opt/rocm/lib"),
              ElementsAre("warning search-path-absolute /opt/rocm/lib"));
}

TEST(SearchPaths, SystemDirectoryIsNoMoreThanAWarning) {
  EXPECT_THAT(of_runpath("/usr/lib64:$ORIGIN/../lib"),
              ElementsAre("warning search-path-absolute /usr/lib64"));
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:/usr/lib/x86_64-linux-gnu", Level::note),
              ElementsAre("note search-path-absolute /usr/lib/x86_64-linux-gnu"));
}

TEST(SearchPaths, MklLeftoversOfTorchAreAWarning) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:/lib/intel64:/lib/intel64_win:/lib/win-x64"),
              ElementsAre("warning search-path-absolute /lib/intel64"));
}

TEST(SearchPaths, EmptyEntryIsTheWorkingDirectory) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:"),
              ElementsAre("warning search-path-empty-entry (empty)"));
  EXPECT_THAT(of_runpath(":$ORIGIN/../lib"), ElementsAre("error search-path-empty-entry (empty)"));
  EXPECT_THAT(of_runpath("$ORIGIN::$ORIGIN/../lib"),
              ElementsAre("error search-path-empty-entry (empty)"));
  EXPECT_THAT(of_runpath(":"), ElementsAre("error search-path-empty-entry (empty)"));
}

TEST(SearchPaths, RelativeEntryIsRelativeToTheWorkingDirectory) {
  EXPECT_THAT(of_runpath("."), ElementsAre("error search-path-relative ."));
  EXPECT_THAT(of_runpath("../lib:$ORIGIN/../lib"),
              ElementsAre("error search-path-relative ../lib"));
}

TEST(SearchPaths, LongerNameIsNoToken) {
  EXPECT_THAT(of_runpath("$ORIGINAL/../lib"),
              ElementsAre("error search-path-unknown-token $ORIGINAL/../lib"));
}

TEST(SearchPaths, LibTokenVaries) {
  EXPECT_THAT(of_runpath("$ORIGIN/../$LIB:$ORIGIN/../lib"),
              ElementsAre("warning search-path-varies $ORIGIN/../$LIB"));
}

TEST(SearchPaths, DeadEntryInsideIsANote) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:$ORIGIN/../src/pkg/lib", Level::note),
              ElementsAre("note search-path-dead pkg/src/pkg/lib"));
}

TEST(SearchPaths, DeadEntriesOfManyFilesAreOneNote) {
  WheelBuilder builder(kName);
  builder.elf("pkg/a/liba.so", Elf().runpath("$ORIGIN/../src/lib"))
      .elf("pkg/liba.so", Elf().runpath("$ORIGIN/src/lib"));
  const Judged judged(builder, path_rules());
  ASSERT_THAT(judged.said(Level::note), ElementsAre("note search-path-dead pkg/src/lib"));
  EXPECT_EQ(judged.findings().front().count, 2U);
  EXPECT_EQ(judged.findings().front().needed_by.size(), 2U);
}

TEST(SearchPaths, TwoDepthsOfOneHopAreMeant) {
  // jax-cuda12-plugin tries ../nvidia and ../../nvidia
  WheelBuilder builder(kName);
  builder.requiring("nvidia-cuda-runtime>=13,<14")
      .elf("pkg/sub/liba.so",
           Elf().runpath("$ORIGIN/../nvidia/cu13/lib:$ORIGIN/../../nvidia/cu13/lib"));
  EXPECT_THAT(Judged(builder, path_rules()).said(Level::note),
              ElementsAre("note search-path-dead pkg/nvidia/cu13/lib"));
}

TEST(SearchPaths, HopOfAnotherDepthIsAWarning) {
  EXPECT_THAT(of_runpath("$ORIGIN/lib:$ORIGIN"),
              ElementsAre("warning search-path-wrong-depth $ORIGIN/lib"));
}

TEST(SearchPaths, HopOfAnotherDepthThatIsNeededIsAnError) {
  WheelBuilder builder(kName);
  builder.requiring("nvidia-cuda-runtime-cu12>=12,<13")
      .elf("pkg/sub/libshims.so",
           Elf().needs("libcudart.so.12").runpath("$ORIGIN:$ORIGIN/../nvidia/cuda_runtime/lib"));
  const Judged judged(builder, path_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error search-path-wrong-depth "
                                         "$ORIGIN/../nvidia/cuda_runtime/lib"));
  EXPECT_EQ(judged.findings().front().fix, "write $ORIGIN/../../nvidia/cuda_runtime/lib");
}

TEST(SearchPaths, ClimbingOutOfTheEnvironmentIsAnError) {
  EXPECT_THAT(of_runpath("$ORIGIN/../../../../../../lib"),
              ElementsAre("error search-path-leaves-installation $ORIGIN/../../../../../../lib"));
  // The environment's own lib is inside: Intel's packages put libraries there.
  EXPECT_THAT(of_runpath("$ORIGIN/../../../../../lib:$ORIGIN"), IsEmpty());
}

TEST(SearchPaths, PlaceThatNoPackageOwnsIsAWarning) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:$ORIGIN/../../lib64"),
              ElementsAre("warning search-path-outside-package lib64"));
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:$ORIGIN/../../"),
              ElementsAre("warning search-path-outside-package <site-packages>"));
}

TEST(SearchPaths, DirectoryOfAKnownPackageIsANoteEvenWhenItIsNotRequired) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib:$ORIGIN/../../nvidia/cu13/lib", Level::note),
              ElementsAre("note search-path-dead nvidia/cu13/lib"));
}

TEST(SearchPaths, FileIsNoDirectory) {
  EXPECT_THAT(of_runpath("$ORIGIN/../lib/liba.so"),
              ElementsAre("error search-path-is-a-file $ORIGIN/../lib/liba.so"));
}

TEST(SearchPaths, RpathIsANoteAndBothTagsAWarning) {
  WheelBuilder one(kName);
  one.elf("pkg/liba.so", Elf().rpath("$ORIGIN")).elf("pkg/libb.so", Elf().rpath("$ORIGIN"));
  EXPECT_THAT(Judged(one, path_rules()).said(Level::note),
              ElementsAre("note search-path-tag DT_RPATH"));
  WheelBuilder two(kName);
  two.elf("pkg/liba.so", Elf().rpath("$ORIGIN/x").runpath("$ORIGIN"));
  EXPECT_THAT(Judged(two, path_rules()).said(),
              ElementsAre("warning search-path-tag DT_RPATH beside DT_RUNPATH"));
}

TEST(SearchPaths, ManyEntriesOfOneFileAreOneFinding) {
  WheelBuilder builder(kName);
  builder.elf(kExtension, Elf().runpath("/__w/a:/__w/b:/__w/c"));
  const Judged judged(builder, path_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error search-path-builder /__w/a"));
  EXPECT_EQ(judged.findings().front().count, 3U);
  EXPECT_EQ(judged.findings().front().searched.size(), 3U);
  EXPECT_THAT(judged.findings().front().what, HasSubstr("and 2 more"));
}

TEST(BuildPaths, SonameThatIsAPathIsAnError) {
  WheelBuilder builder(kName);
  builder.elf("pkg/liba.so", Elf().soname("/tmp/build/liba.so"))
      .elf("pkg/libb.so", Elf().soname("libb.so"));
  EXPECT_THAT(Judged(builder, path_rules()).said(),
              ElementsAre("error soname-is-a-path /tmp/build/liba.so"));
}

TEST(BuildPaths, CMakeFileThatNamesTheCheckoutIsAnError) {
  WheelBuilder builder(kName);
  builder.text("pkg/share/cmake/x.cmake", "set(A \"1\")\nset(DIR \"/__w/p/p/include\")\n")
      .build_path("/__w/p/p/include", 2);
  const Judged judged(builder, path_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error build-path-in-text /__w/p/p/include"));
  EXPECT_THAT(judged.findings().front().what, HasSubstr("line 2"));
}

TEST(BuildPaths, CommentsAndRelocatablePathsInCMakeAreFine) {
  WheelBuilder builder(kName);
  builder.text(
      "pkg/x.cmake",
      "# made in /home/qt/dev\nset(D \"${ROOT}/home/x\") # not /home/u/y\n"
      "set(E \"$<INSTALL_PREFIX>/build/x\")\nfind_path(F /usr/local/cuda/include /tmp/z)\n");
  EXPECT_THAT(Judged(builder, path_rules()).said(Level::note), IsEmpty());
}

TEST(BuildPaths, PythonIsJudgedMildly) {
  WheelBuilder builder(kName);
  builder.text("numpy/__config__.py", "x = '/opt/_internal/cpython-3.12/lib'\n")
      .build_path("/opt/_internal/cpython-3.12/lib", 1)
      .text("pkg/a.py", "open('/home/guido/x')\nopen('/tmp/x')\n")
      .build_path("/home/guido/x", 1)
      .text("pkg/b.py", "ROOT = '/__w/executorch/executorch'\n")
      .build_path("/__w/executorch/executorch", 1);
  EXPECT_THAT(Judged(builder, path_rules()).said(Level::note),
              ElementsAre("warning build-path-in-text /__w/executorch/executorch"));
}

TEST(BuildPaths, PathsInDataAreOneNote) {
  WheelBuilder builder(kName);
  builder.elf("pkg/liba.so", Elf()).build_path("/__w/a/b.cpp").build_path("/__w/a/c.cpp");
  builder.elf("pkg/libb.so", Elf()).build_path("/__w/a/b.cpp");
  const Judged judged(builder, path_rules());
  ASSERT_THAT(judged.said(Level::note), ElementsAre("note build-path-in-data read-only data"));
  EXPECT_EQ(judged.findings().front().count, 3U);
}

TEST(BuildMachine, WhichPathsAreABuilders) {
  for (const char* path :
       {"/__w/x", "/home/u/x", "/root/x", "/tmp/x", "/opt/x/_work/y", "/a/pip-out/b",
        "/a/lib.linux-x86_64-cpython-312", "/usr/lib/python3/site-packages/torch/lib",
        "/project/build", "/Users/runner/x"}) {
    EXPECT_TRUE(is_build_machine_path(path)) << path;
  }
  for (const char* path : {"/usr/lib64", "/opt/rocm/lib", "/usr/local/cuda/lib64", "/home",
                           "relative/__w/x", "/home2/x", "/a/cmake-outputs", "/lib/intel64"}) {
    EXPECT_FALSE(is_build_machine_path(path)) << path;
  }
  EXPECT_FALSE(is_build_machine_path_in_text("/tmp/x"));
  EXPECT_TRUE(is_system_directory("/usr/lib/x86_64-linux-gnu/"));
  EXPECT_FALSE(is_system_directory("/usr/lib/foo"));
  EXPECT_FALSE(is_system_directory("/lib/intel64"));
}

}  // namespace
}  // namespace wheelcheck
