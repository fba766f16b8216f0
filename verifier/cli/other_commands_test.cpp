#include <fstream>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "rules/rule.h"
#include "verifier/check/selection.h"
#include "verifier/cli/program.h"
#include "verifier/cli/tiny_wheel.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using wheelcheck::testing::Outcome;
using wheelcheck::testing::Sandbox;
using wheelcheck::testing::tiny_library;
using wheelcheck::testing::TinyWheel;

TEST(Program, HelpAndVersionExitWithZero) {
  const Sandbox box;
  for (const char* arguments : {"--help", "-h", "help"}) {
    const Outcome outcome = box.run(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("wheelcheck [check] [OPTIONS] WHEEL..."));
  }
  EXPECT_EQ(box.run("--version").out, "wheelcheck " WHEELCHECK_VERSION "\n");
  for (const char* command : {"check", "show", "explain", "row"}) {
    const Outcome outcome = box.run(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Usage: wheelcheck " + std::string(command)));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Explain, PrintsTheCatalogueOfARuleByIdAndBySlug) {
  const Sandbox box;
  ASSERT_FALSE(all_rules().empty());
  const CatalogueRow& row = all_rules().front()->row;
  const Outcome by_id = box.run("explain " + std::string(row.id));
  EXPECT_EQ(by_id.code, 0);
  EXPECT_THAT(by_id.out, StartsWith(std::string(row.id) + " " + row.slug + " ("));
  EXPECT_THAT(by_id.out, HasSubstr("Why it matters"));
  EXPECT_EQ(box.run("explain " + std::string(row.slug)).out, by_id.out);
}

TEST(Explain, EveryIdAndEverySlugMeansOneRule) {
  std::vector<const CatalogueRow*> rows;
  for (const Rule* rule : all_rules()) rows.push_back(&rule->row);
  for (const CatalogueRow* row : rows) {
    EXPECT_THAT(rules_named(row->id, rows), ElementsAre(row)) << row->id;
    EXPECT_THAT(rules_named(row->slug, rows), ElementsAre(row)) << row->slug;
  }
}

TEST(Explain, ListsAllRulesOneALine) {
  const Sandbox box;
  const std::string out = box.run("explain").out;
  std::size_t lines = 0;
  for (const char c : out) lines += c == '\n' ? 1 : 0;
  EXPECT_EQ(lines, all_rules().size());
}

TEST(Explain, UnknownRuleIsAWrongCallWithAHint) {
  const Sandbox box;
  const Outcome outcome = box.run("explain WC1O1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'WC101'?"));
}

TEST(Explain, CommittedPageIsMadeFromTheCatalogue) {
  const Sandbox box;
  std::ifstream file(WHEELCHECK_SOURCE_DIR "/docs/rules.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(box.run("explain --markdown").out, page)
      << "stale; run: wheelcheck explain --markdown > docs/rules.md";
}

TEST(Show, PrintsTheFactsOfAWheel) {
  const Sandbox box;
  const std::string wheel = TinyWheel("cp312-cp312-manylinux_2_28_x86_64", "other>=2")
                                .add("demo/libx.so", tiny_library({"libc.so.6"}, "$ORIGIN/y"))
                                .write(box.path());
  const Outcome text = box.run("show " + wheel);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("distribution: demo\n"));
  EXPECT_THAT(text.out, HasSubstr("tags: cp312-cp312-manylinux_2_28_x86_64\n"));
  EXPECT_THAT(text.out, HasSubstr("requires: other>=2\n"));
  EXPECT_THAT(text.out, HasSubstr("needed: libc.so.6\n"));
  EXPECT_THAT(text.out, HasSubstr("runpath: $ORIGIN/y\n"));
  const json document = json::parse(box.run("show --format json " + wheel).out);
  EXPECT_EQ(document["kind"], "wheel");
  EXPECT_EQ(document["libraries_and_programs"][0]["elf"]["machine"], "x86_64");
}

TEST(Show, ElfFileAndMemberHaveTheSameFacts) {
  const Sandbox box;
  const std::string library = tiny_library({"libc.so.6"});
  const std::string wheel =
      TinyWheel("py3-none-manylinux_2_28_x86_64").add("demo/libx.so", library).write(box.path());
  box.write("libx.so", library);
  const json file = json::parse(box.run("show --symbols --format json libx.so").out);
  const json member =
      json::parse(box.run("show --symbols --format json --member demo/libx.so " + wheel).out);
  EXPECT_EQ(file["elf"]["needed"], json({"libc.so.6"}));
  EXPECT_TRUE(file["elf"].contains("dynamic_symbols"));
  EXPECT_EQ(file["elf"], member["elf"]);
}

TEST(Show, WhatCannotBeReadExitsWithThreeAndWrongCallsWithTwo) {
  const Sandbox box;
  box.write("cut.so", tiny_library({}).substr(0, 250));
  const std::string wheel = TinyWheel().add("demo/a.py", "").write(box.path());
  EXPECT_EQ(box.run("show cut.so").code, 3);
  EXPECT_EQ(box.run("show nowhere.whl").code, 3);
  EXPECT_EQ(box.run("show").code, 2);
  EXPECT_EQ(box.run("show a b").code, 2);
  EXPECT_EQ(box.run("show --symbols " + wheel).code, 2);
  const Outcome outcome = box.run("show --member demo/b.py " + wheel);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'demo/a.py'?"));
}

}  // namespace
}  // namespace wheelcheck
