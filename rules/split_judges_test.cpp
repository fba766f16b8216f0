#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rule_test_support.h"

namespace wheelcheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Elf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Judged;
using testing::WheelBuilder;

constexpr const char* kName = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kOther = "low-1.0-py3-none-manylinux_2_28_x86_64.whl";
constexpr const char* kExtension = "pkg/ext.cpython-312-x86_64-linux-gnu.so";

std::vector<Finding> found(WheelBuilder& builder, std::vector<const WheelFacts*> given = {},
                           const testing::Place& place = {}) {
  return Judged(builder, needed_rules(), "generic", std::move(given), place)
      .findings("needed-only-joined");
}

Elf extension() { return Elf().needs("libpart.so").runpath("$ORIGIN/../pkg.libs"); }

TEST(OnlyJoined, AWheelThatPutsItsOwnLibraryIntoTheOtherSchemeIsWarnedOf) {
  WheelBuilder builder(kName);
  builder.elf(kExtension, extension()).elf("pkg-1.0.data/purelib/pkg.libs/libpart.so", Elf());
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("warning needed-only-joined libpart.so"));
  const Finding& finding = judged.findings().front();
  EXPECT_EQ(finding.place, kExtension);
  EXPECT_EQ(finding.what,
            "NEEDED libpart.so is found only where purelib and platlib are one directory: it goes "
            "to purelib, the file that needs it to platlib");
  EXPECT_THAT(finding.searched,
              Contains("RUNPATH $ORIGIN/../pkg.libs: <platlib>/pkg.libs: no such directory"));
  EXPECT_THAT(finding.provided_by, ElementsAre("this wheel: <purelib>/pkg.libs/libpart.so"));
}

TEST(OnlyJoined, TheOtherWayRoundToo) {
  WheelBuilder builder(kName);
  builder.pure().elf(kExtension, extension());
  builder.elf("pkg-1.0.data/platlib/pkg.libs/libpart.so", Elf());
  ASSERT_EQ(found(builder).size(), 1U);
}

TEST(OnlyJoined, OneSchemeIsOneDirectoryEverywhere) {
  for (const bool pure : {false, true}) {
    WheelBuilder builder(kName);
    if (pure) builder.pure();
    const std::string same = pure ? "purelib" : "platlib";
    builder.elf(kExtension, extension())
        .elf("pkg-1.0.data/" + same + "/pkg.libs/libpart.so", Elf())
        .elf("pkg-1.0.data/data/lib/libother.so", Elf())
        .text("pkg-1.0.data/purelib/pkg/data.py", "");
    EXPECT_THAT(found(builder), IsEmpty());
  }
}

TEST(OnlyJoined, AWayThroughADirectoryOfTheOtherSchemeIsLost) {
  const auto wheel = [](const char* data) {
    WheelBuilder builder(kName);
    builder.elf(kExtension, Elf().needs("libpart.so").runpath("$ORIGIN/../pkg_data/../pkg.libs"))
        .elf("pkg.libs/libpart.so", Elf())
        .elf("pkg-1.0.data/purelib/elsewhere/libother.so", Elf())
        .text(data, "");
    return builder;
  };
  WheelBuilder other = wheel("pkg-1.0.data/purelib/pkg_data/data.py");
  ASSERT_EQ(found(other).size(), 1U);
  WheelBuilder same = wheel("pkg_data/data.py");
  EXPECT_THAT(found(same), IsEmpty());
}

TEST(OnlyJoined, ALibraryOfTheOtherSchemeThatNothingNeedsIsFine) {
  WheelBuilder builder(kName);
  builder.elf(kExtension, Elf().needs("libc.so.6"))
      .elf("pkg-1.0.data/purelib/pkg.libs/libpart.so", Elf());
  EXPECT_THAT(found(builder), IsEmpty());
}

TEST(OnlyJoined, WhatIsFoundInNoLayoutIsForOtherRules) {
  WheelBuilder builder(kName);
  builder.elf(kExtension, Elf().needs("libpart.so"))
      .elf("pkg-1.0.data/purelib/pkg.libs/libpart.so", Elf());
  EXPECT_THAT(Judged(builder, needed_rules()).said(),
              ElementsAre("error needed-unreachable libpart.so"));
}

TEST(OnlyJoined, LibrariesOfAnotherPackageAreANoteForAllOfThem) {
  // Every wheel that needs NVIDIA's, which are all purelib: torch opens them from Python.
  const auto builder_requiring = [](const char* line) {
    WheelBuilder builder(kName);
    builder.requiring(line)
        .elf(kExtension, Elf().needs("liblow.so").runpath("$ORIGIN/../low/lib"))
        .elf("pkg/libmore.so", Elf().needs("liblow.so").runpath("$ORIGIN/../low/lib"));
    return builder;
  };
  WheelBuilder low(kOther);
  low.pure().elf("low/lib/liblow.so", Elf());
  const WheelFacts pure = low.build();
  WheelBuilder builder = builder_requiring("low");
  const std::vector<Finding> findings = found(builder, {&pure});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].level, Level::note);
  EXPECT_EQ(findings[0].count, 2U);
  EXPECT_EQ(findings[0].subject, "low");
  EXPECT_THAT(findings[0].provided_by, ElementsAre(HasSubstr("<purelib>/low/lib/liblow.so")));
  WheelBuilder plat(kOther);
  plat.elf("low/lib/liblow.so", Elf());
  const WheelFacts same = plat.build();
  WheelBuilder again = builder_requiring("low");
  EXPECT_THAT(found(again, {&same}), IsEmpty());
}

TEST(OnlyJoined, TheTableKnowsTheSchemeOfWhatIsOnlyRequired) {
  WheelBuilder nvidia(kName);
  nvidia.requiring("nvidia-cuda-runtime>=13,<14")
      .elf(kExtension, Elf().needs("libcudart.so.13").runpath("$ORIGIN/../nvidia/cu13/lib"));
  ASSERT_EQ(found(nvidia).size(), 1U);
  WheelBuilder torch(kName);
  torch.requiring("torch>=2.11")
      .elf(kExtension, Elf().needs("libtorch.so").runpath("$ORIGIN/../torch/lib"));
  EXPECT_THAT(found(torch), IsEmpty());
}

TEST(OnlyJoined, ALayoutThatIsToldIsTheOnlyOne) {
  const auto wheel = [] {
    WheelBuilder builder(kName);
    builder.elf(kExtension, extension()).elf("pkg-1.0.data/purelib/pkg.libs/libpart.so", Elf());
    return builder;
  };
  testing::Place place;
  place.layout = SitePackagesLayout::joined;
  WheelBuilder joined = wheel();
  EXPECT_THAT(Judged(joined, needed_rules(), "generic", {}, place).said(), IsEmpty());
  place.layout = SitePackagesLayout::split;
  WheelBuilder split = wheel();
  const Judged judged(split, needed_rules(), "generic", {}, place);
  ASSERT_THAT(judged.said(), ElementsAre("error needed-unreachable libpart.so"));
  EXPECT_THAT(judged.findings().front().fix, HasSubstr("install both by one scheme"));
  WheelBuilder paths = wheel();
  const Judged entries(paths, path_rules(), "generic", {}, place);
  ASSERT_EQ(entries.findings().size(), 1U);
  EXPECT_THAT(entries.findings().front().what,
              HasSubstr("it is in the other directory for modules, <purelib>/pkg.libs"));
}

}  // namespace
}  // namespace wheelcheck
