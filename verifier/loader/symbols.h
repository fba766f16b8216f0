#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "verifier/core/string_map.h"
#include "verifier/elf/facts.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/process.h"

namespace wheelcheck {

/// Single rules of how loaders bind symbols. All are in force; the proof of the model switches one
/// off at a time and requires that the real loader then disagrees. Nothing else may.
enum class SymbolRule {
  // which object
  first_definer_serves,     ///< of several in the scope
  weak_definition_serves,   ///< like any other: a strong one behind it changes nothing
  weak_reference_optional,  ///< what is referred to weakly need not be there
  own_weak_not_optional,    ///< musl: unless the file defines it itself, in vain
  invisible_serves_none,    ///< glibc: nothing that is hidden or internal
  protected_serves,
  own_protected_stays,   ///< glibc: a file's references to its own protected definition
  zero_serves_none,      ///< a definition at address 0, but of thread-local storage
  absolute_zero_serves,  ///< glibc: unless it is absolute
  ifunc_serves,          ///< glibc
  ifunc_serves_none,     ///< musl
  unique_once,           ///< glibc: the first unique definition that serves does so ever after
  copy_is_of_another,    ///< a program's copy is made of what a library defines
  symbolic_first,        ///< glibc: DF_SYMBOLIC, a file's own definition before any other
  // which version
  version_decides,             ///< glibc: a wanted version, and no other
  no_table_serves_any,         ///< glibc: a file without versions serves whoever wants one
  no_table_of_the_file_stops,  ///< glibc: unless it is the file that the version is wanted of
  unversioned_serves_any,      ///< glibc: ... and what has no version among others that have
  hidden_unversioned_serves_no_version,  ///< glibc: unless it is hidden
  first_version_serves,  ///< glibc: whoever wants none gets the file's first version, even hidden,
  only_default_serves,   ///< glibc: or the default, when it is the only one,
  hidden_later_serves_none,    ///< glibc: and no later version that is not the default
  hidden_version_serves_none,  ///< musl: nothing but defaults
  versions_are_ignored,        ///< musl
  file_decides,                ///< glibc before 2.30: the file that a version is wanted of
  // version needs, before any symbol is looked for: glibc
  missing_version_stops,  ///< of a file that defines others
  weak_need_may_fail,
  no_definitions_pass,  ///< a file that defines no version at all
  need_of_any_object,   ///< the file may be outside of the scope
  absent_file_stops,    ///< no object has that name
  count_
};
using SymbolRules = std::bitset<static_cast<std::size_t>(SymbolRule::count_)>;

/// What one file defines for others, found by name.
class ExportTable {
 public:
  explicit ExportTable(const ElfFacts& elf);

  /// Calls `visit(const ElfSymbol&)` for each definition of `name` that others may bind to, in the
  /// order of the file, until it answers true.
  template <class Visit>
  void for_each(std::string_view name, std::uint32_t hash, Visit visit) const {
    if (!may_hold(hash)) return;
    for (std::uint32_t at = buckets_[hash & mask_]; at != 0; at = entries_[at - 1].next) {
      const Entry& entry = entries_[at - 1];
      if (entry.hash != hash) continue;
      const ElfSymbol& symbol = elf_->dynamic_symbols[entry.symbol];
      if (elf_->name(symbol) == name && visit(symbol)) return;
    }
  }
  [[nodiscard]] static std::uint32_t hash_of(std::string_view name);

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t symbol = 0;
    std::uint32_t next = 0;  ///< 1 + index; 0: last
  };
  [[nodiscard]] bool may_hold(std::uint32_t hash) const {
    return ((filter_[(hash >> 6) & filter_mask_] >> (hash & 63)) & 1) != 0;
  }

  const ElfFacts* elf_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;
  std::uint32_t mask_ = 0;
  std::vector<std::uint64_t> filter_;
  std::uint32_t filter_mask_ = 0;
};

/// The tables of many files, each made when it is first asked for.
class ExportTables {
 public:
  /// `elf` has to stay where it is.
  [[nodiscard]] const ExportTable& of(const ElfFacts& elf);

 private:
  std::unordered_map<const ElfFacts*, ExportTable> tables_;
};

/// An object of a process, as lookups of symbols see it.
struct SymbolObject {
  const ElfFacts* elf = nullptr;   ///< null: nothing is known of what it defines
  std::vector<std::string> names;  ///< that the file of a version need can mean it by
  bool searched = true;            ///< false: loaded, but not in the scope
};

