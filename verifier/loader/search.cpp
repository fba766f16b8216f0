#include "verifier/loader/search.h"

#include <algorithm>
#include <array>

namespace wheelcheck {

namespace {

constexpr std::uint64_t kNoDefaultLibraries = 0x800;  // DF_1_NODEFLIB
constexpr std::uint64_t kPie = 0x8000000;             // DF_1_PIE

bool done(const SearchOutcome& outcome) { return outcome.found || outcome.fatal; }

/// What the loader makes of a file that it could open.
AttemptResult suits(const TreeFile& file, const ElfFacts* asker, LoaderKind loader) {
  if (file.elf == nullptr) {
    // An ELF that we could not read is reported as such; here it is taken for what it seems.
    return file.unread ? AttemptResult::found : AttemptResult::not_elf;
  }
  const ElfFacts& elf = *file.elf;
  const bool from_table = file.member == nullptr;  // machine and class are not known
  if (!from_table && asker != nullptr) {
    const bool wrong_class = elf.is_64 != asker->is_64;
    const bool wrong_machine = elf.machine != asker->machine;
    const bool skips = loader == LoaderKind::glibc;  // musl takes the first it can open
    if (elf.endian != asker->endian) return AttemptResult::not_elf;
    if (wrong_class) return skips ? AttemptResult::wrong_class : AttemptResult::not_elf;
    if (wrong_machine) return skips ? AttemptResult::wrong_machine : AttemptResult::not_elf;
  }
  const bool library = elf.type == 3 && (elf.dt_flags_1 & kPie) == 0;
  return library ? AttemptResult::found : AttemptResult::not_elf;
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

Search::Search(const InstallTree& tree, const LoaderOptions& options)
    : tree_(tree), loader_(tree.loader()), carried_(tree.files().size()) {
  ld_library_path_ = split_search_path(loader_, options.ld_library_path, {});
}

const Search::Carried& Search::carried(std::size_t file) {
  Carried& paths = carried_[file];
  if (paths.ready) return paths;
  paths.ready = true;
  const TreeFile& carrier = tree_.files()[file];
  if (carrier.elf == nullptr) return paths;
  const std::string_view origin = directory_of(carrier.path);
  const auto split = [&](const std::optional<std::string>& raw) {
    return raw ? split_search_path(loader_, *raw, origin) : std::vector<PathElement>();
  };
  if (loader_ == LoaderKind::musl) {  // one list, inherited; RUNPATH replaces RPATH
    paths.rpath = split(carrier.elf->runpath ? carrier.elf->runpath : carrier.elf->rpath);
    return paths;
  }
  paths.has_runpath = carrier.elf->runpath.has_value();
  if (paths.has_runpath) {
    paths.runpath = split(carrier.elf->runpath);  // the RPATH beside it is void, for heirs too
  } else {
    paths.rpath = split(carrier.elf->rpath);
  }
  return paths;
}

void Search::candidate(Attempt attempt, std::size_t asker, SearchOutcome& outcome) {
  const PathLookup there = tree_.look_up(attempt.path);
  if (there.kind == PathKind::file) {
    attempt.result = suits(tree_.files()[there.file], tree_.files()[asker].elf, loader_);
    if (attempt.result == AttemptResult::found) {
      outcome.found = true;
      outcome.file = there.file;
    }
    outcome.fatal = attempt.result == AttemptResult::not_elf;
  } else if (there.kind == PathKind::directory) {
    attempt.result = AttemptResult::not_elf;  // opened, then cannot be read
    outcome.fatal = true;
  } else {
    const std::string_view directory = directory_of(attempt.path);
    attempt.result = tree_.look_up(directory).kind == PathKind::directory
                         ? AttemptResult::no_file
                         : AttemptResult::no_directory;
    const std::string normal = normalise_path(directory);
    const bool inside = normal == InstallTree::prefix() ||
                        normal.starts_with(std::string(InstallTree::prefix()) + "/");
    if (!inside) attempt.result = AttemptResult::outside;
  }
  outcome.attempts.push_back(std::move(attempt));
}

void Search::through(const std::vector<PathElement>& elements, SearchTag tag, std::size_t carrier,
                     std::string_view name, std::size_t asker, SearchOutcome& outcome) {
  for (const PathElement& element : elements) {
    if (done(outcome)) return;
    if (element.ignored) continue;
    Attempt attempt;
    attempt.tag = tag;
    attempt.entry = element.raw;
    attempt.carrier = carrier;
    attempt.path = element.path;
    if (!element.path.empty() && element.path != "/") attempt.path += '/';
    attempt.path += name;
    if (!element.is_absolute()) {
      attempt.result = AttemptResult::working_directory;
      outcome.attempts.push_back(std::move(attempt));
      continue;
    }
    candidate(std::move(attempt), asker, outcome);
  }
}

void Search::literal(std::string_view name, std::size_t asker, SearchOutcome& outcome) {
  const TreeFile& file = tree_.files()[asker];
  const PathElement element = expand_path(loader_, name, directory_of(file.path));
  Attempt attempt;
  attempt.tag = SearchTag::literal;
  attempt.carrier = asker;
  attempt.path = element.path;
  if (!element.is_absolute()) {
    attempt.result = AttemptResult::working_directory;
    outcome.attempts.push_back(std::move(attempt));
    return;
  }
  candidate(std::move(attempt), asker, outcome);
}

void Search::system(std::string_view name, std::size_t asker, SearchOutcome& outcome) {
  if (done(outcome)) return;
  Attempt attempt;
  attempt.tag = SearchTag::system;
  attempt.carrier = asker;
  attempt.path = name;
  const ElfFacts* elf = tree_.files()[asker].elf;
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

SearchOutcome Search::find(std::string_view name, const std::vector<std::size_t>& chain) {
  SearchOutcome outcome;
  const std::size_t asker = chain.front();
  if (name.find('/') != std::string_view::npos) {
    literal(name, asker, outcome);
    return outcome;
  }
  const bool musl = loader_ == LoaderKind::musl;
  if (musl && is_musl_own(name)) {
    outcome.found = true;
    outcome.attempts.push_back(
        {SearchTag::system, {}, asker, std::string(name), AttemptResult::found});
    return outcome;
  }
  const auto chain_paths = [&] {
    for (const std::size_t carrier : chain) {
      const SearchTag tag = carrier == asker ? SearchTag::rpath : SearchTag::inherited_rpath;
      through(carried(carrier).rpath, tag, carrier, name, asker, outcome);
    }
  };
  if (musl) {
    through(ld_library_path_, SearchTag::ld_library_path, asker, name, asker, outcome);
    chain_paths();
  } else {
    if (!carried(asker).has_runpath) chain_paths();
    through(ld_library_path_, SearchTag::ld_library_path, asker, name, asker, outcome);
    through(carried(asker).runpath, SearchTag::runpath, asker, name, asker, outcome);
  }
  system(name, asker, outcome);
  return outcome;
}

}  // namespace wheelcheck
