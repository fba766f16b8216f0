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
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "verifier/loader/search.h"

namespace wheelcheck {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
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
    case Verdict::luck:
      return 2;
    case Verdict::fatal:
      return 3;
    case Verdict::not_found:
      return 4;
  }
  return 4;
}

/// One object in one process.
struct Loaded {
  std::size_t file = kNone;         ///< kNone: a system library
  std::size_t loader = kNone;       ///< index into Process::objects; kNone: the root
  std::size_t first_asker = kNone;  ///< file that named it first
};

class Process {
 public:
  Process(const InstallTree& tree, Search& search, std::uint64_t budget)
      : tree_(tree), search_(search), budget_(budget) {}

  /// Loads `root` and everything it needs. `report` is called for each NEEDED of each object:
  /// (file, index of the need, need).
  template <class Report>
  void run(std::size_t root, Report report) {
    add(root, kNone, kNone, {});
    for (std::size_t next = 0; next < objects_.size() && looked_at_ <= budget_; ++next) {
      const std::size_t file = objects_[next].file;
      if (file == kNone || tree_.files()[file].elf == nullptr) continue;
      const std::vector<std::string>& needed = tree_.files()[file].elf->needed;
      const std::vector<std::size_t> chain = chain_of(next);
      for (std::size_t index = 0; index < needed.size(); ++index) {
        report(file, index, load(needed[index], next, chain));
      }
    }
  }

  [[nodiscard]] std::uint64_t looked_at() const { return looked_at_; }

 private:
  std::vector<std::size_t> chain_of(std::size_t object) const {
    std::vector<std::size_t> chain;
    for (std::size_t at = object; at != kNone; at = objects_[at].loader) {
      chain.push_back(objects_[at].file);
    }
    return chain;
  }

  void add(std::size_t file, std::size_t loader, std::size_t asker, std::string_view name) {
    const std::size_t index = objects_.size();
    objects_.push_back({file, loader, asker});
    const bool musl = tree_.loader() == LoaderKind::musl;
    if (!name.empty()) names_.try_emplace(std::string(name), index);
    if (file == kNone) return;
    by_file_.try_emplace(file, index);
    const ElfFacts* elf = tree_.files()[file].elf;
    if (!musl && elf != nullptr && elf->soname) names_.try_emplace(*elf->soname, index);
  }

  Need load(const std::string& name, std::size_t asker, const std::vector<std::size_t>& chain) {
    Need need;
    need.name = name;
    SearchOutcome alone = search_.find(name, chain);
    looked_at_ += alone.attempts.size();
    const auto known = names_.find(name);
    if (known != names_.end()) {
      reuse(need, objects_[known->second], alone);
    } else {
      open(need, alone, asker);
    }
    need.attempts = std::move(alone.attempts);
    return need;
  }

  static Verdict verdict_of(const SearchOutcome& outcome) {
    if (outcome.fatal) return Verdict::fatal;
    if (!outcome.found) return Verdict::not_found;
    if (!outcome.file) return Verdict::system;
    const SearchTag tag = outcome.attempts.back().tag;
    return tag == SearchTag::inherited_rpath ? Verdict::inherited : Verdict::own_path;
  }

  void reuse(Need& need, const Loaded& loaded, const SearchOutcome& alone) const {
    need.verdict = verdict_of(alone);
    need.winner.tag = SearchTag::already_loaded;
    need.winner.result = AttemptResult::found;
    if (loaded.file != kNone) {
      need.file = loaded.file;
      need.winner.path = tree_.files()[loaded.file].path;
    }
    if (alone.found) {
      need.winner = alone.attempts.back();
      return;
    }
    need.verdict = Verdict::luck;
    if (loaded.first_asker != kNone) need.lucky_because = loaded.first_asker;
  }

  void open(Need& need, const SearchOutcome& alone, std::size_t asker) {
    need.verdict = verdict_of(alone);
    if (!alone.found) return;
    need.winner = alone.attempts.back();
    need.file = alone.file;
    const std::size_t asker_file = objects_[asker].file;
    if (!alone.file) {
      add(kNone, asker, asker_file, need.name);
      return;
    }
    const auto same = by_file_.find(*alone.file);
    if (same != by_file_.end()) {  // the same file under another name: one object, one more name
      names_.try_emplace(need.name, same->second);
      return;
    }
    add(*alone.file, asker, asker_file, need.name);
  }

  const InstallTree& tree_;
  Search& search_;
  const std::uint64_t budget_;
  std::vector<Loaded> objects_;
  std::unordered_map<std::string, std::size_t> names_;
  std::unordered_map<std::size_t, std::size_t> by_file_;
  std::uint64_t looked_at_ = 0;
};

class Resolver {
 public:
  Resolver(const InstallTree& tree, const LoaderOptions& options)
      : tree_(tree),
        only_root_(options.only_root),
        budget_(options.search_budget),
        search_(tree, options) {}

  Resolution run() {
    collect();
    if (only_root_) {
      const auto object = object_of_.find(*only_root_);
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
    Process process(tree_, search_, budget_ - spent_);
    process.run(root, [&](std::size_t file, std::size_t index, Need need) {
      if (need.file) loaded_.insert(*need.file);
      const auto known = object_of_.find(file);
      if (known == object_of_.end()) return;  // another package's: not judged here
      keep(result_.objects[known->second], index, std::move(need), root);
    });
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
  const std::optional<std::size_t> only_root_;
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
