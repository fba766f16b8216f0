// WC1xx: every NEEDED is provided, and reached.
#include <algorithm>
#include <array>
#include <map>

#include "rules/dlopen_judges.h"
#include "rules/need_judge.h"
#include "rules/policy.h"
#include "rules/profile.h"
#include "rules/split_judges.h"
#include "rules/support.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

std::string place_of(const Context& context, const ObjectResolution& object) {
  const TreeFile& file = context.tree.files()[object.file];
  return file.member != nullptr ? file.member->entry.path : context.tree.display(file.path);
}

std::string path_of(const Context& context, std::size_t file) {
  return context.tree.files()[file].path;
}

std::string system_of(const Context& context) {
  if (context.of_this_machine) return "this machine";
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  return policy == nullptr ? std::string("the platform") : policy->name;
}

std::string tag_for(const Context& context, const ObjectResolution& object) {
  // Where there is a DT_RPATH already, a RUNPATH beside it would void it.
  const ElfFacts* elf = context.tree.files()[object.file].elf;
  return elf != nullptr && elf->rpath && !elf->runpath ? "RPATH" : "RUNPATH";
}

std::string add_hop(const Context& context, const JudgedNeed& judged) {
  if (judged.holders.empty()) return {};
  const std::string from = path_of(context, judged.object->file);
  const std::string to = path_of(context, judged.holders.front());
  const InstallTree& tree = context.tree;
  if (tree.below_site_packages(from) && tree.below_site_packages(to) &&
      !tree.is_fixed_way(from, to)) {
    return across_schemes();
  }
  const std::string entry = hop(from, to);
  return "add " + entry + " to its " + tag_for(context, *judged.object);
}

/// "nvidia-nccl-cu12 or nvidia-nccl-cu13": who ships it.
std::string distributions(const std::vector<const ProviderRow*>& shippers) {
  std::vector<std::string> names;
  for (const ProviderRow* row : shippers) {
    if (std::find(names.begin(), names.end(), row->distribution) == names.end()) {
      names.push_back(row->distribution);
    }
  }
  return join(names, " or ", 4);
}

/// The words for one kind. What stands in `what` and `fix` differs; the rest is the same.
struct Words {
  std::string what;
  std::string fix;
};

Words through_surroundings(const Context& context, const JudgedNeed& judged) {
  const Need& need = *judged.need;
  if (need.verdict == Verdict::environment) {
    return {"NEEDED " + need.name + " is found only because LD_LIBRARY_PATH leads to it",
            "lead a search path to it; who runs the wheel may set none, or another"};
  }
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  const std::string path = context.tree.display(path_of(context, judged.holders.front()));
  if (need.verdict == Verdict::system && policy != nullptr) {
    return {"NEEDED " + need.name + " is found on this machine, as " + path + "; " + policy->name +
                " does not promise it",
            "ship it in the wheel, or tell users to install it"};
  }
  return {"NEEDED " + need.name + " is found on this machine, as " + path +
              ", where a search path of the builder leads",
          "ship it in the wheel, or require the package that has it"};
}

