#pragma once

#include <string>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// A shared library that real loaders map: headers, a dynamic section, no code. `root` replaces
/// kRoot in its texts.
[[nodiscard]] std::string stamp_library(const WorldFile& file, const std::string& root);

/// A file of another class or byte order, which no loader of this machine maps.
[[nodiscard]] std::string stamp_foreign(const WorldFile& file, const std::string& root);

/// A compiled program or library whose RUNPATH was linked as kPlaceholder, with the search path of
/// `file` in its place.
[[nodiscard]] Result<std::string> stamp_template(std::string compiled, const WorldFile& file,
                                                 const std::string& root);

/// The compiled host, with the loader by which the kernel starts it.
[[nodiscard]] Result<std::string> with_interpreter(std::string compiled, const std::string& loader);

/// How the compiled ones are linked: -rpath with this many '%', --dynamic-linker with as many '&'.
inline constexpr std::size_t kPlaceholder = 400;

}  // namespace wheelcheck::worlds
