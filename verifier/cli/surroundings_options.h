#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/check/surroundings.h"

namespace CLI {
class App;
}

namespace wheelcheck::cli {

/// What is given as text, until settle() has taken it in.
struct SurroundingsTexts {
  std::string glibc;  ///< a version
  std::vector<std::string> site_packages;
  std::string layout;
};

/// The options that `check`, `why` and `tree` share: what is known of the place where a wheel will
/// run.
void declare(CLI::App& app, Surroundings& surroundings, SurroundingsTexts& texts);

/// --no-cache, which sets `cache` to false.
void declare_no_cache(CLI::App& app, bool& cache);

/// Takes the texts in. Not nothing: they make no sense, which has been complained of; the exit
/// code.
[[nodiscard]] std::optional<int> settle(Surroundings& surroundings, const SurroundingsTexts& texts);

}  // namespace wheelcheck::cli
