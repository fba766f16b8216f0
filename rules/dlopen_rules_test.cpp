#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rule_test_support.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Judged;
using testing::WheelBuilder;

constexpr const char* kExtension = "pkg/ext.cpython-312-x86_64-linux-gnu.so";

WheelBuilder wheel() { return WheelBuilder("pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl"); }

std::string note(const std::string& priority, const std::string& names) {
  return R"([{"feature":"zip","priority":")" + priority + R"(","soname":[)" + names + "]}]";
}

std::vector<std::string> said(WheelBuilder& builder) {
  return Judged(builder, needed_rules()).said(Level::note);
}

TEST(DlopenNote, ThePriorityIsTheLevel) {
  for (const auto& [priority, level] :
       {std::pair("required", "error"), {"recommended", "warning"}, {"suggested", "note"}}) {
    auto builder = wheel();
    builder.elf(kExtension, Elf().needs("libc.so.6").opens(note(priority, R"("libmine.so.1")")));
    EXPECT_THAT(said(builder), ElementsAre(std::string(level) + " dlopen-not-found libmine.so.1"));
  }
}

TEST(DlopenNote, WhatASearchPathOrTheSystemHasIsFine) {
  auto builder = wheel();
  builder
      .elf(kExtension, Elf()
                           .needs("libc.so.6")
                           .runpath("$ORIGIN/lib")
                           .opens(note("required", R"("libmine.so.1")"))
                           .opens(note("required", R"("libgone.so.2", "libm.so.6")")))
      .elf("pkg/lib/libmine.so.1", Elf());
  EXPECT_THAT(said(builder), IsEmpty()) << "any one of the names will do";
}

TEST(DlopenNote, InTheWheelAndNotReachedTellsTheWay) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().opens(note("required", R"("libmine.so.1")")))
      .elf("pkg/lib/libmine.so.1", Elf());
  const Judged judged(builder, needed_rules());
  ASSERT_THAT(judged.said(), ElementsAre("error dlopen-not-found libmine.so.1"));
  EXPECT_THAT(judged.findings()[0].fix, HasSubstr("$ORIGIN/lib"));
  EXPECT_THAT(judged.findings()[0].provided_by, ElementsAre("this wheel: pkg/lib/libmine.so.1"));
}

TEST(DlopenNote, WhatIsLoadedByThenIsFound) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libmine.so.1").needs("liba.so").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/libmine.so.1", Elf())
      .elf("pkg/lib/liba.so", Elf().opens(note("required", R"("libmine.so.1")")));
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(DlopenNote, OpeningTheDriverWhenItIsUsedIsRight) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().opens(note("required", R"("libcuda.so.1")")));
  EXPECT_THAT(said(builder), ElementsAre("note dlopen-not-found libcuda.so.1"));
}

TEST(DlopenNote, WhatItOpensIsARootOfItsOwn) {
  // Loaded by liba.so it inherits an RPATH; opened by the extension it has none.
  auto builder = wheel();
  builder
      .elf(kExtension,
           Elf().needs("liba.so").rpath("$ORIGIN/lib").opens(note("required", R"("libb.so")")))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so").rpath("$ORIGIN:$ORIGIN/more"))
      .elf("pkg/lib/libb.so", Elf().needs("libc1.so"))
      .elf("pkg/lib/more/libc1.so", Elf());
  EXPECT_THAT(said(builder), ElementsAre("error needed-unreachable libc1.so"));
}

TEST(DlopenNote, DamagedTextsAreLeftOut) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().opens("[{").opens(R"({"soname":["libx.so"]})").opens("[1]"));
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(NamedSibling, IsANoteWhereNoSearchLeadsToIt) {
  auto builder = wheel();
  builder.elf(kExtension, Elf()).elf("pkg/lib/libplugin.so", Elf());
  WheelFacts& facts = builder.facts();
  facts.members[0].sibling_names = {"libplugin.so"};
  EXPECT_THAT(said(builder), ElementsAre("note dlopen-sibling-unreachable libplugin.so"));
}

TEST(NamedSibling, IsFineWhereASearchPathLeadsToItOrItIsNeeded) {
  auto builder = wheel();
  builder.elf(kExtension, Elf().needs("libpart.so").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/libplugin.so", Elf())
      .elf("pkg/lib/libpart.so", Elf());
  WheelFacts& facts = builder.facts();
  facts.members[0].sibling_names = {"ext.cpython-312-x86_64-linux-gnu.so", "libpart.so",
                                    "libplugin.so"};
  EXPECT_THAT(said(builder), IsEmpty());
}

TEST(OpenedByPython, IsOpenedInTheOrderOfTheTable) {
  auto table = OpeningTable::parse(R"({"rows": [{"distribution": "pkg", "opens": [
      {"path": "pkg/lib/libfirst*.so", "global": true, "by": "pkg/__init__.py"},
      {"path": "pkg/lib/libsecond.so", "global": false, "by": "pkg/__init__.py"}]}]})");
  ASSERT_TRUE(table.ok()) << table.error().message();
  auto builder = wheel();
  builder.elf("pkg/lib/libsecond.so", Elf().needs("libpart.so"))
      .elf("pkg/lib/libfirst-1.so", Elf().needs("libpart.so").runpath("$ORIGIN/parts"))
      .elf("pkg/lib/parts/libpart.so", Elf());
  const WheelFacts wheel = builder.build();
  const Policy& policy = Policy::built_in();
  const InstallTree tree = install(wheel, {}, policy, *policy.choose_profile(wheel, "generic"));
  LoaderOptions options;
  add_openings(options, tree, *table);
  ASSERT_EQ(options.openings.size(), 2U);
  EXPECT_EQ(options.openings[0].file, *tree.file_of("pkg/lib/libfirst-1.so"));
  EXPECT_TRUE(options.openings[0].global);
  const Resolution resolution = resolve(tree, options);
  const RootProcess& last = resolution.processes.back();
  EXPECT_EQ(last.root, *tree.file_of("pkg/lib/libsecond.so"));
  ASSERT_EQ(last.members.size(), 3U) << "with what was opened before for all to see";
  EXPECT_EQ(last.members[0].file, tree.file_of("pkg/lib/libfirst-1.so"));
  EXPECT_FALSE(OpeningTable::parse(R"({"rows": [{}]})").ok());
}

}  // namespace
}  // namespace wheelcheck
