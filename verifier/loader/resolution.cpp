// Which file each NEEDED of the subject gets, and whether it could count on it.
//
// Each root starts a process of its own: it is opened by path, as an interpreter opens an
// extension or a kernel a program, and its dependencies are walked breadth first, as
// _dl_map_object_deps does. The roots are
//   1. every extension module and every program;
//   2. every library that none of those loads and that no other file of the wheel needs by name:
//      something outside (ctypes, dlopen, a linker of the user's) has to open it first;
//   3. what is then still not loaded by anything, one by one, in the order of the archive.
// A library that others load is not a root. It is judged in every process in which it appears,
// with the RPATHs of those that loaded it; a DT_RPATH that is inherited everywhere is enough.
//
// In each process each NEEDED is looked for twice: as the loader does, which first looks among the
// objects that are there already, and by search alone. Only the second is the object's own doing.
// Where the first succeeds and the second fails, the file is loaded by luck of the order in which
// others name theirs.
#include "verifier/loader/resolution.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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
    return finish();
  }

 private:
  Resolution finish() {
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
    const auto named = [&](const std::string& name) {
      const auto found = namers_.find(name);
      return found != namers_.end() &&
             std::any_of(found->second.begin(), found->second.end(),
                         [&](std::size_t namer) { return namer != file; });
    };
    return named(std::string(base_name_of(candidate.path))) ||
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
    for (Request& request : process.requests()) {
      if (request.kind != RequestKind::auxiliary) loaded.complete &= request.result.has_value();
      if (!request.object || request.kind != RequestKind::needed) continue;
      const auto file = process.objects()[*request.object].file;
      const std::size_t index = request.index;
      Need need = need_of(std::move(request), process, tree_);
      if (need.file) loaded_.insert(*need.file);
      const auto known = object_of_.find(*file);
      if (known == object_of_.end()) continue;  // another package's: not judged here
      keep(result_.objects[known->second], index, std::move(need), root);
    }
    spent_ += process.looked_at();
    result_.over_budget = spent_ > budget_;
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
  std::unordered_map<std::string, std::vector<std::size_t>> namers_;
  std::unordered_set<std::size_t> loaded_;
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
