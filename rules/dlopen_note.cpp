#include "rules/dlopen_note.h"

#include "nlohmann/json.hpp"

namespace wheelcheck {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& entry, const char* key, const char* otherwise) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

}  // namespace

std::vector<DlopenNote> dlopen_notes(const ElfFacts& elf) {
  constexpr std::size_t kMostNotes = 256;
  std::vector<DlopenNote> notes;
  for (const std::string& text : elf.dlopen_notes) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_array()) continue;
    for (const Json& entry : json) {
      if (!entry.is_object() || notes.size() >= kMostNotes) continue;
      DlopenNote note;
      note.feature = text_of(entry, "feature", "");
      note.priority = text_of(entry, "priority", "recommended");
      const auto names = entry.find("soname");
      if (names == entry.end() || !names->is_array()) continue;
      for (const Json& name : *names) {
        if (name.is_string() && note.sonames.size() < kMostNotes) {
          note.sonames.push_back(name.get<std::string>());
        }
      }
      if (!note.sonames.empty()) notes.push_back(std::move(note));
    }
  }
  return notes;
}

}  // namespace wheelcheck
