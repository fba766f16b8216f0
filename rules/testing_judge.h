#pragma once

#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/testing.h"
#include "rules/testing_seen.h"
#include "verifier/loader/resolution.h"

// One rule over one hand-built wheel.

namespace wheelcheck::testing {

/// Findings of the rule of that slug. `profile` empty: as the wheel's name and content say.
inline std::vector<Finding> judge(std::string_view slug, const WheelFacts& wheel,
                                  std::string_view profile = "") {
  const Rule* rule = find_rule(slug);
  EXPECT_NE(rule, nullptr) << slug;
  const Policy& policy = Policy::built_in();
  const Profile* chosen = policy.choose_profile(wheel, profile);
  EXPECT_NE(chosen, nullptr) << profile;
  if (rule == nullptr || chosen == nullptr) return {};
  const InstallTree tree = install(wheel, {}, policy, *chosen);
  const Resolution resolution;
  std::vector<Finding> findings =
      rule->judge(Context{{wheel, policy, *chosen}, tree, resolution}, rule->row);
  SeenRules::note(*rule, !findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.rule, &rule->row);
    EXPECT_LE(finding.level, rule->row.level);
    EXPECT_FALSE(finding.what.empty());
  }
  return findings;
}

inline std::vector<Finding> judge(std::string_view slug, WheelBuilder& builder,
                                  std::string_view profile = "") {
  return judge(slug, builder.facts(), profile);
}

MATCHER_P2(FindingAt, place, subject, "") { return arg.place == place && arg.subject == subject; }
MATCHER_P(HasLevel, level, "") { return arg.level == level; }

}  // namespace wheelcheck::testing
