#pragma once

#include <string>
#include <string_view>

#include "verifier/report/report.h"

namespace wheelcheck {

/// Of docs/report.schema.json. A field added: the second number grows. A field removed or changed
/// in meaning: the first.
inline constexpr std::string_view kReportSchemaVersion = "1.1";

/// The report as one JSON document with a newline at its end: ASCII only, so that it cannot upset a
/// terminal either.
[[nodiscard]] std::string json_of(const Report& report);

}  // namespace wheelcheck
