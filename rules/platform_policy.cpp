#include "rules/platform_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "rules/support.h"

namespace wheelcheck {

namespace {

using Json = nlohmann::json;

std::set<std::string, std::less<>> set_of(const Json& list) {
  const std::vector<std::string> words = words_of(list.get_ref<const std::string&>());
  return {words.begin(), words.end()};
}

PlatformPolicy one_policy(const Json& entry, const std::string& arch, const Json& details) {
  PlatformPolicy policy;
  policy.kind = entry.at("kind") == "musllinux" ? PlatformKind::musllinux : PlatformKind::manylinux;
  policy.major = entry.at("major").get<int>();
  policy.minor = entry.at("minor").get<int>();
  policy.arch = arch;
  policy.name = entry.at("kind").get<std::string>() + "_" + std::to_string(policy.major) + "_" +
                std::to_string(policy.minor);
  policy.libraries = set_of(entry.at("libraries"));
  policy.libraries.merge(set_of(details.at("libraries")));
  for (const auto& [family, versions] : details.at("symbol_versions").items()) {
    policy.symbol_versions[family] = words_of(versions.get_ref<const std::string&>());
  }
  for (const auto& [library, symbols] : entry.at("blacklist").items()) {
    policy.blacklist[library] = set_of(symbols);
  }
  return policy;
}

bool older(const PlatformPolicy& left, const PlatformPolicy& right) {
  return std::tie(left.major, left.minor) < std::tie(right.major, right.minor);
}

}  // namespace

bool PlatformPolicy::allows_version(std::string_view version) const {
  const std::size_t split = version.rfind('_');
  if (split == std::string_view::npos) return true;
  const auto family = symbol_versions.find(version.substr(0, split));
  if (family == symbol_versions.end()) return true;
  const auto& allowed = family->second;
  return std::find(allowed.begin(), allowed.end(), version.substr(split + 1)) != allowed.end();
}

Result<PlatformPolicies> PlatformPolicies::parse(std::string_view json) {
  PlatformPolicies policies;
  try {  // the library's way to say what is wrong; its exceptions end here
    const Json document = Json::parse(json);
    for (const Json& entry : document.at("policies")) {
      for (const auto& [arch, details] : entry.at("architectures").items()) {
        policies.policies_.push_back(one_policy(entry, arch, details));
      }
    }
    for (const Json& entry : document.at("common")) {
      CommonLibrary library{entry.at("name").get<std::string>(),
                            entry.at("what").get<std::string>()};
      policies.common_.emplace(library.name, library);
    }
  } catch (const Json::exception& problem) {
    return Error{"platforms.json", problem.what(), std::nullopt};
  }
  return policies;
}

const PlatformPolicy* PlatformPolicies::find(const Platform& platform) const {
  const bool any_version = platform.kind == PlatformKind::linux;
  const PlatformKind kind = any_version ? PlatformKind::manylinux : platform.kind;
  const PlatformPolicy* best = nullptr;
  for (const PlatformPolicy& policy : policies_) {
    if (policy.kind != kind || policy.arch != platform.arch) continue;
    const bool newer_than_tag =
        std::tie(policy.major, policy.minor) > std::tie(platform.major, platform.minor);
    if (newer_than_tag && !any_version) continue;
    if (best == nullptr || older(*best, policy)) best = &policy;
  }
  return best;
}

const CommonLibrary* PlatformPolicies::common(std::string_view name) const {
  const auto found = common_.find(name);
  return found == common_.end() ? nullptr : &found->second;
}

std::vector<Platform> platforms_of(const WheelFacts& wheel) {
  std::vector<Platform> platforms;
  std::set<std::string> seen;
  const auto add = [&](const std::string& text) {
    if (seen.insert(text).second) platforms.push_back(parse_platform(text));
  };
  if (wheel.file_name) {
    for (const std::string& text : wheel.file_name->platforms) add(text);
  } else if (wheel.wheel) {
    for (const Tag& tag : wheel.wheel->tags) add(tag.platform);
  }
  return platforms;
}

const PlatformPolicy* strictest(const PlatformPolicies& policies, const WheelFacts& wheel) {
  const PlatformPolicy* strict = nullptr;
  bool any = false;
  for (const Platform& platform : platforms_of(wheel)) {
    any = any || platform.kind == PlatformKind::any;
    const PlatformPolicy* policy = policies.find(platform);
    if (policy == nullptr) continue;
    // A file for both C libraries cannot be one file's promise; glibc's is the one judged.
    const bool replaces = strict == nullptr ||
                          (strict->kind == policy->kind && older(*policy, *strict)) ||
                          (strict->kind != policy->kind && policy->kind == PlatformKind::manylinux);
    if (replaces) strict = policy;
  }
  if (strict != nullptr || !any) return strict;
  for (const MemberFacts& member : wheel.members) {
    if (member.elf == nullptr || !member.elf->loadable()) continue;
    Platform platform;
    platform.kind = PlatformKind::linux;
    platform.arch = arch_of_machine(*member.elf);
    if (const PlatformPolicy* policy = policies.find(platform)) return policy;
  }
  return nullptr;
}

std::string_view arch_of_machine(const ElfFacts& elf) {
  const bool little = elf.endian == Endian::little;
  switch (elf.machine) {
    case 3:
      return "i686";
    case 21:
      return little ? "ppc64le" : "ppc64";
    case 22:
      return elf.is_64 ? "s390x" : "";
    case 40:
      return little ? "armv7l" : "";
    case 62:
      return elf.is_64 ? "x86_64" : "";
    case 183:
      return little ? "aarch64" : "";
    case 243:
      return elf.is_64 ? "riscv64" : "";
    case 258:
      return elf.is_64 ? "loongarch64" : "";
    default:
      return "";
  }
}

}  // namespace wheelcheck
