// One definer of each shared symbol, and the right one.
//
// A definer is a library to which others can bind. Counting is not enough: a monolith has one
// definer too, so the owner is named by the profile, with its directory.

#include <algorithm>
#include <set>

#include "rules/glob.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "rules/symbol_index.h"
#include "rules/symbol_judges.h"

namespace wheelcheck {
namespace {

/// A group as it is to be judged in this wheel.
struct Judged {
  const SymbolGroup* group = nullptr;
  std::vector<std::string> owners;                ///< globs; empty: any one file will do
  std::vector<const MemberFacts*> owner_members;  ///< libraries that match them
};

/// One pass over the wheel's symbols serves all the judges.
const SymbolIndex& index_of(const WheelContext& context) {
  return context.memo->get<SymbolIndex>(
      [&] { return SymbolIndex(context.wheel, context.profile); });
}

bool is_definer(const SymbolUse& use, const SymbolGroup& group) {
  return use.defines() && is_library(*use.member->elf) &&
         !matches_any(group.exempt, installed_path(*use.member));
}

std::vector<Judged> judged_groups(const WheelContext& context, const SymbolIndex& index) {
  std::vector<Judged> result;
  const bool layout = layout_applies(context.profile, context.wheel);
  for (const SymbolGroup& group : context.profile.groups) {
    Judged judged;
    judged.group = &group;
    if (layout) judged.owners = group.owners;
    for (const MemberFacts* member : elf_members(context.wheel)) {
      if (matches_any(judged.owners, installed_path(*member))) {
        judged.owner_members.push_back(member);
      }
    }
    const bool meant =
        group.sentinels.empty() || !judged.owner_members.empty() ||
        std::any_of(group.sentinels.begin(), group.sentinels.end(), [&](const auto& symbol) {
          const auto& uses = index.uses(symbol);
          return std::any_of(uses.begin(), uses.end(),
                             [&](const SymbolUse& use) { return is_definer(use, group); });
        });
    if (meant) result.push_back(std::move(judged));
  }
  return result;
}

bool is_owner(const Judged& judged, const MemberFacts& member) {
  return matches_any(judged.owners, installed_path(member));
}

/// Files that define `symbol`. Alternates, of which a process loads one, count as one.
std::vector<const MemberFacts*> definers(const WheelContext& context, const SymbolIndex& index,
                                         const SymbolGroup& group, const std::string& symbol) {
  std::vector<const MemberFacts*> files;
  std::set<const std::string*> alternates_seen;
  for (const SymbolUse& use : index.uses(symbol)) {
    if (!is_definer(use, group)) continue;
    const auto& globs = context.profile.alternates;
    const auto glob = std::find_if(globs.begin(), globs.end(), [&](const std::string& pattern) {
      return glob_match(pattern, installed_path(*use.member));
    });
    if (glob != globs.end() && !alternates_seen.insert(&*glob).second) continue;
    files.push_back(use.member);
  }
  return files;
}

std::string group_of(const SymbolGroup& group) { return " (" + group.name + ")"; }

std::string and_more(std::size_t count) {
  return count <= 1 ? "" : " and " + std::to_string(count - 1) + " more";
}

}  // namespace

std::vector<Finding> judge_symbol_duplicates(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    std::vector<std::string> symbols;
    std::vector<const MemberFacts*> files;
    for (const std::string& symbol : index.present(*judged.group)) {
      const auto by = definers(context, index, *judged.group, symbol);
      if (by.size() < 2) continue;
      symbols.push_back(symbol);
      for (const MemberFacts* file : by) {
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
      }
    }
    if (symbols.empty()) continue;
    // The place is where the copy can be taken out: a file that does not own the symbols.
    const auto stranger = std::find_if(files.begin(), files.end(), [&](const MemberFacts* file) {
      return !is_owner(judged, *file);
    });
    const MemberFacts* place = stranger == files.end() ? files.back() : *stranger;
    Finding finding =
        make_finding(row, judged.group->level, place->entry.path, symbols.front(),
                     symbols.front() + and_more(symbols.size()) + group_of(*judged.group) + " " +
                         (symbols.size() == 1 ? "is" : "are") + " defined by " +
                         counted(files.size(), "file") + ": " + judged.group->what);
    for (const MemberFacts* file : files) finding.provided_by.push_back(file->entry.path);
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_symbol_owner(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    if (judged.owners.empty()) continue;
    std::vector<std::string> symbols;
    const MemberFacts* place = nullptr;
    for (const std::string& symbol : index.present(*judged.group)) {
      const auto by = definers(context, index, *judged.group, symbol);
      const bool owned = std::any_of(
          by.begin(), by.end(), [&](const MemberFacts* file) { return is_owner(judged, *file); });
      if (by.empty() || owned) continue;
      symbols.push_back(symbol);
      if (place == nullptr) place = by.front();
    }
    if (symbols.empty()) continue;
    Finding finding =
        make_finding(row, judged.group->level, place->entry.path, symbols.front(),
                     symbols.front() + and_more(symbols.size()) + group_of(*judged.group) +
                         " is defined here, and not by " + join(judged.owners, " or "));
    finding.provided_by.push_back(place->entry.path);
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_symbol_complete(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    if (!judged.group->complete) continue;
    std::vector<std::string> missing;
    const MemberFacts* place = nullptr;
    for (const std::string& symbol : judged.group->symbols) {
      const auto by = definers(context, index, *judged.group, symbol);
      if (by.empty()) {
        missing.push_back(symbol);
      } else if (place == nullptr) {
        place = by.front();
      }
    }
    if (place == nullptr || missing.empty()) continue;
    findings.push_back(make_finding(row, judged.group->level, place->entry.path, missing.front(),
                                    "of the " + std::to_string(judged.group->symbols.size()) +
                                        " symbols of " + judged.group->name +
                                        " no file of the wheel defines " + join(missing)));
  }
  return findings;
}

std::vector<Finding> judge_symbol_weak(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    if (!judged.group->strong) continue;
    for (const std::string& symbol : index.present(*judged.group)) {
      const MemberFacts* weak = nullptr;
      bool strong = false;
      for (const SymbolUse& use : index.uses(symbol)) {
        if (!is_definer(use, *judged.group)) continue;
        strong |= use.strong;
        if (!use.strong && weak == nullptr) weak = use.member;
      }
      if (strong || weak == nullptr) continue;
      findings.push_back(
          make_finding(row, judged.group->level, weak->entry.path, symbol,
                       symbol + group_of(*judged.group) + " is defined weakly and nowhere else"));
    }
  }
  return findings;
}

std::vector<Finding> judge_symbol_exported(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    if (!judged.group->owner_exports || judged.owner_members.empty()) continue;
    const std::vector<std::string> present = index.present(*judged.group);
    const auto has = [&](auto predicate) {
      for (const std::string& symbol : present) {
        for (const SymbolUse& use : index.uses(symbol)) {
          if (is_owner(judged, *use.member) && predicate(use)) return true;
        }
      }
      return false;
    };
    if (has([](const SymbolUse& use) { return use.defines(); })) continue;
    // Defined elsewhere: that is the wrong owner's finding.
    if (std::any_of(present.begin(), present.end(), [&](const std::string& symbol) {
          return !definers(context, index, *judged.group, symbol).empty();
        })) {
      continue;
    }
    const bool local = has([](const SymbolUse& use) { return use.local; });
    const std::string first = judged.group->symbols.empty() ? judged.group->prefixes.front()
                                                            : judged.group->symbols.front();
    findings.push_back(
        make_finding(row, judged.group->level, judged.owner_members.front()->entry.path, first,
                     "exports no symbol of " + judged.group->name + ", which it owns" +
                         (local ? ": they are there, but local to the file" : "")));
  }
  return findings;
}

