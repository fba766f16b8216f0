#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rules/rule_test_support.h"
#include "rules/testing.h"
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
using testing::Judged;
using testing::WheelBuilder;

constexpr const char* kWheel = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";

TEST(VersionFile, ANeededWasRenamedAndTheTableForgotten) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/_C.so",
            Elf().needs("libcudart-abc.so.12").needs_version("libcudart.so.12", "libcudart.so.12"));
  EXPECT_THAT(
      judge("version-file-not-needed", wheel),
      ElementsAre(AllOf(FindingAt("pkg/_C.so", "libcudart.so.12"), HasLevel(Level::error))));
}

TEST(VersionFile, SomethingElseBringsIt) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/_C.so", Elf().needs("liba.so").needs_version("V1", "libb.so"))
      .elf("pkg/liba.so", Elf().needs("libb.so"));
  EXPECT_THAT(judge("version-file-not-needed", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(VersionFile, TheCLibraryIsAlwaysThere) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/_C.so", Elf()
                             .needs("libm.so.6")
                             .needs_version("GLIBC_2.17", "libc.so.6")
                             .needs_version("GLIBC_2.3", "ld-linux-x86-64.so.2")
                             .needs_version("GLIBC_2.2.5", "libm.so.6"));
  EXPECT_THAT(judge("version-file-not-needed", wheel), IsEmpty());
}

/// With the processes that the loader's model sees.
std::vector<Finding> loaded(WheelBuilder& wheel) {
  return Judged(wheel, symbol_rules()).findings("version-file-not-needed");
}

TEST(VersionFile, ALibraryOfTheSystemBringsAnother) {
  constexpr const char* kExtension = "pkg/_C.cpython-312-x86_64-linux-gnu.so";
  const Elf user = Elf().needs("libc.so.6").needs_version("GCC_3.0", "libgcc_s.so.1");
  WheelBuilder with(kWheel);
  with.elf(kExtension, Elf(user).needs("libstdc++.so.6"));
  EXPECT_THAT(loaded(with), ElementsAre(HasLevel(Level::warning)));
  WheelBuilder without(kWheel);
  without.elf(kExtension, user);
  const auto findings = loaded(without);
  ASSERT_THAT(findings,
              ElementsAre(AllOf(FindingAt(kExtension, "libgcc_s.so.1"), HasLevel(Level::error))));
  EXPECT_THAT(findings[0].what, HasSubstr("nothing that is loaded with it brings it"));
}

TEST(VersionFile, WhatADeclaredPackageMayLoadIsNoPromise) {
  // Some releases of torch load libcudart.so.13, others libcudart.so.12.
  WheelBuilder wheel(kWheel);
  wheel.requiring("torch")
      .elf("pkg/_C.cpython-312-x86_64-linux-gnu.so",
           Elf().needs("libtorch.so").needs("libshims.so").runpath("$ORIGIN:$ORIGIN/../torch/lib"))
      .elf("pkg/libshims.so",
           Elf().needs("libcudart.so.12").needs_version("libcudart.so.13", "libcudart.so.13"));
  EXPECT_THAT(loaded(wheel), ElementsAre(AllOf(FindingAt("pkg/libshims.so", "libcudart.so.13"),
                                               HasLevel(Level::error))));
}

TEST(VersionFile, ASonameThatNobodyAskedForIsNoName) {
  // glibc compares with the names that objects were asked for by.
  WheelBuilder wheel(kWheel);
  wheel
      .elf("pkg/_C.cpython-312-x86_64-linux-gnu.so", Elf()
                                                         .needs("libc.so.6")
                                                         .needs("liba.so")
                                                         .runpath("$ORIGIN")
                                                         .needs_version("V1", "liba.so.1"))
      .elf("pkg/liba.so", Elf().soname("liba.so.1").defines_version("V1"));
  EXPECT_THAT(loaded(wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(VersionFile, MuslReadsNoVersions) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl");
  wheel.elf("pkg/_C.cpython-312-x86_64-linux-musl.so",
            Elf().needs("libc.musl-x86_64.so.1").needs_version("V1", "libx.so.1"));
  EXPECT_THAT(loaded(wheel), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
