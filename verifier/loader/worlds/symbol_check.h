#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "verifier/core/result.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/symbols.h"
#include "verifier/loader/worlds/real_loader.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// What becomes of the symbols that a file of this machine and all that it needs refer to, with the
/// file as the program, sorted, line by line:
///   undefined SYMBOL[@VERSION] by PATH          nothing defines it
///   not in FILE: SYMBOL@VERSION by PATH         the file of its version lacks it (glibc)
///   no version VERSION in FILE for PATH         (glibc)
///   no file of a version for PATH               no object has its name; the loader stops (glibc)
///   no versions for PATH                        of the file that one is wanted of; likewise
///   (glibc)
[[nodiscard]] Reading glibc_symbols(const Written& written, const std::string& program);
[[nodiscard]] Reading musl_symbols(const Written& written);
/// One line of a message of the loader that no program could be without: dlerror's, or that of a
/// loader that gives up. Nothing: it says something else.
[[nodiscard]] std::optional<std::string> symbol_failure(std::string_view message);

/// The model's side of it. Remembers what each file defines.
class SymbolPrediction {
 public:
  /// `code` is the loader itself, which no object of a tree stands for.
  [[nodiscard]] static Result<std::unique_ptr<SymbolPrediction>> make(const InstallTree& tree,
                                                                      const Machine& machine,
                                                                      const std::string& loader);
  /// `file` is an index into the tree's files.
  [[nodiscard]] Reading read(std::size_t file, const std::string& path);
  /// References looked up so far.
  [[nodiscard]] std::size_t lookups() const { return lookups_; }

 private:
  SymbolPrediction(const InstallTree& tree, const Machine& machine)
      : tree_(tree), search_(tree, machine) {}

  const InstallTree& tree_;
  Search search_;
  ElfFacts loader_;
  ExportTables tables_;
  std::size_t lookups_ = 0;
};

}  // namespace wheelcheck::worlds
