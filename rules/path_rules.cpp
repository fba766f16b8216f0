// WC2xx: every entry of a search path leads where it should, and nothing is left of the machine
// that built the wheel.
#include <algorithm>
#include <array>
#include <map>

#include "rules/build_path_judges.h"
#include "rules/path_judge.h"

namespace wheelcheck {

namespace {

std::string place_of(const Context& context, std::size_t file) {
  const TreeFile& carrier = context.tree.files()[file];
  return carrier.member != nullptr ? carrier.member->entry.path
                                   : context.tree.display(carrier.path);
}

std::string_view tag_of(const JudgedEntry& entry) { return entry.is_rpath ? "RPATH" : "RUNPATH"; }

std::string shown(const JudgedEntry& entry) {
  return entry.element.raw.empty() ? std::string("(empty)") : entry.element.raw;
}

/// An entry that is wrong wherever it stands: before a working one, or alone, it decides what is
/// loaded; behind, it is only looked at for what the others do not have.
Level by_position(Position position) {
  return position == Position::behind_working ? Level::warning : Level::error;
}

Level level_of(const JudgedEntry& entry) {
  switch (entry.kind) {
    case EntryKind::builder:
    case EntryKind::absolute:
    case EntryKind::empty:
    case EntryKind::relative:
    case EntryKind::unknown_token:
    case EntryKind::leaves:
      return by_position(entry.position);
    case EntryKind::file:
      return Level::error;
    case EntryKind::wrong_depth:
      return entry.correction_needed ? Level::error : Level::warning;
    case EntryKind::system:
      // The loader looks there anyway; first, it hides what the wheel brings.
      return entry.position == Position::before_working ? Level::warning : Level::note;
    case EntryKind::mkl:
    case EntryKind::varies:
    case EntryKind::outside:
      return Level::warning;
    default:
      return Level::note;
  }
}

std::string_view position_text(const JudgedEntry& entry) {
  switch (entry.position) {
    case Position::alone:
      return "no other entry leads anywhere";
    case Position::before_working:
      return "before an entry that works";
    case Position::behind_working:
      return "behind the entries that work";
  }
  return "";
}

std::string what_of(const InstallTree& tree, const JudgedEntry& entry) {
  std::string name = std::string(tag_of(entry)) + " entry " + shown(entry);
  const std::string position = " (" + std::string(position_text(entry)) + ")";
  switch (entry.kind) {
    case EntryKind::builder:
      return name + " is a path of the build machine" + position;
    case EntryKind::absolute:
      return name + " is absolute: it depends on what that directory holds on each machine" +
             position;
    case EntryKind::system:
      return name + " is a directory that the loader searches by itself" + position;
    case EntryKind::mkl:
      return name + " is left over from torch's MKL flags and exists nowhere";
    case EntryKind::empty:
      return std::string(tag_of(entry)) + " holds an empty entry: the working directory" + position;
    case EntryKind::relative:
      return name + " is relative to the working directory" + position;
    case EntryKind::unknown_token: {
      std::string text = name + ": " + entry.element.unknown_tokens.front() +
                         " is no token of the loader, which takes it as the name of a directory";
      return text + position;
    }
    case EntryKind::varies:
      return name + " holds $LIB or $PLATFORM, which differ from system to system";
    case EntryKind::leaves:
      return name + " climbs out of the environment" + position;
    case EntryKind::file:
      return name + " leads to a file, not to a directory";
    case EntryKind::wrong_depth:
      return name + " leads to " + tree.display(entry.target) + ", which does not exist; " +
             entry.correction + " would lead to libraries";
    case EntryKind::outside:
    case EntryKind::dead:
    case EntryKind::environment: {
      std::string text = name + " leads to " + tree.display(entry.target);
      if (!entry.note.empty()) return text + ": " + entry.note;
      if (entry.kind == EntryKind::environment) return text + ", outside of site-packages";
      return text + ", where nothing is";
    }
    default:
      return name;
  }
}

std::string fix_of(const JudgedEntry& entry) {
  switch (entry.kind) {
    case EntryKind::wrong_depth:
      return "write " + entry.correction;
    case EntryKind::unknown_token:
      return "write $ORIGIN, alone or as ${ORIGIN}";
    case EntryKind::absolute:
      return "require the package that has the libraries and write the way to it from $ORIGIN";
    default:
      return "remove the entry";
  }
}

/// One finding for a file's entries of one kind and level.
template <EntryKind... kKinds>
std::vector<Finding> judge_by_file(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::map<std::pair<std::size_t, Level>, std::size_t> known;
  for (const JudgedEntry& entry : judge_entries(context)) {
    if (((entry.kind != kKinds) && ...)) continue;
    const Level level = level_of(entry);
    const auto [at, added] = known.try_emplace({entry.file, level}, findings.size());
    if (!added) {
      Finding& first = findings[at->second];
      if (first.count++ == 1) first.searched.insert(first.searched.begin(), first.what);
      first.searched.push_back(what_of(context.tree, entry));
      continue;
    }
    Finding finding;
    finding.rule = &row;
    finding.level = level;
    finding.place = place_of(context, entry.file);
    finding.subject = shown(entry);
    finding.what = what_of(context.tree, entry);
    finding.fix = fix_of(entry);
    findings.push_back(std::move(finding));
  }
  for (Finding& finding : findings) {
    if (finding.count > 1) finding.what += ", and " + std::to_string(finding.count - 1) + " more";
  }
  return findings;
}

/// One finding for all files whose entries lead to the same place.
template <EntryKind... kKinds>
std::vector<Finding> judge_by_target(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::map<std::string, std::size_t> known;
  for (const JudgedEntry& entry : judge_entries(context)) {
    if (((entry.kind != kKinds) && ...)) continue;
    const std::string needed_by = place_of(context, entry.file) + ": " + shown(entry);
    const auto [at, added] = known.try_emplace(entry.target, findings.size());
    if (!added) {
      Finding& first = findings[at->second];
      ++first.count;
      first.place.clear();
      first.needed_by.push_back(needed_by);
      continue;
    }
    Finding finding;
    finding.rule = &row;
    finding.level = level_of(entry);
    finding.place = place_of(context, entry.file);
    finding.subject = context.tree.display(entry.target);
    finding.what = what_of(context.tree, entry);
    finding.fix = fix_of(entry);
    finding.needed_by = {needed_by};
    findings.push_back(std::move(finding));
  }
  for (Finding& finding : findings) {
    if (finding.count > 1) {
      finding.what += ", and so do " + std::to_string(finding.count - 1) + " more";
    }
  }
  return findings;
}

std::vector<Finding> judge_tags(const WheelContext& context, const CatalogueRow& row) {
  Finding rpath;
  rpath.rule = &row;
  rpath.level = Level::note;
  rpath.count = 0;
  Finding both = rpath;
  both.level = Level::warning;
  for (const MemberFacts& member : context.wheel.members) {
    if (member.elf == nullptr || !member.elf->rpath || member.elf->rpath->empty()) continue;
    const bool has_both = member.elf->runpath && *member.elf->runpath != *member.elf->rpath;
    Finding& finding = has_both ? both : rpath;
    if (member.elf->runpath && !has_both) continue;  // the same twice: nothing is lost
    ++finding.count;
    finding.needed_by.push_back(member.entry.path);
  }
  std::vector<Finding> findings;
  const auto files = [](std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " file" : " files");
  };
  if (both.count != 0) {
    both.subject = "DT_RPATH beside DT_RUNPATH";
    both.what = files(both.count) + " with both tags: the loader ignores the RPATH, for the " +
                "libraries that the file loads too";
    both.fix = "keep one of the two";
    findings.push_back(both);
  }
  if (rpath.count != 0) {
    rpath.subject = "DT_RPATH";
    rpath.what = files(rpath.count) + " with DT_RPATH: it is inherited by what they load, and " +
                 "LD_LIBRARY_PATH does not override it";
    rpath.fix = "nothing, if that is what is wanted; --enable-new-dtags gives RUNPATH";
    findings.push_back(rpath);
  }
  return findings;
}

constexpr const char* kHijack =
    "Whoever can write to that place decides which library is loaded; on other machines nothing "
    "is there at all.";

constexpr std::array<Rule, 15> kRules = {{
    {{"WC201", "search-path-builder", Level::error, "A search path holds a build machine's path",
      kHijack, "Remove the entry when the wheel is made."},
     judge_by_file<EntryKind::builder>},
    {{"WC202", "search-path-absolute", Level::error, "A search path holds an absolute path",
      kHijack, "Write the way from $ORIGIN to a package that the wheel requires."},
     judge_by_file<EntryKind::absolute, EntryKind::system, EntryKind::mkl>},
    {{"WC203", "search-path-empty-entry", Level::error, "A search path holds an empty entry",
      "The loader takes an empty entry for the working directory: whoever can write to where the "
      "program is started decides which library is loaded.",
      "Remove the colon at the start or end of the search path, or the second one in its middle."},
     judge_by_file<EntryKind::empty>},
    {{"WC204", "search-path-relative", Level::error,
      "A search path holds a path relative to the working directory",
      "It leads elsewhere depending on where the program is started.", "Begin it with $ORIGIN."},
     judge_by_file<EntryKind::relative>},
    {{"WC205", "search-path-unknown-token", Level::error, "A search path holds an unknown token",
      "The loader knows $ORIGIN, $LIB and $PLATFORM and reads the longest name it can: $ORIGINAL "
      "is "
      "another name, and becomes the name of a directory below the working directory.",
      "Write ${ORIGIN} where letters follow."},
     judge_by_file<EntryKind::unknown_token>},
    {{"WC206", "search-path-varies", Level::warning, "A search path depends on the system",
      "$LIB is lib64 on some systems and lib or lib/x86_64-linux-gnu on others.",
      "Name the directory that the wheel has."},
     judge_by_file<EntryKind::varies>},
    {{"WC207", "search-path-dead", Level::note, "A search path entry leads nowhere",
      "Harmless: the loader skips it. Often a second layout's way is left in on purpose.",
      "Remove it if no layout has the directory."},
     judge_by_target<EntryKind::dead, EntryKind::environment>},
    {{"WC208", "search-path-wrong-depth", Level::error,
      "A search path entry climbs too many or too few directories",
      "The entry misses the directory that it names; the library there is found by other means, or "
      "not at all.",
      "Count the directories between the file and site-packages."},
     judge_by_file<EntryKind::wrong_depth>},
    {{"WC209", "search-path-leaves-installation", Level::error,
      "A search path entry climbs out of the environment",
      "What lies there is no part of the installation and differs from machine to machine.",
      "Stay below site-packages."},
     judge_by_file<EntryKind::leaves>},
    {{"WC210", "search-path-outside-package", Level::warning,
      "A search path entry leads to a place in site-packages that no package owns",
      "Any package may put a library of that name there, and it will be loaded.",
      "Remove the entry."},
     judge_by_target<EntryKind::outside>},
    {{"WC211", "search-path-is-a-file", Level::error, "A search path entry is a file",
      "The loader wants directories; the entry finds nothing. Some versions of repair tools write "
      "the library's name where its directory belongs.",
      "Name the directory."},
     judge_by_file<EntryKind::file>},
    {{"WC212", "search-path-tag", Level::warning, "DT_RPATH instead of, or beside, DT_RUNPATH",
      "RPATH is inherited and cannot be overridden; beside a RUNPATH it is ignored.",
      "Choose one on purpose."},
     judge_tags},
    {{"WC213", "soname-is-a-path", Level::error, "A library's SONAME is a path",
      "Whatever is linked to the library will open that path as it stands and look nowhere else.",
      "Give the library its file name as SONAME."},
     judge_soname_path},
    {{"WC214", "build-path-in-text", Level::error,
      "A file that builds read names a build machine's path",
      "Who builds against the package is sent to a directory that only the builder had.",
      "Make the file relocatable."},
     judge_text_paths},
    {{"WC215", "build-path-in-data", Level::note, "Paths of a build machine in binary data",
      "Mostly file names in messages; they tell where the wheel was built and make builds differ.",
      "Build with -ffile-prefix-map."},
     judge_data_paths},
}};

}  // namespace

std::span<const Rule> path_rules() { return kRules; }

}  // namespace wheelcheck
