// Extensions against the interpreters that the tags promise.

#include <algorithm>
#include <map>

#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "verifier/wheel/extension_suffix.h"

namespace wheelcheck {
namespace {

std::vector<Tag> tags_of(const WheelFacts& wheel) {
  if (wheel.file_name) return wheel.file_name->tags();
  return wheel.wheel ? wheel.wheel->tags : std::vector<Tag>{};
}

std::string tags_text(const std::vector<Tag>& tags) {
  std::vector<std::string> names;
  for (const Tag& tag : tags) names.push_back(tag.str());
  return join(names, ", ", 3);
}

/// Members whose name says for which interpreters they are.
template <class Visit>
void for_each_extension(const WheelFacts& wheel, Visit visit) {
  for (const MemberFacts& member : wheel.members) {
    const bool native = member.kind == ContentKind::elf || member.kind == ContentKind::mach_o ||
                        member.kind == ContentKind::pe;
    if (!native) continue;
    const auto suffix = parse_extension_suffix(member.entry.path);
    if (suffix && suffix->kind != ExtensionSuffix::Kind::plain) visit(member, *suffix);
  }
}

}  // namespace

std::vector<Finding> judge_extension_suffix(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const std::vector<Tag> tags = tags_of(context.wheel);
  if (tags.empty()) return findings;
  // The same module for another interpreter may lie beside the right one: then it is spare.
  std::map<std::string, bool> importable;
  const auto key = [](const MemberFacts& member, const ExtensionSuffix& suffix) {
    return std::string(directory_name(installed_path(member))) + "/" + suffix.module;
  };
  for_each_extension(context.wheel, [&](const MemberFacts& member, const ExtensionSuffix& suffix) {
    importable[key(member, suffix)] |= extension_fit(suffix, tags) != ExtensionFit::none;
  });
  for_each_extension(context.wheel, [&](const MemberFacts& member, const ExtensionSuffix& suffix) {
    if (extension_fit(suffix, tags) != ExtensionFit::none) return;
    const bool spare = importable[key(member, suffix)];
    findings.push_back(
        make_finding(row, spare ? Level::note : Level::error, member.entry.path, suffix.text,
                     "no interpreter of " + tags_text(tags) + " imports a file that ends in " +
                         suffix.text + (spare ? "; one that they import lies beside it" : "")));
  });
  return findings;
}

std::vector<Finding> judge_abi3(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const std::vector<Tag> tags = tags_of(context.wheel);
  if (tags.empty()) return findings;
  const auto stable = [](const Tag& tag) { return tag.abi == "abi3" || tag.abi == "abi3t"; };
  const bool promised = std::any_of(tags.begin(), tags.end(), stable);
  std::map<std::string, bool> has_stable;
  const auto key = [](const MemberFacts& member, const ExtensionSuffix& suffix) {
    return std::string(directory_name(installed_path(member))) + "/" + suffix.module;
  };
  for_each_extension(context.wheel, [&](const MemberFacts& member, const ExtensionSuffix& suffix) {
    has_stable[key(member, suffix)] |= suffix.kind == ExtensionSuffix::Kind::stable_abi;
  });
  for_each_extension(context.wheel, [&](const MemberFacts& member, const ExtensionSuffix& suffix) {
    const ExtensionFit fit = extension_fit(suffix, tags);
    if (fit == ExtensionFit::none) return;  // judged as an extension that nothing imports
    const bool is_stable = suffix.kind == ExtensionSuffix::Kind::stable_abi;
    if (promised && !is_stable && fit == ExtensionFit::some && !has_stable[key(member, suffix)]) {
      findings.push_back(
          make_finding(row, member.entry.path, suffix.text,
                       "is for one version of Python in a wheel tagged " + tags_text(tags)));
    }
    const bool one_version = std::all_of(tags.begin(), tags.end(), [&](const Tag& tag) {
      return tag.abi.starts_with("cp") && !stable(tag);
    });
    if (is_stable && one_version) {
      findings.push_back(make_finding(row, Level::note, member.entry.path, suffix.text,
                                      "is made for the stable ABI, the wheel is tagged " +
                                          tags_text(tags) + " and serves that version only"));
    }
  });
  return findings;
}

}  // namespace wheelcheck
