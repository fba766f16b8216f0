#pragma once

#include <vector>

#include "verifier/loader/machine.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Named worlds, one rule each. Some need what `machine` tells of the loader.
[[nodiscard]] std::vector<World> scenarios(LoaderKind loader, const Machine& machine);

/// Those of wheels, by each layout; scenarios() has them too.
[[nodiscard]] std::vector<World> wheel_scenarios();

}  // namespace wheelcheck::worlds
