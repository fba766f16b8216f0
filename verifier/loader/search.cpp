#include "verifier/loader/search.h"

#include <algorithm>
#include <array>

#include "verifier/elf/layout.h"

namespace wheelcheck {

namespace {

constexpr std::uint64_t kNoDefaultLibraries = 0x800;  // DF_1_NODEFLIB
constexpr std::uint64_t kNoOpen = 0x40;               // DF_1_NOOPEN
constexpr std::uint64_t kPie = 0x8000000;             // DF_1_PIE
constexpr std::uint16_t kExecutable = 2;              // ET_EXEC
constexpr std::uint16_t kShared = 3;                  // ET_DYN

bool done(const SearchOutcome& outcome) { return outcome.found || outcome.fatal; }

/// From 2.41 on a library that wants an executable stack is not opened. Where it does not say,
/// the architecture's default counts, which is "executable" only on the old ones.
bool wants_executable_stack(const ElfFacts& elf) {
  if (elf.stack_flags) return (*elf.stack_flags & elf::kExecutable) != 0;
  return elf.machine == 62 || elf.machine == 3;
}

/// The machine as a loader of the asker's byte order reads it.
std::uint16_t machine_seen(const ElfFacts& elf, const ElfFacts& asker) {
  if (elf.endian == asker.endian) return elf.machine;
  return static_cast<std::uint16_t>((elf.machine >> 8) | (elf.machine << 8));
}

AttemptResult suits_glibc(const ElfFacts& elf, const ElfFacts* asker, bool by_dlopen,
                          const Machine& machine) {
  const auto follows = [&](LoaderRule rule) { return machine.follows(rule); };
  if (asker != nullptr) {  // the class is looked at before the machine, that before the rest
    if (elf.is_64 != asker->is_64) {
      return follows(LoaderRule::other_class_skipped) ? AttemptResult::wrong_class
                                                      : AttemptResult::not_elf;
    }
    if (machine_seen(elf, *asker) != asker->machine) {
      return follows(LoaderRule::other_machine_skipped) ? AttemptResult::wrong_machine
                                                        : AttemptResult::not_elf;
    }
    if (elf.endian != asker->endian) return AttemptResult::not_elf;
  }
  const bool known_abi = elf.os_abi == 0 || elf.os_abi == 3;  // System V, GNU
  if (!known_abi) return AttemptResult::not_elf;
  const bool program = elf.type == kExecutable || (elf.dt_flags_1 & kPie) != 0;
  if (!elf.loadable()) return AttemptResult::not_elf;
  if (program && follows(LoaderRule::program_is_no_library)) return AttemptResult::not_for_this;
  if (!elf.has_dynamic) return AttemptResult::not_for_this;
  if (by_dlopen && (elf.dt_flags_1 & kNoOpen) != 0) return AttemptResult::not_for_this;
  if (by_dlopen && machine.glibc >= GlibcVersion{2, 41} && wants_executable_stack(elf)) {
    return AttemptResult::not_for_this;
  }
  return AttemptResult::found;
}

/// musl takes the first file that it can open and map.
AttemptResult suits_musl(const ElfFacts& elf, const ElfFacts* asker, const Machine& machine) {
  const bool readable =
      asker == nullptr || (elf.endian == asker->endian && elf.is_64 == asker->is_64);
  if (!readable || elf.type != kShared || !elf.has_dynamic) return AttemptResult::not_elf;
  if (asker == nullptr || elf.machine == asker->machine) return AttemptResult::found;
  return machine.follows(LoaderRule::anything_opened_is_taken) ? AttemptResult::found
                                                               : AttemptResult::wrong_machine;
}

/// glibc keeps one of several equal directories.
void skip_repeated(std::vector<PathElement>& elements) {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    for (std::size_t j = 0; j < i && !elements[i].ignored; ++j) {
      elements[i].ignored = !elements[j].ignored && elements[j].path == elements[i].path;
    }
  }
}

PathElement element_of(std::string path) {
  PathElement element;
  element.raw = path;
  element.path = std::move(path);
  return element;
}

}  // namespace