namespace {

/// Symbols of a proof that `member` does not import. Its own exported definition counts as an
/// import here: that is judged as a duplicate.
std::vector<std::string> missing_imports(const SymbolIndex& index, const ImportProof& proof,
                                         const MemberFacts& member) {
  std::vector<std::string> missing;
  for (const std::string& symbol : proof.symbols) {
    const auto& uses = index.uses(symbol);
    if (std::none_of(uses.begin(), uses.end(), [&](const SymbolUse& use) {
          return use.member == &member && (use.undefined || use.defines());
        })) {
      missing.push_back(symbol);
    }
  }
  return missing;
}

/// A file that lacks imports by which it would prove that it uses the one copy.
struct Unproven {
  const ImportProof& proof;
  const MemberFacts& member;
  std::vector<std::string> missing;
};

std::vector<Unproven> unproven_imports(const WheelContext& context) {
  std::vector<Unproven> unproven;
  if (!layout_applies(context.profile, context.wheel)) return unproven;
  const SymbolIndex& index = index_of(context);
  for (const ImportProof& proof : context.profile.imports) {
    for (const MemberFacts* member : elf_members(context.wheel)) {
      if (!matches_any(proof.files, installed_path(*member))) continue;
      std::vector<std::string> missing = missing_imports(index, proof, *member);
      if (!missing.empty()) unproven.push_back({proof, *member, std::move(missing)});
    }
  }
  return unproven;
}

}  // namespace

