#include <algorithm>
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include "rules/moved_symbols.h"
#include "rules/rule_test_support.h"
#include "rules/testing_judge.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {
namespace {

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
constexpr const char* kExtension = "pkg/_C.cpython-312-x86_64-linux-gnu.so";

/// What WC313 says of a wheel, with the loader's resolution.
std::vector<Finding> without_library(WheelBuilder& wheel) {
  return Judged(wheel, symbol_rules()).findings("symbol-without-library");
}

TEST(SymbolWithoutLibrary, ShmOpenWithoutLibrt) {
  // nvidia-cufile 1.15
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("libc.so.6").imports("shm_open").imports("shm_unlink"));
  const auto findings = without_library(wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kExtension, "shm_open")));
  EXPECT_EQ(findings[0].level, Level::error);
  EXPECT_THAT(findings[0].what,
              HasSubstr("uses shm_open, shm_unlink and does not need librt.so.1"));
}

TEST(SymbolWithoutLibrary, LibrtIsNeededHereOrDeeper) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("librt.so.1").needs("libc.so.6").imports("shm_open"));
  EXPECT_THAT(without_library(wheel), IsEmpty());
  WheelBuilder deeper(kWheel);
  deeper.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN").imports("shm_open"))
      .elf("pkg/liba.so", Elf().needs("librt.so.1"));
  EXPECT_THAT(without_library(deeper), IsEmpty());
}

TEST(SymbolWithoutLibrary, AnotherLibraryOfTheWheelDefinesIt) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN").imports("shm_open"))
      .elf("pkg/liba.so", Elf().defines("shm_open"));
  EXPECT_THAT(without_library(wheel), IsEmpty());
}

TEST(SymbolWithoutLibrary, WhatIsNotKnownMayBringLibrt) {
  WheelBuilder wheel(kWheel);
  wheel.requiring("nvidia-cuda-runtime>=13,<14")
      .elf(
          kExtension,
          Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib").imports("shm_open"));
  EXPECT_THAT(without_library(wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(SymbolWithoutLibrary, APluginMayFailToLoad) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/plugins/a.so", Elf().needs("libc.so.6").imports("shm_open"));
  EXPECT_THAT(without_library(wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(SymbolWithoutLibrary, WeakVersionedAndNewerTagsAreFine) {
  WheelBuilder weak(kWheel);
  weak.elf(kExtension, Elf().needs("libc.so.6").imports("shm_open", SymbolBinding::weak));
  EXPECT_THAT(without_library(weak), IsEmpty());
  WheelBuilder versioned(kWheel);
  versioned.elf(kExtension, Elf()
                                .needs("libc.so.6")
                                .needs_version("GLIBC_2.2.5", "librt.so.1")
                                .imports("shm_open")
                                .versioned());
  EXPECT_THAT(without_library(versioned), IsEmpty());
  WheelBuilder newer("pkg-1.0-cp312-cp312-manylinux_2_34_x86_64.whl");
  newer.elf(kExtension, Elf().needs("libc.so.6").imports("shm_open"));
  EXPECT_THAT(without_library(newer), IsEmpty());
  WheelBuilder musl("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl");
  musl.elf(kExtension, Elf().needs("libc.musl-x86_64.so.1").imports("shm_open"));
  EXPECT_THAT(without_library(musl), IsEmpty());
}

TEST(SymbolWithoutLibrary, TheTableIsSortedAndTrueOfTheCLibraryHere) {
  const auto names = symbols_of_librt();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_TRUE(is_symbol_of_librt("mq_open"));
  EXPECT_FALSE(is_symbol_of_librt("mq_open_"));
  EXPECT_FALSE(is_symbol_of_librt("pthread_create"));
  const auto here = Version::parse(gnu_get_libc_version());
  if (!here || *here < *Version::parse("2.34")) GTEST_SKIP() << "the C library is older than 2.34";
  for (const std::string_view name : names) {
    EXPECT_NE(dlvsym(RTLD_DEFAULT, std::string(name).c_str(), "GLIBC_2.34"), nullptr) << name;
  }
}

TEST(ForbiddenImport, TheInterpreterInALibraryForPrograms) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf("executorch/lib/libexecutorch.so",
            Elf().imports("PyErr_SetString").imports("_Py_NoneStruct").imports("Pyramid"));
  const auto findings = judge("forbidden-import", wheel);
  ASSERT_THAT(findings,
              ElementsAre(FindingAt("executorch/lib/libexecutorch.so", "PyErr_SetString")));
  EXPECT_THAT(findings[0].what, HasSubstr("wants PyErr_SetString, _Py_NoneStruct: "));
}

TEST(ForbiddenImport, ExtensionsWeakUsesAndOwnDefinitionsAreFine) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel
      .elf("executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so",
           Elf().imports("PyErr_SetString"))
      .elf("executorch/lib/libexecutorch.so",
           Elf().imports("Py_IsInitialized", SymbolBinding::weak).defines("Py_own"));
  EXPECT_THAT(judge("forbidden-import", wheel), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
