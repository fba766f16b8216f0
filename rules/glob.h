#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wheelcheck {

/// Member globs of the policy files: '*' and '?' stay within a path component, "**/" stands for
/// any number of leading components (none too), a trailing "/**" for everything below.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view path);

[[nodiscard]] bool matches_any(std::span<const std::string> patterns, std::string_view path);

}  // namespace wheelcheck
