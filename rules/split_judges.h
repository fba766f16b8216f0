#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace wheelcheck {

/// What is found where purelib and platlib are one directory, and not where they are two.
[[nodiscard]] std::vector<Finding> judge_split_layout(const Context& context,
                                                      const CatalogueRow& row);

/// What may be done where no search path leads from one file to the other, as they lie in the
/// directories of two schemes.
[[nodiscard]] std::string across_schemes();

}  // namespace wheelcheck
