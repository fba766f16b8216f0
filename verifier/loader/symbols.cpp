#include "verifier/loader/symbols.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

namespace wheelcheck {

namespace {

/// Types that a loader binds to; files and sections are none.
bool has_bindable_type(const ElfSymbol& symbol) {
  switch (symbol.type) {
    case SymbolType::none:
    case SymbolType::object:
    case SymbolType::function:
    case SymbolType::common:
    case SymbolType::tls:
    case SymbolType::ifunc:
      return true;
    case SymbolType::section:
    case SymbolType::file:
    case SymbolType::other:
      break;
  }
  return false;
}

/// What may be bound to on some loader.
bool is_export(const ElfSymbol& symbol) {
  const bool global = symbol.binding == SymbolBinding::global ||
                      symbol.binding == SymbolBinding::weak ||
                      symbol.binding == SymbolBinding::gnu_unique;
  return symbol.defined && global && has_bindable_type(symbol);
}

/// glibc passes over what is not visible, musl does not look.
bool is_visible(const ElfSymbol& symbol) {
  return symbol.visibility == SymbolVisibility::standard ||
         symbol.visibility == SymbolVisibility::protected_;
}

/// The version of a definition as glibc keeps it: the record that names the file itself is none.
const ElfVersion* version_of_definition(const ElfFacts& elf, const ElfSymbol& symbol) {
  const ElfVersion* version = elf.version_of(symbol);
  return version != nullptr && version->base ? nullptr : version;
}

bool answers_to(const SymbolObject& object, std::string_view file) {
  return !file.empty() &&
         std::find(object.names.begin(), object.names.end(), file) != object.names.end();
}

bool has_version_table(const ElfFacts& elf) { return !elf.versions.empty(); }

bool is_symbolic(const ElfFacts& elf) {
  constexpr std::uint64_t kFlagSymbolic = 2;  // of DT_FLAGS
  return (elf.dt_flags & kFlagSymbolic) != 0;
}

bool defines_versions(const ElfFacts& elf) {
  return std::any_of(elf.versions.begin(), elf.versions.end(),
                     [](const ElfVersion& version) { return version.defined; });
}

}  // namespace

std::uint32_t ExportTable::hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash ^ (hash >> 15);
}

ExportTable::ExportTable(const ElfFacts& elf) : elf_(&elf) {
  for (std::size_t i = 0; i < elf.dynamic_symbols.size(); ++i) {
    const ElfSymbol& symbol = elf.dynamic_symbols[i];
    if (!is_export(symbol)) continue;
    entries_.push_back({hash_of(elf.name(symbol)), static_cast<std::uint32_t>(i), 0});
  }
  const std::size_t size = std::bit_ceil(entries_.size() + 1);
  mask_ = static_cast<std::uint32_t>(size - 1);
  buckets_.assign(size, 0);
  const std::size_t words = std::bit_ceil(entries_.size() / 8 + 1);
  filter_mask_ = static_cast<std::uint32_t>(words - 1);
  filter_.assign(words, 0);
  // Backwards, so that each chain runs in the order of the file.
  for (std::size_t i = entries_.size(); i-- > 0;) {
    Entry& entry = entries_[i];
    entry.next = std::exchange(buckets_[entry.hash & mask_], static_cast<std::uint32_t>(i + 1));
    filter_[(entry.hash >> 6) & filter_mask_] |= std::uint64_t{1} << (entry.hash & 63);
  }
}

const ExportTable& ExportTables::of(const ElfFacts& elf) {
  const auto known = tables_.find(&elf);
  if (known != tables_.end()) return known->second;
  return tables_.emplace(&elf, ExportTable(elf)).first->second;
}

std::vector<SymbolObject> symbol_objects(const InstallTree& tree, std::vector<ScopeMember> members,
                                         const KnownByName& known) {
  std::vector<SymbolObject> objects;
  std::unordered_set<std::string> names;
  for (ScopeMember& member : members) {
    SymbolObject& object = objects.emplace_back();
    if (!member.file) {
      object.elf = known(member.names.back());
    } else if (const TreeFile& file = tree.files()[*member.file]; !file.table) {
      object.elf = file.elf;
    }
    object.names = std::move(member.names);
    names.insert(object.names.begin(), object.names.end());
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const bool by_name = !objects[i].names.back().starts_with('/');
    if (!by_name || objects[i].elf == nullptr) continue;
    const std::vector<std::string>& needed = objects[i].elf->needed;
    for (const std::string& need : needed) {
      if (names.insert(need).second) objects.push_back({known(need), {need}});
    }
  }
  return objects;
}

struct SymbolScope::Wanted {
  std::string_view name;
  std::uint32_t hash = 0;
  const ElfVersion* version = nullptr;
  std::optional<std::size_t> file;  ///< that has to have it, if it comes before any definer
};

