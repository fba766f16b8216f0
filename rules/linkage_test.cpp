#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kWheel = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";

void same_bytes(WheelBuilder& wheel, const char* path, const char* soname, const char* hash) {
  wheel.elf(path, Elf().soname(soname));
  wheel.last().sha256 = hash;
}

TEST(LibraryCopies, AChainOfLinksStoredAsFiles) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/libuct.so", "libuct.so.0", "aa");
  same_bytes(wheel, "pkg/libuct.so.0", "libuct.so.0", "aa");
  same_bytes(wheel, "pkg/libuct.so.0.0.0", "libuct.so.0", "aa");
  const auto findings = judge("library-copies", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].level, Level::warning);
  EXPECT_EQ(findings[0].provided_by.size(), 3U);
}

TEST(LibraryCopies, TwoNamesInNeededAreTwoInstances) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/libuct.so.0", "libuct.so.0", "aa");
  same_bytes(wheel, "pkg/libuct.so.0.0.0", "libuct.so.0", "aa");
  wheel.elf("pkg/a.so", Elf().needs("libuct.so.0"));
  EXPECT_THAT(judge("library-copies", wheel), ElementsAre(HasLevel(Level::warning)));
  wheel.elf("pkg/b.so", Elf().needs("libuct.so.0.0.0"));
  EXPECT_THAT(judge("library-copies", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(LibraryCopies, DifferentContentOrOneNameIsNone) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/libuct.so.0", "libuct.so.0", "aa");
  same_bytes(wheel, "pkg/libuct.so.1", "libuct.so.0", "bb");
  same_bytes(wheel, "other/libuct.so.0", "libuct.so.0", "aa");
  EXPECT_THAT(judge("library-copies", wheel), IsEmpty());
}

TEST(SonameCollision, TwoLibrariesThatSomebodyNeeds) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/a/libx.so.1", "libx.so.1", "aa");
  same_bytes(wheel, "pkg/b/libx.so.1", "libx.so.1", "bb");
  EXPECT_THAT(judge("soname-collision", wheel), IsEmpty());  // nobody needs the name
  wheel.elf("pkg/m.so", Elf().needs("libx.so.1"));
  EXPECT_THAT(
      judge("soname-collision", wheel),
      ElementsAre(AllOf(FindingAt("pkg/b/libx.so.1", "libx.so.1"), HasLevel(Level::warning))));
}

TEST(SonameCollision, TheFilesMayHaveOtherNames) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/libx.so.1", "libx.so.1", "aa");
  same_bytes(wheel, "pkg/libx-old.so", "libx.so.1", "bb");
  same_bytes(wheel, "pkg/libx-copy.so", "libx.so.1", "aa");
  EXPECT_THAT(judge("soname-collision", wheel), IsEmpty());  // nobody needs the name
  wheel.elf("pkg/m.so", Elf().needs("libx.so.1"));
  const auto findings = judge("soname-collision", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt("pkg/libx-old.so", "libx.so.1")));
  EXPECT_THAT(findings[0].what, HasSubstr("2 different files"));
  EXPECT_THAT(findings[0].provided_by,
              ElementsAre("pkg/libx.so.1", "pkg/libx-old.so", "pkg/libx-copy.so"));
}

TEST(SonameCollision, AlternatesAndCopiesAreNone) {
  WheelBuilder wheel(kWheel);
  same_bytes(wheel, "pkg/sm90/ops.so", "ops.so", "aa");
  same_bytes(wheel, "pkg/sm100/ops.so", "ops.so", "bb");
  same_bytes(wheel, "pkg/a/liby.so.1", "liby.so.1", "cc");
  same_bytes(wheel, "pkg/b/liby.so.1", "liby.so.1", "cc");
  wheel.elf("pkg/m.so", Elf().needs("ops.so").needs("liby.so.1"));
  EXPECT_THAT(judge("soname-collision", wheel), IsEmpty());
}

TEST(SystemLibraryBundled, TheCxxRuntimeUnderItsOwnNameOrAnother) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg.libs/libstdc++.so.6", Elf().soname("libstdc++.so.6"))
      .elf("pkg.libs/libstdc++-0a1b2c3d.so.6.0.30", Elf().soname("libstdc++-0a1b2c3d.so.6.0.30"));
  EXPECT_THAT(judge("system-library-bundled", wheel),
              ElementsAre(AllOf(FindingAt("pkg.libs/libstdc++.so.6", "libstdc++.so.6"),
                                HasLevel(Level::warning)),
                          HasLevel(Level::warning)));
}

TEST(SystemLibraryBundled, WhatTheTagDoesNotPromiseOrProcessesNeedNotShareIsFine) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg.libs/libgfortran-0a1b2c3d.so.5", Elf().soname("libgfortran-0a1b2c3d.so.5"))
      .elf("pkg.libs/libz.so.1", Elf().soname("libz.so.1"))
      .elf("pkg.libs/libgomp.so.1", Elf().soname("libgomp.so.1"));
  EXPECT_THAT(judge("system-library-bundled", wheel), IsEmpty());
  WheelBuilder musl("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl");
  musl.elf("pkg.libs/libstdc++-0a1b2c3d.so.6", Elf().soname("libstdc++-0a1b2c3d.so.6"))
      .elf("pkg.libs/libgcc_s.so.1", Elf().soname("libgcc_s.so.1"));
  EXPECT_THAT(judge("system-library-bundled", musl), IsEmpty());
}

constexpr const char* kExtension =
    "executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so";

WheelBuilder upstream(Elf extension) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py")
      .elf("executorch/lib/libexecutorch.so", Elf())
      .elf("executorch/lib/libexecutorch_etdump.so", Elf())
      .elf("executorch/lib/libexecutorch_kernels_quantized.so", Elf())
      .elf(kExtension, std::move(extension));
  return wheel;
}

TEST(RequiredEdge, TheExtensionMustLoadWhatItUsedToContain) {
  WheelBuilder good = upstream(Elf().needs("libexecutorch.so").needs("libexecutorch_etdump.so"));
  EXPECT_THAT(judge("required-edge-missing", good), IsEmpty());
  WheelBuilder bad = upstream(Elf().needs("libexecutorch.so"));
  EXPECT_THAT(judge("required-edge-missing", bad),
              ElementsAre(FindingAt(kExtension, "libexecutorch_etdump.so")));
}

TEST(ForbiddenEdge, QuantizedKernelsRegisterTwice) {
  WheelBuilder good = upstream(Elf().needs("libtorch.so"));
  EXPECT_THAT(judge("forbidden-edge", good), IsEmpty());
  WheelBuilder bad = upstream(Elf().needs("libexecutorch_kernels_quantized.so"));
  EXPECT_THAT(judge("forbidden-edge", bad),
              ElementsAre(FindingAt(kExtension, "libexecutorch_kernels_quantized.so")));
}

TEST(ForbiddenEdge, LibrariesForProgramsNeedNoTorch) {
  WheelBuilder wheel = upstream(Elf());
  wheel.elf("executorch/lib/libexecutorch_threadpool.so", Elf().needs("libtorch_cpu.so"));
  EXPECT_THAT(
      judge("forbidden-edge", wheel),
      ElementsAre(FindingAt("executorch/lib/libexecutorch_threadpool.so", "libtorch_cpu.so")));
}

}  // namespace
}  // namespace wheelcheck
