#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
};

/// What dlopen is asked for, and by whom.
struct Open {
  std::string name;
  std::string caller;  ///< path of a FileKind::caller that has been opened; empty: the host
};

struct CachedPath {
  std::string name;
  std::string path;
};

/// A small system in a folder of its own, and one process in it. The working directory is the root.
struct World {
  std::string title;
  LoaderKind loader = LoaderKind::glibc;
  std::vector<WorldFile> files;
  std::string program;      ///< path of a library (its needs are listed) or of the host
  std::vector<Open> opens;  ///< with the host as program
  std::string ld_library_path;
  std::vector<CachedPath> cache;             ///< glibc
  std::optional<std::string> search_config;  ///< musl: content of /etc/ld-musl-ARCH.path
  bool by_kernel = false;                    ///< started by the kernel instead of by the loader

  [[nodiscard]] bool runs_host() const;
  [[nodiscard]] const WorldFile* find(const std::string& path) const;
};

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