SymbolScope::SymbolScope(LoaderKind loader, GlibcVersion glibc, std::vector<SymbolObject> objects,
                         ExportTables& tables, SymbolRules off)
    : loader_(loader),
      off_(off),
      file_decides_(loader == LoaderKind::glibc && glibc < GlibcVersion{2, 30} &&
                    follows(SymbolRule::file_decides)),
      objects_(std::move(objects)),
      exports_(tables),
      tables_(objects_.size(), nullptr) {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const SymbolObject& object = objects_[i];
    if (object.elf == nullptr && object.searched && !first_unknown_) first_unknown_ = i;
    if (!object.searched && !follows(SymbolRule::need_of_any_object)) continue;
    for (const std::string& name : object.names) by_name_.try_emplace(name, i);
  }
}

std::optional<std::size_t> SymbolScope::named(std::string_view file) const {
  const auto found = by_name_.find(file);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

bool SymbolScope::may_serve(const ElfSymbol& symbol) const {
  const bool musl = loader_ == LoaderKind::musl;
  if (symbol.type == SymbolType::ifunc &&
      (musl ? follows(SymbolRule::ifunc_serves_none) : !follows(SymbolRule::ifunc_serves))) {
    return false;
  }
  const bool absolute = !musl && symbol.absolute && follows(SymbolRule::absolute_zero_serves);
  return symbol.value != 0 || symbol.type == SymbolType::tls || absolute ||
         !follows(SymbolRule::zero_serves_none);
}

/// Of glibc; for a reference that names no version this is but the first of two questions.
bool SymbolScope::is_wanted(const ElfFacts& elf, const ElfSymbol& symbol,
                            const Wanted& wanted) const {
  const ElfVersion* version = version_of_definition(elf, symbol);
  if (wanted.version == nullptr) {
    // The file's first version is what it had before there were versions.
    const std::uint16_t last = follows(SymbolRule::first_version_serves) ? 2 : 1;
    return !has_version_table(elf) || symbol.version <= last;
  }
  if (!follows(SymbolRule::version_decides)) return true;
  // What has no version serves any; what has one only its own.
  if (!has_version_table(elf)) return follows(SymbolRule::no_table_serves_any);
  if (version != nullptr) return version->name == wanted.version->name;
  const bool hidden =
      symbol.version_hidden && follows(SymbolRule::hidden_unversioned_serves_no_version);
  return !hidden && follows(SymbolRule::unversioned_serves_any);
}

SymbolScope::Definition SymbolScope::definition_in(std::size_t object, const Wanted& wanted) const {
  const ElfFacts& elf = *objects_[object].elf;
  const bool musl = loader_ == LoaderKind::musl;
  Definition found;
  std::size_t defaults = 0;  // of later versions, for a reference that names none
  const ElfSymbol* first_default = nullptr;
  const auto take = [&](const ElfSymbol& symbol) {
    found.considered = true;
    const bool invisible = !is_visible(symbol) && follows(SymbolRule::invisible_serves_none);
    const bool shut =
        symbol.visibility == SymbolVisibility::protected_ && !follows(SymbolRule::protected_serves);
    if (musl || (!invisible && !shut)) found.symbol = &symbol;
  };
  if (tables_[object] == nullptr) tables_[object] = &exports_.of(elf);
  tables_[object]->for_each(wanted.name, wanted.hash, [&](const ElfSymbol& symbol) {
    if (musl) {
      // The first default of that name is all it looks at.
      if (symbol.version_hidden && follows(SymbolRule::hidden_version_serves_none)) return false;
      if (!follows(SymbolRule::versions_are_ignored) && !is_wanted(elf, symbol, wanted)) {
        return false;
      }
      if (may_serve(symbol)) take(symbol);
      return true;
    }
    if (!may_serve(symbol)) return false;
    if (wanted.version != nullptr && !has_version_table(elf) &&
        follows(SymbolRule::no_table_of_the_file_stops) &&
        answers_to(objects_[object], wanted.version->file)) {
      found.stops = true;
      return true;
    }
    if (is_wanted(elf, symbol, wanted)) {
      take(symbol);
      return true;
    }
    if (wanted.version != nullptr) return false;
    // Of later versions the default counts, if nothing else is there.
    const bool hidden = symbol.version_hidden && follows(SymbolRule::hidden_later_serves_none);
    if (!hidden && defaults++ == 0) first_default = &symbol;
    return false;
  });
  const bool only = defaults == 1 && follows(SymbolRule::only_default_serves);
  if (!found.considered && only && first_default != nullptr) take(*first_default);
  return found;
}

Binding SymbolScope::look_up(const ElfFacts& from, const ElfSymbol& reference) const {
  Wanted wanted;
  wanted.name = from.name(reference);
  wanted.hash = ExportTable::hash_of(wanted.name);
  wanted.version = version_of_definition(from, reference);
  if (file_decides_ && wanted.version != nullptr && !wanted.version->defined) {
    wanted.file = named(wanted.version->file);
  }
  std::optional<Binding> found;
  const auto self = [&] {
    const auto one = std::find_if(objects_.begin(), objects_.end(),
                                  [&](const SymbolObject& object) { return object.elf == &from; });
    return static_cast<std::size_t>(one - objects_.begin());
  };
  const std::size_t count = objects_.size();
  const bool symbolic =
      loader_ == LoaderKind::glibc && is_symbolic(from) && follows(SymbolRule::symbolic_first);
  const std::size_t first = symbolic ? self() : count;  // looked into before the others
  for (std::size_t turn = first == count ? 1 : 0; turn <= count; ++turn) {
    const std::size_t i = turn == 0 ? first : turn - 1;
    if (objects_[i].elf == nullptr || !objects_[i].searched) continue;
    if (reference.copied && objects_[i].elf == &from && follows(SymbolRule::copy_is_of_another)) {
      continue;
    }
    const bool sure = turn == 0 || !first_unknown_ || *first_unknown_ > i;
    const Binding unknown{BindingKind::unknown, first_unknown_, nullptr};
    const Definition definition = definition_in(i, wanted);
    if (definition.stops) return sure ? Binding{BindingKind::no_versions, i, nullptr} : unknown;
    if (definition.symbol != nullptr) {
      const bool weak = definition.symbol->binding == SymbolBinding::weak &&
                        !follows(SymbolRule::weak_definition_serves);
      if (!weak || !found) found = Binding{BindingKind::bound, i, definition.symbol};
      if (!weak && follows(SymbolRule::first_definer_serves)) break;
    }
    if (found || wanted.file != i || definition.considered) continue;
    return sure ? Binding{BindingKind::not_in_file, i, nullptr} : unknown;
  }
  if (found) {
    const bool own = reference.defined && !reference.copied &&
                     reference.visibility == SymbolVisibility::protected_ &&
                     loader_ == LoaderKind::glibc && follows(SymbolRule::own_protected_stays);
    const std::size_t index = own ? self() : count;
    if (index == count) return *found;
    const bool same = found->object == index;
    return {BindingKind::bound, index, same ? found->definition : &reference, found->object,
            found->definition};
  }
  const bool own_in_vain = reference.defined && loader_ == LoaderKind::musl &&
                           follows(SymbolRule::own_weak_not_optional);
  if (reference.binding == SymbolBinding::weak && !own_in_vain &&
      follows(SymbolRule::weak_reference_optional)) {
    return {BindingKind::optional, std::nullopt, nullptr};
  }
  if (first_unknown_) return {BindingKind::unknown, first_unknown_, nullptr};
  return {BindingKind::undefined, std::nullopt, nullptr};
}

bool is_looked_up(const ElfFacts& elf, const ElfSymbol& symbol) {
  return symbol.referenced && symbol.binding != SymbolBinding::local && is_visible(symbol) &&
         !elf.name(symbol).empty();
}

bool is_reference(const ElfFacts& elf, const ElfSymbol& symbol) {
  return (!symbol.defined || symbol.copied) && is_looked_up(elf, symbol);
}

std::vector<MissingVersion> missing_versions(const ElfFacts& from, const SymbolScope& scope,
                                             LoaderKind loader) {
  std::vector<MissingVersion> missing;
  if (loader == LoaderKind::musl || !scope.follows(SymbolRule::missing_version_stops)) {
    return missing;
  }
  for (std::size_t i = 0; i < from.versions.size(); ++i) {
    const ElfVersion& need = from.versions[i];
    if (need.defined || (need.weak && scope.follows(SymbolRule::weak_need_may_fail))) continue;
    const auto object = scope.named(need.file);
    if (!object || scope.objects()[*object].elf == nullptr) continue;
    const ElfFacts& elf = *scope.objects()[*object].elf;
    if (!defines_versions(elf) && scope.follows(SymbolRule::no_definitions_pass)) continue;
    const bool there = std::any_of(
        elf.versions.begin(), elf.versions.end(),
        [&](const ElfVersion& version) { return version.defined && version.name == need.name; });
    if (!there) missing.push_back({i, *object});
  }
  return missing;
}

std::vector<std::size_t> versions_of_absent_files(const ElfFacts& from, const SymbolScope& scope,
                                                  LoaderKind loader) {
  std::vector<std::size_t> absent;
  if (loader == LoaderKind::musl || !scope.follows(SymbolRule::absent_file_stops)) return absent;
  for (std::size_t i = 0; i < from.versions.size(); ++i) {
    const ElfVersion& need = from.versions[i];
    if (!need.defined && !scope.named(need.file)) absent.push_back(i);
  }
  return absent;
}

}  // namespace wheelcheck
