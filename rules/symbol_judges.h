#pragma once

#include <vector>

#include "rules/rule.h"

// The judges behind the tables of symbol_rules.cpp, in files of one subject each.

namespace wheelcheck {

// ownership.cpp: the groups of the profile
std::vector<Finding> judge_symbol_duplicates(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_owner(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_complete(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_weak(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_exported(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_hidden_duplicates(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_import_proofs(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_tls_traces(const WheelContext& context, const CatalogueRow& row);

// imports.cpp: symbols that come from elsewhere
std::vector<Finding> judge_forbidden_imports(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_without_library(const Context& context, const CatalogueRow& row);

// closure_symbols.cpp: symbols of everything that is loaded together
std::vector<Finding> judge_symbol_undefined(const Context& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_version_missing(const Context& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_too_new(const Context& context, const CatalogueRow& row);

// version_files.cpp: files that version needs name
std::vector<Finding> judge_version_files(const Context& context, const CatalogueRow& row);

// linkage.cpp: libraries as wholes
std::vector<Finding> judge_library_copies(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_soname_collision(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_bundled_system(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_required_edges(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_forbidden_edges(const WheelContext& context, const CatalogueRow& row);

}  // namespace wheelcheck