Words words(const Context& context, const JudgedNeed& judged) {
  const Need& need = *judged.need;
  const std::string& name = need.name;
  const auto holder_package = [&]() -> const TreePackage& {
    return context.tree.packages()[context.tree.files()[judged.holders.front()].package];
  };
  if (!judged.stand_ins.empty()) {
    const std::string other = path_of(context, judged.stand_ins.front());
    const std::string short_name(base_name_of(other));
    return {"NEEDED " + name + " is not in the wheel, which has " + context.tree.display(other) +
                " instead",
            "link to " + short_name + " by that name, or ship it as " + name};
  }
  switch (judged.kind) {
    case NeedKind::fine:
      break;
    case NeedKind::not_found:
      return {"NEEDED " + name +
                  " is in no place that the loader looks at: not in the wheel, not " +
                  "in a package that it requires, not among the libraries of " + system_of(context),
              "ship it in the wheel and lead a search path to it, or require the package that has "
              "it"};
    case NeedKind::unreachable: {
      Words said{"NEEDED " + name + " is in the wheel, but no search path leads to it",
                 add_hop(context, judged)};
      if (base_name_of(path_of(context, judged.holders.front())) != name) {
        said.what = "NEEDED " + name + " is the SONAME of a file with another name; the loader " +
                    "looks for file names";
        said.fix = "name the file like its SONAME, and lead a search path to it";
      }
      return said;
    }
    case NeedKind::no_hop:
      return {"NEEDED " + name + " comes with " + holder_package().distribution +
                  ", which the wheel requires, but no search path leads there",
              add_hop(context, judged)};
    case NeedKind::luck: {
      std::string what = "NEEDED " + name +
                         " is found only because another object names it first; by its own search "
                         "path it is not";
      Words said{what, add_hop(context, judged)};
      if (need.lucky_because) {
        said.what +=
            " (named first by " + context.tree.display(path_of(context, *need.lucky_because)) + ")";
      }
      return said;
    }
    case NeedKind::undeclared:
      if (!judged.holders.empty()) {
        return {"NEEDED " + name + " is in " + holder_package().distribution +
                    ", which nothing that the wheel requires brings in",
                "require " + holder_package().distribution};
      }
      if (context.as_installed) {
        return {"NEEDED " + name + " belongs to a package that is not installed there",
                "install " + distributions(judged.shippers) +
                    " in versions with this SONAME, and require it where nothing does"};
      }
      return {
          "NEEDED " + name + " belongs to a package that the wheel does not require",
          "require " + distributions(judged.shippers) +
              " in versions with this SONAME and lead a search path there, or ship the library"};
    case NeedKind::host:
      return {"NEEDED " + name + " comes with " + holder_package().distribution +
                  ", which is expected to be present and not required",
              "nothing, if the package is meant to leave that choice to its user"};
    case NeedKind::libpython:
      return {"NEEDED " + name +
                  " is the interpreter's own library, which many interpreters are "
                  "built without",
              "do not link extensions to libpython"};
    case NeedKind::slash:
      return {"NEEDED " + name + " holds a slash: it is opened as a path and not looked for",
              "give the library a SONAME and link to it again, or replace the name "
              "(patchelf --replace-needed)"};
    case NeedKind::driver:
      return {"NEEDED " + name +
                  " is part of the graphics driver: without one the file does not "
                  "load",
              "open it when it is used (dlopen), not when the file is loaded"};
    case NeedKind::only_an_extra:
      return {"NEEDED " + name + " comes with " + holder_package().distribution +
                  ", which only the extra \"" + holder_package().extra + "\" brings in",
              "nothing, if the file is only used with that extra"};
    case NeedKind::unusable:
      return {"NEEDED " + name + " leads to a file that this one cannot load",
              "put a library for the same processor where the search path finds it first"};
    case NeedKind::preloaded:
      return {"NEEDED " + name + " is not found by any search path; it loads only where " +
                  (context.tree.files()[judged.holders.front()].package == 0
                       ? "this wheel's " +
                             context.tree.display(path_of(context, judged.holders.front()))
                       : holder_package().distribution) +
                  " is already loaded",
              add_hop(context, judged) + ", or import the package first, always"};
    case NeedKind::surroundings:
      return through_surroundings(context, judged);
    case NeedKind::common_system: {
      const CommonLibrary* common = context.policy.platforms.common(name);
      return {"NEEDED " + name + " is on no list of " + system_of(context) +
                  "; most systems have it, as part of " +
                  (common != nullptr ? common->what : "others"),
              "ship it in the wheel, or tell users to install it"};
    }
  }
  return {};
}

