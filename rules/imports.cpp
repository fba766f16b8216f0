// Symbols that a file takes from elsewhere: those that it must not want, and those whose library it
// forgets to need.

#include <algorithm>
#include <set>

#include "rules/glob.h"
#include "rules/moved_symbols.h"
#include "rules/need_judge.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "rules/symbol_judges.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {
namespace {

/// Undefined symbols that must be bound for the file to work; weak ones need not be.
template <class Visit>
void for_each_import(const ElfFacts& elf, Visit visit) {
  for (const ElfSymbol& symbol : elf.dynamic_symbols) {
    if (symbol.defined || symbol.binding == SymbolBinding::weak) continue;
    const std::string_view name = elf.name(symbol);
    if (!name.empty()) visit(symbol, name);
  }
}

/// What is loaded together with a file, as far as it is known.
struct Closure {
  std::set<std::string, std::less<>> names;  ///< of everything that is needed, however deep
  std::vector<const ElfFacts*> files;
  bool complete = true;  ///< nothing in it needs what is not known
};

/// Libraries that bring nothing but one another with them, on every system.
bool brings_nothing(std::string_view name) {
  return name == "libc.so.6" || name == "libm.so.6" || name == "libdl.so.2" ||
         name == "libpthread.so.0" || name == "libgcc_s.so.1" || name == "libstdc++.so.6" ||
         name == "libutil.so.1" || name == "libz.so.1" || name.starts_with("ld-linux");
}

Closure closure_of(const Context& context, const ObjectResolution& start) {
  Closure closure;
  std::set<std::size_t> seen = {start.file};
  std::vector<const ObjectResolution*> open = {&start};
  while (!open.empty()) {
    const ObjectResolution& object = *open.back();
    open.pop_back();
    for (const Need& need : object.needs) {
      closure.names.insert(need.name);
      if (need.verdict == Verdict::system) {
        closure.complete &= brings_nothing(need.name);
      } else if (!need.file) {
        closure.complete = false;
      } else if (seen.insert(*need.file).second) {
        const ObjectResolution* further = context.resolution.find(*need.file);
        const ElfFacts* elf = context.tree.files()[*need.file].elf;
        if (elf != nullptr) closure.files.push_back(elf);
        if (further != nullptr) {
          open.push_back(further);
        } else {
          closure.complete = false;  // of another package
          if (elf != nullptr) closure.names.insert(elf->needed.begin(), elf->needed.end());
        }
      }
    }
  }
  return closure;
}

bool defines(const ElfFacts& elf, std::string_view name) {
  return std::any_of(
      elf.dynamic_symbols.begin(), elf.dynamic_symbols.end(),
      [&](const ElfSymbol& symbol) { return symbol.defined && elf.name(symbol) == name; });
}

}  // namespace

std::vector<Finding> judge_forbidden_imports(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!layout_applies(context.profile, context.wheel)) return findings;
  for (const ImportBan& ban : context.profile.forbidden_imports) {
    for (const MemberFacts* member : elf_members(context.wheel)) {
      if (!matches_any(ban.files, installed_path(*member))) continue;
      std::vector<std::string> wanted;
      for_each_import(*member->elf, [&](const ElfSymbol&, std::string_view name) {
        if (matches_any(ban.symbols, name)) wanted.emplace_back(name);
      });
      if (wanted.empty()) continue;
      findings.push_back(make_finding(row, member->entry.path, wanted.front(),
                                      "wants " + join(wanted, ", ", 4) + ": " + ban.what));
    }
  }
  return findings;
}

std::vector<Finding> judge_symbol_without_library(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  if (policy == nullptr || policy->kind != PlatformKind::manylinux) return findings;
  if (policy->major > 2 || (policy->major == 2 && policy->minor >= kSymbolsMovedIn))
    return findings;
  for (const ObjectResolution& object : context.resolution.objects) {
    const TreeFile& file = context.tree.files()[object.file];
    if (file.package != 0 || file.member == nullptr || file.elf == nullptr) continue;
    std::vector<std::string> wanted;
    for_each_import(*file.elf, [&](const ElfSymbol& symbol, std::string_view name) {
      // A version says which library was meant; see version-file-not-needed.
      if (file.elf->version_of(symbol) == nullptr && is_symbol_of_librt(name)) {
        wanted.emplace_back(name);
      }
    });
    if (wanted.empty()) continue;
    const Closure closure = closure_of(context, object);
    if (closure.names.contains(kLibrt)) continue;
    std::erase_if(wanted, [&](const std::string& name) {
      return std::any_of(closure.files.begin(), closure.files.end(),
                         [&](const ElfFacts* elf) { return defines(*elf, name); });
    });
    if (wanted.empty()) continue;
    const bool sure = closure.complete && !may_fail_by_design(context, object.file);
    findings.push_back(make_finding(
        row, sure ? Level::error : Level::warning, file.member->entry.path, wanted.front(),
        "uses " + join(wanted, ", ", 4) + " and does not need " + std::string(kLibrt) +
            ", which has " + (wanted.size() == 1 ? "it" : "them") + " on systems of " +
            policy->name + " (the C library itself does since glibc 2." +
            std::to_string(kSymbolsMovedIn) + ")"));
  }
  return findings;
}

}  // namespace wheelcheck
