#include "verifier/loader/process_bindings.h"

#include <algorithm>
#include <utility>

namespace wheelcheck {

std::vector<ScopeMember> ProcessBindings::members_for(std::size_t root) const {
  std::vector<ScopeMember> members = process_.scope_of(root);
  const std::vector<std::size_t>& own = process_.objects()[root].scope;
  if (!follows(ScopeRule::global_before_own)) {
    std::stable_partition(members.begin(), members.end(), [&](const ScopeMember& member) {
      return std::find(own.begin(), own.end(), member.object) != own.end();
    });
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

BoundLoad ProcessBindings::bind(std::size_t root, bool lazily) {
  std::vector<ScopeMember> members = members_for(root);
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
  const SymbolScope scope(tree_.loader(), glibc_, std::move(seen), tables_, off_.symbols);
  BoundLoad load;
  for (const std::size_t object : process_.objects()[root].scope) {
    const bool fresh = bound_.insert(object).second;
    if (fresh || !follows(ScopeRule::bound_once)) bind_object(object, scope, objects, lazily, load);
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
    if (binding.kind == BindingKind::bound) settle_unique(reference, elf->name(symbol));
    load.references.push_back(reference);
  }
}

void ProcessBindings::settle_unique(BoundReference& reference, std::string_view name) {
  const bool unique = tree_.loader() == LoaderKind::glibc &&
                      reference.definition->binding == SymbolBinding::gnu_unique &&
                      !off_.symbols.test(static_cast<std::size_t>(SymbolRule::unique_once));
  const bool own = reference.reference->defined &&
                   reference.reference->visibility == SymbolVisibility::protected_;
  if (!unique || own) return;
  const auto [known, fresh] =
      unique_.try_emplace(std::string(name), Unique{reference.definer, reference.definition});
  if (fresh) return;
  reference.definer = known->second.object;
  reference.definition = known->second.definition;
}

void ProcessBindings::take_back(std::size_t objects) {
  std::erase_if(bound_, [&](std::size_t object) { return object >= objects; });
  std::erase_if(unique_, [&](const auto& one) { return one.second.object >= objects; });
  process_.take_back(objects);
}

}  // namespace wheelcheck
