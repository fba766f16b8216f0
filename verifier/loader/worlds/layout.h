#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/elf/facts.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// The compiled files of which worlds take copies.
struct Templates {
  std::string host;
  std::string caller;
};

/// The bytes of each file of a world, in its order; empty for those without.
[[nodiscard]] Result<std::vector<std::string>> contents_of(const World& world,
                                                           const Templates& templates,
                                                           const std::string& root);

/// Writes the world below `root`, which is emptied first.
[[nodiscard]] Result<bool> lay_down(const World& world, const std::vector<std::string>& contents,
                                    const std::string& root);

/// The same world as the model has it: the same bytes, read by the reader that wheels are read by.
struct ModelledWorld {
  std::vector<std::unique_ptr<ElfFacts>> facts;
  std::unique_ptr<WheelFacts> wheel;  ///< with what wheels bring
  std::unique_ptr<InstallTree> tree;
};
[[nodiscard]] ModelledWorld model(const World& world, const std::vector<std::string>& contents,
                                  const std::string& root, const std::string& libc,
                                  const std::vector<InstallTree::Link>& outer_links);

}  // namespace wheelcheck::worlds
