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

bool has_version_table(const ElfFacts& elf) { return !elf.versions.empty(); }

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
  bool version_hidden = false;
};

SymbolScope::SymbolScope(LoaderKind loader, GlibcVersion glibc, std::vector<SymbolObject> objects,
                         ExportTables& tables)
    : loader_(loader),
      file_decides_(loader == LoaderKind::glibc && glibc < GlibcVersion{2, 30}),
      objects_(std::move(objects)),
      exports_(tables),
      tables_(objects_.size(), nullptr) {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const SymbolObject& object = objects_[i];
    if (object.elf == nullptr && !first_unknown_) first_unknown_ = i;
    for (const std::string& name : object.names) by_name_.try_emplace(name, i);
  }
}

std::optional<std::size_t> SymbolScope::named(std::string_view file) const {
  const auto found = by_name_.find(std::string(file));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

bool SymbolScope::defines(std::size_t object, const Wanted& wanted, bool& considered) const {
  const ElfFacts& elf = *objects_[object].elf;
  bool found = false;
  std::size_t others = 0;  // of another version, for a reference that names none
  const ElfSymbol* other = nullptr;
  if (tables_[object] == nullptr) tables_[object] = &exports_.of(elf);
  tables_[object]->for_each(wanted.name, wanted.hash, [&](const ElfSymbol& symbol) {
    if (loader_ == LoaderKind::musl) {
      found = !symbol.version_hidden && (symbol.value != 0 || symbol.type == SymbolType::tls);
      return found;
    }
    const ElfVersion* version = version_of_definition(elf, symbol);
    if (wanted.version != nullptr) {
      // What has no version serves any; what has one only its own.
      const bool fits = !has_version_table(elf) || (version == nullptr && !symbol.version_hidden) ||
                        (version != nullptr && version->name == wanted.version->name);
      if (!fits) return false;
    } else if (has_version_table(elf) && symbol.version >= 3) {
      // The file's first version is what it had before there were versions; of later ones the
      // default counts, if nothing else is there.
      if (!symbol.version_hidden && others++ == 0) other = &symbol;
      return false;
    }
    considered = true;
    found = is_visible(symbol);
    return true;
  });
  if (!found && !considered && others == 1 && other != nullptr) {
    considered = true;
    found = is_visible(*other);
  }
  return found;
}

Binding SymbolScope::look_up(const ElfFacts& from, const ElfSymbol& reference) const {
  Wanted wanted;
  wanted.name = from.name(reference);
  wanted.hash = ExportTable::hash_of(wanted.name);
  if (loader_ != LoaderKind::musl) wanted.version = version_of_definition(from, reference);
  std::optional<std::size_t> file;  // that has to have it, if it comes before any definer
  if (file_decides_ && wanted.version != nullptr && !wanted.version->defined)
    file = named(wanted.version->file);
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (objects_[i].elf == nullptr) continue;
    bool considered = false;
    if (defines(i, wanted, considered)) return {BindingKind::bound, i};
    if (file != i || considered) continue;
    const bool sure = !first_unknown_ || *first_unknown_ > i;
    return sure ? Binding{BindingKind::not_in_file, i}
                : Binding{BindingKind::unknown, first_unknown_};
  }
  if (reference.binding == SymbolBinding::weak) return {BindingKind::optional, std::nullopt};
  if (first_unknown_) return {BindingKind::unknown, first_unknown_};
  return {BindingKind::undefined, std::nullopt};
}

bool is_reference(const ElfFacts& elf, const ElfSymbol& symbol) {
  return !symbol.defined && symbol.referenced && symbol.binding != SymbolBinding::local &&
         is_visible(symbol) && !elf.name(symbol).empty();
}

std::vector<MissingVersion> missing_versions(const ElfFacts& from, const SymbolScope& scope,
                                             LoaderKind loader) {
  std::vector<MissingVersion> missing;
  if (loader == LoaderKind::musl) return missing;
  for (std::size_t i = 0; i < from.versions.size(); ++i) {
    const ElfVersion& need = from.versions[i];
    if (need.defined || need.weak) continue;
    const auto object = scope.named(need.file);
    if (!object || scope.objects()[*object].elf == nullptr) continue;
    const ElfFacts& elf = *scope.objects()[*object].elf;
    if (!defines_versions(elf)) continue;
    const bool there = std::any_of(
        elf.versions.begin(), elf.versions.end(),
        [&](const ElfVersion& version) { return version.defined && version.name == need.name; });
    if (!there) missing.push_back({i, *object});
  }
  return missing;
}

}  // namespace wheelcheck