Finding finding_for(const Context& context, const CatalogueRow& row, const JudgedNeed& judged) {
  Finding finding;
  finding.rule = &row;
  finding.level = judged.level;
  finding.place = place_of(context, *judged.object);
  finding.subject = judged.need->name;
  Words said = words(context, judged);
  finding.what = std::move(said.what);
  finding.fix = std::move(said.fix);
  finding.needed_by = {finding.place};
  if (judged.need->root && *judged.need->root != judged.object->file) {
    finding.needed_by.push_back("loaded with " +
                                context.tree.display(path_of(context, *judged.need->root)));
  }
  if (judged.kind != NeedKind::host && judged.kind != NeedKind::only_an_extra) {
    finding.searched = describe_search(context.tree, *judged.need);
  }
  for (const std::size_t file : judged.holders) {
    finding.provided_by.push_back(describe_holder(context.tree, file));
  }
  for (const std::size_t file : judged.stand_ins) {
    finding.provided_by.push_back("under another name, " + describe_holder(context.tree, file));
  }
  for (const ProviderRow* row_of_table : judged.shippers) {
    finding.provided_by.push_back(describe_shipper(*row_of_table, judged.need->name));
  }
  return finding;
}

/// Kinds that say the same of many files are told once, by what they are about.
bool folds(NeedKind kind) {
  return kind == NeedKind::host || kind == NeedKind::only_an_extra || kind == NeedKind::preloaded ||
         kind == NeedKind::common_system || kind == NeedKind::surroundings;
}

/// What is said once: the package that has the library, or the library itself.
std::string fold_key(const Context& context, const JudgedNeed& judged) {
  std::string key = std::to_string(static_cast<int>(judged.level));
  if (judged.kind == NeedKind::surroundings) {
    key += std::to_string(static_cast<int>(judged.need->verdict));
    return key + judged.need->name;
  }
  if (judged.holders.empty()) return key + judged.need->name;
  const TreeFile& holder = context.tree.files()[judged.holders.front()];
  return key + context.tree.packages()[holder.package].distribution;
}

void fold_into(const Context& context, Finding& first, const Finding& more,
               const JudgedNeed& judged) {
  ++first.count;
  if (!judged.holders.empty() && judged.kind != NeedKind::surroundings) {
    const TreeFile& holder = context.tree.files()[judged.holders.front()];
    const TreePackage& package = context.tree.packages()[holder.package];
    first.subject = package.distribution;
    const std::string files = std::to_string(first.count) + " NEEDED entries";
    switch (judged.kind) {
      case NeedKind::host:
        first.what = files + " come with " + package.distribution +
                     ", which is expected to be present and not required";
        break;
      case NeedKind::only_an_extra:
        first.what = files + " come with " + package.distribution + ", which only the extra \"" +
                     package.extra + "\" brings in";
        break;
      default:
        first.what = files + " are not found by any search path; they load only where " +
                     package.distribution + " is already loaded";
    }
  }
  if (first.place != more.place) first.place.clear();
  for (const std::string& line : more.provided_by) {
    if (std::find(first.provided_by.begin(), first.provided_by.end(), line) ==
        first.provided_by.end()) {
      first.provided_by.push_back(line);
    }
  }
}

template <NeedKind kKind>
std::vector<Finding> judge_kind(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::map<std::string, std::size_t> folded;
  for (const JudgedNeed& judged : judge_needs(context)) {
    if (judged.kind != kKind) continue;
    Finding finding = finding_for(context, row, judged);
    if (!folds(kKind)) {
      findings.push_back(std::move(finding));
      continue;
    }
    const std::string needed_by = finding.place + ": " + judged.need->name;
    const auto [known, added] = folded.try_emplace(fold_key(context, judged), findings.size());
    if (added) {
      finding.needed_by = {needed_by};
      findings.push_back(std::move(finding));
    } else {
      Finding& first = findings[known->second];
      first.needed_by.push_back(needed_by);
      first.searched.clear();  // differs from file to file
      fold_into(context, first, finding, judged);
    }
  }
  return findings;
}

