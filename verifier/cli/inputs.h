#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"

namespace wheelcheck::cli {

/// The wheels that arguments mean: a file is itself (whether it exists or not: the reader says
/// so), a folder is the *.whl in it by name, a pattern that the shell left alone is what it
/// matches. An error: a folder or pattern that means no wheel at all.
[[nodiscard]] Result<std::vector<std::string>> expand_inputs(
    const std::vector<std::string>& arguments);

}  // namespace wheelcheck::cli
