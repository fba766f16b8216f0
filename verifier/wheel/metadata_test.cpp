#include "verifier/wheel/metadata.h"

#include <chrono>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

/// The text of all problems, one a line: "3: what".
template <class Facts>
std::string problems(const Facts& facts) {
  std::string out;
  for (const TextProblem& problem : facts.problems)
    out += std::to_string(problem.line) + ": " + problem.what + "\n";
  return out;
}

const std::string kHead = "Metadata-Version: 2.1\nName: Foo.Bar\nVersion: 1.0+cu130\n";

TEST(MetadataFile, FieldsAndDescriptionAreRead) {
  const Metadata m = parse_metadata(kHead +
                                    "Requires-Python: >=3.10\nRequires-Dist: a>=1\n"
                                    "requires-dist: b; extra == 'X_y'\nProvides-Extra: X_y\n"
                                    "License: MIT\n        second line\n        \n        fourth\n"
                                    "\nRequires-Dist: of the description\n");
  EXPECT_EQ(problems(m), "");
  EXPECT_EQ(m.metadata_version, "2.1");
  EXPECT_EQ(m.name, "Foo.Bar");
  EXPECT_EQ(m.version->local(), "cu130");
  EXPECT_TRUE(m.requires_python_set->contains(*Version::parse("3.12")));
  ASSERT_EQ(m.requires_dist.size(), 2u);
  EXPECT_EQ(m.requires_dist[1].normalised, "b");
  EXPECT_EQ(m.requires_dist[1].line, 6u);
  EXPECT_EQ(m.provides_extra, std::vector<std::string>{"x-y"});
  EXPECT_EQ(m.headers.back().second, "MIT second line fourth");
  EXPECT_EQ(m.description, "Requires-Dist: of the description\n");
}

TEST(MetadataFile, LineEndsOfEveryKindEndALine) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char* line : {"Metadata-Version: 2.1", "Name: x", "Version: 1", "", "body"})
      text += std::string(line) + end;
    const Metadata m = parse_metadata(text);
    EXPECT_EQ(problems(m), "");
    EXPECT_EQ(m.version_text, "1");
    EXPECT_EQ(m.description, std::string("body") + end);
  }
}

TEST(MetadataFile, ABrokenRequirementKeepsItsLineAndText) {
  const Metadata m =
      parse_metadata(kHead + "Requires-Dist: a (1.0)\nRequires-Dist: b\nRequires-Dist: c >= x\n");
  ASSERT_EQ(m.requires_dist.size(), 1u);
  EXPECT_EQ(m.requires_dist[0].name, "b");
  ASSERT_EQ(m.problems.size(), 2u);
  EXPECT_EQ(m.problems[0].line, 4u);
  EXPECT_NE(m.problems[0].what.find("a (1.0)"), std::string::npos);
  EXPECT_EQ(m.problems[1].line, 6u);
  EXPECT_EQ(m.headers.size(), 6u);
}

TEST(MetadataFile, ARequirementOverSeveralLinesIsReadAndReported) {
  const Metadata m = parse_metadata(kHead + "Requires-Dist: a>=1 ;\n  os_name == 'posix'\n");
  ASSERT_EQ(m.requires_dist.size(), 1u);
  EXPECT_TRUE(m.requires_dist[0].marker);
  EXPECT_NE(problems(m).find("4: Requires-Dist runs over 2 lines"), std::string::npos);
}

TEST(MetadataFile, SingleFieldsThatRepeatAreProblems) {
  const Metadata m = parse_metadata(kHead + "Version: 2.0\nSummary: a\nsummary: b\n");
  EXPECT_EQ(m.version_text, "1.0+cu130");
  EXPECT_NE(problems(m).find("4: Version stands here again"), std::string::npos);
  EXPECT_NE(problems(m).find("6: Summary stands here again"), std::string::npos);
}

TEST(MetadataFile, WhatIsMissingOrNotValidIsNamed) {
  EXPECT_EQ(problems(parse_metadata("")),
            "0: Metadata-Version is missing\n0: Name is missing\n0: Version is missing\n");
  const Metadata m = parse_metadata(
      "Metadata-Version: 2.1\nName: a b\nVersion: x\nRequires-Python: 3\nProvides-Extra: a b\n");
  EXPECT_FALSE(m.version);
  EXPECT_EQ(m.version_text, "x");
  EXPECT_FALSE(m.requires_python_set);
  EXPECT_EQ(m.problems.size(), 4u);
}

