#pragma once

#include <string>
#include <vector>

#include "verifier/loader/resolution.h"
#include "verifier/why/explanation.h"
#include "verifier/why/subject.h"

namespace wheelcheck {

/// A NEEDED for which something has to change.
struct OpenNeed {
  std::size_t file = 0;  ///< that has it, index into InstallTree::files()
  Need need;
  bool asker_inherits = false;  ///< the file finds others by the RPATH of what loads it
};

/// The fewest changes that lead each of the needs to what it names. What no change of files can do
/// is said in `remarks`.
[[nodiscard]] std::vector<Change> changes_for(const Subject& subject,
                                              const std::vector<OpenNeed>& needs,
                                              std::vector<std::string>& remarks);

/// A change of a search path: `value` is the whole new one.
[[nodiscard]] Change search_path_change(const Subject& subject, std::size_t file, std::string value,
                                        bool rpath);
/// A change of a name in NEEDED: `old_name` becomes `value`; one of both is empty to add or remove.
[[nodiscard]] Change needed_change(const Subject& subject, std::size_t file, std::string old_name,
                                   std::string value);

/// Whether a library asks for an executable stack, which it does too when it says nothing of it.
[[nodiscard]] bool wants_executable_stack(const ElfFacts& elf);
[[nodiscard]] Change clear_execstack_change(const Subject& subject, std::size_t file);

/// Makes changes in the facts of a subject, and takes them back when it goes.
class Trial {
 public:
  Trial(Subject& subject, const std::vector<Change>& changes);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  /// False: something could not be made, so nothing is known.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  struct Saved {
    ElfFacts* facts = nullptr;
    std::optional<std::string> rpath;
    std::optional<std::string> runpath;
    std::vector<std::string> needed;
    std::optional<std::uint32_t> stack_flags;
  };
  bool make(const Change& change);

  Subject& subject_;
  std::vector<Saved> saved_;
  std::vector<Requirement> requirements_;
  bool complete_ = true;
  bool relaid_ = false;
};

/// `text` as one word of a POSIX shell.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace wheelcheck
