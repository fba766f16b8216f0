#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace wheelcheck::testing {

/// Where `value` breaks `schema`, a line for each fault; empty: it holds. Knows the part of JSON
/// Schema that docs/report.schema.json uses, and calls any other keyword a fault, so that a rule
/// added to the schema cannot go unchecked.
[[nodiscard]] std::vector<std::string> schema_faults(const nlohmann::json& schema,
                                                     const nlohmann::json& value);

}  // namespace wheelcheck::testing