TEST(MetadataFile, ALineThatIsNoHeaderEndsThemAndSaysWhatIsLost) {
  const Metadata m = parse_metadata(kHead + "oops\nRequires-Dist: a\nRequires-Dist: b\n");
  EXPECT_TRUE(m.requires_dist.empty());
  EXPECT_NE(problems(m).find("4: not a header: \"oops\""), std::string::npos);
  EXPECT_NE(problems(m).find("loses 2 of them"), std::string::npos);
  EXPECT_EQ(m.description, "oops\nRequires-Dist: a\nRequires-Dist: b\n");
}

TEST(MetadataFile, ForeignBytesAreProblemsWithTheirLine) {
  EXPECT_NE(problems(parse_metadata(kHead + "Author: \xFF\n")).find("4: not UTF-8"),
            std::string::npos);
  EXPECT_NE(problems(parse_metadata(kHead + std::string("Author: a\0b\n", 12))).find("4: a zero"),
            std::string::npos);
  const Metadata marked = parse_metadata("\xEF\xBB\xBF" + kHead);
  EXPECT_EQ(marked.metadata_version, "2.1");
  EXPECT_NE(problems(marked).find("1: starts with a byte-order mark"), std::string::npos);
  EXPECT_NE(problems(parse_metadata(" continued\n" + kHead)).find("1: continues"),
            std::string::npos);
  EXPECT_NE(problems(parse_metadata(kHead + ": nameless\n")).find("4: a header without a name"),
            std::string::npos);
}

TEST(MetadataFile, AnEnvelopeLineIsSkippedAsInstallersDo) {
  const Metadata m = parse_metadata(kHead + "From a: b\n folded\nRequires-Dist: a\n");
  EXPECT_EQ(m.requires_dist.size(), 1u);
  EXPECT_EQ(m.headers[3].second, "From a: b folded");
  EXPECT_NE(problems(m).find("4: a header without a name"), std::string::npos);
}

TEST(MetadataFile, ADescriptionHeaderLosesItsIndent) {
  const Metadata m = parse_metadata(kHead + "Description: one\n        two\n       |three\n");
  EXPECT_EQ(m.description, "one\ntwo\nthree");
}

TEST(MetadataFile, ManyProblemsAndLongLinesStayWithinTheirBudget) {
  std::string text = kHead;
  for (int i = 0; i < 5000; ++i) text += "Requires-Dist: =\n";
  const Metadata many = parse_metadata(text);
  EXPECT_EQ(many.problems.size(), kMaxTextProblems + 1);
  EXPECT_NE(many.problems.back().what.find("more problems"), std::string::npos);
  const Metadata wide = parse_metadata(kHead + "Summary: " + std::string(1'000'000, 'x') + "\n");
  EXPECT_LE(wide.headers.back().second.size(), kMaxFieldLength);
  EXPECT_NE(problems(wide).find("4: \"Summary\" is longer"), std::string::npos);
}

