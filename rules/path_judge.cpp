#include "rules/path_judge.h"

#include <algorithm>
#include <set>

#include "rules/build_machine.h"
#include "rules/need_judge.h"
#include "rules/policy.h"

namespace wheelcheck {

namespace {

constexpr int kDepths = 4;  ///< how many ".." too few or too many are tried

bool is_below(std::string_view path, std::string_view root) {
  return path == root || (path.starts_with(root) && path[root.size()] == '/');
}

/// "$ORIGIN/../../nvidia/cu13/lib" is 2 and "nvidia/cu13/lib".
struct Climb {
  int ups = 0;
  std::string rest;
};

std::optional<Climb> climb_of(std::string_view raw) {
  for (const std::string_view token : {"$ORIGIN", "${ORIGIN}"}) {
    if (!raw.starts_with(token)) continue;
    std::string_view rest = raw.substr(token.size());
    Climb climb;
    while (true) {
      while (rest.starts_with('/')) rest.remove_prefix(1);
      if (rest != ".." && !rest.starts_with("../")) break;
      rest.remove_prefix(2);
      ++climb.ups;
    }
    while (rest.ends_with('/')) rest.remove_suffix(1);
    climb.rest = rest;
    return climb;
  }
  return std::nullopt;
}

std::string climb_text(const Climb& climb) {
  std::string text = "$ORIGIN";
  for (int i = 0; i < climb.ups; ++i) text += "/..";
  if (!climb.rest.empty()) text += "/" + climb.rest;
  return text;
}

class Judge {
 public:
  explicit Judge(const Context& context) : context_(context), tree_(context.tree) {}

  std::vector<JudgedEntry> run() {
    std::vector<JudgedEntry> entries;
    const LoaderKind loader =
        tree_.loader() == LoaderKind::musl ? LoaderKind::musl : LoaderKind::glibc;
    for (std::size_t file = 0; file < tree_.files().size(); ++file) {
      const TreeFile& carrier = tree_.files()[file];
      if (carrier.package != 0 || carrier.elf == nullptr || !carrier.elf->loadable()) continue;
      const bool is_rpath = !carrier.elf->runpath;
      const std::optional<std::string>& raw = is_rpath ? carrier.elf->rpath : carrier.elf->runpath;
      if (!raw) continue;
      one_file(file, is_rpath, split_search_path(loader, *raw, directory_of(carrier.path)),
               entries);
    }
    return entries;
  }

 private:
  void one_file(std::size_t file, bool is_rpath, std::vector<PathElement> elements,
                std::vector<JudgedEntry>& entries) {
    std::vector<JudgedEntry> judged;
    for (PathElement& element : elements) {
      JudgedEntry entry;
      entry.file = file;
      entry.is_rpath = is_rpath;
      entry.element = std::move(element);
      classify(entry);
      judged.push_back(std::move(entry));
    }
    std::size_t working = 0;  // one more than the last entry that leads somewhere
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (is_working(judged[i].kind)) working = i + 1;
    }
    for (std::size_t i = 0; i < judged.size(); ++i) {
      judged[i].position = working == 0  ? Position::alone
                           : i < working ? Position::before_working
                                         : Position::behind_working;
    }
    for (JudgedEntry& entry : judged) correct_depth(entry, judged);
    std::move(judged.begin(), judged.end(), std::back_inserter(entries));
  }

  static bool is_working(EntryKind kind) {
    return kind == EntryKind::own_package || kind == EntryKind::other_package;
  }

  void classify(JudgedEntry& entry) const {
    const PathElement& element = entry.element;
    if (element.is_working_directory || (element.ignored && element.raw.empty())) {
      entry.kind = EntryKind::empty;
    } else if (!element.unknown_tokens.empty()) {
      entry.kind = EntryKind::unknown_token;
    } else if (!element.is_absolute()) {
      entry.kind = EntryKind::relative;
    } else if (element.has_origin) {
      entry.target = normalise_path(element.path);
      from_origin(entry);
    } else {
      entry.target = element.path;
      absolute(entry);
    }
    if (element.varies) entry.kind = EntryKind::varies;
  }

  static void absolute(JudgedEntry& entry) {
    const std::string& path = entry.element.path;
    entry.kind = is_mkl_leftover(path)         ? EntryKind::mkl
                 : is_system_directory(path)   ? EntryKind::system
                 : is_build_machine_path(path) ? EntryKind::builder
                                               : EntryKind::absolute;
  }

