#pragma once

#include <string>
#include <vector>

#include "rules/finding.h"
#include "rules/rule.h"
#include "verifier/loader/resolution.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

/// Where one entry of a search path leads. All but the first few are defects or oddities.
enum class EntryKind {
  own_package,    ///< a directory that the wheel itself brings
  other_package,  ///< a directory of a package that is there: given, required, a host
  environment,    ///< inside the environment, outside of site-packages
  builder,        ///< a path that only the build machine has
  absolute,       ///< any other absolute path
  system,         ///< a directory of the system, which the loader searches by itself
  mkl,            ///< "/lib/intel64" and its like
  empty,          ///< an empty entry: the working directory
  relative,       ///< relative to the working directory
  unknown_token,  ///< "$ORIGINAL": taken literally
  varies,         ///< $LIB or $PLATFORM
  dead,           ///< nothing there
  wrong_depth,    ///< nothing there, but with another number of ".." there would be
  leaves,         ///< climbs out of the environment
  outside,        ///< in site-packages, in no package
  file            ///< not a directory
};

/// Where an entry stands among those that work.
enum class Position { alone, before_working, behind_working };

struct JudgedEntry {
  std::size_t file = 0;  ///< index into InstallTree::files()
  bool is_rpath = false;
  PathElement element;
  EntryKind kind = EntryKind::dead;
  Position position = Position::alone;
  std::string target;              ///< normalised path; empty where there is none
  std::string note;                ///< what else is known: whose directory it would be
  std::string correction;          ///< wrong_depth: the entry that was meant
  bool correction_needed = false;  ///< something that the file needs lies there and is not found
};

/// Every entry of the search paths of the wheel's ELF files, in tree order. Entries of an RPATH
/// that a RUNPATH beside it makes void are left out. Kept in the context.
[[nodiscard]] const std::vector<JudgedEntry>& judge_entries(const Context& context);

}  // namespace wheelcheck
