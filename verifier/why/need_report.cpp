#include "verifier/why/need_report.h"

#include <algorithm>

#include "rules/need_judge.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

bool loads(const ElfFacts& asker, const TreeFile& file) {
  if (file.elf == nullptr || !file.elf->loadable() || role_of(file) == ObjectRole::program) {
    return false;
  }
  return file.table || (file.elf->machine == asker.machine && file.elf->is_64 == asker.is_64);
}

const TreePackage& package_of(const Subject& subject, std::size_t file) {
  return subject.tree().packages()[subject.tree().files()[file].package];
}

/// What is to be said of the package from which something comes; empty: nothing.
std::string about_package(const Subject& subject, std::size_t file) {
  if (subject.tree().files()[file].package == 0) return {};  // or of the system
  const TreePackage& package = package_of(subject, file);
  if (package.kind == PackageKind::machine) return ", on this machine";
  std::string text = ", in " + package.distribution;
  if (!package.extra.empty())
    return text + ", which only the extra \"" + package.extra + "\" brings";
  if (package.required) return text;
  return text + (package.host ? ", which is expected to be present and not required"
                              : ", which nothing that is required brings");
}

std::string found_by(const Subject& subject, const Need& need, std::size_t asker) {
  const Attempt& winner = need.winner;
  if (winner.tag == SearchTag::literal) return "NEEDED is a path, and something lies there";
  std::string text = need.verdict == Verdict::inherited ? "found by the " : "found by its own ";
  text += tag_words(winner.tag);
  if (winner.carrier != asker) {
    text = "found by the " + std::string(tag_words(winner.tag)) + " of " +
           subject.display(winner.carrier);
  }
  return text;
}

std::string in_words(const Subject& subject, const Closure& closure, const ClosureObject& object,
                     const Need& need, const NeedReport& report) {
  switch (need.verdict) {
    case Verdict::own_path:
    case Verdict::inherited: {
      std::string text = found_by(subject, need, *object.file);
      if (need.file) text += about_package(subject, *need.file);
      const PathLookup there = subject.tree().look_up(need.winner.path);
      if (need.file && there.kind == PathKind::file && there.file != *need.file) {
        text += "; in this process another file of that name was there first";
      }
      return text;
    }
    case Verdict::system:
      return need.file ? "found in the system" : "a system library of " + subject.system();
    case Verdict::environment:
      return "found only through LD_LIBRARY_PATH";
    case Verdict::working_directory:
      return "found only where the process happens to be started";
    case Verdict::luck: {
      std::string text = report.preloaded ? "found only because it was loaded before"
                                          : "found only because another object names it first";
      if (!report.preloaded && need.lucky_because) {
        text += " (" + subject.display(*need.lucky_because) + ")";
      }
      return text + "; by its own search path it is not";
    }
    case Verdict::fatal:
      return "what is found under the name cannot be loaded";
    case Verdict::not_found:
      break;
  }
  if (closure.over_budget) return "not told: too many objects load one another";
  if (is_libpython(need.name)) {
    return "not found: the interpreter's own library, which many interpreters are built without";
  }
  if (is_driver_library(need.name)) {
    return "not found: part of the graphics driver, which no package brings";
  }
  const CommonLibrary* common = subject.policy().platforms.common(need.name);
  if (common != nullptr) {
    return "not found: on no list of " + subject.system() +
           ", though most systems have it, as part of " + common->what;
  }
  return "not found";
}

}  // namespace

bool is_present(const TreePackage& package) { return package.required || package.host; }

Sources sources_of(const Subject& subject, const ElfFacts& asker, std::string_view name) {
  Sources sources;
  const InstallTree& tree = subject.tree();
  const auto& files = tree.files();
  for (const std::size_t file : tree.named(name)) {
    if (!loads(asker, files[file])) continue;
    if (package_of(subject, file).kind == PackageKind::machine) continue;  // no search leads there
    const bool by_file_name = base_name_of(files[file].path) == base_name_of(name);
    if (by_file_name) sources.holders.push_back(file);
    if (!by_file_name && files[file].package == 0) sources.aliases.push_back(file);
  }
  const auto rank = [&](std::size_t file) {
    if (files[file].package == 0) return 0;
    const TreePackage& package = package_of(subject, file);
    if (package.required && package.extra.empty()) return 1;
    return package.host ? 2 : package.required ? 3 : 4;
  };
  std::stable_sort(sources.holders.begin(), sources.holders.end(),
                   [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });
  if (!sources.holders.empty()) return sources;
  const std::string_view stem = library_stem(name);
  for (std::size_t file = 0; file < files.size() && !stem.empty(); ++file) {
    if (files[file].package != 0 || !loads(asker, files[file])) continue;
    if (library_stem(base_name_of(files[file].path)) != stem) continue;
    if (std::find(sources.aliases.begin(), sources.aliases.end(), file) == sources.aliases.end()) {
      sources.aliases.push_back(file);
    }
  }
  for (const ProviderRow* row : subject.policy().providers.shippers(name)) {
    const bool by_name = std::any_of(
        row->libraries.begin(), row->libraries.end(),
        [&](const DeclaredLibrary& library) { return base_name_of(library.path) == name; });
    if (by_name) sources.shippers.push_back(row);
  }
  return sources;
}

bool is_firm(const Subject& subject, const Need& need) {
  switch (need.verdict) {
    case Verdict::own_path:
    case Verdict::inherited:
      return need.file && (subject.tree().files()[*need.file].package == 0 ||
                           is_present(package_of(subject, *need.file)));
    case Verdict::system:
      return true;
    default:
      return false;
  }
}

NeedReport report_need(const Subject& subject, const Closure& closure, std::size_t object,
                       std::size_t index) {
  const ClosureObject& asker = closure.objects[object];
  const Need& need = asker.needs[index];
  NeedReport report;
  report.name = need.name;
  report.verdict = need.verdict;
  report.firm = is_firm(subject, need);
  report.hijackable = need.hijackable;
  const auto got = asker.got[index];
  report.preloaded = need.verdict == Verdict::luck && got && *got < closure.first;
  if (need.file) report.found = subject.display(*need.file);
  for (const Attempt& attempt : need.attempts) {
    PlaceReport place;
    place.tag = attempt.tag;
    place.entry = attempt.entry;
    if (attempt.carrier != asker.file) place.carrier = subject.display(attempt.carrier);
    place.path = attempt.tag == SearchTag::system ? std::string() : subject.display(attempt.path);
    place.result = attempt.result;
    report.places.push_back(std::move(place));
  }
  report.words = in_words(subject, closure, asker, need, report);
  if (report.firm) return report;
  const Sources sources = sources_of(subject, *subject.tree().files()[*asker.file].elf, need.name);
  for (const std::size_t file : sources.holders) {
    report.providers.push_back(describe_holder(subject.tree(), file));
  }
  for (const std::size_t file : sources.aliases) {
    report.providers.push_back("under another name, " + describe_holder(subject.tree(), file));
  }
  for (const ProviderRow* row : sources.shippers) {
    report.providers.push_back(describe_shipper(*row, need.name));
  }
  return report;
}

}  // namespace wheelcheck
