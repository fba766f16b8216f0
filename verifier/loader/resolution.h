#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/install_tree.h"

namespace wheelcheck {

/// What made the loader look in a directory.
enum class SearchTag {
  already_loaded,   ///< no file was looked for: an object of that name was there
  literal,          ///< NEEDED with a slash: opened as it stands
  rpath,            ///< DT_RPATH of the object that asks
  inherited_rpath,  ///< DT_RPATH of an object that loaded it
  ld_library_path,
  runpath,  ///< DT_RUNPATH of the object that asks
  system    ///< the system's own libraries
};

/// How one place was left.
enum class AttemptResult {
  found,
  no_file,            ///< the directory is there, the file is not
  no_directory,       ///< nothing there, or a component of it is no directory
  outside,            ///< not part of the installation: nothing is known of it
  working_directory,  ///< depends on where the process was started
  wrong_class,        ///< 32 and 64 bit: skipped, search goes on
  wrong_machine,      ///< another processor: skipped, search goes on
  not_elf,            ///< no ELF file, or a damaged one: the load fails here
  no_default          ///< DF_1_NODEFLIB: system directories are not used
};

/// One place that was looked at.
struct Attempt {
  SearchTag tag = SearchTag::system;
  std::string entry;        ///< the element of the search path, as written; empty for none
  std::size_t carrier = 0;  ///< file whose tag holds `entry` (index into InstallTree::files())
  std::string path;         ///< what was tried, absolute and expanded
  AttemptResult result = AttemptResult::no_file;
};

/// How a NEEDED ends.
enum class Verdict {
  own_path,   ///< found by the object's own search path
  inherited,  ///< found by the DT_RPATH of every object that loads it
  system,     ///< a system library
  luck,       ///< found only because another object had named it first
  fatal,      ///< a candidate stops the load (not an ELF file)
  not_found
};

/// One NEEDED of one object.
struct Need {
  std::string name;
  Verdict verdict = Verdict::not_found;
  std::optional<std::size_t> file;  ///< what is loaded for it; nothing for system libraries
  Attempt winner;                   ///< meaningful unless `not_found` or `fatal`
  std::vector<Attempt> attempts;    ///< everything tried, in order, `winner` last if any
  std::optional<std::size_t> root;  ///< first object with which it goes wrong, if it does
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

/// Every NEEDED of every ELF file of the subject.
struct Resolution {
  std::vector<ObjectResolution> objects;  ///< in tree order; empty when there is no loader for it
  std::uint64_t needs = 0;                ///< of all objects together
  bool over_budget = false;               ///< given up: too many objects load one another

  [[nodiscard]] const ObjectResolution* find(std::size_t file) const;
};

struct LoaderOptions {
  std::optional<std::size_t> only_root;      ///< one process: this file is opened, nothing else
  std::string ld_library_path;               ///< empty: unset, as in a hermetic check
  std::uint64_t search_budget = 20'000'000;  ///< places looked at, over all roots
};

/// Resolves what the subject's ELF files need. Each file that may be opened first is a root with a
/// process of its own; see resolution.cpp for which ones those are.
[[nodiscard]] Resolution resolve(const InstallTree& tree, const LoaderOptions& options = {});

}  // namespace wheelcheck
