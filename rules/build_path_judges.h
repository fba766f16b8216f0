#pragma once

#include <vector>

#include "rules/rule.h"

namespace wheelcheck {

// Paths of build machines outside of ELF search paths. Rows of them stand in path_rules.cpp.
[[nodiscard]] std::vector<Finding> judge_soname_path(const WheelContext&, const CatalogueRow&);
[[nodiscard]] std::vector<Finding> judge_text_paths(const WheelContext&, const CatalogueRow&);
[[nodiscard]] std::vector<Finding> judge_data_paths(const WheelContext&, const CatalogueRow&);

}  // namespace wheelcheck