std::vector<Finding> judge_hidden_duplicates(const WheelContext& context, const CatalogueRow& row) {
  const SymbolIndex& index = index_of(context);
  std::vector<Finding> findings;
  for (const Judged& judged : judged_groups(context, index)) {
    const SymbolGroup& group = *judged.group;
    std::set<const MemberFacts*> holders;
    std::vector<std::pair<const MemberFacts*, std::string>> hidden;
    const auto look = [&](const std::string& symbol, bool state) {
      for (const SymbolUse& use : index.uses(symbol)) {
        const MemberFacts& member = *use.member;
        if (!is_library(*member.elf) || matches_any(group.exempt, installed_path(member))) continue;
        if (!use.defines() && !use.local) continue;
        holders.insert(&member);
        if (is_owner(judged, member) || (use.defines() && !state)) continue;
        const bool known = std::any_of(hidden.begin(), hidden.end(),
                                       [&](const auto& entry) { return entry.first == &member; });
        if (!known) hidden.emplace_back(&member, symbol);
      }
    };
    for (const std::string& symbol : index.present(group)) look(symbol, false);
    for (const std::string& symbol : group.local_state) look(symbol, true);
    // A private copy is a duplicate when there is another one. Where the profile names an owner,
    // the owner is that other one, shipped or not.
    if (judged.owner_members.empty() && holders.size() < 2) continue;
    for (const auto& [member, symbol] : hidden) {
      findings.push_back(make_finding(row, group.level, member->entry.path, symbol,
                                      "holds a copy of " + symbol + group_of(group) +
                                          " that no other file can see: " + group.what));
    }
  }
  return findings;
}

std::vector<Finding> judge_import_proofs(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const Unproven& file : unproven_imports(context)) {
    findings.push_back(
        make_finding(row, file.member.entry.path, file.missing.front(),
                     "does not import " + join(file.missing) + ": " + file.proof.what));
  }
  return findings;
}

std::vector<Finding> judge_tls_traces(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const Unproven& file : unproven_imports(context)) {
    const std::uint64_t tls = file.member.elf->tls_size.value_or(0);
    if (!file.proof.no_tls || tls == 0) continue;
    const std::string& place = file.member.entry.path;
    const bool known = std::any_of(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return finding.place == place; });
    if (known) continue;
    findings.push_back(make_finding(
        row, place, file.missing.front(),
        "has " + counted(tls, "byte") + " of thread-local storage and does not import " +
            file.missing.front() + ", as a file with a hidden copy of it would"));
  }
  return findings;
}

}  // namespace wheelcheck
