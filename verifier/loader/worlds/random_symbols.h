#pragma once

#include <cstdint>

#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// The world of symbols of a seed, the same on every machine: a few libraries, a few names, every
/// kind of definition and reference, versions that are there and that are not.
[[nodiscard]] World random_symbols(std::uint64_t seed, LoaderKind loader);

}  // namespace wheelcheck::worlds
