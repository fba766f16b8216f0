#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kLinux = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";

TEST(InspectedNothing, AWheelForAPlatformWithoutNativeFiles) {
  WheelBuilder wheel(kLinux);
  wheel.file("pkg/__init__.py");
  EXPECT_THAT(judge("inspected-nothing", wheel), ElementsAre(HasLevel(Level::error)));
  // Data for a platform, importable by any interpreter.
  WheelBuilder data("headers-1.0-py3-none-manylinux_2_28_x86_64.whl");
  data.file("headers/a.h");
  EXPECT_THAT(judge("inspected-nothing", data), ElementsAre(HasLevel(Level::warning)));
}

TEST(InspectedNothing, APureWheelAndAProgramAreFine) {
  WheelBuilder pure("pkg-1.0-py3-none-any.whl");
  pure.file("pkg/__init__.py");
  EXPECT_THAT(judge("inspected-nothing", pure), IsEmpty());
  WheelBuilder minimal(kLinux);
  minimal.elf("pkg/bin/flatc", Elf().program());
  EXPECT_THAT(judge("inspected-nothing", minimal), IsEmpty());
}

TEST(NoCode, NothingButDistInfo) {
  WheelBuilder wheel("pyuff-2.4.1-py3-none-any.whl");
  wheel.file("pyuff-2.4.1.dist-info/METADATA");
  EXPECT_THAT(judge("no-code", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.requiring("numpy");  // a package that only requires others
  EXPECT_THAT(judge("no-code", wheel), IsEmpty());
}

TEST(NoCode, AnythingInstalledCounts) {
  WheelBuilder wheel("pkg-1.0-py3-none-any.whl");
  wheel.file("pkg-1.0.data/scripts/tool");
  EXPECT_THAT(judge("no-code", wheel), IsEmpty());
}

TEST(Unread, IsNamedWithItsReason) {
  WheelBuilder wheel(kLinux);
  wheel.elf("pkg/a.so", Elf());
  EXPECT_THAT(judge("unread-member", wheel), IsEmpty());
  wheel.unread("pkg/b.so", "the dynamic table is cut");
  const auto findings = judge("unread-member", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt("pkg/b.so", "b.so")));
  EXPECT_EQ(findings[0].what, "could not be read: the dynamic table is cut (offset 0x0)");
}

TEST(CrossCheck, DisagreementIsAnErrorAndSkippingANote) {
  WheelBuilder wheel(kLinux);
  wheel.elf("pkg/a.so", Elf());
  EXPECT_THAT(judge("cross-check-disagreement", wheel), IsEmpty());
  EXPECT_THAT(judge("cross-check-skipped", wheel), IsEmpty());
  wheel.last().cross_check.push_back("NEEDED: 3 entries, LIEF has 2");
  EXPECT_THAT(judge("cross-check-disagreement", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.last().cross_check_skipped = "larger than 256 MiB";
  EXPECT_THAT(judge("cross-check-skipped", wheel), ElementsAre(HasLevel(Level::note)));
}

TEST(Symtab, OverBudgetIsSaid) {
  WheelBuilder wheel(kLinux);
  Elf elf;
  elf.facts().symtab = SymtabState::over_budget;
  elf.facts().symtab_note = "100 MiB, the limit is 48 MiB";
  wheel.elf("pkg/a.so", std::move(elf)).elf("pkg/b.so", Elf());
  const auto findings = judge("symtab-skipped", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, HasSubstr("the limit is 48 MiB"));
}

TEST(TextSkipped, AVersionFileThatWasNotKept) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.text("executorch/version.py", "__version__ = '1.5.1'\n");
  EXPECT_THAT(judge("text-skipped", wheel), IsEmpty());
  wheel.last().text_kept = false;
  EXPECT_THAT(judge("text-skipped", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(Contradictions, AreNotes) {
  WheelBuilder wheel(kLinux);
  Elf elf;
  elf.facts().observations.push_back("a section lies elsewhere than its segment");
  wheel.elf("pkg/a.so", std::move(elf));
  EXPECT_THAT(judge("elf-contradiction", wheel), ElementsAre(HasLevel(Level::note)));
}

}  // namespace
}  // namespace wheelcheck
