#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "verifier/cli/program.h"
#include "verifier/cli/tiny_wheel.h"
#include "verifier/report/schema_check.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using wheelcheck::testing::Outcome;
using wheelcheck::testing::Sandbox;
using wheelcheck::testing::schema_faults;
using wheelcheck::testing::tiny_library;
using wheelcheck::testing::TinyWheel;

constexpr const char* kLinux = "py3-none-manylinux_2_28_x86_64";

class CheckCommand : public ::testing::Test {
 protected:
  Sandbox box;

  std::string clean() const {
    return TinyWheel().add("demo/__init__.py", "answer = 42\n").write(box.make_folder("clean"));
  }
  /// Needs a library that is nowhere.
  std::string defective() const {
    return TinyWheel(kLinux)
        .add("demo/__init__.py", "")
        .add("demo/libx.so", tiny_library({"libnowhere.so.7"}))
        .write(box.make_folder("defective"));
  }
  /// An ELF file whose dynamic section lies beyond its end.
  std::string damaged() const {
    const std::string library = tiny_library({"libc.so.6"});
    return TinyWheel(kLinux)
        .add("demo/__init__.py", "")
        .add("demo/libcut.so", library.substr(0, 250))
        .write(box.make_folder("damaged"));
  }
};

TEST_F(CheckCommand, CleanWheelExitsWithZeroAndSaysClean) {
  const Outcome outcome = box.run(clean());
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("demo-1.0-py3-none-any.whl: clean"));
  EXPECT_THAT(outcome.out, HasSubstr("(profile generic"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(box.run("check " + clean()).code, 0);
}

TEST_F(CheckCommand, OptionsMayStandBeforeTheCommand) {
  const std::string wheel = clean();
  const Outcome outcome = box.run("--stats check " + wheel);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("inflated"));
  EXPECT_EQ(box.run("--format=json show " + wheel).code, 0);
  // The value of an option is not the command: what is missing is said, nothing is guessed.
  EXPECT_EQ(box.run("--profile check " + wheel).code, 2);
}

TEST_F(CheckCommand, MissingLibraryExitsWithOneAndIsExplained) {
  const Outcome outcome = box.run(defective());
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("demo/libx.so: error: WC101 "));
  EXPECT_THAT(outcome.out, HasSubstr("libnowhere.so.7"));
  EXPECT_THAT(outcome.out, HasSubstr("    searched:"));
  EXPECT_THAT(outcome.out, HasSubstr("    fix: "));
}

TEST_F(CheckCommand, FailOnDecidesBetweenZeroAndOne) {
  const std::string wheel = defective();
  EXPECT_EQ(box.run("--fail-on error " + wheel).code, 1);
  EXPECT_EQ(box.run("--fail-on note " + wheel).code, 1);
  EXPECT_EQ(box.run("--fail-on never " + wheel).code, 0);
  EXPECT_EQ(box.run("--fail-on whenever " + wheel).code, 2);
}

TEST_F(CheckCommand, SelectAndIgnoreDecideWhichRulesRun) {
  const std::string wheel = defective();
  EXPECT_EQ(box.run("--select WC101 " + wheel).code, 1);
  EXPECT_EQ(box.run("--select WC0 --ignore WC9 " + wheel).code, 0);
  const Outcome without = box.run("--ignore WC1,WC2,WC3 --ignore WC4,WC5,WC6 " + wheel);
  EXPECT_EQ(without.code, 0) << without.out;
  EXPECT_EQ(box.run("--ignore WC " + wheel).code, 2) << "nothing is left to judge by";
}

TEST_F(CheckCommand, WrongCallsExitWithTwoAndAHint) {
  const std::string wheel = clean();
  const auto fails = [&](const std::string& arguments, const char* words) {
    const Outcome outcome = box.run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  };
  fails("", "nothing to check");
  fails("check", "nothing to check");
  fails("--fromat json " + wheel, "no option '--fromat'; did you mean '--format'?");
  fails("--select WC1O1 " + wheel, "no rule 'WC1O1'; did you mean 'WC101'?");
  fails("--ignore nonsense-word " + wheel, "no rule 'nonsense-word'");
  fails("--profile generc " + wheel, "no profile 'generc'; did you mean 'generic'?");
  fails("--format xml " + wheel, "xml");
  fails("--threads 0 " + wheel, "threads");
  fails("-q -v " + wheel, "--quiet");
  fails("chekc " + wheel, "did you mean 'check'?");
  fails(box.make_folder("empty"), "there is no wheel");
  fails(wheel + " " + box.make_folder("empty"), "there is no wheel");
  fails("'nowhere/*.whl'", "no file matches");
}

TEST_F(CheckCommand, UnreadableInputExitsWithThreeAndTheRestIsStillChecked) {
  const std::string text = box.write("text.whl", "not a zip archive\n");
  for (const std::string& bad : {text, box.path() + "/missing.whl"}) {
    const Outcome outcome = box.run(bad + " " + clean());
    EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("unreadable"));
    EXPECT_THAT(outcome.out, HasSubstr("demo-1.0-py3-none-any.whl: clean"));
  }
  EXPECT_EQ(box.run(text + " " + defective()).code, 3) << "the highest wins";
}

TEST_F(CheckCommand, DamagedMemberExitsWithThreeNamesItAndIsNeverClean) {
  const Outcome outcome = box.run(damaged());
  EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("demo/libcut.so"));
  EXPECT_THAT(outcome.out, Not(HasSubstr(": clean")));
  EXPECT_EQ(box.run("--fail-on never --ignore WC9,WC0 " + damaged()).code, 3);
}

