#include <cctype>
#include <set>
#include <string>

#include "gtest/gtest.h"

#include "rules/rule.h"

namespace wheelcheck {
namespace {

TEST(Catalogue, IdsAndSlugsAreUniqueAndInOrder) {
  std::set<std::string> ids;
  std::set<std::string> slugs;
  std::string last;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(ids.insert(rule->row.id).second) << rule->row.id;
    EXPECT_TRUE(slugs.insert(rule->row.slug).second) << rule->row.slug;
    EXPECT_LT(last, rule->row.id);
    last = rule->row.id;
  }
}

TEST(Catalogue, EveryFamilyIsListedWithIdsOfItsOwn) {
  std::set<char> families;
  for (const Rule* rule : all_rules()) families.insert(rule->row.id[2]);
  for (const char family : {'0', '1', '2', '3', '4', '5', '6', '9'}) {
    EXPECT_TRUE(families.contains(family)) << family;
  }
  std::size_t in_families = 0;
  for (const auto& [rules, digit] : {std::pair{archive_rules(), '0'},
                                     {needed_rules(), '1'},
                                     {path_rules(), '2'},
                                     {symbol_rules(), '3'},
                                     {metadata_rules(), '4'},
                                     {cuda_rules(), '5'},
                                     {hardening_rules(), '6'},
                                     {self_rules(), '9'}}) {
    EXPECT_FALSE(rules.empty());
    for (const Rule& rule : rules) EXPECT_EQ(rule.row.id[2], digit) << rule.row.id;
    in_families += rules.size();
  }
  EXPECT_LE(in_families, all_rules().size());
}

TEST(Catalogue, RowsAreComplete) {
  for (const Rule* rule : all_rules()) {
    const CatalogueRow& row = rule->row;
    EXPECT_EQ(std::string(row.id).size(), 5U) << row.id;
    EXPECT_TRUE(std::string(row.id).starts_with("WC")) << row.id;
    for (const char c : std::string(row.slug)) {
      EXPECT_TRUE(c == '-' || std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0)
          << row.slug;
    }
    EXPECT_FALSE(std::string(row.title).ends_with('.')) << row.id;
    EXPECT_TRUE(std::string(row.why).ends_with('.')) << row.id << ": " << row.why;
    EXPECT_TRUE(std::string(row.fix).ends_with('.')) << row.id << ": " << row.fix;
  }
}

TEST(Catalogue, FindsByIdAndBySlug) {
  const Rule* rule = find_rule("WC301");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule, find_rule("symbol-duplicate"));
  EXPECT_EQ(find_rule("WC300"), nullptr);
  EXPECT_EQ(find_rule(""), nullptr);
}

}  // namespace
}  // namespace wheelcheck
