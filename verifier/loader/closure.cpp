#include "verifier/loader/closure.h"

#include <utility>

namespace wheelcheck {

namespace {

Verdict verdict_of(const SearchOutcome& outcome) {
  if (outcome.fatal || outcome.unfit) return Verdict::fatal;
  if (!outcome.found) return Verdict::not_found;
  const Attempt& winner = outcome.attempts.back();
  switch (winner.tag) {
    case SearchTag::inherited_rpath:
    case SearchTag::inherited_runpath:
      return Verdict::inherited;
    case SearchTag::ld_library_path:
      return Verdict::environment;
    case SearchTag::cache:
    case SearchTag::directory:
    case SearchTag::system:
      return Verdict::system;
    case SearchTag::already_loaded:
    case SearchTag::literal:
    case SearchTag::rpath:
    case SearchTag::runpath:
      break;
  }
  return winner.path.starts_with('/') ? Verdict::own_path : Verdict::working_directory;
}

/// Whether LD_LIBRARY_PATH is asked before the place where the search ended.
bool is_hijackable(const SearchOutcome& outcome, LoaderKind loader) {
  if (!outcome.found) return false;
  const SearchTag tag = outcome.attempts.back().tag;
  if (tag == SearchTag::literal || tag == SearchTag::already_loaded) return false;
  const bool rpath = tag == SearchTag::rpath || tag == SearchTag::inherited_rpath;
  return loader == LoaderKind::musl || !rpath;
}

}  // namespace

Need need_of(Request request, const Process& process, const InstallTree& tree) {
  Need need;
  need.name = std::move(request.name);
  SearchOutcome& alone = request.search;
  need.verdict = verdict_of(alone);
  need.hijackable = is_hijackable(alone, tree.loader());
  const LoadedObject* got = request.result ? &process.objects()[*request.result] : nullptr;
  if (got != nullptr) need.file = got->file;
  if (request.kind == RequestKind::opened && alone.found) need.file = alone.file;
  if (alone.found) {
    need.winner = alone.attempts.back();
  } else if (request.reused && got != nullptr) {
    need.winner.tag = SearchTag::already_loaded;
    need.winner.result = AttemptResult::found;
    if (got->file) need.winner.path = tree.files()[*got->file].path;
    // The loader itself is there before all others, and never looked for.
    const bool loader = !got->file && need.name.starts_with("ld-linux");
    need.verdict = loader ? Verdict::system : Verdict::luck;
    need.lucky_because = got->first_asker;
    if (loader) alone.attempts.clear();
  }
  need.attempts = std::move(alone.attempts);
  return need;
}

std::optional<std::size_t> open_root(Process& process, const InstallTree& tree,
                                     const LoaderOptions& options, std::size_t root) {
  if (role_of(tree.files()[root]) == ObjectRole::program) {
    process.start(root, tree.files()[root].path);
    return 0;
  }
  if (options.program) process.start(*options.program, tree.files()[*options.program].path);
  for (const std::size_t preload : options.preloads) process.open_file(preload);
  return process.open_file(root);
}

std::optional<std::size_t> Closure::find(std::size_t file) const {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].file == file) return i;
  }
  return std::nullopt;
}

Closure closure_of(const InstallTree& tree, const LoaderOptions& options, std::size_t root) {
  Closure closure;
  closure.root = root;
  closure.role = role_of(tree.files()[root]);
  Search search(tree, options.machine);
  Process process(search, {WhenMissing::go_on, true, options.search_budget});
  open_root(process, tree, options, root);
  closure.over_budget = process.over_budget();
  for (const LoadedObject& loaded : process.objects()) {
    ClosureObject object;
    object.file = loaded.file;
    object.opened = loaded.opened;
    object.loader = loaded.loader;
    closure.objects.push_back(std::move(object));
  }
  closure.first = closure.find(root).value_or(0);
  for (Request& request : process.requests()) {
    if (!request.object || request.kind != RequestKind::needed) continue;
    ClosureObject& object = closure.objects[*request.object];
    if (request.result && request.new_object) {
      closure.objects[*request.result].entry = object.needs.size();
    }
    object.got.push_back(request.result);
    object.needs.push_back(need_of(std::move(request), process, tree));
  }
  return closure;
}

std::optional<Need> need_of_dlopen(const InstallTree& tree, const LoaderOptions& options,
                                   std::size_t root, std::size_t caller, const std::string& name) {
  Search search(tree, options.machine);
  Process process(search, {WhenMissing::go_on, true, options.search_budget});
  open_root(process, tree, options, root);
  for (std::size_t i = 0; i < process.objects().size(); ++i) {
    if (process.objects()[i].file != caller) continue;
    const std::size_t first = process.requests().size();
    process.open(name, i);
    if (first >= process.requests().size()) return std::nullopt;
    return need_of(std::move(process.requests()[first]), process, tree);
  }
  return std::nullopt;
}

}  // namespace wheelcheck
