#pragma once

#include <string>
#include <vector>

#include "rules/finding.h"

namespace wheelcheck::cli {

/// "WC101  error    needed-not-found  A NEEDED library is found nowhere"
[[nodiscard]] std::string catalogue_line(const CatalogueRow& row);
/// All that the catalogue says of a rule, wrapped for a terminal.
[[nodiscard]] std::string explanation(const CatalogueRow& row);
/// docs/rules.md: the same for many rules, by family.
[[nodiscard]] std::string catalogue_page(const std::vector<const CatalogueRow*>& rows);

}  // namespace wheelcheck::cli
