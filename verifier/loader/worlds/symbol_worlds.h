#pragma once

#include "verifier/core/result.h"
#include "verifier/loader/process_bindings.h"
#include "verifier/loader/worlds/differential.h"
#include "verifier/loader/worlds/layout.h"
#include "verifier/loader/worlds/real_loader.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

// Worlds whose libraries define symbols and refer to them. Those that are read for it lie in "pkg".
//
// With the host as the program, line by line:
//   opened, failed WHY          each dlopen, in order; see symbol_check.h for the reasons
//   stop                        the process ended
//   bound N NAME of PATH to PATH OFFSET   at the end, sorted: symbol N of a library, by the address
//                                         that stands where it is used
//   bound N NAME of PATH to nothing
// With a library as the program, what a loader that lists says of it; see symbol_check.h. glibc
// tells the bindings as well:
//   bound NAME[@VERSION] of PATH to PATH

/// What the real loader did.
[[nodiscard]] Reading symbol_reading(const Written& written, const World& world,
                                     const std::string& root);

/// What the model says. Where one dlopen has several reasons to fail, the loader stops at one of
/// them; which one is taken from `real`.
[[nodiscard]] Reading predict_symbols(const World& world, const ModelledWorld& modelled,
                                      const Machine& machine, const std::string& root,
                                      const std::string& libc, const Reading& real,
                                      const ProcessBindings::Rules& off = {});

/// Lays the world down, asks both and compares.
[[nodiscard]] Result<Comparison> compare_symbols(RealLoader& loader, const World& world,
                                                 const ProcessBindings::Rules& off = {});
[[nodiscard]] Result<Comparison> compare_symbols_in(RealLoader& loader, const World& world,
                                                    const std::vector<std::string>& contents,
                                                    const ProcessBindings::Rules& off = {});

}  // namespace wheelcheck::worlds
