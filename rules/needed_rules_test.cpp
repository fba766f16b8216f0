#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/need_judge.h"
#include "rules/rule_test_support.h"

namespace wheelcheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Elf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Judged;
using ::testing::UnorderedElementsAre;
using testing::WheelBuilder;

constexpr const char* kName = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kExtension = "pkg/ext.cpython-312-x86_64-linux-gnu.so";

WheelBuilder wheel() { return WheelBuilder(kName); }

/// Without what is missing in another layout alone: NVIDIA's packages are all purelib.
std::vector<std::string> said(WheelBuilder& builder, std::string_view profile = "generic") {
  std::vector<std::string> lines = Judged(builder, needed_rules(), profile).said(Level::note);
  std::erase_if(
      lines, [](const std::string& line) { return line.starts_with("note needed-only-joined "); });
  return lines;
}

TEST(Needed, SystemLibrariesOfTheTagAreFine) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libstdc++.so.6").needs("ld-linux-x86-64.so.2"));
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(Needed, UnknownLibraryIsFoundNowhere) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libmlx5.so.1").runpath("$ORIGIN/lib"));
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-not-found libmlx5.so.1"));
  const Finding& finding = judged.findings().front();
  EXPECT_EQ(finding.place, kExtension);
  EXPECT_THAT(finding.searched,
              ElementsAre("RUNPATH $ORIGIN/lib: pkg/lib: no such directory",
                          "the system libraries that the platform tag allows: not among them"));
}

TEST(Needed, TheSearchNamesEachDirectoryOnce) {
  auto builder = wheel();
  builder.elf(kExtension,
              Elf()
                  .needs("libmlx5.so.1")
                  .runpath("$ORIGIN:$ORIGIN/../pkg:/lib/intel64:$ORIGIN/../pkg:$ORIGIN/lib"));
  const Judged judged(builder, needed_rules());
  ASSERT_EQ(judged.findings().size(), 1U);
  EXPECT_THAT(judged.findings().front().searched,
              ElementsAre("RUNPATH $ORIGIN, $ORIGIN/../pkg: pkg: no such file",
                          "RUNPATH /lib/intel64: outside the installation",
                          "RUNPATH $ORIGIN/lib: pkg/lib: no such directory",
                          "the system libraries that the platform tag allows: not among them"));
}

TEST(Needed, ALibraryThatTheWheelHasUnderAnotherNameIsNamed) {
  // mistralrs 0.9.1: the repair tool renamed the file and left the NEEDED
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libfoo.so.12").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/libfoo-c3a75b33.so.12.8", Elf())
      .elf("pkg/lib/libfoobar.so.12", Elf());
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-not-found libfoo.so.12"));
  EXPECT_EQ(judged.findings().front().what,
            "NEEDED libfoo.so.12 is not in the wheel, which has pkg/lib/libfoo-c3a75b33.so.12.8 "
            "instead");
  EXPECT_EQ(judged.findings().front().fix,
            "link to libfoo-c3a75b33.so.12.8 by that name, or ship it as libfoo.so.12");
}

TEST(NeededInOnePlace, WhatOnlyThePlaceHasIsAWarning) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libouter.so").needs("libmlx5.so.1").needs("libc.so.6"));
  builder.elf("pkg/libother.so", Elf().needs("libouter.so"));
  ElfFacts library;
  library.type = 3;
  library.machine = 62;
  library.has_dynamic = true;
  testing::Place place;
  place.files.plain_files = {{"/opt/lib/libouter.so", &library, {}},
                             {"/usr/lib/libmlx5.so.1", &library, {}},
                             {"/usr/lib/libc.so.6", &library, {}}};
  place.machine.ld_library_path = "/opt/lib";
  place.machine.has_system_directories = true;
  place.machine.system.directories = {"/usr/lib/"};
  place.of_this_machine = true;
  const Judged judged(builder, needed_rules(), "generic", {}, place);
  ASSERT_THAT(judged.said(), ElementsAre("warning needed-from-surroundings libouter.so",
                                         "warning needed-from-surroundings libmlx5.so.1"));
  EXPECT_EQ(judged.findings()[0].count, 2U) << "one library, of which two files want to be told";
  EXPECT_EQ(judged.findings()[1].what,
            "NEEDED libmlx5.so.1 is found on this machine, as /usr/lib/libmlx5.so.1; "
            "manylinux_2_28 does not promise it");
}

