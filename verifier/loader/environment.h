#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/elf/facts.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/machine.h"

namespace wheelcheck {

/// A folder with installed packages, and of this machine what their libraries may reach.
struct Environment {
  std::vector<std::unique_ptr<ElfFacts>> facts;
  std::unique_ptr<InstallTree> tree;
  InstallTree::Description description;  ///< of which `tree` was made
  /// Files of the folder that a loader of this machine can be given, in order.
  std::vector<std::string> roots;
  std::size_t other_machine = 0;  ///< ELF files for another machine or class
  std::size_t no_dynamic = 0;     ///< ELF files without anything for a loader to do
  std::vector<Error> unread;      ///< ELF files that could not be read
};

/// Reads every ELF file below `folder`, and of the host's files those that some NEEDED names in a
/// directory that `machine` searches. Nothing is written or run. Dynamic symbols are most of what
/// an ELF file holds: without them, a folder takes a tenth of the memory.
[[nodiscard]] Result<Environment> read_environment(const std::string& folder, LoaderKind loader,
                                                   const Machine& machine,
                                                   bool keep_symbols = false);

/// Files of this machine that lie beside a tree of wheels.
struct MachineFiles {
  std::vector<std::unique_ptr<ElfFacts>> facts;
  InstallTree::Description description;  ///< plain files, links and directories
};

/// Those that some NEEDED of the tree, or of one of them, names: in the directories of `machine`
/// and of its LD_LIBRARY_PATH and, where it has system directories at all, in those that search
/// paths name from "/" on. Symbols are kept. What cannot be read as ELF is a file that is none.
[[nodiscard]] MachineFiles read_machine_files(const InstallTree& tree, const Machine& machine);

/// What ld.so.cache of this machine holds for x86-64, hwcaps entries left out. Empty: none there.
[[nodiscard]] Result<std::vector<CacheEntry>> read_cache(const std::string& path);

}  // namespace wheelcheck
