#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/attempt.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/machine.h"
#include "verifier/loader/process.h"

namespace wheelcheck {

/// How a NEEDED ends.
enum class Verdict {
  own_path,           ///< found by the object's own search path
  inherited,          ///< found by the search path of every object that loads it
  system,             ///< a system library
  environment,        ///< found through LD_LIBRARY_PATH alone
  working_directory,  ///< found where the process happened to be started
  luck,               ///< found only because another object had named it first
  fatal,              ///< a candidate stops the load (not an ELF file)
  not_found
};

/// One NEEDED of one object.
struct Need {
  std::string name;
  Verdict verdict = Verdict::not_found;
  std::optional<std::size_t> file;  ///< what is loaded for it; nothing for system libraries
  Attempt winner;                   ///< meaningful unless `not_found` or `fatal`
  /// LD_LIBRARY_PATH would come before the place where it was found: whoever sets it decides.
  bool hijackable = false;
  /// Verdict luck: what was loaded before the root, as an import does it, is what made it so.
  bool preloaded = false;
  std::vector<Attempt> attempts;             ///< everything tried, in order, `winner` last if any
  std::optional<std::size_t> root;           ///< first object with which it goes wrong, if it does
  std::optional<std::size_t> lucky_because;  ///< verdict luck: the object that named it first
};

/// How the loader gets to an object.
enum class ObjectRole { extension, program, library };
[[nodiscard]] ObjectRole role_of(const TreeFile& file);

struct ObjectResolution {
  std::size_t file = 0;  ///< index into InstallTree::files()
  ObjectRole role = ObjectRole::library;
  bool is_root = false;            ///< something may open it first
  bool depends_on_loader = false;  ///< was only judged as loaded by other objects
  std::vector<Need> needs;         ///< in NEEDED order
};

/// A name that code gives to dlopen, and what that finds.
struct Dlopened {
  std::size_t caller = 0;  ///< the file whose code it is
  std::string name;
  Need need;  ///< the worst over all processes that hold the caller
};

/// The process in which a root is opened, once that is done.
struct RootProcess {
  std::size_t root = 0;
  bool complete = true;              ///< everything that is needed was found
  std::vector<ScopeMember> members;  ///< see Process::scope_of()
};

/// Every NEEDED of every ELF file of the subject.
struct Resolution {
  std::vector<ObjectResolution> objects;  ///< in tree order; empty when there is no loader for it
  std::vector<RootProcess> processes;     ///< one for each root
  std::vector<Dlopened> dlopened;         ///< by caller, in tree order
  std::uint64_t needs = 0;                ///< of all objects together
  bool over_budget = false;               ///< given up: too many objects load one another

  [[nodiscard]] const ObjectResolution* find(std::size_t file) const;
};

/// A name that code of some file gives to dlopen when it runs.
struct DlopenName {
  std::string name;
  bool opens = false;  ///< what it leads to is really opened, and so is a root of its own
};

/// One of several libraries that are opened by their paths, one after the other.
struct Opening {
  std::size_t file = 0;
  bool global = false;  ///< RTLD_GLOBAL: its symbols are there for those that come later
};

struct LoaderOptions {
  Machine machine;
  std::optional<std::size_t> only_root;  ///< one process: this file is opened, nothing else
  std::optional<std::size_t> program;    ///< what opens extensions and libraries, if known
  std::vector<std::size_t> preloads;     ///< opened in each process before its root, in order
  std::map<std::size_t, std::vector<DlopenName>> dlopens;  ///< by the file whose code has them
  std::vector<Opening> openings;             ///< what Python opens, in order, in one process
  std::uint64_t search_budget = 20'000'000;  ///< places looked at, over all roots
};

/// Resolves what the subject's ELF files need. Each file that may be opened first is a root with a
/// process of its own; see resolution.cpp for which ones those are.
[[nodiscard]] Resolution resolve(const InstallTree& tree, const LoaderOptions& options = {});

}  // namespace wheelcheck
