#include "verifier/why/tree.h"

#include <algorithm>

#include "rules/dlopen_note.h"
#include "verifier/loader/closure.h"
#include "verifier/loader/search_path.h"
#include "verifier/report/report.h"
#include "verifier/why/need_report.h"

namespace wheelcheck {

namespace {

TreeLine line_of(const Subject& subject, const ClosureObject& asker, std::size_t index) {
  const Need& need = asker.needs[index];
  TreeLine line;
  line.name = need.name;
  line.asker = subject.display(*asker.file);
  line.verdict = need.verdict;
  line.firm = is_firm(subject, need);
  if (need.file) line.file = subject.display(*need.file);
  line.tag = need.winner.tag;
  line.entry = need.winner.entry;
  return line;
}

/// What the notes of an object say. False: something is required, and nothing of it is found.
bool add_later(const Subject& subject, std::size_t root, std::size_t file, RootReport& report) {
  bool firm = true;
  for (const DlopenNote& note : dlopen_notes(*subject.tree().files()[file].elf)) {
    bool found = false;
    for (const std::string& name : note.sonames) {
      const auto need = need_of_dlopen(subject.tree(), subject.loader(), root, file, name);
      if (!need) continue;
      TreeLaterLine line;
      line.name = name;
      line.asker = subject.display(file);
      line.feature = note.feature;
      line.priority = note.priority;
      if (need->file) line.file = subject.display(*need->file);
      line.verdict = need->verdict;
      line.firm = is_firm(subject, *need);
      found = found || line.firm || need->verdict == Verdict::luck;  // it is loaded by then
      report.later.push_back(std::move(line));
    }
    firm = firm && (found || note.priority != "required");
  }
  return firm;
}

RootReport root_report(const Subject& subject, const Closure& closure) {
  RootReport report;
  report.file = subject.display(closure.root);
  report.role = closure.role;
  std::vector<std::size_t> depths(closure.objects.size(), 0);
  for (std::size_t at = closure.first; at < closure.objects.size(); ++at) {
    const ClosureObject& object = closure.objects[at];
    if (at == closure.first || !object.loader || !object.entry) continue;
    depths[at] = depths[*object.loader] + 1;
    TreeLine line = line_of(subject, closure.objects[*object.loader], *object.entry);
    line.depth = depths[at];
    line.loads = true;
    report.lines.push_back(std::move(line));
  }
  // What brings nothing in is told where it cannot be counted on.
  for (std::size_t at = closure.first; at < closure.objects.size(); ++at) {
    const ClosureObject& object = closure.objects[at];
    for (std::size_t i = 0; i < object.needs.size(); ++i) {
      const auto got = object.got[i];
      const bool told =
          got && closure.objects[*got].loader == at && closure.objects[*got].entry == i;
      if (is_firm(subject, object.needs[i])) continue;
      report.firm = false;
      if (told) continue;
      TreeLine line = line_of(subject, object, i);
      line.depth = depths[at] + 1;
      report.lines.push_back(std::move(line));
    }
  }
  for (std::size_t at = closure.first; at < closure.objects.size(); ++at) {
    const auto file = closure.objects[at].file;
    if (!file || !subject.owns(*file) || subject.tree().files()[*file].elf == nullptr) continue;
    if (!add_later(subject, closure.root, *file, report)) report.firm = false;
  }
  return report;
}

}  // namespace

bool TreeReport::firm() const {
  return !over_budget &&
         std::all_of(roots.begin(), roots.end(), [](const RootReport& root) { return root.firm; });
}

int TreeReport::exit_code() const {
  if (!unread.empty()) return kExitUnreadable;
  return firm() ? kExitClean : kExitFindings;
}

Result<TreeReport> tree_of(const Subject& subject, const std::string& library) {
  TreeReport report;
  report.subject = subject.path();
  report.system = subject.system();
  report.unread = subject.unread();
  report.over_budget = subject.over_budget();
  std::vector<std::size_t> wanted;
  if (!library.empty()) wanted = subject.called(library);
  if (!library.empty() && wanted.empty()) {
    return Error{subject.path(), "has no library called " + library, {}};
  }
  const auto add = [&](const Closure& closure) {
    report.over_budget = report.over_budget || closure.over_budget;
    report.roots.push_back(root_report(subject, closure));
  };
  for (const std::string& path : subject.roots()) {
    const Closure closure =
        closure_of(subject.tree(), subject.loader(), subject.tree().look_up(path).file);
    const bool meant =
        wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](std::size_t file) {
          return closure.find(file).has_value();
        });
    if (meant) add(closure);
  }
  if (report.roots.empty()) {  // no root loads it: it is opened by itself
    for (const std::size_t file : wanted) {
      if (subject.tree().files()[file].elf == nullptr) continue;
      add(closure_of(subject.tree(), subject.loader(), file));
    }
  }
  if (report.roots.empty()) {
    return Error{subject.path(), "holds nothing that a loader would open", {}};
  }
  return report;
}

}  // namespace wheelcheck
