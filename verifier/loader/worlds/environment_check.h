#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/real_loader.h"

namespace wheelcheck::worlds {

/// What was compared in a folder of installed packages.
struct EnvironmentTally {
  std::size_t libraries = 0;  ///< each listed by the real loader and by the model
  std::size_t needs = 0;      ///< NEEDED entries of those
  std::size_t lines = 0;      ///< of the readings
  std::size_t disagreements = 0;
  std::size_t references = 0;            ///< to symbols, looked up by the model
  std::size_t unbound = 0;               ///< of those, lines of the real loader
  std::size_t symbol_disagreements = 0;  ///< libraries of which the two say something else
  std::size_t other_machine = 0;         ///< left out: for another machine or class
  std::size_t no_dynamic = 0;            ///< left out: nothing for a loader to do
  std::size_t unread = 0;                ///< could not be read
};

/// Compares every library and program below `folder`. `loader` is one as built; `tell` is called
/// with each disagreement and each file that could not be read.
[[nodiscard]] Result<EnvironmentTally> check_environment(
    RealLoader& loader, const std::string& folder,
    const std::function<void(const std::string&)>& tell);

}  // namespace wheelcheck::worlds
