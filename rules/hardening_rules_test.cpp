#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kX86 = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kArm = "pkg-1.0-cp312-cp312-manylinux_2_28_aarch64.whl";

Elf mapped(std::uint64_t align = 0x1000) {
  Elf elf;
  ElfSegment segment;
  segment.type = 1;
  segment.align = align;
  elf.facts().segments.push_back(segment);
  return elf;
}

TEST(ExecutableStack, AskedForAndByDefault) {
  WheelBuilder wheel(kX86);
  wheel.elf("pkg/good.so", mapped());
  Elf asked = mapped();
  asked.facts().stack_flags = 7;
  Elf absent = mapped();
  absent.facts().stack_flags.reset();
  wheel.elf("pkg/asked.so", std::move(asked)).elf("pkg/absent.so", std::move(absent));
  EXPECT_THAT(judge("executable-stack", wheel),
              ElementsAre(FindingAt("pkg/asked.so", "PT_GNU_STACK"),
                          FindingAt("pkg/absent.so", "PT_GNU_STACK")));
}

TEST(ExecutableStack, OtherProcessorsDefaultToNone) {
  WheelBuilder wheel(kArm);
  Elf absent = mapped(0x10000).machine(183);
  absent.facts().stack_flags.reset();
  wheel.elf("pkg/a.so", std::move(absent));
  EXPECT_THAT(judge("executable-stack", wheel), IsEmpty());
}

TEST(ExecutableStack, AProgramGetsWhatItAsksFor) {
  WheelBuilder wheel(kX86);
  Elf program = mapped().program();
  program.facts().stack_flags = 7;
  wheel.elf("pkg/bin/tool", std::move(program));
  EXPECT_THAT(judge("executable-stack", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(PageAlignment, LargePagesOfThisProcessor) {
  WheelBuilder wheel(kArm);
  wheel.elf("pkg/good.so", mapped(0x10000).machine(183));
  EXPECT_THAT(judge("page-alignment", wheel), IsEmpty());
  wheel.elf("pkg/bad.so", mapped(0x1000).machine(183));
  EXPECT_THAT(judge("page-alignment", wheel), ElementsAre(FindingAt("pkg/bad.so", "0x1000")));
}

TEST(PageAlignment, SmallPagesAreEnoughOnX86) {
  WheelBuilder wheel(kX86);
  wheel.elf("pkg/a.so", mapped(0x1000));
  EXPECT_THAT(judge("page-alignment", wheel), IsEmpty());
}

TEST(TextRelocations, AreAWarning) {
  WheelBuilder wheel(kX86);
  Elf elf = mapped();
  elf.facts().has_textrel = true;
  wheel.elf("pkg/a.so", std::move(elf)).elf("pkg/b.so", mapped());
  EXPECT_THAT(judge("text-relocations", wheel), ElementsAre(FindingAt("pkg/a.so", "DT_TEXTREL")));
}

TEST(StaticTls, IsANote) {
  WheelBuilder wheel(kX86);
  Elf elf = mapped();
  elf.facts().dt_flags = 0x10;
  elf.facts().tls_size = 120;
  wheel.elf("pkg/libgomp.so.1", std::move(elf)).elf("pkg/b.so", mapped());
  EXPECT_THAT(judge("static-tls", wheel), ElementsAre(HasLevel(Level::note)));
}

TEST(Relr, NeedsTheGlibcOfTheTag) {
  const auto wheel_for = [](const char* name) {
    WheelBuilder wheel(name);
    Elf elf = mapped();
    elf.facts().has_relr = true;
    wheel.elf("pkg/a.so", std::move(elf));
    return wheel;
  };
  WheelBuilder old = wheel_for(kX86);
  EXPECT_THAT(judge("relr-too-new", old), ElementsAre(HasLevel(Level::error)));
  WheelBuilder recent = wheel_for("pkg-1.0-cp312-cp312-manylinux_2_39_x86_64.whl");
  EXPECT_THAT(judge("relr-too-new", recent), IsEmpty());
}

TEST(IsaLevel, IsOneNoteALevel) {
  WheelBuilder wheel(kX86);
  for (const char* path : {"pkg/a.so", "pkg/b.so"}) {
    Elf elf = mapped();
    elf.facts().x86_isa_needed = 3;
    wheel.elf(path, std::move(elf));
  }
  Elf baseline = mapped();
  baseline.facts().x86_isa_needed = 1;
  wheel.elf("pkg/c.so", std::move(baseline));
  const auto findings = judge("isa-level", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt("pkg/a.so", "x86-64-v2")));
  EXPECT_EQ(findings[0].count, 2U);
}

}  // namespace
}  // namespace wheelcheck
