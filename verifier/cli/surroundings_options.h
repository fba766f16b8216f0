#pragma once

#include <optional>
#include <string>

#include "verifier/check/surroundings.h"

namespace CLI {
class App;
}

namespace wheelcheck::cli {

/// The options that `check`, `why` and `tree` share: what is known of the place where a wheel will
/// run. `glibc` is the text of a version.
void declare(CLI::App& app, Surroundings& surroundings, std::string& glibc);

/// --no-cache, which sets `cache` to false.
void declare_no_cache(CLI::App& app, bool& cache);

/// Takes the texts in. Not nothing: they make no sense, which has been complained of; the exit
/// code.
[[nodiscard]] std::optional<int> settle(Surroundings& surroundings, const std::string& glibc);

}  // namespace wheelcheck::cli