TEST_F(CheckCommand, WithMustBeReadable) {
  const std::string wheel = clean();
  const Outcome missing = box.run("--with nowhere.whl " + wheel);
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.out, HasSubstr("nowhere.whl"));
  EXPECT_EQ(box.run("--with " + box.make_folder("nothing") + " " + wheel).code, 3);
}

TEST_F(CheckCommand, WithGivesWhatTheWheelNeeds) {
  const std::string needing =
      TinyWheel(kLinux, "other")
          .add("demo/__init__.py", "")
          .add("demo/libx.so", tiny_library({"libother.so"}, "$ORIGIN/../other"))
          .write(box.make_folder("needing"));
  EXPECT_EQ(box.run("--select WC101 " + needing).code, 1);
  // As installed: site-packages of one package.
  const std::string library = tiny_library({});
  box.write("site/other/libother.so", library);
  box.write("site/other-2.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: other\nVersion: 2.0\n");
  box.write("site/other-2.0.dist-info/RECORD",
            "other/libother.so,,\nother-2.0.dist-info/METADATA,,\n");
  const Outcome with = box.run("--select WC101 --with site " + needing);
  EXPECT_EQ(with.code, 0) << with.out << with.err;
}

TEST_F(CheckCommand, WheelWithoutContentIsAFindingAboutTheCheck) {
  const Outcome outcome = box.run(TinyWheel().write(box.path()));
  EXPECT_EQ(outcome.code, 1) << outcome.out;
}

TEST_F(CheckCommand, FoldersMeanTheirWheelsAndSeveralWheelsHaveHeadingsAndATotal) {
  defective();
  clean();
  const Outcome outcome = box.run("defective clean");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("== demo-1.0-py3-none-manylinux_2_28_x86_64.whl\ndemo/libx.so: error: "));
  EXPECT_THAT(outcome.out, HasSubstr("\n2 wheels: 1 passed, 1 failed; 1 error"));
  EXPECT_EQ(box.run("'*/*.whl'").code, 1) << "a pattern that no shell expanded";
}

TEST_F(CheckCommand, JsonIsOneDocumentThatHoldsToTheSchemaWhateverTheOutcome) {
  std::ifstream file(WHEELCHECK_SOURCE_DIR "/docs/report.schema.json");
  const json schema = json::parse(file);
  const std::string bad = box.write("text.whl", "not a zip archive\n");
  const auto holds = [&](const std::string& arguments, int code) {
    const Outcome outcome = box.run("--format json " + arguments);
    EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const json report = json::parse(outcome.out, nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << outcome.out;
    EXPECT_THAT(schema_faults(schema, report), IsEmpty());
    EXPECT_EQ(report["exit_code"], code);
  };
  holds(clean(), 0);
  holds("--stats " + clean(), 0);
  holds(defective() + " " + clean(), 1);
  holds(damaged(), 3);
  holds(bad + " " + clean(), 3);
  holds("--with nowhere.whl " + clean(), 3);
}

TEST_F(CheckCommand, JsonNamesTheRuleThePlaceAndTheSubject) {
  const json report = json::parse(box.run("--format json --select WC101 " + defective()).out);
  const json& finding = report["wheels"][0]["findings"].at(0);
  EXPECT_EQ(finding["rule"], "WC101");
  EXPECT_EQ(finding["level"], "error");
  EXPECT_EQ(finding["place"], "demo/libx.so");
  EXPECT_EQ(finding["subject"], "libnowhere.so.7");
}

TEST_F(CheckCommand, ReportThatCannotBeWrittenIsNoPass) {
  const Outcome outcome = box.run(clean() + " >/dev/full");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("could not be written"));
}

TEST_F(CheckCommand, ColourNeedsATerminalOrAnOrder) {
  const std::string wheel = defective();
  EXPECT_THAT(box.run(wheel).out, Not(HasSubstr("\033")));
  EXPECT_THAT(box.run("--color always " + wheel).out, HasSubstr("\033[1;31merror\033[0m"));
  EXPECT_THAT(box.run("--color never " + wheel).out, Not(HasSubstr("\033")));
}

TEST_F(CheckCommand, NamesInAWheelCannotDriveTheTerminal) {
  const std::string wheel = TinyWheel(kLinux)
                                .add("demo/__init__.py", "")
                                .add("demo/\033[2J\xff.so", tiny_library({"libno\033[31m.so"}))
                                .write(box.path());
  for (const char* format : {"text", "json"}) {
    const Outcome outcome = box.run("--format " + std::string(format) + " " + wheel);
    EXPECT_EQ(outcome.code, 1);
    for (const char c : outcome.out) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << int{c};
  }
}

TEST_F(CheckCommand, StatsTellTheCost) {
  const Outcome outcome = box.run("--stats " + clean());
  EXPECT_THAT(outcome.out, HasSubstr("\n    read "));
  EXPECT_THAT(outcome.out, HasSubstr("\ntook "));
  EXPECT_THAT(outcome.out, HasSubstr("peak memory "));
}

TEST_F(CheckCommand, QuietPrintsNothingForACleanWheel) {
  EXPECT_EQ(box.run("-q " + clean()).out, "");
  EXPECT_THAT(box.run("-q " + defective()).out, StartsWith("demo/libx.so: error: "));
}

}  // namespace
}  // namespace wheelcheck
