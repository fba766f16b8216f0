#include "verifier/report/text_writer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/report/sample_report.h"

namespace wheelcheck {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using wheelcheck::testing::sample_wheel;

TEST(Text, FindingsReadLikeACompilersAndEndInASummary) {
  EXPECT_EQ(
      text_of(sample_wheel(), {}),
      R"(demo-1.0-py3-none-any.whl: note: WC403 build-path-in-data: 2 members hold paths of the build machine
demo/libx.so: error: WC101 needed-not-found: libcudart.so.12
    needed by: demo/liby.so
    searched:
        $ORIGIN: demo: no such file
        the system libraries of manylinux_2_28
    provided by: nvidia-cuda-runtime-cu12, which the wheel does not require
    fix: require nvidia-cuda-runtime-cu12
demo/libx.so: warning: WC202 builder-path: RUNPATH entry /home/b/lib stands behind a working one [2 times]
    also in: demo/libz.so
    fix: Remove the entry.
demo-1.0-py3-none-any.whl: 1 error, 2 warnings, 1 note (profile generic, chosen because no other profile is for demo; 2 ELF files, 1.2k members)
)");
}

TEST(Text, CleanIsSaidOnlyOfAWheelWithoutErrorsAndWarningsThatWasReadInFull) {
  WheelReport wheel = sample_wheel();
  wheel.findings.resize(1);  // the note
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("any.whl: clean, 1 note (profile"));
  wheel.findings.clear();
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("any.whl: clean (profile"));
  wheel.unread.push_back({"demo/a.so", Error{"demo/a.so: .dynsym", "truncated", 16}});
  EXPECT_EQ(text_of(wheel, {}),
            R"(demo/a.so: unread: .dynsym: truncated (offset 0x10)
demo-1.0-py3-none-any.whl: not clean, 1 member not read (profile generic, chosen because no other profile is for demo; 2 ELF files, 1.2k members)
)");
}

TEST(Text, UnreadMemberIsToldOnce) {
  static constexpr CatalogueRow kUnread{"WC903", "unread-member", Level::error, "", "", "Fix it."};
  WheelReport wheel = sample_wheel();
  wheel.unread.push_back({"demo/a.so", Error{"demo/a.so", "truncated", {}}});
  Finding finding;
  finding.rule = &kUnread;
  finding.place = "demo/a.so";
  finding.what = "could not be read: truncated";
  wheel.findings = {finding};
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("demo/a.so: error: WC903 unread-member: could not"));
  EXPECT_THAT(text_of(wheel, {}), Not(HasSubstr("demo/a.so: unread: ")));
  wheel.findings.clear();
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("demo/a.so: unread: truncated\n"));
}

TEST(Text, PlaceIsNotRepeatedAsTheOneThatNeeds) {
  WheelReport wheel = sample_wheel();
  for (Finding& finding : wheel.findings) finding.needed_by = {finding.place};
  const std::string text = text_of(wheel, {});
  EXPECT_THAT(text, Not(HasSubstr("needed by")));
  EXPECT_THAT(text, HasSubstr("    also in: demo/libz.so\n")) << "still the same finding";
}

TEST(Text, UnreadableWheelNamesTheReason) {
  WheelReport wheel;
  wheel.file = "dist/x.whl";
  wheel.unreadable = Error{"dist/x.whl", "not a zip archive", {}};
  EXPECT_EQ(text_of(wheel, {}), "x.whl: unreadable: dist/x.whl: not a zip archive\n");
}

TEST(Text, QuietShowsFindingsOnly) {
  TextOptions options;
  options.quiet = true;
  WheelReport wheel = sample_wheel();
  EXPECT_THAT(text_of(wheel, options), Not(HasSubstr("(profile")));
  wheel.findings.clear();
  EXPECT_EQ(text_of(wheel, options), "");
}

TEST(Text, SeveralWheelsHaveHeadings) {
  TextOptions options;
  options.name_wheel = true;
  EXPECT_THAT(text_of(sample_wheel(), options),
              HasSubstr("== demo-1.0-py3-none-any.whl\n(wheel): note: WC403 "));
}

TEST(Text, NumberOfTimesIsShownUnlessTheRuleSaysIt) {
  WheelReport wheel = sample_wheel();
  wheel.findings[0].count = 3;
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("build machine [3 times]\n"));
  wheel.findings[0].what = "3 members hold paths";
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("3 members hold paths\n"));
}

TEST(Text, ListsOfRulesThatJudgeNoNeededAreNamedForWhatTheyHold) {
  WheelReport wheel = sample_wheel();
  wheel.findings[0].needed_by = {"demo/a.so: 2"};
  wheel.findings[0].searched = {"/home/b"};
  EXPECT_THAT(text_of(wheel, {}), HasSubstr("    in: demo/a.so: 2\n    entries: /home/b\n"));
}

