#include "verifier/check/local_symbols.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace wheelcheck {
namespace {

bool has_hidden_state(const Profile& profile) {
  return std::any_of(profile.groups.begin(), profile.groups.end(),
                     [](const SymbolGroup& group) { return !group.local_state.empty(); });
}

bool is_for_any(const Profile& profile) {
  return profile.distributions.empty() && profile.requires_members.empty();
}

bool promises_cpu(const WheelFacts& wheel) {
  const auto labelled = [](const std::optional<Version>& version) {
    return version && version->local().starts_with("cpu");
  };
  return (wheel.file_name && labelled(wheel.file_name->version)) ||
         (wheel.metadata && labelled(wheel.metadata->version));
}

/// Names that tell that a group is meant. Other packages define some of a group's symbols too.
std::unordered_set<std::string_view> telling_symbols(const Profile& profile) {
  std::unordered_set<std::string_view> names;
  for (const SymbolGroup& group : profile.groups) {
    const auto& telling = group.sentinels.empty() ? group.symbols : group.sentinels;
    names.insert(telling.begin(), telling.end());
  }
  return names;
}

}  // namespace

bool local_symbols_expected(const std::vector<Profile>& profiles, const std::string& file,
                            const std::string& profile) {
  const auto name = parse_wheel_filename(file);
  if (name && name->version && name->version->local().starts_with("cpu")) return true;
  return std::any_of(profiles.begin(), profiles.end(), [&](const Profile& candidate) {
    if (!has_hidden_state(candidate)) return false;
    if (!profile.empty()) return candidate.name == profile;
    const auto& names = candidate.distributions;
    return name && std::find(names.begin(), names.end(), name->normalised) != names.end();
  });
}

bool local_symbols_wanted(const Profile& profile, const WheelFacts& wheel) {
  if (promises_cpu(wheel)) return true;
  if (!has_hidden_state(profile)) return false;
  if (!is_for_any(profile)) return true;
  const auto telling = telling_symbols(profile);
  return std::any_of(wheel.members.begin(), wheel.members.end(),
                     [&telling](const MemberFacts& member) {
                       if (!member.elf) return false;
                       const ElfFacts& elf = *member.elf;
                       return std::any_of(elf.dynamic_symbols.begin(), elf.dynamic_symbols.end(),
                                          [&](const ElfSymbol& symbol) {
                                            return telling.find(elf.name(symbol)) != telling.end();
                                          });
                     });
}

}  // namespace wheelcheck