TEST(NeededInOnePlace, WhatIsOnlyRequiredIsNotThere) {
  const auto requiring = [] {
    auto builder = wheel();
    builder.requiring("nvidia-cuda-runtime>=13,<14")
        .elf(kExtension, Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
    return builder;
  };
  auto required = requiring();
  EXPECT_THAT(said(required), IsEmpty());
  auto installed = requiring();
  testing::Place place;
  place.as_installed = true;
  const Judged judged(installed, needed_rules(), "generic", {}, place);
  ASSERT_THAT(judged.said(), ElementsAre("error needed-undeclared libcudart.so.13"));
  EXPECT_THAT(judged.findings()[0].what, HasSubstr("not installed there"));
}

TEST(Needed, ThePackageThatHasItIsNamed) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libnccl.so.2"));
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-undeclared libnccl.so.2"));
  EXPECT_THAT(judged.findings().front().fix, HasSubstr("require nvidia-nccl-cu"));
}

TEST(Needed, LibraryOfTheWheelThatNoPathReachesIsUnreachable) {
  // networkit 11.1 and freud-analysis 2.6.1
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libnetworkit.so").runpath("$ORIGIN/../pkg.libs"))
      .elf("pkg/core/libnetworkit.so", Elf());
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-unreachable libnetworkit.so"));
  EXPECT_THAT(judged.findings().front().fix, HasSubstr("add $ORIGIN/core to its RUNPATH"));
  EXPECT_THAT(judged.findings().front().provided_by,
              ElementsAre("this wheel: pkg/core/libnetworkit.so"));
}

TEST(Needed, ProgramsAreJudgedToo) {
  // mooncake-transfer-engine 0.3.0b3: the library lies beside the program
  auto builder = wheel();
  builder.elf("pkg/master", Elf().program().needs("libetcd.so")).elf("pkg/libetcd.so", Elf());
  EXPECT_THAT(said(builder), ElementsAre("error needed-unreachable libetcd.so"));
}

TEST(Needed, HopToARequiredPackageIsFine) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime<14,>=13; platform_system == 'Linux'")
      .elf("pkg/lib/libb.so",
           Elf().needs("libcudart.so.13").runpath("$ORIGIN/../../nvidia/cu13/lib"));
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(Needed, HopToTheDirectoryOfAnotherTrainMisses) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime>=13,<14")
      .elf("pkg/lib/libb.so",
           Elf().needs("libcudart.so.13").runpath("$ORIGIN/../../nvidia/cuda_runtime/lib"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-no-hop libcudart.so.13"));
}

TEST(Needed, DeclaredPackageWithoutHopIsAnError) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-nvrtc-cu12>=12,<13")
      .elf("pkg/libb.so", Elf().needs("libnvrtc.so.12").runpath("$ORIGIN"));
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-no-hop libnvrtc.so.12"));
  EXPECT_THAT(judged.findings().front().fix, HasSubstr("$ORIGIN/../nvidia/cuda_nvrtc/lib"));
}

TEST(Needed, UndeclaredPackageIsAnErrorThatNamesIt) {
  auto builder = wheel();
  builder.elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error needed-undeclared libcudart.so.13"));
  EXPECT_THAT(judged.findings().front().provided_by, Contains(HasSubstr("nvidia-cuda-runtime")));
}