/// Files with NEEDED that nothing could be said of.
std::vector<Finding> judge_unjudged(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  Finding finding;
  finding.rule = &row;
  finding.level = row.level;
  if (context.resolution.over_budget) {
    finding.subject = "search";
    finding.what = "the files load one another in so many ways that resolving was given up";
    finding.fix = "this is a limit of the check; report the wheel to its developers";
    findings.push_back(finding);
  }
  if (context.tree.loader() != LoaderKind::none) return findings;
  std::string tags;
  bool linux = false;
  for (const Platform& platform : platforms_of(context.wheel)) {
    tags += (tags.empty() ? "" : ", ") + platform.text;
    linux = linux || platform.kind == PlatformKind::linux ||
            platform.kind == PlatformKind::manylinux || platform.kind == PlatformKind::musllinux;
  }
  finding.needed_by.clear();
  for (const MemberFacts& member : context.wheel.members) {
    if (member.elf == nullptr || member.elf->needed.empty() || !member.elf->loadable()) continue;
    finding.needed_by.push_back(member.entry.path);
  }
  if (finding.needed_by.empty()) return findings;
  finding.level = linux ? Level::warning : Level::note;
  finding.subject = tags.empty() ? "no platform tag" : tags;
  finding.what = "NEEDED of " + std::to_string(finding.needed_by.size()) +
                 " ELF files was not judged: the libraries of this platform are not known";
  finding.fix = "give the wheel a manylinux or musllinux tag";
  findings.push_back(finding);
  return findings;
}

