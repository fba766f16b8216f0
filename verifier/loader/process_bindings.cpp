#include "verifier/loader/process_bindings.h"

#include <algorithm>
#include <utility>

namespace wheelcheck {

std::vector<ScopeMember> ProcessBindings::members_for(std::size_t root, bool own_first) const {
  std::vector<ScopeMember> members = process_.scope_of(root);
  const std::vector<std::size_t>& own = process_.objects()[root].scope;
  if (own_first || !follows(ScopeRule::global_before_own)) {
    const auto place = [&](const ScopeMember& member) {
      return std::find(own.begin(), own.end(), member.object) - own.begin();
    };
    std::stable_sort(
        members.begin(), members.end(),
        [&](const ScopeMember& a, const ScopeMember& b) { return place(a) < place(b); });
  }
  if (!follows(ScopeRule::preload_first)) {
    const std::vector<std::size_t>& preloaded = process_.preloaded();
    std::stable_partition(members.begin(), members.end(), [&](const ScopeMember& member) {
      return std::find(preloaded.begin(), preloaded.end(), member.object) == preloaded.end();
    });
  }
  return members;
}

void ProcessBindings::share(std::size_t root) {
  if (follows(ScopeRule::shared_by_all)) process_.share(root);
}

BoundLoad ProcessBindings::bind(std::size_t root, const BindOptions& options) {
  const bool deeply = options.deeply && tree_.loader() == LoaderKind::glibc &&
                      follows(ScopeRule::own_before_global);
  std::vector<ScopeMember> members = members_for(root, deeply);
  std::vector<std::size_t> objects;
  std::unordered_set<std::size_t> in_scope;
  for (const ScopeMember& member : members) {
    objects.push_back(member.object);
    in_scope.insert(member.object);
  }
  std::vector<SymbolObject> seen = symbol_objects(tree_, std::move(members), known_);
  objects.resize(seen.size(), root);  // libraries that are known by name alone
  for (std::size_t i = 0; i < process_.objects().size(); ++i) {
    if (in_scope.count(i) != 0) continue;
    const LoadedObject& outside = process_.objects()[i];
    SymbolObject& object = seen.emplace_back();
    if (outside.file) object.elf = tree_.files()[*outside.file].elf;
    object.names = outside.names;
    object.names.push_back(outside.opened);
    object.searched = !follows(ScopeRule::local_stays_local);
    objects.push_back(i);
  }
  SymbolRules off = off_.symbols;
  if (deeply) off.set(static_cast<std::size_t>(SymbolRule::symbolic_first));  // not both
  const SymbolScope scope(tree_.loader(), glibc_, std::move(seen), tables_, off);
  BoundLoad load;
  for (const std::size_t object : process_.objects()[root].scope) {
    const bool fresh = bound_.insert(object).second;
    if (fresh || !follows(ScopeRule::bound_once)) {
      bind_object(object, scope, objects, options.lazily, load);
    }
  }
  return load;
}

void ProcessBindings::bind_object(std::size_t object, const SymbolScope& scope,
                                  const std::vector<std::size_t>& objects, bool lazily,
                                  BoundLoad& load) {
  const auto& file = process_.objects()[object].file;
  const ElfFacts* elf = file ? tree_.files()[*file].elf : nullptr;
  if (elf == nullptr) return;
  for (const std::size_t version : versions_of_absent_files(*elf, scope, tree_.loader())) {
    load.versions.push_back({object, version, std::nullopt});
  }
  for (const MissingVersion& missing : missing_versions(*elf, scope, tree_.loader())) {
    load.versions.push_back({object, missing.version, objects[missing.object]});
  }
  for (const ElfSymbol& symbol : elf->dynamic_symbols) {
    if (!is_looked_up(*elf, symbol)) continue;
    if (lazily && symbol.only_called && follows(ScopeRule::calls_wait)) continue;
    const Binding binding = scope.look_up(*elf, symbol);
    BoundReference reference;
    reference.object = object;
    reference.reference = &symbol;
    reference.kind = binding.kind;
    if (binding.object) reference.definer = objects[*binding.object];
    reference.definition = binding.definition;
    const bool left = binding.left_object.has_value();
    if (binding.kind == BindingKind::bound) {
      // What is left for one's own is the first of its name all the same.
      const Unique found{left ? objects[*binding.left_object] : reference.definer,
                         left ? binding.left_definition : binding.definition};
      const Unique settled = settle_unique(elf->name(symbol), found);
      if (!left) {
        reference.definer = settled.object;
        reference.definition = settled.definition;
      } else if (settled.object != reference.definer) {
        reference.definition = &symbol;
      }
    }
    load.references.push_back(reference);
  }
}

ProcessBindings::Unique ProcessBindings::settle_unique(std::string_view name, Unique found) {
  const bool unique = tree_.loader() == LoaderKind::glibc &&
                      found.definition->binding == SymbolBinding::gnu_unique &&
                      !off_.symbols.test(static_cast<std::size_t>(SymbolRule::unique_once));
  return unique ? unique_.try_emplace(std::string(name), found).first->second : found;
}

void ProcessBindings::take_back(std::size_t objects) {
  std::erase_if(bound_, [&](std::size_t object) { return object >= objects; });
  std::erase_if(unique_, [&](const auto& one) { return one.second.object >= objects; });
  process_.take_back(objects);
}

}  // namespace wheelcheck
