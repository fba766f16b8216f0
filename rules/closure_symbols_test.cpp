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
using testing::Judged;
using testing::WheelBuilder;

constexpr const char* kWheel = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kExtension = "pkg/_C.cpython-312-x86_64-linux-gnu.so";

/// What one rule says of a wheel, with the loader's resolution.
std::vector<Finding> findings_of(std::string_view slug, WheelBuilder& wheel,
                                 const std::vector<const WheelFacts*>& given = {}) {
  return Judged(wheel, symbol_rules(), "generic", given).findings(slug);
}

std::vector<Finding> undefined(WheelBuilder& wheel) {
  return findings_of("symbol-undefined", wheel);
}

Elf extension() { return Elf().needs("libc.so.6"); }

TEST(SymbolUndefined, NothingThatIsLoadedDefinesIt) {
  WheelBuilder wheel(kWheel);
  wheel
      .elf(kExtension, extension().needs("liba.so").runpath("$ORIGIN").imports("gone").imports("a"))
      .elf("pkg/liba.so", Elf().defines("a").defines("gone_").imports("lost"));
  const auto findings = undefined(wheel);
  ASSERT_THAT(findings,
              ElementsAre(FindingAt(kExtension, "gone"), FindingAt("pkg/liba.so", "lost")));
  EXPECT_THAT(findings, ::testing::Each(HasLevel(Level::error)));
  EXPECT_THAT(findings[0].what,
              HasSubstr("uses gone, which nothing defines that is loaded with it"));
  EXPECT_THAT(findings[1].what, HasSubstr("seen when pkg/_C.cpython-312-x86_64-linux-gnu.so"));
}

TEST(SymbolUndefined, ADefinerAnywhereInTheClosureWillDo) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, extension().needs("liba.so").runpath("$ORIGIN").imports("b").defines("c"))
      .elf("pkg/liba.so", Elf().needs("libb.so").runpath("$ORIGIN").imports("c"))
      .elf("pkg/libb.so", Elf().defines("b", SymbolBinding::weak));
  EXPECT_THAT(undefined(wheel), IsEmpty());
}

TEST(SymbolUndefined, TheInterpreterAndWhatItBringsAreThere) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf()
                            .imports("PyErr_SetString")
                            .imports("_Py_NoneStruct")
                            .imports("read")
                            .imports("cos")
                            .imports("__tls_get_addr"));
  EXPECT_THAT(undefined(wheel), IsEmpty());
  WheelBuilder other(kWheel);
  other.elf(kExtension, Elf().imports("_ZN2PyC1Ev").imports("pyramid"));
  EXPECT_THAT(undefined(other), ElementsAre(FindingAt(kExtension, "_ZN2PyC1Ev")));
}

TEST(SymbolUndefined, WeakAndUnreferencedSymbolsNeedNoDefiner) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, extension()
                            .imports("__gmon_start__", SymbolBinding::weak)
                            .imports("_ZSt21ios_base_library_initv")
                            .unreferenced());
  EXPECT_THAT(undefined(wheel), IsEmpty());
}

TEST(SymbolUndefined, NothingIsSaidWhereSomethingIsNotKnown) {
  WheelBuilder missing(kWheel);
  missing.elf(kExtension, extension().needs("libgone.so").imports("gone"));
  EXPECT_THAT(undefined(missing), IsEmpty());
  WheelBuilder declared(kWheel);
  declared.requiring("nvidia-cuda-runtime>=13,<14")
      .elf(kExtension, extension()
                           .needs("libcudart.so.13")
                           .runpath("$ORIGIN/../nvidia/cu13/lib")
                           .imports("cudaMalloc"));
  EXPECT_THAT(undefined(declared), IsEmpty());
  WheelBuilder system(kWheel);
  system.elf(kExtension, extension().needs("libX11.so.6").imports("XOpenDisplay"));
  EXPECT_THAT(undefined(system), IsEmpty());
  WheelBuilder musl("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl");
  musl.elf(kExtension, Elf().needs("libc.musl-x86_64.so.1").imports("gone"));
  EXPECT_THAT(undefined(musl), IsEmpty());
  WheelBuilder power("pkg-1.0-cp312-cp312-manylinux_2_28_ppc64le.whl");
  power.elf(kExtension, extension().machine(21).imports("gone"));
  EXPECT_THAT(undefined(power), IsEmpty());
}