/// What a library that is known by name alone defines; null: nothing is known of it.
using KnownByName = std::function<const ElfFacts*(std::string_view name)>;

/// What lookups see of a process's scope. Of libraries known by name, what they need comes behind;
/// a process knows nothing of it.
[[nodiscard]] std::vector<SymbolObject> symbol_objects(const InstallTree& tree,
                                                       std::vector<ScopeMember> members,
                                                       const KnownByName& known);

/// How a reference comes out.
enum class BindingKind {
  bound,
  optional,     ///< nothing defines it, and being weak it need not be defined
  undefined,    ///< nothing defines it: the load fails
  not_in_file,  ///< glibc before 2.30: the file of its version lacks it, which ends the lookup
  no_versions,  ///< glibc: the file of its version defines it and has no versions: the loader ends
  unknown       ///< of some object it is not known what it defines
};

struct Binding {
  BindingKind kind = BindingKind::bound;
  /// Index into the scope: the definer; the file that lacks it; the first that is not known.
  std::optional<std::size_t> object;
  const ElfSymbol* definition = nullptr;  ///< of the definer
  /// What was come upon in the scope and left for the file's own protected definition.
  std::optional<std::size_t> left_object = std::nullopt;
  const ElfSymbol* left_definition = nullptr;
};

/// The objects in which one process looks for symbols, in order. Follows do_lookup_x and
/// check_match of glibc, find_sym of musl.
class SymbolScope {
 public:
  SymbolScope(LoaderKind loader, GlibcVersion glibc, std::vector<SymbolObject> objects,
              ExportTables& tables, SymbolRules off = {});

  [[nodiscard]] const std::vector<SymbolObject>& objects() const { return objects_; }
  /// True when it is known of every object what it defines.
  [[nodiscard]] bool complete() const { return !first_unknown_; }

  [[nodiscard]] bool follows(SymbolRule rule) const {
    return !off_.test(static_cast<std::size_t>(rule));
  }

  /// `reference` is a symbol of `from` for which is_looked_up().
  [[nodiscard]] Binding look_up(const ElfFacts& from, const ElfSymbol& reference) const;
  /// The object that a version need of this file name means.
  [[nodiscard]] std::optional<std::size_t> named(std::string_view file) const;

 private:
  struct Wanted;
  /// What became of a name in one object.
  struct Definition {
    const ElfSymbol* symbol = nullptr;
    bool considered = false;  ///< one of the wanted version is there, if only for the object itself
    bool stops = false;       ///< see BindingKind::no_versions
  };
  [[nodiscard]] Definition definition_in(std::size_t object, const Wanted& wanted) const;
  [[nodiscard]] bool is_wanted(const ElfFacts& elf, const ElfSymbol& symbol,
                               const Wanted& wanted) const;
  [[nodiscard]] bool may_serve(const ElfSymbol& symbol) const;

  const LoaderKind loader_;
  const SymbolRules off_;
  const bool file_decides_;  ///< a version is looked for in its file and not behind it
  std::vector<SymbolObject> objects_;
  ExportTables& exports_;
  mutable std::vector<const ExportTable*> tables_;  ///< null: not asked for yet
  StringMap<std::size_t> by_name_;
  std::optional<std::size_t> first_unknown_;
};

/// What the loader looks up when the object is loaded, be it defined by the object itself.
[[nodiscard]] bool is_looked_up(const ElfFacts& elf, const ElfSymbol& symbol);
/// ... and what others must define. A program defines what it has a copy of, for all others.
[[nodiscard]] bool is_reference(const ElfFacts& elf, const ElfSymbol& symbol);

/// A version that an object needs and does not get: glibc refuses the object.
struct MissingVersion {
  std::size_t version = 0;  ///< index into ElfFacts::versions
  std::size_t object = 0;   ///< index into the scope: the file that lacks it
};
/// Versions that `from` needs of objects in `scope` that define versions, but not this one. Weak
/// needs are left out. musl asks for none.
[[nodiscard]] std::vector<MissingVersion> missing_versions(const ElfFacts& from,
                                                           const SymbolScope& scope,
                                                           LoaderKind loader);
/// Indexes into ElfFacts::versions: what `from` needs of files that no object stands for. glibc
/// ends with an assertion.
[[nodiscard]] std::vector<std::size_t> versions_of_absent_files(const ElfFacts& from,
                                                                const SymbolScope& scope,
                                                                LoaderKind loader);

}  // namespace wheelcheck