bool is_musl_own(std::string_view name) {
  // The stems that ldso/dynlink.c answers with itself: "libc.so", "libpthread.so.0", ...
  constexpr std::array<std::string_view, 7> kOwn = {"c.",  "pthread.", "rt.",  "m.",
                                                    "dl.", "util.",    "xnet."};
  if (!name.starts_with("lib")) return false;
  const std::string_view stem = name.substr(3);
  return std::any_of(kOwn.begin(), kOwn.end(),
                     [&](std::string_view own) { return stem.starts_with(own); });
}

Search::Search(const InstallTree& tree, const Machine& machine)
    : tree_(tree), machine_(machine), loader_(tree.loader()), plain_{std::string()} {
  for (const std::string& directory : machine_.system.directories) {
    PathElement element = element_of(directory);
    if (loader_ == LoaderKind::glibc) {
      while (element.path.size() > 1 && element.path.back() == '/') element.path.pop_back();
    }
    element.ignored = element.path.empty();
    directories_.push_back(std::move(element));
  }
}

bool Search::is_path(std::string_view name) const {
  return follows(LoaderRule::slash_is_path) && name.find('/') != std::string_view::npos;
}

std::string Search::absolute(std::string_view path) const {
  if (path.starts_with('/')) return std::string(path);
  if (machine_.working_directory.empty()) return {};
  std::string whole = machine_.working_directory;
  whole += '/';
  whole += path;
  return whole;
}

std::string Search::origin_of(const Carrier& carrier) const {
  if (!follows(LoaderRule::origin_by_opened_path)) {
    return std::string(directory_of(tree_.files()[carrier.file].path));
  }
  if (loader_ == LoaderKind::musl) {  // as it stands, even where it is relative
    const bool bare = carrier.opened.find('/') == std::string_view::npos;
    if (bare) return ".";
    const std::size_t slash = carrier.opened.rfind('/');
    return std::string(carrier.opened.substr(0, slash));
  }
  return std::string(directory_of(absolute(carrier.opened)));
}

const Search::Carried& Search::carried(const Carrier& carrier) {
  const auto [known, added] = carried_.try_emplace(std::string(carrier.opened));
  Carried& paths = known->second;
  if (!added) return paths;
  const ElfFacts* elf = tree_.files()[carrier.file].elf;
  if (elf == nullptr) return paths;
  const std::string origin = origin_of(carrier);
  const auto split = [&](const std::optional<std::string>& raw) {
    std::vector<PathElement> elements;
    if (raw) elements = split_search_path(loader_, *raw, origin, machine_);
    if (loader_ == LoaderKind::glibc) skip_repeated(elements);
    return elements;
  };
  if (loader_ == LoaderKind::musl) {  // one list, inherited; RUNPATH replaces RPATH
    const bool void_rpath = elf->runpath && follows(LoaderRule::runpath_voids_rpath);
    paths.rpath = split(void_rpath || !elf->rpath ? elf->runpath : elf->rpath);
    return paths;
  }
  paths.has_runpath = elf->runpath.has_value();
  paths.runpath = split(elf->runpath);
  // The RPATH beside a RUNPATH is void, for heirs too.
  if (!paths.has_runpath || !follows(LoaderRule::runpath_voids_rpath)) {
    paths.rpath = split(elf->rpath);
  }
  return paths;
}

void Search::judge_file(const TreeFile& file, const Asker& asker, Attempt& attempt,
                        SearchOutcome& outcome) const {
  const ElfFacts* by = asker.chain.empty() ? nullptr : tree_.files()[asker.chain[0].file].elf;
  if (file.elf == nullptr) {
    // An ELF that we could not read is reported as such; here it is taken for what it seems.
    attempt.result = file.unread ? AttemptResult::found : AttemptResult::not_elf;
  } else {
    if (file.table) by = nullptr;  // machine and class are not known
    attempt.result = loader_ == LoaderKind::musl
                         ? suits_musl(*file.elf, by, machine_)
                         : suits_glibc(*file.elf, by, asker.by_dlopen, machine_);
    outcome.unfit =
        attempt.result == AttemptResult::found && by != nullptr && file.elf->machine != by->machine;
  }
  outcome.found = attempt.result == AttemptResult::found;
  outcome.fatal =
      (attempt.result == AttemptResult::not_elf || attempt.result == AttemptResult::not_for_this) &&
      follows(LoaderRule::damaged_file_stops);
}

