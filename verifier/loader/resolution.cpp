// Which file each NEEDED of the subject gets, and whether it could count on it.
//
// Each root starts a process of its own: it is opened by path, as an interpreter opens an
// extension or a kernel a program, and its dependencies are walked breadth first, as
// _dl_map_object_deps does. The roots are
//   1. every extension module and every program;
//   2. every library that none of those loads and that no other file of the wheel needs by name:
//      something outside (ctypes, dlopen, a linker of the user's) has to open it first;
//   3. what is then still not loaded by anything, one by one, in the order of the archive;
//   4. what code is known to open, by dlopen or by Python, though others may load it too.
// A library that others load is not a root. It is judged in every process in which it appears,
// with the RPATHs of those that loaded it; a DT_RPATH that is inherited everywhere is enough.
//
// In each process each NEEDED is looked for twice: as the loader does, which first looks among the
// objects that are there already, and by search alone. Only the second is the object's own doing.
// Where the first succeeds and the second fails, the file is loaded by luck of the order in which
// others name theirs.
#include "verifier/loader/resolution.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "verifier/core/string_map.h"
#include "verifier/loader/closure.h"
#include "verifier/loader/process.h"

namespace wheelcheck {

namespace {

constexpr std::uint64_t kPie = 0x8000000;  // DF_1_PIE

bool is_candidate(const TreeFile& file) {
  return file.package == 0 && file.elf != nullptr && file.elf->loadable();
}

/// How bad a verdict is: the worst one over all processes counts.
int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::own_path:
    case Verdict::system:
      return 0;
    case Verdict::inherited:
      return 1;
    case Verdict::environment:
    case Verdict::working_directory:
      return 2;
    case Verdict::luck:
      return 3;
    case Verdict::fatal:
      return 4;
    case Verdict::not_found:
      return 5;
  }
  return 5;
}

class Resolver {
 public:
  Resolver(const InstallTree& tree, const LoaderOptions& options)
      : tree_(tree),
        options_(options),
        budget_(options.search_budget),
        search_(tree, options.machine) {}

  Resolution run() {
    collect();
    if (options_.only_root) {
      const auto object = object_of_.find(*options_.only_root);
      if (object != object_of_.end()) start(object->second);
      return finish();
    }
    for (std::size_t i = 0; i < result_.objects.size(); ++i) {
      if (result_.objects[i].role != ObjectRole::library) start(i);
    }
    std::vector<std::size_t> wanted;  // needed by nobody: opened from outside
    for (std::size_t i = 0; i < result_.objects.size(); ++i) {
      if (!loaded_.count(result_.objects[i].file) && !is_named_by_another(i)) wanted.push_back(i);
    }
    for (const std::size_t i : wanted) start(i);
    for (std::size_t i = 0; i < result_.objects.size(); ++i) {
      if (!loaded_.count(result_.objects[i].file)) start(i);
    }
    open_in_order();
    start_what_is_opened();
    return finish();
  }

 private:
  Resolution finish() {
    for (auto& [key, dlopened] : dlopened_) result_.dlopened.push_back(std::move(dlopened));
    for (ObjectResolution& object : result_.objects) {
      object.depends_on_loader = !object.is_root;
      result_.needs += object.needs.size();
    }
    return std::move(result_);
  }

  void collect() {
    for (std::size_t file = 0; file < tree_.files().size(); ++file) {
      const TreeFile& candidate = tree_.files()[file];
      if (!is_candidate(candidate)) continue;
      ObjectResolution object;
      object.file = file;
      object.role = role_of(candidate);
      object_of_.emplace(file, result_.objects.size());
      result_.objects.push_back(std::move(object));
      for (const std::string& name : candidate.elf->needed) {
        namers_[std::string(base_name_of(name))].push_back(file);
      }
    }
  }

  bool is_named_by_another(std::size_t object) const {
    const std::size_t file = result_.objects[object].file;
    const TreeFile& candidate = tree_.files()[file];
    const auto named = [&](std::string_view name) {
      const auto found = namers_.find(name);
      return found != namers_.end() &&
             std::any_of(found->second.begin(), found->second.end(),
                         [&](std::size_t namer) { return namer != file; });
    };
    return named(base_name_of(candidate.path)) ||
           (candidate.elf->soname && named(*candidate.elf->soname));
  }

  void start(std::size_t object) {
    if (result_.over_budget) return;
    const std::size_t root = result_.objects[object].file;
    result_.objects[object].is_root = true;
    loaded_.insert(root);
    Process process(search_, {WhenMissing::go_on, true, budget_ - spent_});
    const auto opened = open_root(process, tree_, options_, root);
    RootProcess& loaded = result_.processes.emplace_back();
    loaded.root = root;
    if (opened) loaded.members = process.scope_of(*opened);
    take_requests(process, opened, root, loaded);
    spent_ += process.looked_at();
    result_.over_budget = spent_ > budget_;
  }

