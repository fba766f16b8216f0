// What code opens when it runs.
#include <algorithm>
#include <set>
#include <utility>

#include "rules/dlopen_judges.h"
#include "rules/dlopen_note.h"
#include "rules/need_judge.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "verifier/loader/resolution.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

const Dlopened* find(const Context& context, std::size_t caller, const std::string& name) {
  for (const Dlopened& one : context.resolution.dlopened) {
    if (one.caller == caller && one.name == name) return &one;
  }
  return nullptr;
}

/// Whether dlopen gets something, wherever the wheel is installed or as the check was told.
bool is_found(const Context& context, const Need& need) {
  switch (need.verdict) {
    case Verdict::own_path:
    case Verdict::inherited: {
      if (!need.file) return false;
      const TreeFile& file = context.tree.files()[*need.file];
      const TreePackage& package = context.tree.packages()[file.package];
      return file.package == 0 || (package.required && package.extra.empty()) || package.host;
    }
    case Verdict::system:
    case Verdict::environment:
    case Verdict::luck:  // it is loaded by then
      return true;
    default:
      return false;
  }
}

/// "opens libz.so.1, or libz.so, for zip"
std::string opens(const DlopenNote& note) {
  std::string text = "opens " + join(note.sonames, ", or ", 4);
  if (!note.feature.empty()) text += " for " + note.feature;
  return text;
}

Level level_of(const Context& context, const DlopenNote& note) {
  const Level level = note.priority == "required"    ? Level::error
                      : note.priority == "suggested" ? Level::note
                                                     : Level::warning;
  const auto any = [&](auto is) {
    return std::any_of(note.sonames.begin(), note.sonames.end(), is);
  };
  // Who opens the driver when it is used does what is right.
  if (any([](const std::string& name) { return is_driver_library(name); })) return Level::note;
  const bool common = any(
      [&](const std::string& name) { return context.policy.platforms.common(name) != nullptr; });
  return common ? std::min(level, Level::warning) : level;
}

std::vector<std::size_t> in_wheel(const Context& context, const std::string& name) {
  std::vector<std::size_t> files;
  for (const std::size_t file : context.tree.named(name)) {
    const TreeFile& candidate = context.tree.files()[file];
    const bool by_name = base_name_of(candidate.path) == name;
    if (candidate.package == 0 && candidate.elf != nullptr && by_name) files.push_back(file);
  }
  return files;
}

void lead_to(const Context& context, std::size_t caller, const std::string& name,
             Finding& finding) {
  const std::vector<std::size_t> holders = in_wheel(context, name);
  for (const std::size_t file : holders) {
    finding.provided_by.push_back(describe_holder(context.tree, file));
  }
  if (!holders.empty()) {
    const auto& files = context.tree.files();
    std::string way;
    for (const std::size_t file : holders) {
      std::string other = hop(files[caller].path, files[file].path);
      if (way.empty() || other.size() < way.size()) way = std::move(other);
    }
    finding.fix = "add " + way + " to its RUNPATH";
    return;
  }
  for (const ProviderRow* row : context.policy.providers.shippers(name)) {
    finding.provided_by.push_back(describe_shipper(*row, name));
  }
}

}  // namespace

std::vector<Finding> judge_dlopen_notes(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::set<std::size_t> callers;
  for (const Dlopened& one : context.resolution.dlopened) callers.insert(one.caller);
  for (const std::size_t caller : callers) {
    const TreeFile& file = context.tree.files()[caller];
    if (file.member == nullptr || file.elf == nullptr) continue;
    for (const DlopenNote& note : dlopen_notes(*file.elf)) {
      const Dlopened* first = nullptr;
      bool found = false;
      for (const std::string& name : note.sonames) {
        const Dlopened* one = find(context, caller, name);
        if (one == nullptr) continue;
        if (first == nullptr) first = one;
        found = found || is_found(context, one->need);
      }
      if (first == nullptr || found) continue;
      Finding finding = make_finding(
          row, level_of(context, note), file.member->entry.path, first->name,
          "by its own note (" + note.priority + ") it " + opens(note) +
              (note.sonames.size() == 1 ? ", which is not found" : ", none of which is found"));
      finding.searched = describe_search(context.tree, first->need);
      lead_to(context, caller, first->name, finding);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> judge_named_siblings(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const Dlopened& one : context.resolution.dlopened) {
    const TreeFile& file = context.tree.files()[one.caller];
    if (file.member == nullptr || is_found(context, one.need)) continue;
    const std::vector<std::string>& named = file.member->sibling_names;
    if (std::find(named.begin(), named.end(), one.name) == named.end()) continue;
    const std::vector<DlopenNote> notes = dlopen_notes(*file.elf);
    const bool noted = std::any_of(notes.begin(), notes.end(), [&](const DlopenNote& note) {
      return std::find(note.sonames.begin(), note.sonames.end(), one.name) != note.sonames.end();
    });
    if (noted) continue;
    Finding finding = make_finding(row, file.member->entry.path, one.name,
                                   "holds the name of " + one.name +
                                       ", which is in the wheel; dlopen from here would not find "
                                       "it by that name");
    finding.searched = describe_search(context.tree, one.need);
    lead_to(context, one.caller, one.name, finding);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace wheelcheck