/// The environment lies somewhere on the machine: what "$ORIGIN/../../../../.." leads to is not
/// known, whatever lies at that path from the prefix here.
bool Search::leaves_prefix(const std::string& path) const {
  const auto inside = [this](std::string_view one) {
    const std::string_view prefix = tree_.prefix();
    return one.starts_with(prefix) && one.size() > prefix.size() && one[prefix.size()] == '/';
  };
  return tree_.has_machine() && inside(path) && path.find("/..") != path.npos &&
         !inside(normalise_path(path));
}

bool Search::candidate(Attempt attempt, const Asker& asker, SearchOutcome& outcome) const {
  std::string where = absolute(attempt.path);
  if (where.empty()) {
    attempt.result = AttemptResult::working_directory;
    outcome.attempts.push_back(std::move(attempt));
    return true;
  }
  if (!follows(LoaderRule::dot_dot_is_physical)) where = normalise_path(where);
  if (leaves_prefix(where)) {
    attempt.result = AttemptResult::outside;
    outcome.attempts.push_back(std::move(attempt));
    return true;
  }
  const PathLookup there = tree_.look_up(where);
  bool go_on = true;
  if (there.kind == PathKind::file) {
    outcome.file = there.file;
    judge_file(tree_.files()[there.file], asker, attempt, outcome);
    if (!outcome.found) outcome.file.reset();
  } else if (there.kind == PathKind::directory) {
    attempt.result = AttemptResult::not_elf;  // opened, then cannot be read
    outcome.fatal = follows(LoaderRule::damaged_file_stops);
  } else {
    const std::string_view directory = directory_of(where);
    const PathKind parent = tree_.look_up(directory).kind;
    const bool loop = there.kind == PathKind::loop && follows(LoaderRule::loop_stops);
    if (there.kind == PathKind::loop) {
      attempt.result = AttemptResult::loop;
    } else {
      attempt.result =
          parent == PathKind::directory ? AttemptResult::no_file : AttemptResult::no_directory;
      const std::string normal = normalise_path(directory);
      const bool on_machine = tree_.has_machine() && (machine_.has_system_directories ||
                                                      attempt.tag == SearchTag::ld_library_path);
      const bool inside = tree_.is_whole_system() || on_machine || normal == tree_.prefix() ||
                          normal.starts_with(tree_.prefix() + "/");
      if (!inside) attempt.result = AttemptResult::outside;
    }
    go_on = !loop || (loader_ == LoaderKind::glibc && parent != PathKind::directory);
  }
  outcome.attempts.push_back(std::move(attempt));
  return go_on;
}

void Search::through(const std::vector<PathElement>& elements, SearchTag tag, std::size_t carrier,
                     std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  const bool musl = loader_ == LoaderKind::musl;
  const bool levels = !musl && follows(LoaderRule::hwcaps) && !machine_.subdirectories.empty();
  for (const PathElement& element : elements) {
    if (done(outcome) || outcome.stopped) return;
    if (element.ignored) continue;
    Attempt attempt;
    attempt.tag = tag;
    attempt.entry = element.raw;
    attempt.carrier = carrier;
    const bool relative = !element.is_absolute();
    if (relative && !follows(LoaderRule::relative_to_here)) continue;
    std::string directory = element.path;
    if (!directory.empty() && (musl || directory != "/")) directory += '/';
    const auto look = [&](const std::string& below) {
      attempt.path = directory + below;
      attempt.path += name;
      return candidate(attempt, asker, outcome);
    };
    if (levels) {
      const bool best_first = follows(LoaderRule::hwcaps_best_first);
      const std::size_t count = machine_.subdirectories.size();
      for (std::size_t i = 0; i < count && !done(outcome); ++i) {
        look(machine_.subdirectories[best_first ? i : count - 1 - i]);
      }
      if (done(outcome)) return;
    }
    const bool go_on = look({});
    if (go_on) continue;
    outcome.stopped = musl;  // glibc gives up this list alone
    return;
  }
}

