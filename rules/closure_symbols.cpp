// Symbols over everything that is loaded together: who defines what a file refers to, and whether
// the systems of the tag do.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "rules/moved_symbols.h"
#include "rules/need_judge.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "rules/symbol_judges.h"
#include "rules/system_symbols.h"
#include "verifier/loader/resolution.h"
#include "verifier/loader/symbols.h"

namespace wheelcheck {
namespace {

enum class Problem { undefined, too_new };

/// What one file of the wheel refers to in vain, of one kind.
struct Unbound {
  std::size_t file = 0;
  std::size_t root = 0;  ///< opened when this was seen
  Problem problem = Problem::undefined;
  Level level = Level::error;
  std::vector<std::string> symbols;    ///< "name" or "name@VERSION of FILE"
  std::vector<std::string> libraries;  ///< too_new: "VERSION of LIBRARY", one for each symbol
  std::vector<std::string> elsewhere;  ///< files that define the first symbol and are not loaded
};

struct MissingVersionOf {
  std::size_t file = 0;
  std::size_t provider = 0;
  std::string version;
  bool by_design = false;  ///< a plugin that may fail to load
};

struct ClosureSymbols {
  std::vector<Unbound> unbound;
  std::vector<MissingVersionOf> versions;
};

class Judge {
 public:
  explicit Judge(const Context& context)
      : context_(context),
        files_(context.tree.files()),
        policy_(strictest(context.policy.platforms, context.wheel)) {}

  ClosureSymbols run() {
    for (const RootProcess& process : context_.resolution.processes) judge(process);
    return std::move(result_);
  }

 private:
  static KnownByName known_to(SystemLibraries* libraries) {
    return [libraries](std::string_view name) {
      return libraries == nullptr ? nullptr : libraries->find(name);
    };
  }

  [[nodiscard]] SymbolScope scope_of(const RootProcess& process, SystemLibraries* libraries) {
    return {context_.tree.loader(), GlibcVersion{},
            symbol_objects(context_.tree, process.members, known_to(libraries)), tables_};
  }

  /// A file that is judged: one of the wheel's own.
  [[nodiscard]] const TreeFile* own(const ScopeMember& member) const {
    if (!member.file) return nullptr;
    const TreeFile& file = files_[*member.file];
    return file.package == 0 && file.member != nullptr && file.elf != nullptr ? &file : nullptr;
  }

  void judge(const RootProcess& process) {
    const bool worth_it =
        std::any_of(process.members.begin(), process.members.end(),
                    [&](const ScopeMember& member) { return own(member) != nullptr; });
    if (!worth_it) return;
    // What is missing, or not known, may define anything. Most processes are like that, and end
    // before a table is read.
    const bool known = process.complete && all_is_known(process);
    const SymbolScope scope = scope_of(process, known ? promised_.get() : nullptr);
    judge_versions(process, scope);
    if (!known || !scope.complete()) return;
    std::unordered_set<const ElfFacts*> loaded;
    for (const SymbolObject& object : scope.objects()) loaded.insert(object.elf);
    std::optional<SymbolScope> newest;
    for (const ScopeMember& member : process.members) {
      if (own(member) != nullptr) judge_references(process, *member.file, scope, newest, loaded);
    }
  }

  [[nodiscard]] bool all_is_known(const RootProcess& process) {
    const auto all = [&](auto is_known) {
      return std::all_of(process.members.begin(), process.members.end(), is_known);
    };
    return all([&](const ScopeMember& member) {
             return !member.file ||
                    (files_[*member.file].elf != nullptr && !files_[*member.file].table);
           }) &&
           read_tables() && all([&](const ScopeMember& member) {
             return member.file || table_->find(member.names.back()) != nullptr;
           });
  }

  /// False: nothing is known of the tag's systems.
  bool read_tables() {
    if (promised_ != nullptr) return true;
    if (policy_ == nullptr || policy_->kind != PlatformKind::manylinux) return false;
    table_ = SystemSymbols::built_in(policy_->arch);
    if (table_ == nullptr || !knows_symbols_of(*table_, *policy_)) return false;
    promised_ = std::make_unique<SystemLibraries>(*table_, policy_);
    newest_ = std::make_unique<SystemLibraries>(*table_, nullptr);
    return true;
  }

  void judge_versions(const RootProcess& process, const SymbolScope& scope) {
    for (const ScopeMember& member : process.members) {
      const TreeFile* file = own(member);
      if (file == nullptr || file->elf->versions.empty()) continue;
      for (const MissingVersion& missing :
           missing_versions(*file->elf, scope, context_.tree.loader())) {
        keep_version(process, *member.file, missing.object,
                     file->elf->versions[missing.version].name);
      }
    }
  }