TEST(Needed, RequirementForAnotherPlatformDoesNotCount) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime>=13,<14; platform_system == 'Windows'")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-undeclared libcudart.so.13"));
}

TEST(Needed, RequirementOfAnExtraIsAWarning) {
  // jax-cuda12-plugin keeps its nvidia packages under an extra
  auto builder = wheel();
  builder.extra("with-cuda")
      .requiring("nvidia-cuda-runtime>=13,<14; extra == 'with-cuda'")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-only-with-extra libcudart.so.13"));
}

TEST(Needed, BoundOfAnotherMajorDoesNotProvide) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime==14.0")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-undeclared libcudart.so.13"));
}

TEST(Needed, MetapackageIsFollowedThroughItsExtras) {
  auto with = wheel();
  with.requiring("cuda-toolkit[cudart]==13.*")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(with), IsEmpty());
  auto without = wheel();
  without.requiring("cuda-toolkit==13.*")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(without), ElementsAre("error needed-undeclared libcudart.so.13"));
}

TEST(Needed, TorchBringsTheRuntimeWithIt) {
  auto builder = wheel();
  builder.requiring("torch>=2.11")
      .elf(kExtension, Elf()
                           .needs("libtorch.so")
                           .needs("libcudart.so.13")
                           .runpath("$ORIGIN/../torch/lib:$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(Needed, LibrariesThatTorchPreloadsAreAWarning) {
  // vllm's extensions have no path to torch, nor to the runtime that torch loads
  auto builder = wheel();
  builder.requiring("torch>=2.11")
      .elf(kExtension, Elf().needs("libtorch.so").needs("libc10.so").needs("libcudart.so.13"));
  EXPECT_THAT(said(builder), UnorderedElementsAre("warning needed-preloaded torch",
                                                  "warning needed-preloaded libcudart.so.13"));
}

TEST(Needed, TorchOfCuda13DoesNotProvideTheRuntimeOf12) {
  auto builder = wheel();
  builder.requiring("torch>=2.11").elf(kExtension, Elf().needs("libcudart.so.12"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-undeclared libcudart.so.12"));
}

TEST(Needed, LibraryOutsideOfTorchsOwnNeedsIsNotBroughtByIt) {
  // torchcodec 0.11.0 and NPP
  auto builder = wheel();
  builder.requiring("torch>=2.11").elf("pkg/libc.so", Elf().needs("libnppicc.so.13"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-undeclared libnppicc.so.13"));
}

TEST(Needed, HostOfTheProfileIsAWarningThatNamesIt) {
  auto builder = WheelBuilder("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  builder.elf("executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so",
              Elf().needs("libtorch.so").needs("libc10.so").runpath("$ORIGIN/../../../torch/lib"));
  const Judged judged(builder, needed_rules(), "executorch-upstream");
  ASSERT_THAT(judged.said(), ElementsAre("warning needed-from-host torch"));
  EXPECT_EQ(judged.findings().front().count, 2U);
  EXPECT_THAT(judged.findings().front().what, HasSubstr("2 NEEDED entries come with torch"));
}

TEST(Needed, LuckOfLoadOrderIsAnError) {
  // torch-tensorrt-executorch-runtime 0.1.0
  auto builder = wheel();
  builder.requiring("torch>=2.11")
      .elf(kExtension, Elf()
                           .needs("libaoti_cuda_shims.so")
                           .needs("libcudart.so.13")
                           .needs("libextension_cuda.so")
                           .runpath("$ORIGIN:$ORIGIN/../nvidia/cu13/lib"))
      .elf("pkg/libaoti_cuda_shims.so", Elf()
                                            .soname("libaoti_cuda_shims.so")
                                            .needs("libcudart.so.13")
                                            .needs("libextension_cuda.so"))
      .elf("pkg/libextension_cuda.so", Elf().soname("libextension_cuda.so"));
  const Judged judged(builder, needed_rules());
  EXPECT_THAT(judged.said(), ElementsAre("error needed-by-luck libcudart.so.13",
                                         "error needed-by-luck libextension_cuda.so"));
  EXPECT_EQ(judged.findings().front().place, "pkg/libaoti_cuda_shims.so");
  EXPECT_THAT(judged.findings().front().what, HasSubstr(kExtension));
}

TEST(Needed, RpathThatEveryLoaderPassesOnIsFine) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("liba.so").rpath("$ORIGIN/../pkg.libs"))
      .elf("pkg.libs/liba.so", Elf().needs("libb.so"))
      .elf("pkg.libs/libb.so", Elf());
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(Needed, LibpythonIsAnErrorUnlessShipped) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libpython3.12.so.1.0"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-libpython libpython3.12.so.1.0"));
  auto shipped = wheel();
  shipped.elf(kExtension, Elf().needs("libpython3.12.so.1.0").runpath("$ORIGIN"))
      .elf("pkg/libpython3.12.so.1.0", Elf());
  EXPECT_THAT(said(shipped), IsEmpty());
}

TEST(Needed, PathInsteadOfANameIsAnError) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("/tmp/build/libfoo.so").needs("$ORIGIN/libbar.so"))
      .elf("pkg/libbar.so", Elf());
  EXPECT_THAT(said(builder), ElementsAre("error needed-with-slash /tmp/build/libfoo.so",
                                         "warning needed-with-slash $ORIGIN/libbar.so"));
}

