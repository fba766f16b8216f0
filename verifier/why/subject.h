#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/policy.h"
#include "rules/provider.h"
#include "verifier/check/given.h"
#include "verifier/core/result.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"
#include "verifier/scan/scan.h"

namespace wheelcheck {

/// What is asked about: a wheel as it would be installed, with what is given and what it requires.
/// Its facts can be changed, to see what the loader would then do.
class Subject {
 public:
  struct Options {
    std::vector<std::string> with;  ///< wheels, folders of wheels, unpacked site-packages
    std::string profile;            ///< empty: by name and content
    ScanOptions scan;
  };
  /// An error: the subject itself cannot be read at all.
  [[nodiscard]] static Result<std::unique_ptr<Subject>> read(const std::string& path,
                                                             const Options& options);

  [[nodiscard]] const InstallTree& tree() const { return *tree_; }
  [[nodiscard]] const Policy& policy() const { return Policy::built_in(); }
  [[nodiscard]] const LoaderOptions& loader() const { return loader_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "manylinux_2_28": whose system libraries are taken for granted.
  [[nodiscard]] std::string system() const;
  [[nodiscard]] const PlatformPolicy* platform() const;
  /// For reports: a path below site-packages without it.
  [[nodiscard]] std::string display(std::string_view path) const;
  [[nodiscard]] std::string display(std::size_t file) const;
  /// Where an installer puts what a package ships as `path`.
  [[nodiscard]] std::string installed(std::string_view path) const;
  /// What could not be read: members that may be libraries, inputs of `with`.
  [[nodiscard]] const std::vector<Error>& unread() const { return unread_; }

  /// What a file of the subject is called in the folder into which one unpacks it to edit it.
  [[nodiscard]] std::string editing_path(std::size_t file) const;
  /// The file of that editing_path().
  [[nodiscard]] std::optional<std::size_t> file_of(std::string_view editing_path) const;
  /// Facts of a file of the subject, to be changed; null: it belongs to another package.
  [[nodiscard]] ElfFacts* editable(std::size_t file);
  /// Adds a requirement and lays everything down again. False: it is no requirement.
  bool require(const std::string& requirement);
  [[nodiscard]] std::vector<Requirement> requirements() const;
  void set_requirements(std::vector<Requirement> requirements);

 private:
  Subject() = default;
  void lay_down();

  std::string path_;
  WheelFacts wheel_;
  GivenPackages given_;
  const Profile* profile_ = nullptr;
  std::unique_ptr<InstallTree> tree_;
  LoaderOptions loader_;
  std::vector<Error> unread_;
};

}  // namespace wheelcheck
