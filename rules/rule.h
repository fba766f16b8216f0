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

/// All that a rule may look at that judges a wheel by itself.
struct WheelContext {
  const WheelFacts& wheel;
  const Policy& policy;
  const Profile& profile;
  std::shared_ptr<Memo> memo = std::make_shared<Memo>();  ///< shared by the rules of one wheel
};

/// And what a rule may look at that judges where it lies and what it loads.
struct Context : WheelContext {
  const InstallTree& tree;
  const Resolution& resolution;
  bool of_this_machine = false;  ///< system libraries are those of the machine that checks
  bool as_installed = false;     ///< packages that are not installed there are not there
  bool layout_is_told = false;   ///< of the tree; else any may be meant, and it is joined
};

/// The function of a rule, which says by its argument whether it needs the wheel laid down.
class JudgeFunction {
 public:
  using OfWheel = std::vector<Finding> (*)(const WheelContext&, const CatalogueRow&);
  using OfTree = std::vector<Finding> (*)(const Context&, const CatalogueRow&);

  constexpr JudgeFunction(OfWheel judge) : of_wheel_(judge) {}  // NOLINT: a table has the functions
  constexpr JudgeFunction(OfTree judge) : of_tree_(judge) {}    // NOLINT

  [[nodiscard]] constexpr bool needs_tree() const { return of_tree_ != nullptr; }
  /// Only where it does not need the tree.
  std::vector<Finding> operator()(const WheelContext& context, const CatalogueRow& row) const {
    return of_wheel_(context, row);
  }
  std::vector<Finding> operator()(const Context& context, const CatalogueRow& row) const {
    return needs_tree() ? of_tree_(context, row) : of_wheel_(context, row);
  }

 private:
  OfWheel of_wheel_ = nullptr;
  OfTree of_tree_ = nullptr;
};

/// A rule is a pure function of the facts: no files, no clock, no environment.
struct Rule {
  CatalogueRow row;
  JudgeFunction judge;
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
