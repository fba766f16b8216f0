#pragma once

#include <vector>

#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// One rule of symbols each, named by it.
[[nodiscard]] std::vector<World> symbol_scenarios(LoaderKind loader);

}  // namespace wheelcheck::worlds
