#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verifier/elf/facts.h"
#include "verifier/loader/install_tree.h"

namespace wheelcheck::worlds {

/// Where a text of a world names its own root, which differs from run to run.
inline constexpr char kRoot = '@';

enum class FileKind {
  library,      ///< stamped: headers and a dynamic section, no code
  host,         ///< the program that opens what it is told, with the search paths given here
  caller,       ///< a library that opens what it is told, likewise
  other_class,  ///< 32 bit
  other_endian,
  text,       ///< no ELF file
  truncated,  ///< an ELF header that ends early
  directory,
  link,      ///< symbolic link to `target`
  hard_link  ///< to `target`
};

/// A dynamic symbol of a stamped library.
struct WorldSymbol {
  std::string name;
  std::string version;  ///< empty: none
  std::string file;     ///< undefined ones: that the version is needed of
  bool defined = false;
  bool used = false;            ///< a relocation names it
  bool called = false;          ///< ... through the procedure linkage table
  bool copied = false;          ///< ... to make a copy of what another library defines
  bool version_hidden = false;  ///< not the default one
  SymbolBinding binding = SymbolBinding::global;
  SymbolVisibility visibility = SymbolVisibility::standard;
  SymbolType type = SymbolType::function;
  bool zero = false;  ///< at address 0
  bool absolute = false;
};

/// A version that a stamped library needs, whether a symbol has it or not.
struct WorldVersionNeed {
  std::string file;
  std::string version;
  bool weak = false;
};

/// One file of a world. Paths are relative to the root; texts may hold kRoot.
struct WorldFile {
  std::string path;
  FileKind kind = FileKind::library;
  std::string target;
  std::optional<std::string> soname;
  std::vector<std::string> needed;
  std::string filter;     ///< DT_FILTER; empty: none
  std::string auxiliary;  ///< DT_AUXILIARY; empty: none
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::uint64_t flags_1 = 0;
  std::uint16_t machine = 62;
  std::uint8_t os_abi = 0;
  bool executable_stack = false;
  bool symbolic = false;  ///< DF_SYMBOLIC
  std::vector<WorldSymbol> symbols;
  std::vector<std::string> versions;  ///< that it defines, behind the one that names the file
  std::vector<WorldVersionNeed> version_needs;
  /// A file of a wheel that goes to purelib or platlib: what the wheel calls it. `path` is then
  /// where an installer puts it, and the model is told of the wheel alone.
  std::string member;
  Scheme scheme = Scheme::platlib;
};

/// What dlopen is asked for, and by whom.
struct Open {
  std::string name;
  std::string caller;   ///< path of a FileKind::caller that has been opened; empty: the host
  bool global = false;  ///< RTLD_GLOBAL
  bool lazy = false;    ///< RTLD_LAZY
  bool deep = false;    ///< RTLD_DEEPBIND, of glibc alone
};

struct CachedPath {
  std::string name;
  std::string path;
};

/// A small system in a folder of its own, and one process in it. The working directory is the root.
struct World {
  std::string title;
  SitePackagesLayout layout = SitePackagesLayout::joined;  ///< of its wheels
  LoaderKind loader = LoaderKind::glibc;
  std::vector<WorldFile> files;
  std::string program;      ///< path of a library (its needs are listed) or of the host
  std::vector<Open> opens;  ///< with the host as program
  std::vector<std::string> preloads;
  std::string ld_library_path;
  std::vector<CachedPath> cache;             ///< glibc
  std::optional<std::string> search_config;  ///< musl: content of /etc/ld-musl-ARCH.path
  bool by_kernel = false;                    ///< started by the kernel instead of by the loader

  [[nodiscard]] bool runs_host() const;
  [[nodiscard]] const WorldFile* find(const std::string& path) const;
};

/// Where installers put what a wheel calls `member`, by the schemes that Python's sysconfig has.
[[nodiscard]] std::string installed(SitePackagesLayout layout, Scheme scheme,
                                    const std::string& member);

/// `text` with kRoot replaced.
[[nodiscard]] std::string at_root(const std::string& text, const std::string& root);
/// The world in a few lines, for whoever looks into a disagreement.
[[nodiscard]] std::string describe(const World& world);

/// What happened in a process, line by line; see real_loader.h and prediction.h.
struct Reading {
  std::vector<std::string> lines;
  bool operator==(const Reading&) const = default;
};

}  // namespace wheelcheck::worlds