  void take_requests(Process& process, std::optional<std::size_t> opened, std::size_t root,
                     RootProcess& loaded) {
    ask_for_dlopens(process, root);
    for (Request& request : process.requests()) {
      if (request.kind != RequestKind::auxiliary) loaded.complete &= request.result.has_value();
      if (!request.object || request.kind != RequestKind::needed) continue;
      const auto file = process.objects()[*request.object].file;
      const std::size_t index = request.index;
      const bool before = opened && request.result && *request.result < *opened;
      Need need = need_of(std::move(request), process, tree_);
      need.preloaded = before && need.verdict == Verdict::luck;
      if (need.file) loaded_.insert(*need.file);
      const auto known = object_of_.find(*file);
      if (known == object_of_.end()) continue;  // another package's: not judged here
      keep(result_.objects[known->second], index, std::move(need), root);
    }
  }

  /// What code of the objects of a process finds when it runs.
  void ask_for_dlopens(Process& process, std::size_t root) {
    if (options_.dlopens.empty()) return;
    for (std::size_t i = 0; i < process.objects().size(); ++i) {
      const auto file = process.objects()[i].file;
      const auto names = file ? options_.dlopens.find(*file) : options_.dlopens.end();
      if (names == options_.dlopens.end()) continue;
      for (std::size_t at = 0; at < names->second.size(); ++at) {
        const DlopenName& wanted = names->second[at];
        Need need = need_of(process.ask(wanted.name, i), process, tree_);
        if (badness(need.verdict) >= badness(Verdict::luck)) need.root = root;
        if (wanted.opens && need.file) opened_later_.insert(*need.file);
        const auto [known, added] = dlopened_.try_emplace({*file, at});
        if (!added && badness(known->second.need.verdict) >= badness(need.verdict)) continue;
        known->second = {*file, wanted.name, std::move(need)};
      }
    }
  }

  /// One process in which Python opens one library after the other.
  void open_in_order() {
    if (options_.openings.empty() || result_.over_budget) return;
    Process process(search_, {WhenMissing::go_on, true, budget_ - spent_});
    if (options_.program) process.start(*options_.program, tree_.files()[*options_.program].path);
    for (const std::size_t preload : options_.preloads) process.open_file(preload);
    bool complete = true;
    for (const Opening& opening : options_.openings) {
      const auto object = object_of_.find(opening.file);
      if (object == object_of_.end()) continue;
      result_.objects[object->second].is_root = true;
      const std::size_t first = process.objects().size();
      const auto opened = process.open_file(opening.file);
      RootProcess& loaded = result_.processes.emplace_back();
      loaded.root = opening.file;
      if (opened) loaded.members = process.scope_of(*opened);
      if (opened && opening.global) process.share(*opened);
      // What came with the libraries before is there already, as those who wrote the order know.
      take_requests(process, first, opening.file, loaded);
      process.requests().clear();
      complete = complete && loaded.complete;
      loaded.complete = complete;
    }
    spent_ += process.looked_at();
    result_.over_budget = spent_ > budget_;
  }

  void start_what_is_opened() {
    const std::set<std::size_t> files = std::exchange(opened_later_, {});
    for (const std::size_t file : files) {
      const auto object = object_of_.find(file);
      if (object != object_of_.end() && !result_.objects[object->second].is_root) {
        start(object->second);
      }
    }
  }

  static void keep(ObjectResolution& object, std::size_t index, Need need, std::size_t root) {
    if (badness(need.verdict) >= badness(Verdict::luck)) need.root = root;
    if (index >= object.needs.size()) {
      object.needs.push_back(std::move(need));
    } else if (badness(need.verdict) > badness(object.needs[index].verdict)) {
      object.needs[index] = std::move(need);
    }
  }

  const InstallTree& tree_;
  const LoaderOptions& options_;
  const std::uint64_t budget_;
  std::uint64_t spent_ = 0;
  Search search_;
  Resolution result_;
  std::unordered_map<std::size_t, std::size_t> object_of_;
  StringMap<std::vector<std::size_t>> namers_;
  std::unordered_set<std::size_t> loaded_;
  std::map<std::pair<std::size_t, std::size_t>, Dlopened> dlopened_;  ///< by caller and place
  std::set<std::size_t> opened_later_;
};

}  // namespace

ObjectRole role_of(const TreeFile& file) {
  if (file.elf == nullptr) return ObjectRole::library;
  const ElfFacts& elf = *file.elf;
  if (elf.type == 2 || (elf.dt_flags_1 & kPie) != 0) return ObjectRole::program;
  if (elf.interpreter && !elf.soname) return ObjectRole::program;
  const std::string_view name = base_name_of(file.path);
  if (!name.ends_with(".so")) return ObjectRole::library;
  for (const std::string_view mark : {".cpython-", ".abi3.", ".abi3t.", ".pypy", ".graalpy"}) {
    if (name.find(mark) != std::string_view::npos) return ObjectRole::extension;
  }
  std::string entry = "PyInit_" + std::string(name.substr(0, name.find('.')));
  entry += '\0';
  return elf.names.find(entry) != std::string::npos ? ObjectRole::extension : ObjectRole::library;
}

const ObjectResolution* Resolution::find(std::size_t file) const {
  const auto found = std::lower_bound(
      objects.begin(), objects.end(), file,
      [](const ObjectResolution& object, std::size_t wanted) { return object.file < wanted; });
  return found != objects.end() && found->file == file ? &*found : nullptr;
}

Resolution resolve(const InstallTree& tree, const LoaderOptions& options) {
  if (tree.loader() == LoaderKind::none) return {};
  return Resolver(tree, options).run();
}

}  // namespace wheelcheck
