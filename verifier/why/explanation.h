#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/attempt.h"
#include "verifier/loader/resolution.h"
#include "verifier/why/message.h"

// What `why` says, as data: both writers show the same. Paths are for people: below site-packages
// without it.

namespace wheelcheck {

/// One place that was looked at for a name.
struct PlaceReport {
  SearchTag tag = SearchTag::system;
  std::string entry;    ///< element of the search path, as written; empty: none
  std::string carrier;  ///< file whose tag holds it, where that is not the one that asks
  std::string path;     ///< what was tried
  AttemptResult result = AttemptResult::no_file;
};

/// One NEEDED.
struct NeedReport {
  std::string name;
  Verdict verdict = Verdict::not_found;
  bool preloaded = false;  ///< verdict luck: it was there before the root was opened
  bool firm = false;       ///< it will be found wherever the wheel is installed
  bool hijackable = false;
  std::string words;                   ///< the verdict, in a sentence
  std::string found;                   ///< what is loaded for it; empty: nothing, or of the system
  std::vector<PlaceReport> places;     ///< in the order in which they were looked at
  std::vector<std::string> providers;  ///< who has it, or would
};

/// One step from the root to the object that is explained.
struct ChainStep {
  std::string file;
  std::string name;              ///< the NEEDED by which the step before asked for it; empty: root
  std::optional<Verdict> found;  ///< how that was found; nothing for the root
};

/// A NEEDED of another object that is loaded along.
struct FurtherNeed {
  std::string file;
  NeedReport need;
};

/// A library that a file says it opens when it is used (.note.dlopen).
struct LaterNeed {
  std::string name;
  std::string feature;   ///< what it is for
  std::string priority;  ///< "required", "recommended", "suggested"
  Verdict verdict = Verdict::not_found;
  bool firm = false;
  std::string found;  ///< empty: nothing, or of the system
};

/// One object and what it needs.
struct ObjectReport {
  std::string file;
  std::string package;  ///< empty: the subject itself
  ObjectRole role = ObjectRole::library;
  ObjectRole root_role = ObjectRole::library;  ///< of the first of the chain
  std::vector<ChainStep> chain;                ///< from the root to this object, both included
  std::size_t other_roots = 0;  ///< processes in which it is loaded besides the one shown
  std::vector<NeedReport> needs;
  std::vector<FurtherNeed> further;  ///< of what it loads, those that are not firm
  std::vector<LaterNeed> later;
  std::size_t loaded = 0;  ///< objects that it brings in, itself not counted
};

enum class ChangeKind {
  search_path,      ///< set RPATH or RUNPATH
  replace_needed,   ///< another name in NEEDED
  remove_needed,    ///< a NEEDED too many
  add_needed,       ///< a NEEDED too few
  require,          ///< a requirement of the wheel
  ship,             ///< a library that has to come with the wheel
  replace_file,     ///< what lies under the name is no library
  clear_execstack,  ///< the flag of PT_GNU_STACK
  rebuild           ///< only a new build helps
};

/// One thing to change. Commands are for a shell in the folder into which the wheel is unpacked.
struct Change {
  ChangeKind kind = ChangeKind::search_path;
  std::string file;         ///< what is changed; empty: the wheel's metadata
  std::string command;      ///< empty: none does it
  std::string requirement;  ///< kind require: the line for the wheel's metadata
  std::string words;
  // For the trial: what changes in the facts.
  std::string old_name;
  std::string value;  ///< the search path, or the name
  bool rpath = false;
};

/// The answer.
struct Explanation {
  std::string subject;
  std::string system;  ///< whose libraries are taken for granted
  std::string question;
  std::optional<Complaint> complaint;
  std::vector<ObjectReport> objects;
  std::vector<std::string> remarks;  ///< what there is to say besides, a sentence each
  std::vector<Change> changes;
  /// With these changes the model loads everything: that was tried. Meaningless without changes.
  bool changes_suffice = false;
  bool firm = false;  ///< everything that is needed is found firmly, and no complaint is left
  std::vector<Error> unread;

  [[nodiscard]] int exit_code() const;
};

[[nodiscard]] std::string_view change_id(ChangeKind kind);
[[nodiscard]] std::string_view verdict_id(Verdict verdict);
[[nodiscard]] std::string_view tag_id(SearchTag tag);
[[nodiscard]] std::string_view result_id(AttemptResult result);
[[nodiscard]] std::string_view role_id(ObjectRole role);
[[nodiscard]] std::string_view tag_words(SearchTag tag);
[[nodiscard]] std::string_view result_words(AttemptResult result);

/// The answer for a terminal.
[[nodiscard]] std::string text_of(const Explanation& explanation);
/// The answer as docs/why.schema.json describes it.
[[nodiscard]] std::string json_of(const Explanation& explanation);

}  // namespace wheelcheck