  void keep_version(const RootProcess& process, std::size_t file, std::size_t object,
                    const std::string& version) {
    // Of system libraries the tag promises versions: see symbol-version-too-new.
    if (object >= process.members.size()) return;
    const auto provider = process.members[object].file;
    if (!provider || !told_.insert({file, version, *provider}).second) return;
    result_.versions.push_back(
        {file, *provider, version,
         may_fail_by_design(context_, file) || may_fail_by_design(context_, process.root)});
  }

  void judge_references(const RootProcess& process, std::size_t index, const SymbolScope& scope,
                        std::optional<SymbolScope>& newest,
                        const std::unordered_set<const ElfFacts*>& loaded) {
    // What was bound in another process is bound here if its definers are here as well.
    const auto settled = settled_.find(index);
    if (settled != settled_.end() &&
        std::all_of(settled->second.begin(), settled->second.end(),
                    [&](const ElfFacts* definer) { return loaded.count(definer) != 0; })) {
      return;
    }
    const ElfFacts& elf = *files_[index].elf;
    std::unordered_set<const ElfFacts*> definers;
    Unbound nowhere;
    Unbound newer;
    for (const ElfSymbol& symbol : elf.dynamic_symbols) {
      if (symbol.binding == SymbolBinding::weak || !is_reference(elf, symbol)) continue;
      const Binding binding = scope.look_up(elf, symbol);
      if (binding.kind == BindingKind::bound) {
        definers.insert(scope.objects()[*binding.object].elf);
        continue;
      }
      const std::string_view name = elf.name(symbol);
      const ElfVersion* version = elf.version_of(symbol);
      if (binding.kind == BindingKind::no_versions) {
        keep_version(process, index, *binding.object, version->name);
        continue;
      }
      if (is_left_to_others(name, version, scope)) continue;
      if (version == nullptr) {
        if (!newest) newest.emplace(scope_of(process, newest_.get()));
        const Binding later = newest->look_up(elf, symbol);
        if (later.kind == BindingKind::bound) {
          const std::string& library = newest->objects()[*later.object].names.back();
          newer.symbols.emplace_back(name);
          newer.libraries.push_back(std::string(table_->since(library, name)) + " of " + library);
          continue;
        }
      }
      nowhere.symbols.push_back(std::string(name) +
                                (version == nullptr ? "" : "@" + version->name));
      if (nowhere.symbols.size() == 1) nowhere.elsewhere = definers_of(elf, symbol, loaded);
    }
    newer.problem = Problem::too_new;
    if (nowhere.symbols.empty() && newer.symbols.empty()) {
      settled_[index].assign(definers.begin(), definers.end());
    }
    for (Unbound* unbound : {&nowhere, &newer}) {
      if (unbound->symbols.empty()) continue;
      unbound->file = index;
      unbound->root = process.root;
      unbound->level = level_of(*unbound, elf);
      keep(std::move(*unbound));
    }
  }

  /// References of which another rule speaks, or which something outside of the wheel serves.
  bool is_left_to_others(std::string_view name, const ElfVersion* version,
                         const SymbolScope& scope) const {
    if (is_symbol_of_interpreter(name)) return true;
    if (version == nullptr) {
      // The interpreter brings the C library and libm, however it is linked; see
      // symbol-without-library for what it may lack.
      if (is_symbol_of_librt(name)) return true;
      for (const SystemSymbols::Library& library : table_->libraries()) {
        if (!library.name.starts_with("libc.") && !library.name.starts_with("libm.") &&
            !library.name.starts_with("ld-linux")) {
          continue;
        }
        const std::string_view since = table_->since(library.name, name);
        if (!since.empty() && policy_->allows_version(since)) return true;
      }
      return false;
    }
    const auto file = scope.named(version->file);
    if (!file) return true;  // see version-file-not-needed
    const ElfFacts& provider = *scope.objects()[*file].elf;
    // A version that the file lacks is a defect of its own: here symbol-version-missing, of system
    // libraries symbol-version-too-new.
    return std::none_of(provider.versions.begin(), provider.versions.end(),
                        [&](const ElfVersion& defined) {
                          return defined.defined && defined.name == version->name;
                        });
  }

  std::vector<std::string> definers_of(const ElfFacts& elf, const ElfSymbol& symbol,
                                       const std::unordered_set<const ElfFacts*>& loaded) {
    std::vector<std::string> paths;
    for (const TreeFile& file : files_) {
      if (file.elf == nullptr || file.table || loaded.count(file.elf) != 0) continue;
      const SymbolScope one(context_.tree.loader(), GlibcVersion{}, {{file.elf, {file.path}}},
                            tables_);
      if (one.look_up(elf, symbol).kind == BindingKind::bound) {
        paths.push_back(context_.tree.display(file.path));
      }
    }
    return paths;
  }

