// WC9xx: what was not looked at. "Could not read" and "inspected nothing" are never a pass.

#include <algorithm>
#include <set>

#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

bool is_native(const MemberFacts& member) {
  return member.kind == ContentKind::elf || member.kind == ContentKind::mach_o ||
         member.kind == ContentKind::pe;
}

/// Something a user of the package gets: not the wheel's own bookkeeping.
bool is_payload(const MemberFacts& member) {
  return !member.entry.is_directory() && !installed_path(member).empty() &&
         member.entry.path.find(".dist-info/") == std::string::npos;
}

std::vector<Finding> judge_inspected_nothing(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  const auto platforms = platforms_of(wheel);
  const auto platform = std::find_if(platforms.begin(), platforms.end(),
                                     [](const Platform& p) { return p.kind != PlatformKind::any; });
  if (platform == platforms.end()) return {};
  if (std::any_of(wheel.members.begin(), wheel.members.end(), is_native)) return {};
  // A wheel for one interpreter exists for its extensions; one for any interpreter may carry
  // headers or data of a platform.
  bool one_interpreter = false;
  if (wheel.file_name) {
    for (const std::string& abi : wheel.file_name->abis) one_interpreter |= abi != "none";
  }
  return {make_finding(
      row, one_interpreter ? Level::error : Level::warning, "", platform->text,
      "the wheel is for " + platform->text + " and holds no native file, so none was inspected")};
}

std::vector<Finding> judge_no_code(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (std::any_of(wheel.members.begin(), wheel.members.end(), is_payload)) return {};
  // A package that only requires others is empty on purpose; so is one that only gives a command.
  if (wheel.metadata && !wheel.metadata->requires_dist.empty()) return {};
  return {make_finding(row, "", wheel.metadata ? wheel.metadata->name : "",
                       "the wheel holds nothing but its .dist-info, and requires nothing")};
}

std::vector<Finding> judge_unread(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.unread) continue;
    Error error = *member.unread;
    // The place is printed before the text: do not say it twice.
    if (error.where == member.entry.path) error.where.clear();
    if (error.where.starts_with(member.entry.path + ": ")) {
      error.where.erase(0, member.entry.path.size() + 2);
    }
    findings.push_back(make_finding(row, member.entry.path,
                                    std::string(base_name(member.entry.path)),
                                    "could not be read: " + error.message()));
  }
  return findings;
}

std::vector<Finding> judge_cross_check(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (member.cross_check.empty()) continue;
    findings.push_back(
        make_finding(row, member.entry.path, std::string(base_name(member.entry.path)),
                     "a second reader sees it differently: " + join(member.cross_check, "; ", 3)));
  }
  return findings;
}

std::vector<Finding> judge_cross_check_skipped(const WheelContext& context,
                                               const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.cross_check_skipped) continue;
    findings.push_back(
        make_finding(row, member.entry.path, std::string(base_name(member.entry.path)),
                     "was not compared with a second reader: " + *member.cross_check_skipped));
  }
  return findings;
}

std::vector<Finding> judge_observations(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    for (const std::string& observation : member->elf->observations) {
      findings.push_back(make_finding(row, member->entry.path,
                                      std::string(base_name(member->entry.path)), observation));
    }
  }
  return findings;
}

std::vector<Finding> judge_symtab(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (member->elf->symtab != SymtabState::over_budget) continue;
    findings.push_back(
        make_finding(row, member->entry.path, ".symtab",
                     "its table of local symbols was not read: " + member->elf->symtab_note));
  }
  return findings;
}

std::vector<Finding> judge_text_skipped(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::uint64_t skipped = 0;
  std::string first;
  for (const MemberFacts& member : context.wheel.members) {
    const bool wanted =
        std::any_of(context.profile.version_files.begin(), context.profile.version_files.end(),
                    [&](const std::string& path) { return path == installed_path(member); });
    if (!wanted || member.text_kept || member.unread) continue;
    if (skipped++ == 0) first = member.entry.path;
  }
  if (skipped == 0) return findings;
  findings.push_back(make_finding(row, first, std::string(base_name(first)),
                                  "was not read as text, so what it states was not compared"));
  findings.back().count = skipped;
  return findings;
}

const Rule kRules[] = {
    {{"WC901", "inspected-nothing", Level::error, "A wheel for a platform holds no native file",
      "The build left out what makes the wheel one for a platform, or the check looked in vain: "
      "either way nothing was proven.",
      "Look for the step that should have added the library; tag a pure wheel as one for any "
      "platform."},
     judge_inspected_nothing},
    {{"WC902", "no-code", Level::error, "The wheel installs nothing",
      "Importing the package fails.", "Check which packages and modules the build includes."},
     judge_no_code},
    {{"WC903", "unread-member", Level::error, "A member of the wheel could not be read",
      "Whatever is wrong in it was not found. A damaged library fails when it is loaded.",
      "Build the file again; if it is sound, report it as a fault of this program."},
     judge_unread},
    {{"WC904", "cross-check-disagreement", Level::error, "Two readers disagree about an ELF file",
      "One of the two misreads the file, or the file is made to be read in two ways.",
      "Look at the facts that differ with readelf, and report a fault of this program."},
     judge_cross_check},
    {{"WC905", "cross-check-skipped", Level::note, "A file was not compared with a second reader",
      "The comparison that was asked for does not cover this file.",
      "Nothing; readelf compares it by hand."},
     judge_cross_check_skipped},
    {{"WC906", "symtab-skipped", Level::note, "A table of local symbols was too large to read",
      "Hidden copies of shared symbols in that file would not have been found.",
      "Nothing, or check a stripped build."},
     judge_symtab},
    {{"WC907", "text-skipped", Level::warning, "A file whose text matters was not read as text",
      "What it states was not compared.", "Make sure it is a text file."},
     judge_text_skipped},
    {{"WC908", "elf-contradiction", Level::note, "An ELF file contradicts itself",
      "The loader does not mind, other tools may. Tools that patch files leave such traces.",
      "Nothing, if the file was patched on purpose; else link it again."},
     judge_observations},
};

}  // namespace

std::span<const Rule> self_rules() { return kRules; }

}  // namespace wheelcheck
