#include "rules/rule.h"

#include <algorithm>
#include <array>

namespace wheelcheck {
namespace {

using Family = std::span<const Rule> (*)();

// A family that is missing here judges nothing: the test counts them.
constexpr std::array kFamilies = {
    Family{archive_rules},  Family{needed_rules}, Family{path_rules},      Family{symbol_rules},
    Family{metadata_rules}, Family{cuda_rules},   Family{hardening_rules}, Family{self_rules},
};

std::vector<const Rule*> collect() {
  std::vector<const Rule*> rules;
  for (const Family family : kFamilies) {
    for (const Rule& rule : family()) rules.push_back(&rule);
  }
  std::sort(rules.begin(), rules.end(), [](const Rule* a, const Rule* b) {
    return std::string_view(a->row.id) < std::string_view(b->row.id);
  });
  return rules;
}

}  // namespace

std::span<const Rule* const> all_rules() {
  static const std::vector<const Rule*> rules = collect();
  return rules;
}

const Rule* find_rule(std::string_view id_or_slug) {
  for (const Rule* rule : all_rules()) {
    if (id_or_slug == rule->row.id || id_or_slug == rule->row.slug) return rule;
  }
  return nullptr;
}

}  // namespace wheelcheck