void Search::rpaths(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  bool program_seen = false;
  for (std::size_t i = 0; i < asker.chain.size(); ++i) {
    const Carrier& carrier = asker.chain[i];
    const bool own = i == 0;
    program_seen = program_seen || (asker.program && asker.program->opened == carrier.opened);
    if (!follows(own ? LoaderRule::rpath : LoaderRule::rpath_inherited)) continue;
    const SearchTag tag = own ? SearchTag::rpath : SearchTag::inherited_rpath;
    through(carried(carrier).rpath, tag, carrier.file, name, asker, outcome);
  }
  if (!asker.program || program_seen || !follows(LoaderRule::rpath_of_program)) return;
  through(carried(*asker.program).rpath, SearchTag::inherited_rpath, asker.program->file, name,
          asker, outcome);
}

void Search::runpaths(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  if (!follows(LoaderRule::runpath)) return;
  for (const Carrier& carrier : asker.chain) {
    through(carried(carrier).runpath, SearchTag::runpath, carrier.file, name, asker, outcome);
    if (follows(LoaderRule::runpath_not_inherited)) return;
  }
}

void Search::library_path(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  if (machine_.ld_library_path.empty() || !follows(LoaderRule::ld_library_path)) return;
  // $ORIGIN in it is the program's.
  const std::string origin = asker.program ? origin_of(*asker.program) : std::string();
  if (library_path_origin_ != origin) {
    library_path_ = split_library_path(loader_, origin, machine_);
    if (loader_ == LoaderKind::glibc) skip_repeated(library_path_);
    library_path_origin_ = origin;
  }
  const std::size_t file = asker.chain.empty() ? 0 : asker.chain[0].file;
  through(library_path_, SearchTag::ld_library_path, file, name, asker, outcome);
}

void Search::glibc(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  const bool shut_out = !asker.chain.empty() && carried(asker.chain[0]).has_runpath &&
                        follows(LoaderRule::runpath_shuts_out_rpath);
  const bool rpath_first = follows(LoaderRule::rpath_before_ld_library_path);
  const bool library_path_first = follows(LoaderRule::ld_library_path_before_runpath);
  if (!rpath_first) library_path(name, asker, outcome);
  if (!shut_out) rpaths(name, asker, outcome);
  if (rpath_first && library_path_first) library_path(name, asker, outcome);
  runpaths(name, asker, outcome);
  if (rpath_first && !library_path_first) library_path(name, asker, outcome);
}

void Search::musl(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  const bool library_path_first = follows(LoaderRule::ld_library_path_before_runpath);
  if (library_path_first) library_path(name, asker, outcome);
  for (std::size_t i = 0; i < asker.chain.size(); ++i) {
    const Carrier& carrier = asker.chain[i];
    if (i != 0 && !follows(LoaderRule::everything_inherited)) break;
    if (i == 0 && !follows(LoaderRule::rpath)) continue;
    const ElfFacts* elf = tree_.files()[carrier.file].elf;
    const bool by_runpath = elf != nullptr && elf->runpath;
    const SearchTag own = by_runpath ? SearchTag::runpath : SearchTag::rpath;
    const SearchTag heir = by_runpath ? SearchTag::inherited_runpath : SearchTag::inherited_rpath;
    through(carried(carrier).rpath, i == 0 ? own : heir, carrier.file, name, asker, outcome);
  }
  if (!library_path_first) library_path(name, asker, outcome);
}