TEST(SymbolUndefined, ItIsLessSureWhereAnObjectThatIsOpenedBeforeMayDefineIt) {
  const auto level = [](WheelBuilder& wheel) { return undefined(wheel); };
  WheelBuilder elsewhere(kWheel);
  elsewhere.elf(kExtension, extension().imports("shared"))
      .elf("pkg/libshared.so", Elf().defines("shared"));
  const auto findings = undefined(elsewhere);
  ASSERT_THAT(findings, ElementsAre(HasLevel(Level::warning)));
  EXPECT_THAT(findings[0].provided_by, ElementsAre("pkg/libshared.so"));
  WheelBuilder preloads(kWheel);
  preloads.requiring("torch>=2.11").elf(kExtension, extension().imports("gone"));
  EXPECT_THAT(level(preloads), ElementsAre(HasLevel(Level::warning)));
  WheelBuilder library(kWheel);
  library.elf("pkg/libopened.so", Elf().needs("libc.so.6").imports("gone"));
  EXPECT_THAT(level(library), ElementsAre(HasLevel(Level::warning)));
  WheelBuilder unread(kWheel);  // nobody may look for it
  Elf elf = extension().imports("gone");
  elf.facts().references_known = false;
  unread.elf(kExtension, elf);
  EXPECT_THAT(level(unread), ElementsAre(HasLevel(Level::warning)));
  WheelBuilder plugin(kWheel);
  plugin.elf("pkg/plugins/_P.cpython-312-x86_64-linux-gnu.so", extension().imports("gone"));
  EXPECT_THAT(level(plugin), ElementsAre(HasLevel(Level::warning)));
}

TEST(SymbolUndefined, AVersionOfALibraryThatNeverHadTheSymbol) {
  // jq 1.0: scalbln is libm's, the version was filed under libc.
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension,
            extension().needs_version("GLIBC_2.2.5", "libc.so.6").imports("scalbln").versioned());
  EXPECT_THAT(undefined(wheel), ElementsAre(FindingAt(kExtension, "scalbln@GLIBC_2.2.5")));
  WheelBuilder fine(kWheel);
  fine.elf(kExtension, extension()
                           .needs("libpthread.so.0")
                           .needs_version("GLIBC_2.2.5", "libpthread.so.0")
                           .imports("pthread_create")
                           .versioned());
  EXPECT_THAT(undefined(fine), IsEmpty()) << "the C library took it over";
}

TEST(SymbolVersionMissing, TheShippedLibraryIsAnotherBuild) {
  WheelBuilder wheel(kWheel);
  wheel
      .elf(kExtension, extension()
                           .needs("libssl.so.3")
                           .runpath("$ORIGIN")
                           .needs_version("OPENSSL_3.2.0", "libssl.so.3")
                           .imports("SSL_new")
                           .versioned())
      .elf("pkg/libssl.so.3", Elf()
                                  .soname("libssl.so.3")
                                  .defines_version("OPENSSL_3.0.0")
                                  .defines("SSL_new")
                                  .versioned());
  const auto findings = findings_of("symbol-version-missing", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kExtension, "OPENSSL_3.2.0")));
  EXPECT_EQ(findings[0].level, Level::error);
  EXPECT_THAT(findings[0].what,
              HasSubstr("needs version OPENSSL_3.2.0 of libssl.so.3, which defines OPENSSL_3.0.0"));
  EXPECT_THAT(findings[0].provided_by, ElementsAre("pkg/libssl.so.3"));
}

TEST(SymbolVersionMissing, TheVersionIsThereOrWeakOrTheLibraryHasNone) {
  const auto wheel_with = [](bool weak, const Elf& library) {
    WheelBuilder wheel(kWheel);
    wheel
        .elf(kExtension, extension()
                             .needs("libx.so.1")
                             .runpath("$ORIGIN")
                             .needs_version("X_2", "libx.so.1", weak))
        .elf("pkg/libx.so.1", library);
    return findings_of("symbol-version-missing", wheel);
  };
  EXPECT_THAT(wheel_with(false, Elf().defines_version("X_1").defines_version("X_2")), IsEmpty());
  EXPECT_THAT(wheel_with(true, Elf().defines_version("X_1")), IsEmpty());
  EXPECT_THAT(wheel_with(false, Elf().defines("x")), IsEmpty());
}

