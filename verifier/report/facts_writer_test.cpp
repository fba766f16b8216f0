#include "verifier/report/facts_writer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

MemberFacts library() {
  MemberFacts member;
  member.entry.path = "demo/libx.so";
  member.kind = ContentKind::elf;
  member.inflated_size = 4096;
  member.elf = std::make_unique<ElfFacts>();
  ElfFacts& elf = *member.elf;
  elf.type = 3;
  elf.machine = 62;
  elf.has_dynamic = true;
  elf.soname = "libx.so";
  elf.needed = {"libc.so.6", "libstdc++.so.6"};
  elf.runpath = "$ORIGIN/../y";
  elf.versions = {{"GLIBC_2.9", "libc.so.6", 2, false, false, false},
                  {"GLIBC_2.28", "libc.so.6", 3, false, false, false},
                  {"GLIBC_PRIVATE", "libc.so.6", 4, false, false, false},
                  {"GLIBCXX_3.4.9", "libstdc++.so.6", 5, false, false, false},
                  {"GLIBCXX_3.4.30", "libstdc++.so.6", 6, false, false, false},
                  {"CXXABI_1.3", "libstdc++.so.6", 7, false, false, false}};
  elf.names = std::string("\0here\0there", 11);
  ElfSymbol symbol;
  symbol.name = 1;
  symbol.version = 1;
  symbol.binding = SymbolBinding::global;
  symbol.type = SymbolType::function;
  symbol.defined = true;
  symbol.value = 0x1040;
  elf.dynamic_symbols.push_back(symbol);
  symbol.name = 6;
  symbol.defined = false;
  elf.dynamic_symbols.push_back(symbol);
  return member;
}

json parsed(const MemberFacts& member, bool symbols) {
  FactsOptions options;
  options.json = true;
  options.symbols = symbols;
  return json::parse(facts_of_member(member, options));
}

TEST(Facts, HighestVersionIsByNumberNotByText) {
  const json needed = parsed(library(), false)["elf"]["highest_versions_needed"];
  EXPECT_EQ(needed["libc.so.6"], json({"GLIBC_2.28", "GLIBC_PRIVATE"}));
  EXPECT_EQ(needed["libstdc++.so.6"], json({"CXXABI_1.3", "GLIBCXX_3.4.30"}));
}

TEST(Facts, MemberInTextHasTheSameFieldsAsInJson) {
  const std::string text = facts_of_member(library(), {});
  EXPECT_THAT(text, HasSubstr("place: demo/libx.so\nkind: elf\nbytes: 4096\nelf:\n"
                              "  type: shared\n  machine: x86_64\n  bits: 64\n"));
  EXPECT_THAT(text, HasSubstr("  needed: libc.so.6, libstdc++.so.6\n  runpath: $ORIGIN/../y\n"));
  EXPECT_THAT(text, HasSubstr("    libstdc++.so.6: CXXABI_1.3, GLIBCXX_3.4.30\n"));
  EXPECT_THAT(text, HasSubstr("    defined: 1\n    undefined: 1\n    symtab: absent\n"));
}

TEST(Facts, SymbolsAreListedOnlyWhenAskedFor) {
  EXPECT_FALSE(parsed(library(), false)["elf"].contains("dynamic_symbols"));
  const json symbols = parsed(library(), true)["elf"]["dynamic_symbols"];
  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols[0]["name"], "here");
  EXPECT_EQ(symbols[0]["binding"], "global");
  EXPECT_EQ(symbols[0]["type"], "function");
  EXPECT_EQ(symbols[0]["value"], "0x1040");
  EXPECT_EQ(symbols[1]["name"], "there");
  EXPECT_EQ(symbols[1]["defined"], false);
}

TEST(Facts, WheelCountsMembersByKindAndListsWhatWasNotRead) {
  WheelFacts wheel;
  wheel.path = "demo.whl";
  wheel.members.push_back(library());
  MemberFacts broken;
  broken.entry.path = "demo/broken.so";
  broken.kind = ContentKind::elf;
  broken.unread = Error{"demo/broken.so", "is cut off", 64};
  wheel.members.push_back(std::move(broken));
  FactsOptions options;
  options.json = true;
  const json document = json::parse(facts_of_wheel(wheel, options));
  EXPECT_EQ(document["schema_version"], "1.0");
  EXPECT_EQ(document["archive"]["members"], 2);
  EXPECT_EQ(document["archive"]["by_kind"]["elf"], 2);
  EXPECT_EQ(document["libraries_and_programs"][1]["unread"],
            "demo/broken.so: is cut off (offset 0x40)");
  EXPECT_THAT(facts_of_wheel(wheel, {}), HasSubstr("libraries and programs:\n  demo/libx.so\n"));
}

TEST(Facts, NamesFromAFileCannotDriveTheTerminal) {
  MemberFacts member = library();
  member.elf->soname = "a\033[2J\xff\n";
  member.elf->versions[0].file = "b\033";
  member.entry.path = "c\r";
  for (const char c : facts_of_member(member, {})) EXPECT_TRUE(c == '\n' || c >= ' ') << int{c};
  EXPECT_THAT(facts_of_member(member, {}), HasSubstr("soname: a\\x1b[2J\\xff\\x0a\n"));
  EXPECT_EQ(parsed(member, false)["elf"]["soname"], "a\033[2J\\xff\n");
}

}  // namespace
}  // namespace wheelcheck
