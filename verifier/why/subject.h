#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/policy.h"
#include "rules/provider.h"
#include "verifier/check/given.h"
#include "verifier/check/surroundings.h"
#include "verifier/core/result.h"
#include "verifier/loader/environment.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"
#include "verifier/scan/scan.h"

namespace wheelcheck {

/// What is asked about: a wheel as it would be installed, with what is given and what it requires,
/// or a folder with installed packages as it is. Facts can be changed, to see what the loader would
/// then do.
class Subject {
 public:
  struct Options {
    std::vector<std::string> with;  ///< wheels, folders of wheels, unpacked site-packages
    bool cache = false;             ///< keep the facts of wheels beside from run to run
    Surroundings surroundings;      ///< `site_packages` is for a wheel only
    std::string profile;            ///< empty: by name and content
    ScanOptions scan;
  };
  /// An error: it cannot be read at all, no loader is known for its platform, or there is nothing
  /// that a preload names.
  [[nodiscard]] static Result<std::unique_ptr<Subject>> read(const std::string& path,
                                                             const Options& options);

  [[nodiscard]] const InstallTree& tree() const { return *tree_; }
  [[nodiscard]] const Policy& policy() const { return Policy::built_in(); }
  [[nodiscard]] const LoaderOptions& loader() const { return loader_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_folder() const { return !folder_.empty(); }
  /// "manylinux_2_28": whose system libraries are taken for granted; or this machine.
  [[nodiscard]] std::string system() const;
  [[nodiscard]] const PlatformPolicy* platform() const { return platform_; }
  /// Whether a file is part of what is asked about, and not of a package beside or of the system.
  [[nodiscard]] bool owns(std::size_t file) const;
  /// Files that something may open first, as paths in the tree: extensions, then the others.
  [[nodiscard]] const std::vector<std::string>& roots() const { return roots_; }
  /// Not every process could be looked at.
  [[nodiscard]] bool over_budget() const { return over_budget_; }
  /// For reports: a path below site-packages, or the folder, without it.
  [[nodiscard]] std::string display(std::string_view path) const;
  [[nodiscard]] std::string display(std::size_t file) const;
  /// Where an installer puts what goes to `path`.
  [[nodiscard]] std::string installed(const InstallPath& path) const;
  /// What could not be read: members that may be libraries, inputs of `with`.
  [[nodiscard]] const std::vector<Error>& unread() const { return unread_; }

  /// What a file of the subject is called in the folder into which one unpacks it to edit it.
  [[nodiscard]] std::string editing_path(std::size_t file) const;
  /// The file of that editing_path().
  [[nodiscard]] std::optional<std::size_t> file_of(std::string_view editing_path) const;
  /// Files that a path, a file name or a SONAME means, those of the subject first.
  [[nodiscard]] std::vector<std::size_t> called(const std::string& name) const;
  /// Facts of a file of the subject, to be changed; null: it belongs to another package.
  [[nodiscard]] ElfFacts* editable(std::size_t file);
  /// Adds a requirement and lays everything down again. False: it is no requirement, or nothing is
  /// known of what it brings.
  bool require(const std::string& requirement);
  [[nodiscard]] std::vector<Requirement> requirements() const;
  void set_requirements(std::vector<Requirement> requirements);

 private:
  Subject() = default;
  std::optional<Error> read_wheel(const Options& options);
  std::optional<Error> read_folder();
  std::optional<Error> lay_down();
  void add_plain(std::string_view path, const ElfFacts* elf, InstallTree::Description& to) const;
  void lay_down_folder();
  void find_roots();
  [[nodiscard]] std::vector<std::string> module_directories() const;

  std::string path_;
  std::string folder_;  ///< absolute; empty: a wheel
  WheelFacts wheel_;
  Environment environment_;
  std::vector<std::unique_ptr<ElfFacts>> added_;  ///< of libraries that a trial lays down
  std::vector<std::pair<std::string, const ElfFacts*>> added_files_;
  GivenPackages given_;
  const Profile* profile_ = nullptr;
  const PlatformPolicy* platform_ = nullptr;
  std::unique_ptr<InstallTree> tree_;
  MachineFiles machine_files_;  ///< beside a wheel
  Surroundings surroundings_;
  LoaderOptions loader_;
  std::vector<std::string> roots_;
  bool over_budget_ = false;
  std::vector<Error> unread_;
};

}  // namespace wheelcheck
