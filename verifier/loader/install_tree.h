#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/path_tree.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Whose rules of search apply.
enum class LoaderKind { none, glibc, musl };

/// Why a package lies in the tree.
enum class PackageKind {
  subject,   ///< the wheel that is judged
  given,     ///< a wheel that the user gave: the real thing
  declared,  ///< required by the subject, known from the provider table
  host,      ///< not required, but policy expects it to be there
  machine    ///< no package: files of the machine that are there whatever is installed
};

/// Where an interpreter has the modules of the two schemes installed.
enum class SitePackagesLayout {
  joined,  ///< purelib and platlib are one directory: virtual environments, most systems
  split    ///< lib/.../site-packages and lib64/.../site-packages: Fedora and RHEL, for all users
};

/// The directory of a scheme (purelib or platlib), below the prefix. As deep as everywhere, so that
/// "$ORIGIN/../../../.." means the same there; the interpreter's version is left open.
[[nodiscard]] std::string_view site_packages_below_prefix(SitePackagesLayout layout, Scheme scheme);

/// A library of a package that is only known from a table.
struct DeclaredLibrary {
  std::string path;  ///< below site-packages: "nvidia/cu13/lib/libcudart.so.13"
  std::string soname;
  std::vector<std::string> needed;
  std::string rpath;
  std::string runpath;
  Scheme scheme = Scheme::platlib;  ///< which of the two directories for modules is its
};

/// A package that the subject requires (or expects), and why.
struct DeclaredPackage {
  std::string distribution;  ///< normalised
  std::string versions;      ///< of the table's row: ">=13,<14"
  PackageKind kind = PackageKind::declared;
  std::vector<std::string> chain;  ///< requirement lines that lead here, the subject's own first
  std::string extra;               ///< only with this extra of the subject; empty: always
  bool preloads = false;           ///< importing it loads its libraries, and whatever those need
  std::vector<DeclaredLibrary> libraries;
};

/// A package that lies in the tree.
struct TreePackage {
  std::string distribution;
  std::string version;  ///< exact for wheels, a range for declared ones
  PackageKind kind = PackageKind::subject;
  std::vector<std::string> chain;
  std::string extra;
  bool preloads = false;
  bool required = true;  ///< the subject's requirements lead to it
  bool host = false;     ///< policy expects it, or a package that policy expects requires it
};

/// A file of the tree.
struct TreeFile {
  std::string path;         ///< absolute in the tree: "/prefix/lib/python3/site-packages/..."
  std::size_t package = 0;  ///< index into InstallTree::packages()
  const MemberFacts* member = nullptr;  ///< null: known from a table only
  const ElfFacts* elf = nullptr;        ///< null: no ELF, or one that could not be read
  bool unread = false;                  ///< an ELF, but it could not be read
  bool table = false;                   ///< known from a table, which names no machine
  Scheme scheme = Scheme::unknown;      ///< by which a wheel lays it down
};

/// What an installer would lay down in one virtual environment: the wheel, the wheels given with
/// it, and the libraries of packages that are only declared. Paths are looked up as a kernel does,
/// see PathTree.
class InstallTree {
 public:
  struct Given {
    const WheelFacts* wheel = nullptr;
    std::vector<std::string> chain;  ///< requirement lines that lead to it
    std::string extra;               ///< of the subject, on which they depend
    bool required = true;
    bool host = false;
    bool preloads = false;
  };
  /// A file that lies there whoever brought it: of a directory that is judged, or of the machine.
  struct PlainFile {
    std::string path;               ///< absolute
    const ElfFacts* elf = nullptr;  ///< null: no ELF
    std::string same_as;            ///< not empty: a hard link to this file, which comes before it
  };
  struct Link {
    std::string path;  ///< absolute
    std::string target;
  };
  struct Description {
    const WheelFacts* subject = nullptr;  ///< null: only plain files
    std::vector<PlainFile> plain_files;   ///< belong to package 0
    std::vector<Link> links;
    std::vector<std::string> directories;  ///< absolute; those of files need not be named
    std::vector<Given> given;
    std::vector<DeclaredPackage> declared;
    LoaderKind loader = LoaderKind::glibc;
    std::set<std::string, std::less<>> system_libraries;  ///< names every target system has
    SitePackagesLayout layout = SitePackagesLayout::joined;
    std::string prefix = std::string(kPrefix);  ///< where the environment starts
  };
  /// Where an environment starts that lies nowhere.
  static constexpr std::string_view kPrefix = "/prefix";

  explicit InstallTree(Description description);
  InstallTree(InstallTree&&) noexcept;
  InstallTree& operator=(InstallTree&&) noexcept;
  ~InstallTree();

  /// The same things laid down by another layout, without those of add_machine().
  [[nodiscard]] InstallTree laid_out(SitePackagesLayout layout) const;

  /// Adds plain files, links and directories of the machine on which the tree is laid down. They
  /// belong to a package of their own, of kind `machine`.
  void add_machine(const Description& of_machine);

  [[nodiscard]] LoaderKind loader() const;
  /// Only where there is one.
  [[nodiscard]] const WheelFacts& subject() const;
  /// Plain files alone, without a wheel: nothing lies outside of such a tree.
  [[nodiscard]] bool is_whole_system() const;
  /// Whether add_machine() was called.
  [[nodiscard]] bool has_machine() const;
  [[nodiscard]] const std::vector<TreePackage>& packages() const;
  [[nodiscard]] const std::vector<TreeFile>& files() const;
  /// Packages put libraries into purelib, and into platlib.
  [[nodiscard]] bool has_libraries_of_both_schemes() const;
  [[nodiscard]] bool is_system_library(std::string_view name) const;

  /// `path` is absolute; "." and ".." are followed as the kernel follows them.
  [[nodiscard]] PathLookup look_up(std::string_view path) const;
  /// Names in a directory, sorted; empty when it is none.
  [[nodiscard]] std::vector<std::string> list(std::string_view directory) const;
  /// True when a file or directory of the subject lies at or below `path`.
  [[nodiscard]] bool subject_owns(std::string_view path) const;
  /// Files whose SONAME or base name is `name`, in tree order.
  [[nodiscard]] std::vector<std::size_t> named(std::string_view name) const;
  /// The file that a member of the subject became; nothing for one that is not installed.
  [[nodiscard]] std::optional<std::size_t> file_of(std::string_view member) const;

  [[nodiscard]] SitePackagesLayout layout() const;
  /// Where the environment starts.
  [[nodiscard]] const std::string& prefix() const;
  /// The directory of a scheme: purelib or platlib.
  [[nodiscard]] const std::string& site_packages(Scheme scheme) const;
  /// Those of both schemes: platlib, then purelib where it is another.
  [[nodiscard]] std::vector<std::string> module_directories() const;
  /// What of a path without "." and ".." comes below the directory of either scheme: "" for that
  /// directory itself; nothing for what lies elsewhere.
  [[nodiscard]] std::optional<std::string_view> below_site_packages(std::string_view path) const;
  /// Whether the way from one file to the other is the same wherever they are installed: both lie
  /// in one directory of modules, or neither lies in any.
  [[nodiscard]] bool is_fixed_way(std::string_view from, std::string_view to) const;
  /// For reports: below site-packages without it ("<purelib>/..." and "<platlib>/..." where these
  /// are two), else "<prefix>/...", else as it is.
  [[nodiscard]] std::string display(std::string_view path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelcheck
