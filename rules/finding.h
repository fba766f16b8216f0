#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wheelcheck {

enum class Level { note, warning, error };

/// One row of the catalogue: what a rule judges, why it matters, how to fix what it finds.
/// `explain`, the pages in docs/ and the reports are all made from these rows.
struct CatalogueRow {
  const char* id;     ///< "WC101"; never reused once retired
  const char* slug;   ///< "needed-not-found"
  Level level;        ///< usual level; a finding may be milder, never harsher
  const char* title;  ///< one line, in the indicative: "A NEEDED library is found nowhere"
  const char* why;    ///< what happens to the user of such a wheel
  const char* fix;    ///< what its maker does about it
};

/// One judgement about one place.
struct Finding {
  const CatalogueRow* rule = nullptr;
  Level level = Level::error;
  std::string place;    ///< member path; empty: the wheel as a whole
  std::string subject;  ///< the name judged, for machines: "libcudart.so.13", a symbol, an entry
  std::string what;     ///< one line: what was found
  std::vector<std::string> needed_by;    ///< who wants it
  std::vector<std::string> searched;     ///< where it was looked for, in order
  std::vector<std::string> provided_by;  ///< who has it, or would
  std::string fix;                       ///< what to do here; empty: the catalogue's text
  std::uint64_t count = 1;               ///< how many identical ones this stands for
};

}  // namespace wheelcheck
