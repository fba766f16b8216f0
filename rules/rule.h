#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "rules/memo.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

class InstallTree;  // verifier/loader/install_tree.h
struct Resolution;  // verifier/loader/resolution.h
struct Policy;      // rules/policy.h
struct Profile;     // rules/profile.h

/// All that a rule may look at.
struct Context {
  const WheelFacts& wheel;
  const InstallTree& tree;
  const Resolution& resolution;
  const Policy& policy;
  const Profile& profile;
  bool of_this_machine = false;  ///< system libraries are those of the machine that checks
  bool as_installed = false;     ///< packages that are not installed there are not there
  bool layout_is_told = false;   ///< of the tree; else any may be meant, and it is joined
  std::shared_ptr<Memo> memo = std::make_shared<Memo>();  ///< shared by the rules of one wheel
};

/// A rule is a pure function of the facts: no files, no clock, no environment.
struct Rule {
  CatalogueRow row;
  std::vector<Finding> (*judge)(const Context&, const CatalogueRow&);
};

/// Every rule, ordered by id. Each family's file adds its own table.
[[nodiscard]] std::span<const Rule* const> all_rules();
[[nodiscard]] const Rule* find_rule(std::string_view id_or_slug);

// One per family, each defined in its own file.
[[nodiscard]] std::span<const Rule> archive_rules();    // WC0xx
[[nodiscard]] std::span<const Rule> needed_rules();     // WC1xx
[[nodiscard]] std::span<const Rule> path_rules();       // WC2xx
[[nodiscard]] std::span<const Rule> symbol_rules();     // WC3xx
[[nodiscard]] std::span<const Rule> metadata_rules();   // WC4xx
[[nodiscard]] std::span<const Rule> cuda_rules();       // WC5xx
[[nodiscard]] std::span<const Rule> hardening_rules();  // WC6xx
[[nodiscard]] std::span<const Rule> self_rules();       // WC9xx: about the check itself

}  // namespace wheelcheck