  [[nodiscard]] Level level_of(const Unbound& unbound, const ElfFacts& elf) const {
    // Another object that is opened before, for all to see, may define it; the wheel's code or a
    // package that it requires may do that.
    const bool others =
        !unbound.elsewhere.empty() ||
        std::any_of(context_.tree.packages().begin(), context_.tree.packages().end(),
                    [](const TreePackage& package) { return package.preloads; });
    const bool opened_by_python = role_of(files_[unbound.root]) != ObjectRole::library;
    const bool by_design =
        may_fail_by_design(context_, unbound.file) || may_fail_by_design(context_, unbound.root);
    const bool sure = opened_by_python && !others && !by_design && elf.references_known;
    return sure ? Level::error : Level::warning;
  }

  void keep(Unbound unbound) {
    for (Unbound& known : result_.unbound) {
      if (known.file != unbound.file || known.problem != unbound.problem) continue;
      if (unbound.level > known.level) known = std::move(unbound);
      return;
    }
    result_.unbound.push_back(std::move(unbound));
  }

  const Context& context_;
  const std::vector<TreeFile>& files_;
  const PlatformPolicy* policy_;
  const SystemSymbols* table_ = nullptr;       ///< of the tag's machine
  std::unique_ptr<SystemLibraries> promised_;  ///< null: nothing is known of the tag's systems
  std::unique_ptr<SystemLibraries> newest_;
  ExportTables tables_;
  std::unordered_map<std::size_t, std::vector<const ElfFacts*>> settled_;
  std::set<std::tuple<std::size_t, std::string, std::size_t>> told_;
  ClosureSymbols result_;
};

const ClosureSymbols& symbols_of(const Context& context) {
  return context.memo->get<ClosureSymbols>([&] { return Judge(context).run(); });
}

std::string when_opened(const Context& context, const Unbound& unbound) {
  if (unbound.root == unbound.file) return {};
  return " (seen when " + context.tree.display(context.tree.files()[unbound.root].path) +
         " is loaded)";
}

}  // namespace

std::vector<Finding> judge_symbol_undefined(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const Unbound& unbound : symbols_of(context).unbound) {
    if (unbound.problem != Problem::undefined) continue;
    const TreeFile& file = context.tree.files()[unbound.file];
    Finding finding = make_finding(
        row, unbound.level, file.member->entry.path, unbound.symbols.front(),
        "uses " + join(unbound.symbols, ", ", 4) +
            ", which nothing defines that is loaded with it" + when_opened(context, unbound));
    finding.provided_by = unbound.elsewhere;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_symbol_too_new(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  for (const Unbound& unbound : symbols_of(context).unbound) {
    if (unbound.problem != Problem::too_new || policy == nullptr) continue;
    const TreeFile& file = context.tree.files()[unbound.file];
    std::vector<std::string> symbols;
    std::string newest;
    for (std::size_t i = 0; i < unbound.symbols.size(); ++i) {
      symbols.push_back(unbound.symbols[i] + " (" + unbound.libraries[i] + ")");
      const std::string version = unbound.libraries[i].substr(0, unbound.libraries[i].find(' '));
      if (newest.empty() || version_less(newest, version)) newest = version;
    }
    const std::string oldest = oldest_system(newest);
    findings.push_back(make_finding(
        row, unbound.level, file.member->entry.path, unbound.symbols.front(),
        "uses " + join(symbols, ", ", 4) + " without asking for a version, newer than " +
            policy->name + " allows" +
            (oldest.empty() ? "" : "; the oldest distribution that has it is " + oldest) +
            when_opened(context, unbound)));
  }
  return findings;
}

std::vector<Finding> judge_symbol_version_missing(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MissingVersionOf& missing : symbols_of(context).versions) {
    const TreeFile& file = context.tree.files()[missing.file];
    const TreeFile& provider = context.tree.files()[missing.provider];
    std::vector<std::string> defined;
    for (const ElfVersion& version : provider.elf->versions) {
      if (version.defined && !version.base) defined.push_back(version.name);
    }
    Finding finding =
        make_finding(row, missing.by_design ? Level::warning : Level::error,
                     file.member->entry.path, missing.version,
                     "needs version " + missing.version + " of " +
                         std::string(base_name(provider.path)) + ", which defines " +
                         (defined.empty() ? "none but its own name" : join(defined, ", ", 4)));
    finding.provided_by.push_back(context.tree.display(provider.path));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace wheelcheck
