// For a terminal. Everything that may come out of a wheel goes through printable().
#include <string>

#include "verifier/report/escape.h"
#include "verifier/why/explanation.h"

namespace wheelcheck {

namespace {

/// "RUNPATH $ORIGIN/../lib: pkg/lib/libx.so: no such file"
std::string place_line(const PlaceReport& place) {
  std::string text(tag_words(place.tag));
  if (!place.entry.empty()) text += " " + place.entry;
  if (!place.carrier.empty()) text += " of " + place.carrier;
  if (!place.path.empty() && place.path != place.entry) text += ": " + place.path;
  if (place.tag == SearchTag::system && place.result == AttemptResult::no_file) {
    return text + ": not among them";
  }
  return text + ": " + std::string(result_words(place.result));
}

void add_need(std::string& out, const NeedReport& need) {
  out += need.firm ? "    ok    " : "    FAIL  ";
  out += printable(need.name) + ": " + printable(need.words) + "\n";
  // Of a system library that is simply there, the place says what the words have said.
  const bool plain = need.firm && need.places.size() == 1 && need.verdict == Verdict::system;
  for (const PlaceReport& place : need.places) {
    if (!plain) out += "              " + printable(place_line(place)) + "\n";
  }
  for (const std::string& provider : need.providers) {
    out += "            in " + printable(provider) + "\n";
  }
}

std::string step_words(const ChainStep& step, ObjectRole role) {
  if (!step.found) return std::string(role_id(role)) + ", opened by its path";
  std::string text = "as " + step.name + ", ";
  switch (*step.found) {
    case Verdict::own_path:
      return text + "by the own search path of the one before";
    case Verdict::inherited:
      return text + "by an inherited search path";
    case Verdict::luck:
      return text + "by luck of the order";
    case Verdict::system:
      return text + "of the system";
    default:
      return text + std::string(verdict_id(*step.found));
  }
}

void add_object(std::string& out, const ObjectReport& object) {
  out += printable(object.file);
  if (!object.package.empty()) out += " of " + printable(object.package);
  out += "\n  loaded by:\n";
  std::string indent = "    ";
  for (const ChainStep& step : object.chain) {
    const std::string words = step_words(step, object.root_role);
    out += indent + printable(step.file) + "  (" + printable(words) + ")\n";
    indent += "  ";
  }
  if (object.other_roots != 0) {
    out += "    and in " + std::to_string(object.other_roots) +
           (object.other_roots == 1 ? " other process" : " other processes") + "\n";
  }
  out += object.needs.empty() ? "  needs nothing\n" : "  needs:\n";
  std::size_t hijackable = 0;
  for (const NeedReport& need : object.needs) {
    add_need(out, need);
    if (need.hijackable && need.firm && need.verdict != Verdict::system) ++hijackable;
  }
  if (hijackable != 0) {
    out += "    LD_LIBRARY_PATH comes before the place where " + std::to_string(hijackable) +
           " of these " + (hijackable == 1 ? "is" : "are") + " found\n";
  }
  if (!object.further.empty()) out += "  what it loads needs:\n";
  for (const FurtherNeed& further : object.further) {
    out += "   " + printable(further.file) + ":\n";
    add_need(out, further.need);
  }
  if (!object.later.empty()) out += "  opens when it is used, by its own notes:\n";
  for (const LaterNeed& later : object.later) {
    out += later.firm ? "    ok    " : "    none  ";
    out += printable(later.name);
    if (!later.found.empty()) out += ": " + printable(later.found);
    out += " (" + printable(later.priority);
    if (!later.feature.empty()) out += ", for " + printable(later.feature);
    out += ")\n";
  }
}

void add_changes(std::string& out, const Explanation& answer) {
  if (answer.changes.empty()) return;
  out += answer.changes_suffice ? "fix, tried in the model:\n" : "change:\n";
  for (const Change& change : answer.changes) {
    if (!change.file.empty()) out += "  " + printable(change.file) + ": ";
    if (change.file.empty()) out += "  ";
    out += printable(change.words) + "\n";
    if (!change.command.empty()) out += "      " + printable(change.command) + "\n";
    if (!change.requirement.empty()) {
      out += "      Requires-Dist: " + printable(change.requirement) + "\n";
    }
  }
}

}  // namespace

std::string text_of(const Explanation& answer) {
  std::string out;
  for (const ObjectReport& object : answer.objects) add_object(out, object);
  for (const std::string& remark : answer.remarks) out += "note: " + printable(remark) + "\n";
  add_changes(out, answer);
  for (const Error& error : answer.unread) {
    out += "unread: " + printable(error.message()) + "\n";
  }
  if (!answer.unread.empty()) {
    out += "not everything could be read, so this is not the whole truth\n";
  } else if (answer.firm) {
    out += "everything that is needed is found\n";
  } else {
    out += "not everything that is needed is found\n";
  }
  return out;
}

}  // namespace wheelcheck