TEST(SymbolVersionMissing, TheFileHasTheSymbolAndNoVersionsAtAll) {
  // glibc: "Assertion `version->filename == NULL || ! _dl_name_match_p (...)' failed!"
  const auto wheel_with = [](const Elf& library) {
    WheelBuilder wheel(kWheel);
    wheel
        .elf(kExtension, extension()
                             .needs("libx.so.1")
                             .runpath("$ORIGIN")
                             .needs_version("X_1", "libx.so.1")
                             .imports("x")
                             .versioned())
        .elf("pkg/libx.so.1", library);
    return findings_of("symbol-version-missing", wheel);
  };
  const auto findings = wheel_with(Elf().defines("x"));
  ASSERT_THAT(findings, ElementsAre(FindingAt(kExtension, "X_1")));
  EXPECT_THAT(findings[0].what, HasSubstr("which defines none"));
  EXPECT_THAT(
      wheel_with(Elf().needs("libc.so.6").needs_version("GLIBC_2.2.5", "libc.so.6").defines("x")),
      IsEmpty())
      << "it has a table, so that the symbol counts as one without version";
}

TEST(SymbolTooNew, AReferenceWithoutVersionHidesHowNewItIs) {
  // xgrammar: built with a compiler that leaves versions out.
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension,
            extension().needs("libstdc++.so.6").imports("_ZSt28__throw_bad_array_new_lengthv"));
  const auto findings = findings_of("symbol-too-new", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kExtension, "_ZSt28__throw_bad_array_new_lengthv")));
  EXPECT_EQ(findings[0].level, Level::error);
  EXPECT_THAT(findings[0].what, AllOf(HasSubstr("(GLIBCXX_3.4.29 of libstdc++.so.6)"),
                                      HasSubstr("newer than manylinux_2_28 allows"),
                                      HasSubstr("the oldest distribution that has it is RHEL 9")));
}

TEST(SymbolTooNew, ArmHasATableOfItsOwn) {
  constexpr const char* kArmExtension = "pkg/_C.cpython-312-aarch64-linux-gnu.so";
  const auto wheel_with = [&](const char* tag, const Elf& elf) {
    WheelBuilder wheel("pkg-1.0-cp312-cp312-" + std::string(tag) + ".whl");
    wheel.elf(kArmExtension, Elf(elf).machine(183));
    return wheel;
  };
  const Elf stat = extension().imports("stat");  // a macro before 2.33
  WheelBuilder old = wheel_with("manylinux_2_28_aarch64", stat);
  EXPECT_THAT(findings_of("symbol-too-new", old), ElementsAre(FindingAt(kArmExtension, "stat")));
  WheelBuilder newer = wheel_with("manylinux_2_34_aarch64", stat);
  EXPECT_THAT(findings_of("symbol-too-new", newer), IsEmpty());
  WheelBuilder gone = wheel_with("manylinux_2_28_aarch64", extension().imports("gone"));
  EXPECT_THAT(undefined(gone), ElementsAre(FindingAt(kArmExtension, "gone")));
  WheelBuilder fine = wheel_with("manylinux_2_17_aarch64", extension()
                                                               .needs("libgcc_s.so.1")
                                                               .imports("__addtf3")
                                                               .imports("read")
                                                               .imports("PyErr_SetString"));
  EXPECT_THAT(undefined(fine), IsEmpty());
}

TEST(SymbolTooNew, NewerTagsOwnDefinitionsAndVersionsAreLeftAlone) {
  const Elf user =
      extension().needs("libstdc++.so.6").imports("_ZSt28__throw_bad_array_new_lengthv");
  WheelBuilder newer("pkg-1.0-cp312-cp312-manylinux_2_34_x86_64.whl");
  newer.elf(kExtension, user);
  EXPECT_THAT(findings_of("symbol-too-new", newer), IsEmpty());
  WheelBuilder own(kWheel);
  own.elf(kExtension, Elf(user).needs("liba.so").runpath("$ORIGIN"))
      .elf("pkg/liba.so", Elf().defines("_ZSt28__throw_bad_array_new_lengthv"));
  EXPECT_THAT(findings_of("symbol-too-new", own), IsEmpty());
  WheelBuilder versioned(kWheel);  // symbol-version-too-new speaks of it
  versioned.elf(kExtension, extension()
                                .needs("libstdc++.so.6")
                                .needs_version("GLIBCXX_3.4.29", "libstdc++.so.6")
                                .imports("_ZSt28__throw_bad_array_new_lengthv")
                                .versioned());
  EXPECT_THAT(findings_of("symbol-too-new", versioned), IsEmpty());
  EXPECT_THAT(undefined(versioned), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
