#pragma once

#include <string>

#include "rules/policy.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

// Reading the local symbols of large libraries costs a second pass over them, so they are read only
// where a rule can say something about them.
//
// A wheel of the generic profile in which no file exports or wants a symbol of a group is not read
// for hidden copies of that group: then none of its files shares the state with anything, and each
// copy serves the one file that holds it (fixtures/wheels/good/two-self-contained-plugins.toml).
// One file that exports or wants the state is enough for all to be read.

/// Before a wheel is read: whether the profile for its name (or the one asked for) judges copies of
/// shared state that only local symbols betray.
[[nodiscard]] bool local_symbols_expected(const std::vector<Profile>& profiles,
                                          const std::string& file, const std::string& profile);

/// After it was read without them: whether they are needed to judge it. They are when the profile
/// was chosen for this wheel and not for lack of another, when a library has to do with a group of
/// symbols that the profile knows, and when the wheel promises to be free of CUDA.
[[nodiscard]] bool local_symbols_wanted(const Profile& profile, const WheelFacts& wheel);

}  // namespace wheelcheck
