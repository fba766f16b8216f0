#pragma once

#include <vector>

#include "rules/finding.h"
#include "rules/rule.h"

namespace wheelcheck {

/// What .note.dlopen says that a file opens, and no search finds. The note's priority is the level.
[[nodiscard]] std::vector<Finding> judge_dlopen_notes(const Context& context,
                                                      const CatalogueRow& row);
/// Libraries of the wheel that a file names in its read-only data and would not find by that name.
[[nodiscard]] std::vector<Finding> judge_named_siblings(const Context& context,
                                                        const CatalogueRow& row);

}  // namespace wheelcheck
