#pragma once

#include <cstddef>
#include <string>

namespace wheelcheck {

/// What made the loader look in a directory.
enum class SearchTag {
  already_loaded,   ///< no file was looked for: an object of that name was there
  literal,          ///< NEEDED with a slash: opened as it stands
  rpath,            ///< DT_RPATH of the object that asks
  inherited_rpath,  ///< DT_RPATH of an object that loaded it
  ld_library_path,
  runpath,            ///< DT_RUNPATH of the object that asks; musl: either tag of it
  inherited_runpath,  ///< musl: either tag of an object that loaded it
  cache,              ///< ld.so.cache
  directory,          ///< a directory that is built into the loader
  system              ///< the system's own libraries, known by name alone
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
  not_for_this,       ///< mapped, then refused, as a program is: the load fails here
  loop,               ///< a loop of symbolic links
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

}  // namespace wheelcheck
