// Libraries as wholes: copies of one library, names that two libraries share, version needs that
// name a file nobody loads, and the NEEDED edges that a profile asks for or forbids.

#include <algorithm>
#include <map>
#include <set>

#include "rules/glob.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "rules/symbol_judges.h"

namespace wheelcheck {
namespace {

using Members = std::vector<const MemberFacts*>;

Members libraries(const WheelFacts& wheel) {
  Members result;
  for (const MemberFacts* member : elf_members(wheel)) {
    if (is_library(*member->elf)) result.push_back(member);
  }
  return result;
}

bool same_content(const MemberFacts& a, const MemberFacts& b) {
  if (a.inflated_size != b.inflated_size || a.crc32 != b.crc32) return false;
  // Without RECORD there is no SHA-256; size, CRC and build id are then what there is.
  if (!a.sha256.empty() && !b.sha256.empty()) return a.sha256 == b.sha256;
  return a.elf->build_id == b.elf->build_id;
}

/// Names that some file of the wheel has in NEEDED.
std::set<std::string, std::less<>> needed_names(const WheelFacts& wheel) {
  std::set<std::string, std::less<>> names;
  for (const MemberFacts* member : elf_members(wheel)) {
    names.insert(member->elf->needed.begin(), member->elf->needed.end());
  }
  return names;
}

std::vector<std::string> needers(const WheelFacts& wheel, std::string_view name) {
  std::vector<std::string> paths;
  for (const MemberFacts* member : elf_members(wheel)) {
    const auto& needed = member->elf->needed;
    if (std::find(needed.begin(), needed.end(), name) != needed.end()) {
      paths.push_back(member->entry.path);
    }
  }
  return paths;
}

}  // namespace

std::vector<Finding> judge_library_copies(const WheelContext& context, const CatalogueRow& row) {
  std::map<std::string, Members> by_soname;
  for (const MemberFacts* member : libraries(context.wheel)) {
    if (member->elf->soname) by_soname[*member->elf->soname].push_back(member);
  }
  const auto needed = needed_names(context.wheel);
  std::vector<Finding> findings;
  for (const auto& [soname, members] : by_soname) {
    Members left = members;
    while (left.size() > 1) {
      const MemberFacts* first = left.front();
      Members copies;
      std::copy_if(left.begin(), left.end(), std::back_inserter(copies),
                   [&](const MemberFacts* other) { return same_content(*first, *other); });
      left.erase(
          std::remove_if(left.begin(), left.end(),
                         [&](const MemberFacts* other) { return same_content(*first, *other); }),
          left.end());
      std::set<std::string, std::less<>> names;
      for (const MemberFacts* copy : copies) names.emplace(base_name(copy->entry.path));
      if (names.size() < 2) continue;  // One name in two directories: see soname-collision.
      // A NEEDED that is the SONAME finds what is loaded already; one that is another name opens
      // the other file. Two such names in NEEDED are two instances in one process.
      std::size_t wanted = 0;
      for (const std::string& name : names) {
        if (needed.contains(name)) ++wanted;
      }
      Finding finding = make_finding(
          row, wanted > 1 ? Level::error : Level::warning, copies.back()->entry.path, soname,
          counted(copies.size(), "file") + " of one content and one SONAME, " + soname +
              (wanted > 1 ? ", and more than one of their names is in NEEDED: the library is "
                            "loaded twice"
                          : ""));
      for (const MemberFacts* copy : copies) finding.provided_by.push_back(copy->entry.path);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> judge_soname_collision(const WheelContext& context, const CatalogueRow& row) {
  std::map<std::string, Members> by_soname;
  for (const MemberFacts* member : libraries(context.wheel)) {
    if (!member->elf->soname) continue;
    // Alternates share names on purpose.
    if (matches_any(context.profile.alternates, installed_path(*member))) continue;
    by_soname[*member->elf->soname].push_back(member);
  }
  std::vector<Finding> findings;
  for (const auto& [soname, members] : by_soname) {
    // Whatever they are called: once loaded, an object answers to its SONAME and not to its file
    // name. Copies of one content are library-copies.
    Members different;
    for (const MemberFacts* member : members) {
      if (std::none_of(different.begin(), different.end(),
                       [&](const MemberFacts* other) { return same_content(*member, *other); })) {
        different.push_back(member);
      }
    }
    // Extensions are opened by path, so that an equal SONAME does no harm unless somebody needs it.
    std::vector<std::string> wanting = needers(context.wheel, soname);
    if (wanting.empty() || different.size() < 2) continue;
    Finding finding =
        make_finding(row, different.back()->entry.path, soname,
                     counted(different.size(), "different file") + " have the SONAME " + soname +
                         ": the one that is loaded first serves all who need the name");
    finding.needed_by = std::move(wanting);
    for (const MemberFacts* member : members) finding.provided_by.push_back(member->entry.path);
    findings.push_back(std::move(finding));
  }
  return findings;
}

namespace {

/// Libraries of the compiler and of the C library that all of a process has to share. Everything
/// else that a tag promises may be shipped under a name of its own without harm.
bool is_runtime_library(std::string_view name) {
  static const std::set<std::string, std::less<>> kNames = {
      "libc.so.6",    "libm.so.6",      "libpthread.so.0", "libdl.so.2",   "librt.so.1",
      "libutil.so.1", "libresolv.so.2", "libstdc++.so.6",  "libgcc_s.so.1"};
  return kNames.contains(name) || name.starts_with("ld-linux");
}

}  // namespace

std::vector<Finding> judge_bundled_system(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  if (policy == nullptr) return findings;
  constexpr std::string_view kCxx = "libstdc++.so.6";
  for (const MemberFacts* member : libraries(context.wheel)) {
    const std::string file(base_name(member->entry.path));
    const std::string name = member->elf->soname.value_or(file);
    // musl systems come without a C++ runtime, so that wheels for them must ship one.
    if (policy->allows_library(name) && is_runtime_library(name)) {
      findings.push_back(make_finding(row, member->entry.path, name,
                                      "is " + name + ", which every system of " + policy->name +
                                          " has: whichever is loaded first serves all who need "
                                          "the name"));
    } else if (policy->allows_library(kCxx) && name.starts_with("libstdc++-")) {
      findings.push_back(make_finding(row, member->entry.path, name,
                                      "is a C++ runtime under a name of its own, beside the one "
                                      "of the system that others in the process use"));
    }
  }
  return findings;
}

namespace {

template <class Visit>
void for_each_edge(const WheelContext& context, bool forbidden, Visit visit) {
  if (!layout_applies(context.profile, context.wheel)) return;
  for (const EdgeRule& edge : context.profile.edges) {
    if (edge.forbidden != forbidden) continue;
    if (!edge.if_member.empty() &&
        std::none_of(context.wheel.members.begin(), context.wheel.members.end(),
                     [&](const MemberFacts& member) {
                       return glob_match(edge.if_member, installed_path(member));
                     })) {
      continue;
    }
    for (const MemberFacts* member : elf_members(context.wheel)) {
      const std::string& path = installed_path(*member);
      if (matches_any(edge.files, path) && !matches_any(edge.except, path)) visit(edge, *member);
    }
  }
}

}  // namespace

std::vector<Finding> judge_required_edges(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for_each_edge(context, false, [&](const EdgeRule& edge, const MemberFacts& member) {
    const auto& needed = member.elf->needed;
    if (std::any_of(needed.begin(), needed.end(),
                    [&](const std::string& name) { return matches_any(edge.needed, name); })) {
      return;
    }
    const std::string names = join(edge.needed, " or ");
    findings.push_back(make_finding(row, member.entry.path, edge.needed.front(),
                                    "does not have " + names + " in NEEDED: " + edge.what));
  });
  return findings;
}

std::vector<Finding> judge_forbidden_edges(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for_each_edge(context, true, [&](const EdgeRule& edge, const MemberFacts& member) {
    for (const std::string& name : member.elf->needed) {
      if (!matches_any(edge.needed, name)) continue;
      Finding finding =
          make_finding(row, member.entry.path, name, "has " + name + " in NEEDED: " + edge.what);
      finding.needed_by.push_back(member.entry.path);
      findings.push_back(std::move(finding));
    }
  });
  return findings;
}

}  // namespace wheelcheck
