#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wheelcheck::cli {

/// Parses `arguments` into what `app` was told to fill. A value: the exit code with which to end at
/// once, after help was shown or a wrong call was explained (unknown options with a guess at what
/// was meant).
[[nodiscard]] std::optional<int> parse_options(CLI::App& app,
                                               const std::vector<std::string>& arguments);

}  // namespace wheelcheck::cli
