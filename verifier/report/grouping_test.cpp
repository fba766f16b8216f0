#include "verifier/report/grouping.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/report/sample_report.h"
#include "verifier/report/text_writer.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A need of `library` by `place` that a package would serve.
Finding need(const std::string& place, const std::string& library, Level level = Level::warning,
             const std::string& package = "qt-addons <7") {
  Finding finding;
  finding.rule = &testing::kNeeded;
  finding.level = level;
  finding.place = place;
  finding.subject = library;
  finding.what = "NEEDED " + library + " belongs to a package that is not required";
  finding.searched = {"RUNPATH $ORIGIN/../" + place};
  finding.provided_by = {package + ": qt/lib/" + library};
  return finding;
}

TEST(ByCause, WarningsThatDifferByWhatIsNeededAreOne) {
  const std::vector<Finding> findings = {need("a.so", "libx.so"), need("b.so", "liby.so"),
                                         need("c.so", "libx.so"), need("d.so", "libz.so")};
  const std::vector<Cause> causes = by_cause(grouped(findings));
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].groups.size(), 4U);
  EXPECT_THAT(members_of(causes[0]),
              ElementsAre("libx.so: a.so and 1 more", "liby.so: b.so", "libz.so: d.so"));
}

TEST(ByCause, TwoAreToldOneByOne) {
  const std::vector<Finding> findings = {need("a.so", "libx.so"), need("b.so", "liby.so")};
  EXPECT_EQ(by_cause(grouped(findings)).size(), 2U);
}

TEST(ByCause, ErrorsAreToldOneByOne) {
  std::vector<Finding> findings;
  for (const char* library : {"libw.so", "libx.so", "liby.so", "libz.so"}) {
    findings.push_back(need("a.so", library, Level::error));
  }
  EXPECT_EQ(by_cause(grouped(findings)).size(), 4U);
}

TEST(ByCause, AnotherProviderRuleOrSentenceIsAnotherCause) {
  std::vector<Finding> findings;
  for (const char* library : {"libx.so", "liby.so", "libz.so"}) {
    findings.push_back(need("a.so", library));
    findings.push_back(need("a.so", library, Level::warning, "gtk"));
    findings.push_back(need("a.so", library));
    findings.back().what += " any more";
    findings.push_back(need("a.so", library));
    findings.back().rule = &testing::kBuilderPath;
  }
  const std::vector<Cause> causes = by_cause(grouped(findings));
  ASSERT_EQ(causes.size(), 4U);
  for (const Cause& cause : causes) EXPECT_EQ(cause.groups.size(), 3U);
}

TEST(ByCause, TheTextTellsTheFirstAndNamesTheOthersUnlessVerbose) {
  WheelReport wheel = testing::sample_wheel();
  wheel.findings = {need("a.so", "libx.so"), need("b.so", "liby.so"), need("c.so", "libx.so"),
                    need("d.so", "libz.so")};
  const std::string brief = text_of(wheel, {});
  EXPECT_THAT(
      brief,
      HasSubstr(
          R"(a.so: warning: WC101 needed-not-found: NEEDED libx.so belongs to a package that is not required
    likewise:
        liby.so: b.so
        libx.so: c.so
        libz.so: d.so
    provided by: qt-addons <7
    fix: Declare the package that has it.
)"));
  EXPECT_THAT(brief, HasSubstr("4 warnings"));
  TextOptions verbose;
  verbose.verbose = true;
  const std::string full = text_of(wheel, verbose);
  EXPECT_THAT(full, Not(HasSubstr("likewise")));
  for (const Finding& finding : wheel.findings) {
    EXPECT_THAT(full, HasSubstr(finding.place + ": warning: WC101 needed-not-found: NEEDED " +
                                finding.subject));
    EXPECT_THAT(full, HasSubstr(finding.searched.front()));
  }
}

}  // namespace
}  // namespace wheelcheck
