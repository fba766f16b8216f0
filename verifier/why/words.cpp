// Names and words for what the loader does. Names are part of the JSON documents: they stay.
#include <array>

#include "verifier/report/report.h"
#include "verifier/why/explanation.h"

namespace wheelcheck {

namespace {

struct Word {
  std::string_view id;
  std::string_view words;
};

// In the order of the enumerations.
constexpr std::array<Word, 10> kTags = {{{"already-loaded", "already loaded"},
                                         {"literal", "the path that NEEDED is"},
                                         {"rpath", "RPATH"},
                                         {"inherited-rpath", "RPATH"},
                                         {"ld-library-path", "LD_LIBRARY_PATH"},
                                         {"runpath", "RUNPATH"},
                                         {"inherited-runpath", "RUNPATH"},
                                         {"cache", "ld.so.cache"},
                                         {"directory", "the loader's own directories"},
                                         {"system", "system libraries"}}};

constexpr std::array<Word, 11> kResults = {
    {{"found", "found"},
     {"no-file", "no such file"},
     {"no-directory", "no such directory"},
     {"outside", "outside the installation"},
     {"working-directory", "depends on where the process is started"},
     {"wrong-class", "of another word size, skipped"},
     {"wrong-machine", "for another processor, skipped"},
     {"not-elf", "no library that can be read: the load stops here"},
     {"not-for-this", "a program, or made for another system: the load stops here"},
     {"loop", "a loop of symbolic links"},
     {"no-default", "left out, as the file's NODEFLIB flag asks"}}};

constexpr std::array<std::string_view, 8> kVerdicts = {
    "own-path",          "inherited", "system",  "ld-library-path",
    "working-directory", "luck",      "stopped", "not-found"};

constexpr std::array<std::string_view, 9> kChanges = {
    "search-path", "replace-needed", "remove-needed",   "add-needed", "require",
    "ship",        "replace-file",   "clear-execstack", "rebuild"};

constexpr std::array<std::string_view, 3> kRoles = {"extension", "program", "library"};

template <class Enum>
std::size_t at(Enum value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

std::string_view change_id(ChangeKind kind) { return kChanges.at(at(kind)); }
std::string_view verdict_id(Verdict verdict) { return kVerdicts.at(at(verdict)); }
std::string_view tag_id(SearchTag tag) { return kTags.at(at(tag)).id; }
std::string_view result_id(AttemptResult result) { return kResults.at(at(result)).id; }
std::string_view role_id(ObjectRole role) { return kRoles.at(at(role)); }
std::string_view tag_words(SearchTag tag) { return kTags.at(at(tag)).words; }
std::string_view result_words(AttemptResult result) { return kResults.at(at(result)).words; }

int Explanation::exit_code() const {
  if (!unread.empty()) return kExitUnreadable;
  return firm ? kExitClean : kExitFindings;
}

}  // namespace wheelcheck
