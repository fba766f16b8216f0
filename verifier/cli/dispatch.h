#pragma once

#include <string>
#include <vector>

namespace wheelcheck::cli {

/// Runs the subcommand that the arguments (without the program's name) ask for; paths alone mean
/// `check`. Returns the exit code.
[[nodiscard]] int dispatch(const std::vector<std::string>& arguments);

}  // namespace wheelcheck::cli
