#include "rules/symbol_index.h"

#include <algorithm>
#include <bitset>
#include <unordered_set>

#include "rules/support.h"

namespace wheelcheck {
namespace {

/// The names that matter, asked once for each of a wheel's symbols (millions in the largest):
/// the length alone turns most of them away.
class Wanted {
 public:
  explicit Wanted(const Profile& profile) {
    for (const SymbolGroup& group : profile.groups) {
      for (const std::string& symbol : group.symbols) add(symbol);
      for (const std::string& symbol : group.sentinels) add(symbol);
      for (const std::string& symbol : group.local_state) add(symbol);
      for (const std::string& prefix : group.prefixes) prefixes_.push_back(prefix);
    }
    for (const ImportProof& proof : profile.imports) {
      for (const std::string& symbol : proof.symbols) add(symbol);
    }
  }
  [[nodiscard]] bool contains(std::string_view name) const {
    if (name.size() < lengths_.size() && lengths_[name.size()] && names_.contains(name)) {
      return true;
    }
    return std::any_of(prefixes_.begin(), prefixes_.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
  }

 private:
  void add(std::string_view name) {
    names_.insert(name);
    lengths_.set(std::min(name.size(), lengths_.size() - 1));
  }
  std::unordered_set<std::string_view> names_;
  std::bitset<1024> lengths_;
  std::vector<std::string_view> prefixes_;
};

bool is_exported(const ElfSymbol& symbol) {
  const bool visible = symbol.visibility == SymbolVisibility::standard ||
                       symbol.visibility == SymbolVisibility::protected_;
  return symbol.defined && visible;
}

}  // namespace

SymbolIndex::SymbolIndex(const WheelFacts& wheel, const Profile& profile) {
  const Wanted wanted(profile);
  for (const MemberFacts* member : elf_members(wheel)) {
    const ElfFacts& elf = *member->elf;
    // Relocatable objects are inputs of a linker; nothing binds to them at run time.
    if (!elf.loadable()) continue;
    const auto use_of = [&](std::string_view name) -> SymbolUse& {
      auto found = uses_.find(name);
      if (found == uses_.end())
        found = uses_.emplace(std::string(name), std::vector<SymbolUse>()).first;
      if (found->second.empty() || found->second.back().member != member) {
        found->second.emplace_back().member = member;
      }
      return found->second.back();
    };
    for (const ElfSymbol& symbol : elf.dynamic_symbols) {
      const std::string_view name = elf.name(symbol);
      if (!wanted.contains(name)) continue;
      if (!symbol.defined) {
        use_of(name).undefined = true;
      } else if (is_exported(symbol)) {
        if (symbol.binding == SymbolBinding::weak) use_of(name).weak = true;
        if (symbol.binding == SymbolBinding::global ||
            symbol.binding == SymbolBinding::gnu_unique) {
          use_of(name).strong = true;
        }
        if (symbol.binding == SymbolBinding::local) use_of(name).local = true;
      } else {
        use_of(name).local = true;
      }
    }
    for (const ElfSymbol& symbol : elf.local_symbols) {
      const std::string_view name = elf.local_name(symbol);
      if (wanted.contains(name)) use_of(name).local = true;
    }
  }
}

const std::vector<SymbolUse>& SymbolIndex::uses(std::string_view symbol) const {
  static const std::vector<SymbolUse> kNone;
  const auto found = uses_.find(symbol);
  return found == uses_.end() ? kNone : found->second;
}

std::vector<std::string> SymbolIndex::present(const SymbolGroup& group) const {
  std::vector<std::string> symbols;
  for (const auto& [name, uses] : uses_) {
    if (!group.applies_to(name)) continue;
    if (std::any_of(uses.begin(), uses.end(),
                    [](const SymbolUse& use) { return use.defines() || use.local; })) {
      symbols.push_back(name);
    }
  }
  return symbols;
}

}  // namespace wheelcheck