void Search::cache(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  if (done(outcome) || loader_ == LoaderKind::musl || !follows(LoaderRule::cache)) return;
  const auto& entries = machine_.system.cache;
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const CacheEntry& known) { return known.name == name; });
  if (entry == entries.end()) return;
  Attempt attempt;
  attempt.tag = SearchTag::cache;
  attempt.carrier = asker.chain.empty() ? 0 : asker.chain[0].file;
  attempt.path = entry->path;
  const ElfFacts* elf = asker.chain.empty() ? nullptr : tree_.files()[attempt.carrier].elf;
  const auto& built_in = machine_.system.directories;
  const bool is_default =
      std::any_of(built_in.begin(), built_in.end(),
                  [&](const std::string& directory) { return entry->path.starts_with(directory); });
  if (is_default && elf != nullptr && (elf->dt_flags_1 & kNoDefaultLibraries) != 0 &&
      follows(LoaderRule::nodeflib_shuts_out_cache)) {
    attempt.result = AttemptResult::no_default;
    outcome.attempts.push_back(std::move(attempt));
    return;
  }
  candidate(std::move(attempt), asker, outcome);
}

void Search::directories(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  if (done(outcome) || !follows(LoaderRule::default_directories)) return;
  const std::size_t file = asker.chain.empty() ? 0 : asker.chain[0].file;
  const ElfFacts* elf = asker.chain.empty() ? nullptr : tree_.files()[file].elf;
  if (loader_ == LoaderKind::glibc && elf != nullptr &&
      (elf->dt_flags_1 & kNoDefaultLibraries) != 0 &&
      follows(LoaderRule::nodeflib_shuts_out_directories)) {
    outcome.attempts.push_back({SearchTag::directory, {}, file, {}, AttemptResult::no_default});
    return;
  }
  through(directories_, SearchTag::directory, file, name, asker, outcome);
}

void Search::system(std::string_view name, const Asker& asker, SearchOutcome& outcome) {
  if (done(outcome) || outcome.stopped) return;
  if (machine_.has_system_directories) {
    const bool cache_first = follows(LoaderRule::cache_before_directories);
    if (cache_first) cache(name, asker, outcome);
    directories(name, asker, outcome);
    if (!cache_first) cache(name, asker, outcome);
    return;
  }
  Attempt attempt;
  attempt.tag = SearchTag::system;
  attempt.carrier = asker.chain.empty() ? 0 : asker.chain[0].file;
  attempt.path = name;
  const ElfFacts* elf = asker.chain.empty() ? nullptr : tree_.files()[attempt.carrier].elf;
  const bool no_default = loader_ == LoaderKind::glibc && elf != nullptr &&
                          (elf->dt_flags_1 & kNoDefaultLibraries) != 0;
  if (no_default) {
    attempt.result = AttemptResult::no_default;
  } else if (tree_.is_system_library(name)) {
    attempt.result = AttemptResult::found;
    outcome.found = true;
  } else {
    attempt.result = AttemptResult::no_file;
  }
  outcome.attempts.push_back(std::move(attempt));
}

std::string Search::expanded(std::string_view name, const Asker& asker) const {
  if (name.find('$') == std::string_view::npos) return std::string(name);
  const std::string origin = asker.chain.empty() ? std::string() : origin_of(asker.chain[0]);
  return expand_path(loader_, name, origin, machine_).path;
}

SearchOutcome Search::find(std::string_view name, const Asker& asker) {
  SearchOutcome outcome;
  const std::size_t file = asker.chain.empty() ? 0 : asker.chain[0].file;
  const std::string wanted = expanded(name, asker);
  const bool musl_loader = loader_ == LoaderKind::musl;
  if (musl_loader && is_musl_own(wanted) && follows(LoaderRule::names_of_libc)) {
    outcome.found = true;
    outcome.attempts.push_back({SearchTag::system, {}, file, wanted, AttemptResult::found});
    return outcome;
  }
  if (is_path(wanted)) {
    Attempt attempt;
    attempt.tag = SearchTag::literal;
    attempt.carrier = file;
    attempt.path = wanted;
    candidate(std::move(attempt), asker, outcome);
    return outcome;
  }
  if (musl_loader) {
    musl(wanted, asker, outcome);
  } else {
    glibc(wanted, asker, outcome);
  }
  system(wanted, asker, outcome);
  return outcome;
}

}  // namespace wheelcheck