constexpr std::array<Rule, 18> kRules = {{
    {{"WC101", "needed-not-found", Level::error, "A NEEDED library is found nowhere",
      "The loader refuses the file that names it: the import fails with \"cannot open shared "
      "object "
      "file\".",
      "Ship the library and lead a search path to it, or require the package that has it."},
     judge_kind<NeedKind::not_found>},
    {{"WC102", "needed-unreachable", Level::error,
      "A NEEDED library is in the wheel, but no search path leads to it",
      "The library is installed and still not found. It may seem to work on the machine that built "
      "it, where another search path or LD_LIBRARY_PATH helps.",
      "Add the way from the file that needs it to the library's directory to its RUNPATH."},
     judge_kind<NeedKind::unreachable>},
    {{"WC103", "needed-no-hop", Level::error,
      "A required package has a NEEDED library, but no search path leads there",
      "Declaring a dependency installs it; it does not tell the loader where it lies.",
      "Add the way to the package's library directory to the RUNPATH."},
     judge_kind<NeedKind::no_hop>},
    {{"WC104", "needed-by-luck", Level::error,
      "A NEEDED library is found only by the order in which others are loaded",
      "The loader takes an object of that name that is already there. Another order of imports, a "
      "changed link line or a program that opens the file first, and it is not found.",
      "Give the file a search path of its own."},
     judge_kind<NeedKind::luck>},
    {{"WC105", "needed-undeclared", Level::error,
      "A NEEDED library is in a package that the wheel does not require",
      "It loads on machines that happen to have the package, and on no other.",
      "Require the package, bounded to the versions that have this SONAME."},
     judge_kind<NeedKind::undeclared>},
    {{"WC106", "needed-from-host", Level::warning,
      "A NEEDED library comes with a package that is expected and not required",
      "Without that package the file does not load. Policy says that this is meant.",
      "Require the package if it is not meant to be the user's choice."},
     judge_kind<NeedKind::host>},
    {{"WC107", "needed-libpython", Level::error, "An extension is linked to libpython",
      "Interpreters that are linked statically have no such library; with others a second "
      "interpreter may be loaded beside the first.",
      "Leave the interpreter's symbols undefined; the interpreter provides them."},
     judge_kind<NeedKind::libpython>},
    {{"WC108", "needed-with-slash", Level::error, "A NEEDED entry is a path instead of a name",
      "The loader opens it as it stands: an absolute path is the builder's, a relative one depends "
      "on the working directory.",
      "Link to a library that has a SONAME."},
     judge_kind<NeedKind::slash>},
    {{"WC109", "needed-driver", Level::error, "A file needs the graphics driver to be loaded",
      "Only machines with the driver have the library. Where the file is loaded on import, the "
      "package cannot be imported anywhere else.",
      "Open the driver with dlopen when it is first used."},
     judge_kind<NeedKind::driver>},
    {{"WC110", "needed-only-with-extra", Level::warning,
      "A NEEDED library comes with a package that only an extra brings in",
      "Whoever installs the wheel without the extra cannot load the file.",
      "Require the package always if the file is always used."},
     judge_kind<NeedKind::only_an_extra>},
    {{"WC111", "needed-unusable", Level::error,
      "The file that is found for a NEEDED library cannot be loaded",
      "It is for another processor or word size, or no library at all: a symbolic link in a wheel "
      "is installed as a small text file.",
      "Ship the library itself under the name that is needed."},
     judge_kind<NeedKind::unusable>},
    {{"WC112", "needed-preloaded", Level::warning,
      "A NEEDED library loads only after another package has been imported",
      "The package loads its libraries when it is imported, and no search path leads to them: the "
      "file loads after that import only.",
      "Add the way to the package's library directory to the RUNPATH."},
     judge_kind<NeedKind::preloaded>},
    {{"WC113", "needed-common-system", Level::warning,
      "A NEEDED library is not promised by the platform tag",
      "Most systems have it, small container images do not.",
      "Ship it, or name it in the installation notes."},
     judge_kind<NeedKind::common_system>},
    {{"WC114", "needed-not-judged", Level::error, "NEEDED entries were not judged",
      "Nothing was found out about them; that is not the same as nothing being wrong.",
      "Give the wheel a platform tag whose libraries are known."},
     judge_unjudged},
    {{"WC115", "needed-from-surroundings", Level::warning,
      "A NEEDED library is found only through what the check was told of the machine",
      "Where LD_LIBRARY_PATH is not set, or on another machine, it is not found. Without --host "
      "and "
      "--ld-library-path the check knows nothing of either, and calls it missing.",
      "Ship the library and lead a search path to it, or require the package that has it."},
     judge_kind<NeedKind::surroundings>},
    {{"WC116", "dlopen-not-found", Level::error, "What a file says that it opens is not found",
      "The file has a note (.note.dlopen) of the libraries that it opens when it is used. Where "
      "none "
      "of them is found, that part of it does not work. The note's priority decides the level: "
      "required, recommended, suggested.",
      "Ship the library and lead a search path of the file to it, or require the package that has "
      "it."},
     judge_dlopen_notes},
    {{"WC117", "dlopen-sibling-unreachable", Level::note,
      "A file names a library of the wheel that it would not find by that name",
      "The name stands in its read-only data. If it is given to dlopen as it is, the open fails; "
      "if "
      "a path is made of it, or Python has opened the library before, all is well.",
      "Add the way to the library's directory to the RUNPATH of the file that opens it."},
     judge_named_siblings},
    {{"WC118", "needed-only-joined", Level::warning,
      "A NEEDED library is found only where purelib and platlib are one directory",
      "Python on Fedora and RHEL installs for all users into two: lib64 for wheels with native "
      "code, lib for those that say Root-Is-Purelib: true, as NVIDIA's do. No search path leads "
      "from one to the other wherever they are, and the library is not found. In virtual "
      "environments, and on most other systems, both are one. Of a library that another package "
      "has it is a note.",
      "Put all native code into platlib: Root-Is-Purelib: false, and none in the purelib of the "
      "data directory. Open libraries of other packages by their paths from Python, before what "
      "needs them is imported."},
     judge_split_layout},
}};

}  // namespace

std::span<const Rule> needed_rules() { return kRules; }

}  // namespace wheelcheck
