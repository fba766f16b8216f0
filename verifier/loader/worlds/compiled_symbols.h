#pragma once

#include <string>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/child.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Whether a linker can be made to write a library with these symbols.
[[nodiscard]] bool is_compilable(const WorldFile& file);

/// The library that a compiler, its assembler and its linker make of the same symbols as
/// stamp_library() has. Slow, see compile_library(). Writes into `folder`.
[[nodiscard]] Result<std::string> compile_symbols(Runner& runner, const std::string& compiler,
                                                  const WorldFile& file, const std::string& folder);

}  // namespace wheelcheck::worlds
