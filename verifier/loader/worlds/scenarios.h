#pragma once

#include <vector>

#include "verifier/loader/machine.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Named worlds, one rule each. Some need what `machine` tells of the loader.
[[nodiscard]] std::vector<World> scenarios(LoaderKind loader, const Machine& machine);

}  // namespace wheelcheck::worlds