  void from_origin(JudgedEntry& entry) const {
    if (!is_below(entry.target, tree_.prefix())) {
      entry.kind = EntryKind::leaves;
      return;
    }
    const PathLookup there = tree_.look_up(entry.element.path);
    if (there.kind == PathKind::file) {
      entry.kind = EntryKind::file;
      return;
    }
    const auto below = tree_.below_site_packages(entry.target);
    if (!below) {
      entry.kind = there.kind == PathKind::directory && tree_.subject_owns(entry.target)
                       ? EntryKind::own_package
                       : EntryKind::environment;
      return;
    }
    if (there.kind == PathKind::directory) {
      if (below->empty()) {
        entry.kind = EntryKind::outside;
        entry.note = "site-packages itself, where every package lies";
      } else {
        entry.kind =
            tree_.subject_owns(entry.target) ? EntryKind::own_package : EntryKind::other_package;
      }
      return;
    }
    entry.kind = EntryKind::dead;
    for (const std::string& directory : tree_.module_directories()) {
      const std::string other = directory + "/" + std::string(*below);
      if (tree_.look_up(other).kind != PathKind::directory) continue;
      entry.note = "it is in the other directory for modules, " + tree_.display(other);
      return;
    }
    const auto rows = context_.policy.providers.in_directory(*below);
    if (!rows.empty()) {
      entry.note =
          "the directory of " + rows.front()->distribution + ", which the wheel does not require";
      return;
    }
    const std::size_t root = entry.target.size() - below->size();
    const std::string top = entry.target.substr(0, entry.target.find('/', root));
    const bool known = tree_.look_up(top).kind == PathKind::directory || is_known_top(*below);
    if (!known) {
      entry.kind = EntryKind::outside;
      entry.note = "in site-packages, but in no package that is known";
    }
  }

  /// "nvidia/..." belongs to packages of the table even where none of them is there.
  bool is_known_top(std::string_view below) const {
    const std::string top = std::string(below.substr(0, below.find('/'))) + "/";
    for (const ProviderRow& row : context_.policy.providers.all()) {
      for (const DeclaredLibrary& library : row.libraries) {
        if (library.path.starts_with(top)) return true;
      }
    }
    return false;
  }

  /// An entry that leads nowhere, while the same words with fewer or more ".." would lead to a
  /// directory that no other entry of the file reaches.
  void correct_depth(JudgedEntry& entry, const std::vector<JudgedEntry>& all) const {
    const bool misses = entry.kind == EntryKind::dead || entry.kind == EntryKind::outside ||
                        entry.kind == EntryKind::environment;
    if (!misses || tree_.look_up(entry.element.path).kind != PathKind::absent) return;
    const auto climb = climb_of(entry.element.raw);
    if (!climb || climb->rest.empty()) return;
    const std::string origin(directory_of(tree_.files()[entry.file].path));
    for (int step = 1; step <= kDepths; ++step) {
      for (const int ups : {climb->ups - step, climb->ups + step}) {
        if (ups < 0) continue;
        const Climb other{ups, climb->rest};
        const std::string path = origin + climb_text(other).substr(7);
        const std::string target = normalise_path(path);
        if (!tree_.below_site_packages(target)) continue;
        if (tree_.look_up(path).kind != PathKind::directory || !holds_library(target)) continue;
        const bool reached = std::any_of(all.begin(), all.end(), [&](const JudgedEntry& sibling) {
          return sibling.target == target;
        });
        if (reached) return;  // both depths are there: meant for two layouts
        entry.kind = EntryKind::wrong_depth;
        entry.correction = climb_text(other);
        entry.correction_needed =
            is_missed(entry.file, path) && !may_fail_by_design(context_, entry.file);
        return;
      }
    }
  }

  bool holds_library(const std::string& directory) const {
    for (const std::string& name : tree_.list(directory)) {
      const PathLookup there = tree_.look_up(directory + "/" + name);
      if (there.kind == PathKind::file && tree_.files()[there.file].elf != nullptr) return true;
    }
    return false;
  }

  bool is_missed(std::size_t file, const std::string& directory) const {
    const ObjectResolution* object = context_.resolution.find(file);
    if (object == nullptr) return false;
    return std::any_of(object->needs.begin(), object->needs.end(), [&](const Need& need) {
      return (need.verdict == Verdict::not_found || need.verdict == Verdict::luck) &&
             tree_.look_up(directory + "/" + need.name).kind == PathKind::file;
    });
  }

  const Context& context_;
  const InstallTree& tree_;
};

}  // namespace

const std::vector<JudgedEntry>& judge_entries(const Context& context) {
  return context.memo->get<std::vector<JudgedEntry>>([&] { return Judge(context).run(); });
}

}  // namespace wheelcheck
