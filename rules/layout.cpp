// Which files lie where.

#include <algorithm>
#include <map>
#include <set>

#include "rules/glob.h"
#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

/// Top-level names of what lands in site-packages, without the wheel's own directories.
std::set<std::string> top_level_names(const WheelFacts& wheel) {
  std::set<std::string> names;
  for (const MemberFacts& member : wheel.members) {
    if (member.entry.is_directory()) continue;
    if (member.install.scheme != Scheme::purelib && member.install.scheme != Scheme::platlib) {
      continue;
    }
    const std::string& path = installed_path(member);
    const std::string name = path.substr(0, path.find('/'));
    if (name.ends_with(".dist-info") || name.ends_with(".data")) continue;
    names.insert(name);
  }
  return names;
}

/// What a top-level file or directory is imported as.
std::string module_name(const std::string& top_level) {
  return top_level.substr(0, top_level.find('.'));
}

bool matches_some_member(const WheelFacts& wheel, const std::string& glob) {
  return std::any_of(wheel.members.begin(), wheel.members.end(), [&](const MemberFacts& member) {
    return glob_match(glob, installed_path(member));
  });
}

}  // namespace

std::vector<Finding> judge_stray_top_level(const WheelContext& context, const CatalogueRow& row) {
  static const std::set<std::string, std::less<>> kStray = {
      "test",    "tests",       "testing",   "doc",        "docs",
      "example", "examples",    "benchmark", "benchmarks", "build",
      "dist",    "scripts",     "tools",     "setup.py",   "conftest.py",
      "LICENSE", "LICENSE.txt", "README.md", "README.rst", "CHANGELOG.md"};
  std::vector<Finding> findings;
  const std::set<std::string> names = top_level_names(context.wheel);
  // A distribution that is called "tests" may well ship that and nothing else.
  const bool others = std::any_of(names.begin(), names.end(),
                                  [](const auto& name) { return !kStray.contains(name); });
  if (!others) return findings;
  for (const std::string& name : names) {
    if (!kStray.contains(name)) continue;
    findings.push_back(
        make_finding(row, name, name, "installs " + name + " beside the packages of everyone"));
  }
  return findings;
}

std::vector<Finding> judge_top_level_text(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  std::set<std::string> modules;
  for (const std::string& name : top_level_names(wheel)) modules.insert(module_name(name));
  std::vector<std::string> absent;
  for (const std::string& line : wheel.top_level) {
    if (!line.empty() && !modules.contains(module_name(line))) absent.push_back(line);
  }
  if (absent.empty()) return {};
  return {make_finding(row, wheel.dist_info + "/top_level.txt", absent.front(),
                       "names " + counted(absent.size(), "module") +
                           " that the wheel does not hold: " + join(absent, ", ", 3))};
}

std::vector<Finding> judge_required_files(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!layout_applies(context.profile, context.wheel)) return findings;
  const bool cuda = label_of(context).kind == LabelKind::cuda;
  for (const RequiredFile& file : context.profile.required_files) {
    if (file.when == RequiredFile::When::cuda && !cuda) continue;
    if (file.when == RequiredFile::When::member &&
        !matches_some_member(context.wheel, file.member)) {
      continue;
    }
    if (std::any_of(file.any_of.begin(), file.any_of.end(), [&](const std::string& glob) {
          return matches_some_member(context.wheel, glob);
        })) {
      continue;
    }
    const std::string names = join(file.any_of, " or ");
    std::string why;
    if (file.when == RequiredFile::When::cuda) why = " (the label names CUDA)";
    if (file.when == RequiredFile::When::member) why = " (there is " + file.member + ")";
    findings.push_back(make_finding(row, file.any_of.front(), file.any_of.front(),
                                    "there is no " + names + ", " + file.what + why));
  }
  return findings;
}

std::vector<Finding> judge_known_libraries(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const Profile& profile = context.profile;
  if (profile.library_directory.empty() || !layout_applies(profile, context.wheel)) return findings;
  const std::string prefix = profile.library_directory + "/";
  for (const MemberFacts& member : context.wheel.members) {
    const std::string& path = installed_path(member);
    if (member.entry.is_directory() || !path.starts_with(prefix)) continue;
    if (path.find('/', prefix.size()) != std::string::npos) continue;
    if (matches_any(profile.known_libraries, path)) continue;
    findings.push_back(make_finding(row, member.entry.path, std::string(base_name(path)),
                                    "is no library of this package"));
  }
  return findings;
}

std::vector<Finding> judge_soname_is_name(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!layout_applies(context.profile, context.wheel)) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!matches_any(context.profile.soname_is_name, installed_path(*member))) continue;
    const std::string name(base_name(installed_path(*member)));
    const auto& soname = member->elf->soname;
    if (soname && *soname == name) continue;
    findings.push_back(make_finding(
        row, member->entry.path, soname.value_or(""),
        soname ? "has the SONAME " + *soname + ", and is called " + name : "has no SONAME"));
  }
  return findings;
}

}  // namespace wheelcheck