TEST(Needed, DriverIsANoteWhereNothingIsImportedThroughIt) {
  // torch's libcaffe2_nvrtc.so is opened on machines with a driver only
  auto builder = wheel();
  builder.elf(kExtension, Elf()).elf("pkg/libcaffe2_nvrtc.so", Elf().needs("libcuda.so.1"));
  EXPECT_THAT(said(builder), ElementsAre("note needed-driver libcuda.so.1"));
}

TEST(Needed, DriverOnTheImportPathOfACudaWheelIsAWarning) {
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime>=13,<14").elf(kExtension, Elf().needs("libcuda.so.1"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-driver libcuda.so.1"));
}

TEST(Needed, DriverOnTheImportPathOfACpuWheelIsAnError) {
  auto builder = WheelBuilder("pkg-1.0+cpu-cp312-cp312-manylinux_2_28_x86_64.whl");
  builder.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN"))
      .elf("pkg/liba.so", Elf().needs("libcuda.so.1"));
  EXPECT_THAT(said(builder), ElementsAre("error needed-driver libcuda.so.1"));
}

TEST(Needed, FileForAnotherProcessorIsUnusable) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN"))
      .elf("pkg/liba.so", Elf().machine(183));
  EXPECT_THAT(said(builder), ElementsAre("error needed-unusable liba.so"));
}

TEST(Needed, SymlinkThatBecomesTextIsUnusable) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN"))
      .text("pkg/liba.so", "liba.so.1")
      .elf("pkg/liba.so.1", Elf());
  EXPECT_THAT(said(builder), ElementsAre("error needed-unusable liba.so"));
}