TEST(Text, MangledNamesAreReadAloudAndShownAsTheyAreWhenVerbose) {
  WheelReport wheel = sample_wheel();
  wheel.findings[1].subject = "_ZN1a1fEv";
  wheel.findings[1].what = "_ZN1a1fEv and 1 more (group) are defined by 2 files";
  EXPECT_THAT(text_of(wheel, {}), HasSubstr(": a::f() and 1 more (group) are defined by 2 files"));
  EXPECT_THAT(text_of(wheel, {}), Not(HasSubstr("_ZN1a1fEv")));
  TextOptions verbose;
  verbose.verbose = true;
  EXPECT_THAT(text_of(wheel, verbose), HasSubstr("    symbol: _ZN1a1fEv\n"));
}

TEST(Text, LongListsAreCutUnlessVerboseButTheSearchNeverIs) {
  WheelReport wheel = sample_wheel();
  Finding& finding = wheel.findings[1];
  finding.needed_by.clear();
  finding.searched.clear();
  for (int i = 0; i < 20; ++i) {
    finding.needed_by.push_back("user" + std::to_string(i));
    finding.searched.push_back("place" + std::to_string(i));
  }
  const std::string brief = text_of(wheel, {});
  EXPECT_THAT(brief, HasSubstr("        user5\n        ... and 14 more (-v shows all)\n"));
  EXPECT_THAT(brief, HasSubstr("        place19\n"));
  TextOptions verbose;
  verbose.verbose = true;
  EXPECT_THAT(text_of(wheel, verbose), HasSubstr("        user19\n"));
  EXPECT_THAT(text_of(wheel, verbose), HasSubstr("    why: The loader refuses the file.\n"));
}

TEST(Text, NamesFromAWheelCannotForgeLinesOrDriveTheTerminal) {
  WheelReport wheel = sample_wheel();
  wheel.file = "a\033]0;x\a.whl";
  wheel.findings[1].place = "x\ny.so: clean";
  wheel.findings[1].what = "\033[1A\033[2Kok";
  wheel.findings[1].needed_by = {"b\rc"};
  wheel.findings[1].searched = {"d\x9b"};
  wheel.findings[1].provided_by = {"e\u202E"};
  wheel.findings[1].fix = "f\033";
  wheel.unread.push_back({"g\033", Error{"g\033", "h\033", {}}});
  const std::string text = text_of(wheel, {});
  for (const char c : text) EXPECT_TRUE(c == '\n' || c >= ' ') << int{c};
  EXPECT_THAT(text, HasSubstr("x\\x0ay.so: clean: error: WC101 needed-not-found: \\x1b[1A"));
}

TEST(Text, ColourIsOnlyThereWhenAskedFor) {
  EXPECT_THAT(text_of(sample_wheel(), {}), Not(HasSubstr("\033")));
  TextOptions options;
  options.colour = true;
  EXPECT_THAT(text_of(sample_wheel(), options), HasSubstr("\033[1;31merror\033[0m: WC101"));
}

TEST(Text, RunNamesWhatCouldNotBeUsedTheTotalAndTheCost) {
  Report report;
  report.wheels = {sample_wheel(), sample_wheel(), sample_wheel()};
  report.wheels[1].findings.clear();
  report.wheels[2].unread.push_back({"a", Error{"a", "truncated", {}}});
  report.with_errors.push_back(Error{"deps/torch.whl", "no such file", {}});
  report.run = RunStats{0.5, 0.75, 50 << 20, 1 << 20};
  report.rules_run = 41;
  TextOptions options;
  options.stats = true;
  EXPECT_EQ(text_of_run(report, options),
            R"(--with: unreadable: deps/torch.whl: no such file
3 wheels: 1 passed, 1 failed, 1 not read in full; 2 errors, 4 warnings, 2 notes
took 0.500 s, 0.750 s of processor time; peak memory 50.0 MiB, of a child process 1.0 MiB; 41 rules
)");
  EXPECT_THAT(text_of(sample_wheel(), options),
              HasSubstr("    read 2.0 KiB, inflated 3.0 MiB, hashed 512 B; 1 second pass of 1.0 "
                        "KiB; 0.500 s, 6 MB/s inflated\n"));
  WheelReport compared = sample_wheel();
  compared.stats.cross_checked = 37;
  compared.stats.cross_check_skipped = 1;
  EXPECT_THAT(text_of(compared, options),
              HasSubstr("; compared with LIEF 37 ELF files, skipped 1; "));
}

}  // namespace
}  // namespace wheelcheck
