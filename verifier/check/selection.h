#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Which rules are run. Words are ids ("WC101"), slugs ("needed-not-found") or the beginning of an
/// id ("WC1" for a family), separated by commas, in either case.
struct Selection {
  std::vector<std::string> select;  ///< empty: all
  std::vector<std::string> ignore;  ///< wins over `select`
};

/// The rows that are chosen, in the order given. Rules about the check itself (WC9xx) are chosen
/// unless they are ignored: whoever asks for one rule still wants to hear that nothing was
/// inspected. An error: a word that means no rule (with a guess at what was meant), or a selection
/// that leaves nothing to judge by.
[[nodiscard]] Result<std::vector<const CatalogueRow*>> choose_rules(
    const Selection& selection, std::span<const CatalogueRow* const> rows);

/// The rows that one word means; empty: none.
[[nodiscard]] std::vector<const CatalogueRow*> rules_named(
    std::string_view word, std::span<const CatalogueRow* const> rows);

/// "there is no rule 'WC1O1'; did you mean 'WC101'?"
[[nodiscard]] std::string unknown_rule(std::string_view word,
                                       std::span<const CatalogueRow* const> rows);

}  // namespace wheelcheck
