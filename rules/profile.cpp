#include "rules/profile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nlohmann/json.hpp"

#include "verifier/wheel/version.h"

namespace wheelcheck {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

/// Takes a key out of an object, so that what is left over at the end is a mistyped key.
template <class T>
void take(Json& object, const char* key, T& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  into = found->get<T>();
  object.erase(found);
}

void expect_empty(const Json& object, const std::string& where) {
  if (object.empty()) return;
  throw Json::other_error::create(501, where + ": unknown key " + object.begin().key(), nullptr);
}

Level read_level(const std::string& text) {
  if (text == "error") return Level::error;
  if (text == "warning") return Level::warning;
  if (text == "note") return Level::note;
  throw Json::other_error::create(501, "unknown level " + text, nullptr);
}

SymbolGroup read_group(const std::string& name, Json object) {
  SymbolGroup group;
  group.name = name;
  take(object, "what", group.what);
  take(object, "symbols", group.symbols);
  take(object, "prefixes", group.prefixes);
  take(object, "sentinels", group.sentinels);
  take(object, "local_state", group.local_state);
  take(object, "owner_exports", group.owner_exports);
  take(object, "complete", group.complete);
  take(object, "strong", group.strong);
  expect_empty(object, "group " + name);
  return group;
}

SymbolGroup use_group(const std::map<std::string, SymbolGroup>& groups, Json object) {
  std::string name;
  take(object, "group", name);
  const auto found = groups.find(name);
  if (found == groups.end()) {
    throw Json::other_error::create(501, "unknown group " + name, nullptr);
  }
  SymbolGroup group = found->second;
  take(object, "owners", group.owners);
  take(object, "exempt", group.exempt);
  std::string level = "error";
  take(object, "level", level);
  group.level = read_level(level);
  expect_empty(object, "use of group " + name);
  return group;
}

ImportProof read_import(Json object) {
  ImportProof proof;
  take(object, "what", proof.what);
  take(object, "files", proof.files);
  take(object, "symbols", proof.symbols);
  take(object, "no_tls", proof.no_tls);
  expect_empty(object, "imports");
  return proof;
}

ImportBan read_ban(Json object) {
  ImportBan ban;
  take(object, "files", ban.files);
  take(object, "symbols", ban.symbols);
  take(object, "what", ban.what);
  expect_empty(object, "forbidden_imports");
  return ban;
}

EdgeRule read_edge(Json object) {
  EdgeRule edge;
  take(object, "files", edge.files);
  take(object, "except", edge.except);
  take(object, "needed", edge.needed);
  take(object, "if_member", edge.if_member);
  take(object, "forbidden", edge.forbidden);
  take(object, "what", edge.what);
  expect_empty(object, "edges");
  return edge;
}

RequiredFile read_required(Json object) {
  RequiredFile file;
  take(object, "any_of", file.any_of);
  take(object, "member", file.member);
  take(object, "what", file.what);
  std::string when = "always";
  take(object, "when", when);
  if (when == "cuda") {
    file.when = RequiredFile::When::cuda;
  } else if (when == "member") {
    file.when = RequiredFile::When::member;
  } else if (when != "always") {
    throw Json::other_error::create(501, "unknown condition " + when, nullptr);
  }
  expect_empty(object, "required_files");
  return file;
}

template <class Read>
auto read_list(Json& object, const char* key, Read read,
               std::vector<decltype(read(Json()))>& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  into.clear();
  for (const Json& element : *found) into.push_back(read(element));
  object.erase(found);
}

Profile read_profile(Json object, const std::map<std::string, SymbolGroup>& groups,
                     Profile profile) {
  take(object, "name", profile.name);
  take(object, "distributions", profile.distributions);
  take(object, "requires_members", profile.requires_members);
  take(object, "excludes_members", profile.excludes_members);
  take(object, "layout_since", profile.layout_since);
  read_list(
      object, "hosts",
      [](Json host) {
        Host result;
        take(host, "distribution", result.distribution);
        take(host, "reason", result.reason);
        expect_empty(host, "hosts");
        return result;
      },
      profile.hosts);
  read_list(
      object, "groups", [&](const Json& use) { return use_group(groups, use); }, profile.groups);
  read_list(object, "imports", read_import, profile.imports);
  read_list(object, "forbidden_imports", read_ban, profile.forbidden_imports);
  read_list(object, "edges", read_edge, profile.edges);
  read_list(object, "required_files", read_required, profile.required_files);
  std::string cpu = profile.cpu == CpuMeaning::by_label ? "by_label" : "unless_cuda";
  take(object, "cpu", cpu);
  if (cpu != "by_label" && cpu != "unless_cuda") {
    throw Json::other_error::create(501, "unknown meaning of a CPU wheel " + cpu, nullptr);
  }
  profile.cpu = cpu == "by_label" ? CpuMeaning::by_label : CpuMeaning::unless_cuda;
  take(object, "trains", profile.trains);
  take(object, "cuda_only", profile.cuda_only);
  take(object, "device_code", profile.device_code);
  take(object, "known_libraries", profile.known_libraries);
  take(object, "library_directory", profile.library_directory);
  take(object, "soname_is_name", profile.soname_is_name);
  take(object, "version_files", profile.version_files);
  take(object, "optional_plugins", profile.optional_plugins);
  take(object, "alternates", profile.alternates);
  expect_empty(object, "profile " + profile.name);
  return profile;
}

/// A profile may extend another one, wherever that stands, but not one that extends in turn.
Profile resolve_profile(const Json& all, Json object,
                        const std::map<std::string, SymbolGroup>& groups) {
  std::string base;
  take(object, "extends", base);
  if (base.empty()) return read_profile(std::move(object), groups, {});
  for (const Json& other : all) {
    if (other.at("name") != base) continue;
    return read_profile(std::move(object), groups, read_profile(other, groups, {}));
  }
  throw Json::other_error::create(501, "unknown profile " + base, nullptr);
}

}  // namespace

bool SymbolGroup::applies_to(std::string_view symbol) const {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return symbol.starts_with(prefix); });
}

Result<std::vector<Profile>> parse_profiles(std::string_view text) {
  std::vector<Profile> profiles;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema").get<int>() != 1) return Error{"profiles.json", "unknown schema", {}};
    std::map<std::string, SymbolGroup> groups;
    for (const auto& [name, group] : json.at("groups").items()) {
      groups.emplace(name, read_group(name, group));
    }
    const Json& all = json.at("profiles");
    for (const Json& profile : all) profiles.push_back(resolve_profile(all, profile, groups));
  } catch (const Json::exception& exception) {
    return Error{"profiles.json", exception.what(), {}};
  }
  if (profiles.empty() || profiles.back().name != "generic") {
    return Error{"profiles.json", "the last profile is not the generic one", {}};
  }
  return profiles;
}

bool layout_applies(const Profile& profile, const WheelFacts& wheel) {
  if (profile.layout_since.empty()) return true;
  const auto since = Version::parse(profile.layout_since);
  const Version* version = nullptr;
  if (wheel.metadata && wheel.metadata->version) {
    version = &*wheel.metadata->version;
  } else if (wheel.file_name && wheel.file_name->version) {
    version = &*wheel.file_name->version;
  }
  // Unknown version: hold it to the layout, rather than pass what was not looked at.
  return version == nullptr || !since || *version >= *since;
}

}  // namespace wheelcheck
