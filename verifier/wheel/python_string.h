#pragma once

#include <string>
#include <string_view>

#include "verifier/core/result.h"

namespace wheelcheck {

/// The value of a Python string literal, given what stands between its quotes. Markers hold such
/// literals, escapes included. Named characters ("\N{...}") are refused.
[[nodiscard]] Result<std::string> python_string(std::string_view body);

}  // namespace wheelcheck
