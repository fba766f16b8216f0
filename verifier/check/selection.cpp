#include "verifier/check/selection.h"

#include <algorithm>
#include <set>

#include "verifier/check/spelling.h"

namespace wheelcheck {
namespace {

std::string in_case(std::string_view text, char first, char last, int shift) {
  std::string out(text);
  for (char& c : out) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return out;
}
std::string upper(std::string_view text) { return in_case(text, 'a', 'z', 'A' - 'a'); }
std::string lower(std::string_view text) { return in_case(text, 'A', 'Z', 'a' - 'A'); }

std::vector<std::string> words_of(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    std::size_t start = 0;
    while (start <= list.size()) {
      const std::size_t end = std::min(list.find(',', start), list.size());
      std::string word = list.substr(start, end - start);
      word.erase(0, word.find_first_not_of(' '));
      word.erase(word.find_last_not_of(' ') + 1);
      if (!word.empty()) words.push_back(std::move(word));
      start = end + 1;
    }
  }
  return words;
}

using RowSet = std::set<const CatalogueRow*>;

Result<RowSet> all_named(const std::vector<std::string>& lists,
                         std::span<const CatalogueRow* const> rows) {
  RowSet chosen;
  for (const std::string& word : words_of(lists)) {
    const auto named = rules_named(word, rows);
    if (named.empty()) return Error{"", unknown_rule(word, rows), {}};
    chosen.insert(named.begin(), named.end());
  }
  return chosen;
}

bool about_the_check(const CatalogueRow& row) {
  return std::string_view(row.id).starts_with("WC9");
}

}  // namespace

std::vector<const CatalogueRow*> rules_named(std::string_view word,
                                             std::span<const CatalogueRow* const> rows) {
  std::vector<const CatalogueRow*> named;
  const std::string id = upper(word);
  const std::string slug = lower(word);
  const bool may_be_id = id.starts_with("WC");
  for (const CatalogueRow* row : rows) {
    if (row->slug == slug || (may_be_id && std::string_view(row->id).starts_with(id))) {
      named.push_back(row);
    }
  }
  return named;
}

std::string unknown_rule(std::string_view word, std::span<const CatalogueRow* const> rows) {
  std::vector<std::string> known;
  for (const CatalogueRow* row : rows) {
    known.emplace_back(row->id);
    known.emplace_back(row->slug);
  }
  return "there is no rule '" + std::string(word) + "'" + spelling_hint(word, known);
}

Result<std::vector<const CatalogueRow*>> choose_rules(const Selection& selection,
                                                      std::span<const CatalogueRow* const> rows) {
  auto selected = all_named(selection.select, rows);
  if (!selected) return selected.error();
  auto ignored = all_named(selection.ignore, rows);
  if (!ignored) return ignored.error();
  const bool everything = selection.select.empty();
  std::vector<const CatalogueRow*> chosen;
  bool judges_something = false;
  for (const CatalogueRow* row : rows) {
    const bool wanted = everything || selected->count(row) != 0;
    if (ignored->count(row) != 0 || (!wanted && !about_the_check(*row))) continue;
    chosen.push_back(row);
    judges_something = judges_something || wanted;
  }
  if (!judges_something) return Error{"", "the selection leaves no rule to judge by", {}};
  return chosen;
}

}  // namespace wheelcheck
