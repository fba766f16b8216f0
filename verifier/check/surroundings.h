#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/check/site_packages.h"
#include "verifier/core/result.h"
#include "verifier/loader/environment.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {

/// What is known of the place where a wheel will run, beyond the wheel and what it requires. By
/// default nothing is: the answer is the same on every machine.
struct Surroundings {
  /// What is installed in these folders lies beside, and nothing else does.
  std::vector<SitePackagesFolder> site_packages;
  /// Where modules are installed; nothing: not known, which is taken for joined.
  std::optional<SitePackagesLayout> layout;
  std::vector<std::string> preload;  ///< packages and libraries that are loaded before, in order
  std::string ld_library_path;
  std::optional<GlibcVersion> glibc;
  bool host = false;  ///< the directories and ld.so.cache of this machine

  [[nodiscard]] SitePackagesLayout taken_layout() const {
    return layout.value_or(SitePackagesLayout::joined);
  }
  /// One line for each thing that is known, with the option that told it. Empty: hermetic.
  [[nodiscard]] std::vector<std::string> told() const;
  /// The machine that a process runs on. An error: this one is not known to the model.
  [[nodiscard]] Result<Machine> machine() const;
};

/// Lays files of this machine beside the packages, as far as `surroundings` name them. `subject`
/// is for errors: the tree is for another kind of machine than this one. The answer has to live as
/// long as the tree.
[[nodiscard]] Result<MachineFiles> lay_machine_beside(InstallTree& tree, const Machine& machine,
                                                      const Surroundings& surroundings,
                                                      const std::string& subject);

/// The files that are opened when `name` is loaded before: those `called` that, if the first can be
/// loaded; else what importing the package of that name loads, which is the extensions in its
/// folder or, where none is known, its libraries. Paths count from each of `directories`.
[[nodiscard]] std::vector<std::size_t> preloaded_by(const InstallTree& tree,
                                                    const std::string& name,
                                                    const std::vector<std::size_t>& called,
                                                    const std::vector<std::string>& directories);

/// Those of all names, in order, in a tree of wheels. An error: there is nothing of that name.
[[nodiscard]] Result<std::vector<std::size_t>> preloads_of(const InstallTree& tree,
                                                           const std::vector<std::string>& names,
                                                           const std::string& subject);

/// "2.41". Nothing: it is no version of glibc.
[[nodiscard]] std::optional<GlibcVersion> parse_glibc(std::string_view text);

}  // namespace wheelcheck
