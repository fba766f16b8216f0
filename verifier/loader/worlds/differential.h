#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/real_loader.h"

namespace wheelcheck::worlds {

/// A world of which the model says something else than the real loader.
struct Disagreement {
  World world;
  Reading real;
  Reading predicted;
};

/// What both sides said where they agree, how much that was.
struct Comparison {
  std::optional<Disagreement> disagreement;
  std::size_t lines = 0;
};

/// Lays the world down, asks both and compares line by line. `off`: rules that the model is to do
/// without.
[[nodiscard]] Result<Comparison> compare(RealLoader& loader, const World& world,
                                         const LoaderRules& off = {});

/// The same with these bytes for the files of the world.
[[nodiscard]] Result<Comparison> compare_contents(RealLoader& loader, const World& world,
                                                  const std::vector<std::string>& contents,
                                                  const LoaderRules& off = {});

/// The same disagreement with less around it: files, names and path elements are taken away as long
/// as both sides still differ.
[[nodiscard]] Disagreement shrink(RealLoader& loader, Disagreement found,
                                  const LoaderRules& off = {});
using Compare = std::function<Result<Comparison>(const World&)>;
[[nodiscard]] Disagreement shrink(const Compare& compare, Disagreement found);

/// The world and both readings, the lines that differ marked.
[[nodiscard]] std::string describe(const Disagreement& disagreement, const std::string& root);

}  // namespace wheelcheck::worlds
