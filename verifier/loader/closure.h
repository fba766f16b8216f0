#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "verifier/loader/process.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {

/// One object of a process, with what became of its NEEDED.
struct ClosureObject {
  std::optional<std::size_t> file;    ///< index into InstallTree::files(); nothing: system library
  std::string opened;                 ///< the path it was opened by; a system library's name
  std::optional<std::size_t> loader;  ///< index into Closure::objects: who brought it in
  std::optional<std::size_t> entry;   ///< of `loader`'s needs: by which NEEDED
  std::vector<Need> needs;            ///< in NEEDED order
  std::vector<std::optional<std::size_t>> got;  ///< for each need the object, if there is one
};

/// What one process holds once a root has been opened, in the order in which it was loaded.
struct Closure {
  std::size_t root = 0;  ///< index into InstallTree::files()
  ObjectRole role = ObjectRole::library;
  std::size_t first = 0;  ///< of `objects`: the root; those before it were there already
  std::vector<ClosureObject> objects;
  bool over_budget = false;  ///< given up: not everything is here

  /// The object that a file became; nothing: it is not loaded.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t file) const;
};

/// The process that opens `root`, a file of the tree. Names that are reused are looked for as well,
/// to tell what each object finds by itself.
[[nodiscard]] Closure closure_of(const InstallTree& tree, const LoaderOptions& options,
                                 std::size_t root);

/// What dlopen finds when code of `caller`, a file that `root` loads, asks for `name` later on.
/// Nothing: `caller` is not loaded by `root`.
[[nodiscard]] std::optional<Need> need_of_dlopen(const InstallTree& tree,
                                                 const LoaderOptions& options, std::size_t root,
                                                 std::size_t caller, const std::string& name);

/// Opens `root` as it is opened in real life: a program is started, everything else is opened by
/// its path, after the program that is known and what is preloaded. The answer is its object, or
/// nothing.
std::optional<std::size_t> open_root(Process& process, const InstallTree& tree,
                                     const LoaderOptions& options, std::size_t root);

/// What a NEEDED came to, of a process that searches always.
[[nodiscard]] Need need_of(Request request, const Process& process, const InstallTree& tree);

}  // namespace wheelcheck
