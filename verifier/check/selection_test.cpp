#include "verifier/check/selection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/check/spelling.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;

constexpr CatalogueRow kRows[] = {
    {"WC001", "duplicate-name", Level::error, "", "", ""},
    {"WC101", "needed-not-found", Level::error, "", "", ""},
    {"WC102", "needed-by-luck", Level::warning, "", "", ""},
    {"WC201", "dead-entry", Level::note, "", "", ""},
    {"WC901", "nothing-inspected", Level::error, "", "", ""},
};
constexpr const CatalogueRow* kAll[] = {&kRows[0], &kRows[1], &kRows[2], &kRows[3], &kRows[4]};

std::vector<std::string> chosen(const Selection& selection) {
  const auto rows = choose_rules(selection, kAll);
  if (!rows) return {rows.error().what};
  std::vector<std::string> ids;
  for (const CatalogueRow* row : *rows) ids.emplace_back(row->id);
  return ids;
}

TEST(Selection, EmptyMeansAll) {
  EXPECT_THAT(chosen({}), ElementsAre("WC001", "WC101", "WC102", "WC201", "WC901"));
}

TEST(Selection, TakesIdsSlugsAndFamiliesInEitherCase) {
  EXPECT_THAT(chosen({{"WC101"}, {}}), ElementsAre("WC101", "WC901"));
  EXPECT_THAT(chosen({{"wc1, Dead-Entry"}, {}}), ElementsAre("WC101", "WC102", "WC201", "WC901"));
  EXPECT_THAT(chosen({{"WC001", "needed-by-luck"}, {}}), ElementsAre("WC001", "WC102", "WC901"));
}

TEST(Selection, IgnoreWinsOverSelect) {
  EXPECT_THAT(chosen({{"WC1"}, {"WC102"}}), ElementsAre("WC101", "WC901"));
  EXPECT_THAT(chosen({{"WC102"}, {"WC1"}}),
              ElementsAre("the selection leaves no rule to judge by"));
}

TEST(Selection, RulesAboutTheCheckItselfStayUnlessIgnored) {
  EXPECT_THAT(chosen({{"WC101"}, {"WC9"}}), ElementsAre("WC101"));
  EXPECT_THAT(chosen({{"WC901"}, {}}), ElementsAre("WC901"));
}

TEST(Selection, EverythingIgnoredIsAnError) {
  EXPECT_THAT(chosen({{}, {"WC"}}), ElementsAre("the selection leaves no rule to judge by"));
}

TEST(Selection, UnknownWordIsAnErrorWithAHint) {
  EXPECT_THAT(chosen({{"WC1O1"}, {}}),
              ElementsAre("there is no rule 'WC1O1'; did you mean 'WC101'?"));
  EXPECT_THAT(chosen({{}, {"needed-not-fuond"}}),
              ElementsAre("there is no rule 'needed-not-fuond'; did you mean 'needed-not-found'?"));
  EXPECT_THAT(chosen({{"1"}, {}}), ElementsAre("there is no rule '1'"));
  EXPECT_THAT(chosen({{"needed"}, {}}), ElementsAre("there is no rule 'needed'"))
      << "the beginning of a slug is no name";
}

TEST(Spelling, SwappedNeighboursAreOneEdit) {
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("Format", "format"), 0U);
}

TEST(Spelling, NothingIsGuessedFromFarAway) {
  EXPECT_EQ(nearest_word("--fromat", {"--format", "--fail-on"}), "--format");
  EXPECT_EQ(nearest_word("xyz", {"abc"}), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(10'000, 'x'), {"x"}), std::nullopt);
}

}  // namespace
}  // namespace wheelcheck
