#pragma once

#include <cstdint>

#include "verifier/loader/machine.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// The world of a seed: the same on every machine whose loader tries the same subdirectories. All
/// that a search path can say, files of every kind, and names that several files answer to.
[[nodiscard]] World random_world(std::uint64_t seed, LoaderKind loader, const Machine& machine);

}  // namespace wheelcheck::worlds
