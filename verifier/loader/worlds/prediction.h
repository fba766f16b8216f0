#pragma once

#include "verifier/loader/machine.h"
#include "verifier/loader/worlds/layout.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// The machine of a loader with what the world itself brings.
[[nodiscard]] Machine machine_of(const World& world, const Machine& loader, const std::string& root,
                                 const std::string& libc);

/// What the model says of a world, in the words of RealLoader. `machine` is that of the loader,
/// without what the world itself brings; `root` is where the world lies.
[[nodiscard]] Reading predict(const World& world, const ModelledWorld& modelled,
                              const Machine& machine, const std::string& root,
                              const std::string& libc);

}  // namespace wheelcheck::worlds
