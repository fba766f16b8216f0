#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/resolution.h"
#include "verifier/why/explanation.h"
#include "verifier/why/subject.h"

namespace wheelcheck {

/// One object that a root loads, in the order of loading; or a name for which nothing is loaded.
struct TreeLine {
  std::string name;       ///< the NEEDED by which it was asked for
  std::string asker;      ///< who asked for it
  std::size_t depth = 0;  ///< steps from the root
  std::string file;       ///< what was loaded; empty: nothing, or of the system
  Verdict verdict = Verdict::not_found;
  bool firm = false;
  SearchTag tag = SearchTag::system;  ///< what led to it; without a file: what was tried last
  std::string entry;                  ///< element of the search path
  bool loads = false;                 ///< brings a new object in; else its NEEDED is not firm
};

/// A library that code of an object opens when it runs, by its .note.dlopen.
struct TreeLaterLine {
  std::string name;
  std::string asker;
  std::string feature;   ///< what it is for
  std::string priority;  ///< "required", "recommended", "suggested"
  std::string file;      ///< what would be opened; empty: nothing, or of the system
  Verdict verdict = Verdict::not_found;
  bool firm = false;
};

struct RootReport {
  std::string file;
  ObjectRole role = ObjectRole::library;
  std::vector<TreeLine> lines;
  std::vector<TreeLaterLine> later;
  bool firm = true;
};

struct TreeReport {
  std::string subject;
  std::string system;
  std::vector<RootReport> roots;
  bool over_budget = false;  ///< not every process was looked at to its end
  std::vector<Error> unread;

  [[nodiscard]] bool firm() const;
  [[nodiscard]] int exit_code() const;
};

/// What each root of the subject loads. `library`: only roots that load that one, by path, file
/// name or SONAME; empty: all. An error: nothing is called that.
[[nodiscard]] Result<TreeReport> tree_of(const Subject& subject, const std::string& library);

/// The answer for a terminal.
[[nodiscard]] std::string text_of(const TreeReport& report);
/// The answer as docs/tree.schema.json describes it.
[[nodiscard]] std::string json_of(const TreeReport& report);

}  // namespace wheelcheck