TEST(Needed, CommonSystemLibraryIsAWarning) {
  // lightgbm leaves libgomp to the system on purpose
  auto builder = wheel();
  builder.elf("pkg/lib_lightgbm.so", Elf().needs("libgomp.so.1"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-common-system libgomp.so.1"));
}

TEST(Needed, AlternatesAndOptionalPluginsMayFail) {
  auto builder = WheelBuilder("bitsandbytes-0.46.1-py3-none-manylinux_2_28_x86_64.whl");
  builder.elf("bitsandbytes/libbitsandbytes_cuda118.so", Elf().needs("libcudart.so.11.0"))
      .elf("bitsandbytes/libbitsandbytes_cuda126.so", Elf().needs("libcudart.so.12"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-undeclared libcudart.so.11.0",
                                         "warning needed-undeclared libcudart.so.12"));
}

TEST(Needed, PluginsAreOpenedWhenTheyAreWanted) {
  // PySide6's database drivers need what only users of that database have
  auto builder = wheel();
  builder.elf("pkg/Qt/plugins/sqldrivers/libqsqlmysql.so", Elf().needs("libmysqlclient.so.21"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-not-found libmysqlclient.so.21"));
}

TEST(Needed, CopyForTheOtherLibcIsAWarningWhereNothingLeadsToIt) {
  // mssql-python-odbc 18.6.2.1 carries the files of its musl twin
  const Elf musl = Elf().needs("libc.musl-x86_64.so.1");
  auto unused = wheel();
  unused.elf(kExtension, Elf()).elf("pkg/alpine/libodbc.so", musl);
  EXPECT_THAT(said(unused), ElementsAre("warning needed-not-found libc.musl-x86_64.so.1"));
  auto used = wheel();
  used.elf(kExtension, Elf().needs("libodbc.so").runpath("$ORIGIN/alpine"))
      .elf("pkg/alpine/libodbc.so", musl);
  EXPECT_THAT(said(used), Contains("error needed-not-found libc.musl-x86_64.so.1"));
  auto extension = wheel();
  extension.elf(kExtension, musl);
  EXPECT_THAT(said(extension), ElementsAre("error needed-not-found libc.musl-x86_64.so.1"));
}

TEST(Needed, UnknownPlatformIsSaidNotPassed) {
  auto builder = WheelBuilder("pkg-1.0-cp312-cp312-manylinux_2_28_riscv64.whl");
  builder.elf(kExtension, Elf().machine(243).needs("libfoo.so"));
  EXPECT_THAT(said(builder), ElementsAre("warning needed-not-judged manylinux_2_28_riscv64"));
}

TEST(Needed, GivenWheelReplacesTheTable) {
  // A runtime that, as given, lies elsewhere than the table says
  auto moved = WheelBuilder("nvidia_cuda_runtime-13.9-py3-none-manylinux_2_28_x86_64.whl");
  moved.elf("nvidia/elsewhere/libcudart.so.13", Elf().soname("libcudart.so.13"));
  const WheelFacts given = moved.build();
  auto builder = wheel();
  builder.requiring("nvidia-cuda-runtime>=13,<14")
      .elf("pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(Judged(builder, needed_rules(), "generic", {&given}).said(),
              ElementsAre("error needed-no-hop libcudart.so.13"));
}

TEST(Needed, GivenWheelThatNothingRequiresIsAWarning) {
  auto other = WheelBuilder("other-1.0-py3-none-manylinux_2_28_x86_64.whl");
  other.elf("other/libother.so", Elf());
  const WheelFacts given = other.build();
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libother.so").runpath("$ORIGIN/../other"));
  EXPECT_THAT(Judged(builder, needed_rules(), "generic", {&given}).said(),
              ElementsAre("warning needed-undeclared libother.so"));
}

TEST(Needed, RequirementsOfGivenWheelsAreFollowed) {
  auto middle = WheelBuilder("middle-1.0-py3-none-any.whl");
  middle.requiring("nvidia-cuda-runtime>=13,<14");
  const WheelFacts given = middle.build();
  auto builder = wheel();
  builder.requiring("middle").elf(
      "pkg/libb.so", Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  EXPECT_THAT(Judged(builder, needed_rules(), "generic", {&given}).said(), IsEmpty());
}

TEST(Hop, IsTheWayFromFileToFile) {
  EXPECT_EQ(hop("/s/a/b/x.so", "/s/n/l/y.so"), "$ORIGIN/../../n/l");
  EXPECT_EQ(hop("/s/a/x.so", "/s/a/y.so"), "$ORIGIN");
  EXPECT_EQ(hop("/s/a/x.so", "/s/a/lib/y.so"), "$ORIGIN/lib");
}

}  // namespace
}  // namespace wheelcheck