TEST(MetadataFile, MillionsOfShortLinesTakeLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  std::string text = kHead;
  for (int i = 0; i < 1'000'000; ++i) text += i % 2 == 0 ? "a:\n" : " b\n";
  const Metadata m = parse_metadata(text);
  EXPECT_EQ(m.headers.size(), kMaxTextItems);
  EXPECT_NE(problems(m).find("too many headers"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// --- WHEEL --------------------------------------------------------------------------------------

TEST(WheelFileText, TagsAreExpanded) {
  const WheelFile w = parse_wheel_file(
      "Wheel-Version: 1.0\nGenerator: x (1)\nRoot-Is-Purelib: False\nBuild: 1a\n"
      "Tag: py2.py3-none-any\nTag: cp312-cp312-linux_x86_64\n\n");
  EXPECT_EQ(problems(w), "");
  EXPECT_EQ(w.wheel_version, "1.0");
  EXPECT_EQ(w.generator, "x (1)");
  EXPECT_EQ(w.root_is_purelib, false);
  EXPECT_EQ(w.build, "1a");
  EXPECT_EQ(w.tag_lines.size(), 2u);
  ASSERT_EQ(w.tags.size(), 3u);
  EXPECT_EQ(w.tags[1].str(), "py3-none-any");
}

TEST(WheelFileText, WhatIsMissingOrNotUnderstoodIsNamed) {
  EXPECT_EQ(problems(parse_wheel_file("")),
            "0: Wheel-Version is missing\n0: Root-Is-Purelib is missing\n0: Tag is missing\n");
  const WheelFile w = parse_wheel_file(
      "Wheel-Version: 1.0\nRoot-Is-Purelib: yes\nTag: cp312-linux\n\nTag: py3-none-any\n");
  EXPECT_FALSE(w.root_is_purelib);
  EXPECT_NE(problems(w).find("2: Root-Is-Purelib is neither"), std::string::npos);
  EXPECT_NE(problems(w).find("3: Tag"), std::string::npos);
  EXPECT_NE(problems(w).find("5: text behind a blank line"), std::string::npos);
  EXPECT_TRUE(w.tags.empty());
}

// --- entry_points.txt, top_level.txt ------------------------------------------------------------

TEST(EntryPointsFile, GroupsAndReferencesAreRead) {
  const EntryPoints e = parse_entry_points(
      "# comment\n[console_scripts]\nflatc = executorch.data.bin:flatc\n a=b:c.d [x, y]\n"
      "; comment\n\n[torch.backends]\nplug = mod\n");
  EXPECT_EQ(problems(e), "");
  ASSERT_EQ(e.points.size(), 3u);
  EXPECT_EQ(e.points[0].group, "console_scripts");
  EXPECT_EQ(e.points[0].module, "executorch.data.bin");
  EXPECT_EQ(e.points[0].attribute, "flatc");
  EXPECT_EQ(e.points[1].attribute, "c.d");
  EXPECT_EQ(e.points[1].extras, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(e.points[2].group, "torch.backends");
  EXPECT_EQ(e.points[2].attribute, "");
  EXPECT_EQ(e.points[2].line, 8u);
}

TEST(EntryPointsFile, BrokenLinesAreProblems) {
  const EntryPoints e = parse_entry_points(
      "a = b:c\n[g\n[g]\nno equals\nx = a b\nx = a:b\n= a:b\ny = a:\nz = a:b [c\n");
  const std::string all = problems(e);
  for (const char* what :
       {"1: \"a = b:c\": stands in no group", "2: \"[g\": the name", "4: \"no equals\": not of",
        "5: \"x = a b\": what follows", "6: \"x = a:b\": the group has",
        "7: \"= a:b\": has no name", "8: \"y = a:\": what", "9: \"z = a:b [c\": what"})
    EXPECT_NE(all.find(what), std::string::npos) << what << "\n" << all;
}

TEST(TopLevelFile, BlankLinesDoNotCount) {
  EXPECT_EQ(parse_top_level("a\r\n\n  b \n"), (std::vector<std::string>{"a", "b"}));
}

// --- Install paths ------------------------------------------------------------------------------

TEST(InstallPaths, DataSchemesAreMapped) {
  const auto path = [](const char* member) {
    const InstallPath p = install_path(member, "x-1.data", Scheme::purelib);
    return std::to_string(static_cast<int>(p.scheme)) + ":" + p.path;
  };
  const auto expected = [](Scheme scheme, const char* p) {
    return std::to_string(static_cast<int>(scheme)) + ":" + p;
  };
  EXPECT_EQ(path("x/a.so"), expected(Scheme::purelib, "x/a.so"));
  EXPECT_EQ(path("x-1.data/platlib/clang/a.so"), expected(Scheme::platlib, "clang/a.so"));
  EXPECT_EQ(path("x-1.data/purelib/a"), expected(Scheme::purelib, "a"));
  EXPECT_EQ(path("x-1.data/scripts/run"), expected(Scheme::scripts, "run"));
  EXPECT_EQ(path("x-1.data/data/share/a"), expected(Scheme::data, "share/a"));
  EXPECT_EQ(path("x-1.data/headers/a.h"), expected(Scheme::headers, "a.h"));
  EXPECT_EQ(path("x-1.data/other/a"), expected(Scheme::unknown, ""));
  EXPECT_EQ(path("x-1.data/a"), expected(Scheme::unknown, ""));
  EXPECT_EQ(path("x-1.data.txt"), expected(Scheme::purelib, "x-1.data.txt"));
  EXPECT_EQ(path("y-1.data/scripts/a"), expected(Scheme::purelib, "y-1.data/scripts/a"));
  EXPECT_EQ(install_path("a.data/scripts/a", "", Scheme::platlib).path, "a.data/scripts/a");
}

}  // namespace
}  // namespace wheelcheck
