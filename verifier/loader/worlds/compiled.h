#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/child.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Calls the compiler for a shared library without anything of its own. The bytes of `output`,
/// which it has to write; an error has what it said.
[[nodiscard]] Result<std::string> call_compiler(Runner& runner, const std::string& compiler,
                                                std::vector<std::string> options,
                                                const std::string& output);

/// The library that a compiler makes of the same description as stamp_library() has. Slow: one call
/// of the compiler for it and one for each need. Writes into `folder`.
[[nodiscard]] Result<std::string> compile_library(Runner& runner, const std::string& compiler,
                                                  const WorldFile& file, const std::string& root,
                                                  const std::string& folder);

}  // namespace wheelcheck::worlds
