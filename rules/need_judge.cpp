#include "rules/need_judge.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "rules/glob.h"
#include "rules/policy.h"
#include "rules/profile.h"
#include "rules/support.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

/// A host program opens what lies in such a folder when it wants it, and goes on without it.
bool is_plugin(std::string_view path) {
  const auto inside = [&](std::string_view folder) {
    const std::size_t at = path.find(folder);
    return at != path.npos && (at == 0 || path[at - 1] == '/');
  };
  return inside("plugins/") || inside("qml/");
}

/// Libraries of the CUDA toolkit, which come as packages. The driver is none of them.
bool is_cuda_toolkit(const ProviderTable& table, std::string_view name) {
  const auto rows = table.shippers(name);
  return std::any_of(rows.begin(), rows.end(),
                     [](const ProviderRow* row) { return !row->cuda.empty(); });
}

class Judge {
 public:
  explicit Judge(const Context& context)
      : context_(context), tree_(context.tree), files_(context.tree.files()) {
    collect_preloaded();
    collect_imported();
    promises_cpu_ = promises_cpu();
  }

  std::vector<JudgedNeed> run() const {
    std::vector<JudgedNeed> judged;
    for (const ObjectResolution& object : context_.resolution.objects) {
      for (const Need& need : object.needs) {
        JudgedNeed one = judge(object, need);
        if (one.kind == NeedKind::fine) continue;
        judged.push_back(std::move(one));
      }
    }
    return judged;
  }

 private:
  const TreePackage& package_of(std::size_t file) const {
    return tree_.packages()[files_[file].package];
  }
  bool is_required(std::size_t file) const {
    return package_of(file).required && package_of(file).extra.empty();
  }

  /// Files that a process holds once the required packages and hosts that load their libraries on
  /// import have been imported.
  void collect_preloaded() {
    std::deque<std::size_t> open;
    const auto add = [&](std::size_t file) {
      if (preloaded_.insert(file).second) open.push_back(file);
    };
    for (std::size_t file = 0; file < files_.size(); ++file) {
      if (files_[file].package != 0 && package_of(file).preloads && files_[file].elf != nullptr) {
        add(file);
      }
    }
    while (!open.empty()) {
      const std::size_t file = open.front();
      open.pop_front();
      if (files_[file].elf == nullptr) continue;
      for (const std::string& name : files_[file].elf->needed) {
        for (const std::size_t other : tree_.named(name)) {
          if (files_[other].package != 0) add(other);
        }
      }
    }
  }

  /// Files of the wheel that are loaded as soon as one of its extensions is imported.
  void collect_imported() {
    std::deque<std::size_t> open;
    for (const ObjectResolution& object : context_.resolution.objects) {
      if (object.role == ObjectRole::extension && imported_.insert(object.file).second) {
        open.push_back(object.file);
      }
    }
    while (!open.empty()) {
      const ObjectResolution* object = context_.resolution.find(open.front());
      open.pop_front();
      if (object == nullptr) continue;
      for (const Need& need : object->needs) {
        if (need.file && imported_.insert(*need.file).second) open.push_back(*need.file);
      }
    }
  }

  /// Whether the wheel has to work where there is no graphics driver.
  bool promises_cpu() const {
    const WheelFacts& wheel = context_.wheel;
    if (context_.profile.cpu == CpuMeaning::unless_cuda) return true;
    if (wheel.file_name && wheel.file_name->version &&
        wheel.file_name->version->local().starts_with("cpu")) {
      return true;
    }
    for (const ObjectResolution& object : context_.resolution.objects) {
      for (const Need& need : object.needs) {
        if (is_cuda_toolkit(context_.policy.providers, need.name)) return false;
      }
    }
    if (!wheel.metadata) return true;
    const auto& lines = wheel.metadata->requires_dist;
    return std::none_of(lines.begin(), lines.end(), [&](const Requirement& line) {
      const ProviderRow* row = context_.policy.providers.choose(line);
      return line.normalised.starts_with("nvidia-") || (row != nullptr && !row->cuda.empty());
    });
  }

  JudgedNeed judge(const ObjectResolution& object, const Need& need) const {
    JudgedNeed judged;
    judged.object = &object;
    judged.need = &need;
    if (need.name.find('/') != std::string::npos) {
      judged.kind = NeedKind::slash;
      // A path from $ORIGIN that leads to a file works, though no tool but the loader expects it.
      judged.level = need.file ? Level::warning : Level::error;
      return judged;
    }
    switch (need.verdict) {
      case Verdict::system:
        if (!tree_.is_system_library(need.name)) of_machine(judged);
        return judged;
      case Verdict::own_path:
      case Verdict::inherited:
        if (!of_machine(judged)) found(judged, *need.file);
        return judged;
      case Verdict::luck:
        lucky(judged);
        return judged;
      case Verdict::fatal:
        judged.kind = NeedKind::unusable;
        return judged;
      case Verdict::environment:  // only where LD_LIBRARY_PATH is set as the check was told
        judged.kind = NeedKind::surroundings;
        judged.level = Level::warning;
        if (need.file) judged.holders = {*need.file};
        return judged;
      case Verdict::working_directory:  // where somebody started the program: nowhere else
      case Verdict::not_found:
        missing(judged);
        if (judged.level == Level::error &&
            (may_fail_by_design(context_, object.file) || is_unused_twin(object))) {
          judged.level = Level::warning;
        }
        return judged;
    }
    return judged;
  }

  /// A copy for the other C library that lies there for wheels with another tag: where nothing
  /// leads to it, it is dead weight and breaks nothing. (libc-mix tells of it too.)
  bool is_unused_twin(const ObjectResolution& object) const {
    if (object.role == ObjectRole::extension) return false;
    const bool twin = std::any_of(object.needs.begin(), object.needs.end(), [&](const Need& need) {
      return tree_.loader() == LoaderKind::musl ? need.name == "libc.so.6"
                                                : need.name.starts_with("libc.musl-");
    });
    return twin && std::none_of(context_.resolution.objects.begin(),
                                context_.resolution.objects.end(), [&](const ObjectResolution& by) {
                                  return std::any_of(
                                      by.needs.begin(), by.needs.end(), [&](const Need& need) {
                                        return need.file && *need.file == object.file;
                                      });
                                });
  }

  /// Found by search; who has it decides whether it is there on the user's machine.
  void found(JudgedNeed& judged, std::size_t file) const {
    if (files_[file].package == 0 || is_required(file)) return;
    judged.holders = {file};
    judged.level = Level::warning;
    if (!package_of(file).extra.empty()) {
      judged.kind = NeedKind::only_an_extra;
    } else if (package_of(file).host) {
      judged.kind = NeedKind::host;
    } else {
      judged.kind = NeedKind::undeclared;  // found because the user gave the wheel
    }
  }

  /// No tag promises it, no search finds it in what is installed: the machine that checks has it.
  /// What is loaded in its stead in this process, since another object named it first, is luck.
  bool of_machine(JudgedNeed& judged) const {
    if (!tree_.has_machine()) return false;
    const PathLookup there = tree_.look_up(judged.need->winner.path);
    if (there.kind != PathKind::file || package_of(there.file).kind != PackageKind::machine) {
      return false;
    }
    judged.kind = NeedKind::surroundings;
    judged.level = Level::warning;
    judged.holders = {there.file};
    return true;
  }

  void lucky(JudgedNeed& judged) const {
    if (is_libpython(judged.need->name)) {
      judged.kind = NeedKind::libpython;
      return;
    }
    judged.kind = NeedKind::luck;
    if (!judged.need->file) return;
    const std::size_t file = *judged.need->file;
    judged.holders = {file};
    if (judged.need->preloaded) {  // as the user said that it would be
      judged.level = Level::warning;
      judged.kind = NeedKind::preloaded;
      return;
    }
    if (files_[file].package == 0 || !package_of(file).preloads) return;
    // Importing the package loads it: that is more than luck.
    judged.level = Level::warning;
    judged.kind = package_of(file).host ? NeedKind::host : NeedKind::preloaded;
  }

  void missing(JudgedNeed& judged) const {
    const std::string& name = judged.need->name;
    judged.holders = holders_of(name);
    if (!judged.holders.empty() && files_[judged.holders.front()].package == 0) {
      judged.kind = was_rejected(*judged.need) ? NeedKind::unusable : NeedKind::unreachable;
      return;
    }
    if (is_libpython(name)) {
      judged.kind = NeedKind::libpython;
      return;
    }
    if (is_driver_library(name)) {
      judged.kind = NeedKind::driver;
      const bool on_import = imported_.count(judged.object->file) != 0;
      judged.level = !on_import ? Level::note : promises_cpu_ ? Level::error : Level::warning;
      return;
    }
    if (!judged.holders.empty()) {
      elsewhere(judged);
      return;
    }
    judged.shippers = context_.policy.providers.shippers(name);
    // A vendored copy under a name of its own serves nobody else.
    std::erase_if(judged.shippers, [&](const ProviderRow* row) {
      return std::none_of(
          row->libraries.begin(), row->libraries.end(),
          [&](const DeclaredLibrary& library) { return base_name_of(library.path) == name; });
    });
    if (context_.policy.platforms.common(name) != nullptr && !context_.of_this_machine) {
      judged.kind = NeedKind::common_system;
      judged.level = Level::warning;
    } else if (!judged.shippers.empty()) {
      judged.kind = NeedKind::undeclared;
    } else {
      judged.kind = NeedKind::not_found;
    }
    if (judged.kind != NeedKind::common_system) judged.stand_ins = stand_ins_of(name);
  }

  /// The other names that the profile gives one library: "libextension_cuda.so" was called
  /// "libexecutorch_extension_cuda.so" before.
  std::vector<std::string> other_names(const std::string& name) const {
    std::vector<std::string> globs;
    const auto add = [&](const std::vector<std::string>& alternatives) {
      if (std::any_of(alternatives.begin(), alternatives.end(),
                      [&](const std::string& glob) { return base_name_of(glob) == name; })) {
        globs.insert(globs.end(), alternatives.begin(), alternatives.end());
      }
    };
    for (const SymbolGroup& group : context_.profile.groups) add(group.owners);
    for (const RequiredFile& file : context_.profile.required_files) add(file.any_of);
    return globs;
  }

  std::vector<std::size_t> stand_ins_of(const std::string& name) const {
    const std::vector<std::string> globs = other_names(name);
    const std::string_view stem = library_stem(name);
    std::vector<std::size_t> files;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const TreeFile& candidate = files_[file];
      if (candidate.package != 0 || candidate.member == nullptr || candidate.elf == nullptr)
        continue;
      const std::string_view other = base_name_of(candidate.path);
      const bool same_stem = !stem.empty() && library_stem(other) == stem;
      if (same_stem || matches_any(globs, installed_path(*candidate.member))) files.push_back(file);
    }
    return files;
  }

  /// Files of that very name, the ones that matter most first: of the wheel, of required packages,
  /// of hosts, of others. In the wheel a file whose SONAME it is counts too.
  std::vector<std::size_t> holders_of(const std::string& name) const {
    std::vector<std::size_t> holders;
    for (const std::size_t file : tree_.named(name)) {
      const bool by_file_name = base_name_of(files_[file].path) == name;
      if (files_[file].elf == nullptr && !files_[file].unread) continue;
      if (package_of(file).kind == PackageKind::machine) continue;  // where no search leads
      if (by_file_name || files_[file].package == 0) holders.push_back(file);
    }
    const auto rank = [&](std::size_t file) {
      if (files_[file].package == 0) return 0;
      if (is_required(file)) return 1;
      if (package_of(file).host) return 2;
      return 3;
    };
    std::stable_sort(holders.begin(), holders.end(),
                     [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });
    return holders;
  }

  static bool was_rejected(const Need& need) {
    return std::any_of(need.attempts.begin(), need.attempts.end(), [](const Attempt& attempt) {
      return attempt.result == AttemptResult::wrong_class ||
             attempt.result == AttemptResult::wrong_machine;
    });
  }

  /// Not found by search, but another package of the tree has it.
  void elsewhere(JudgedNeed& judged) const {
    const std::size_t file = judged.holders.front();
    const TreePackage& package = package_of(file);
    const bool preloaded = preloaded_.count(file) != 0;
    judged.level = Level::warning;
    if (is_required(file)) {
      judged.kind = preloaded ? NeedKind::preloaded : NeedKind::no_hop;
      judged.level = preloaded ? Level::warning : Level::error;
    } else if (package.host) {
      judged.kind = NeedKind::host;
    } else if (!package.extra.empty()) {
      judged.kind = NeedKind::only_an_extra;
    } else {
      judged.kind = NeedKind::undeclared;
      judged.level = Level::error;
    }
  }

  const Context& context_;
  const InstallTree& tree_;
  const std::vector<TreeFile>& files_;
  std::unordered_set<std::size_t> preloaded_;
  std::unordered_set<std::size_t> imported_;
  bool promises_cpu_ = false;
};

std::string_view result_text(AttemptResult result) {
  switch (result) {
    case AttemptResult::found:
      return "found";
    case AttemptResult::no_file:
      return "no such file";
    case AttemptResult::no_directory:
      return "no such directory";
    case AttemptResult::outside:
      return "outside the installation";
    case AttemptResult::working_directory:
      return "depends on the working directory";
    case AttemptResult::wrong_class:
      return "32 bit against 64 bit, skipped";
    case AttemptResult::wrong_machine:
      return "for another processor, skipped";
    case AttemptResult::not_elf:
      return "not a library, the load fails here";
    case AttemptResult::not_for_this:
      return "not a library to be loaded, the load fails here";
    case AttemptResult::loop:
      return "a loop of symbolic links, the list ends here";
    case AttemptResult::no_default:
      return "not used, the file is marked NODEFLIB";
  }
  return "";
}

std::string_view tag_text(SearchTag tag) {
  switch (tag) {
    case SearchTag::system:
      return "the system libraries that the platform tag allows";
    case SearchTag::already_loaded:
      return "already loaded";
    case SearchTag::literal:
      return "the path itself";
    case SearchTag::rpath:
      return "RPATH";
    case SearchTag::runpath:
      return "RUNPATH";
    case SearchTag::ld_library_path:
      return "LD_LIBRARY_PATH";
    case SearchTag::inherited_rpath:
      return "RPATH";
    case SearchTag::inherited_runpath:
      return "RUNPATH";
    case SearchTag::cache:
      return "ld.so.cache";
    case SearchTag::directory:
      return "the loader's own directories";
  }
  return "";
}

bool is_search_path(SearchTag tag) {
  return tag == SearchTag::rpath || tag == SearchTag::runpath ||
         tag == SearchTag::ld_library_path || tag == SearchTag::inherited_rpath ||
         tag == SearchTag::inherited_runpath;
}

/// Where an attempt looked: the directory, since every line of a search is about one name.
std::string place_of(const InstallTree& tree, const Attempt& attempt, const std::string& name) {
  std::string path = attempt.path;
  if (is_search_path(attempt.tag) && path.ends_with("/" + name)) {
    path.resize(std::max<std::size_t>(path.size() - name.size() - 1, 1));  // "/" stays
  }
  return tree.display(normalise_path(path));
}

std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

const std::vector<JudgedNeed>& judge_needs(const Context& context) {
  return context.memo->get<std::vector<JudgedNeed>>([&] { return Judge(context).run(); });
}

bool may_fail_by_design(const Context& context, std::size_t file) {
  const TreeFile& candidate = context.tree.files()[file];
  if (candidate.member == nullptr) return false;
  const std::string& path = candidate.member->entry.path;
  return is_plugin(path) || matches_any(context.profile.optional_plugins, path) ||
         matches_any(context.profile.alternates, path);
}

std::vector<std::string> describe_search(const InstallTree& tree, const Need& need) {
  // One line for each directory: entries that lead to the same one stand together.
  struct Line {
    std::string_view tag;
    std::vector<std::string> entries;
    std::string where;
    AttemptResult result = AttemptResult::no_file;
  };
  std::vector<Line> lines;
  std::vector<std::string> carriers(need.attempts.size());
  for (std::size_t i = 0; i < need.attempts.size(); ++i) {
    const Attempt& attempt = need.attempts[i];
    // Folders for better processors are looked into before each other; few systems have any.
    const bool better = attempt.path.find("/glibc-hwcaps/") != std::string::npos;
    if (better && attempt.result != AttemptResult::found) continue;
    Line line;
    line.tag = tag_text(attempt.tag);
    line.result = attempt.result;
    const bool inherited_runpath = attempt.tag == SearchTag::inherited_runpath;
    if (attempt.tag == SearchTag::inherited_rpath || inherited_runpath) {
      carriers[i] = inherited_runpath ? "RUNPATH of " : "RPATH of ";
      carriers[i] += tree.display(tree.files()[attempt.carrier].path);
      line.tag = carriers[i];
    }
    if (is_search_path(attempt.tag)) {
      line.entries = {attempt.entry.empty() ? "(empty entry)" : attempt.entry};
    }
    if (attempt.path.starts_with('/')) line.where = place_of(tree, attempt, need.name);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& other) {
      return !line.entries.empty() && !line.where.empty() && other.where == line.where &&
             other.tag == line.tag && other.result == line.result;
    });
    if (same == lines.end()) {
      lines.push_back(std::move(line));
    } else if (std::find(same->entries.begin(), same->entries.end(), line.entries.front()) ==
               same->entries.end()) {
      same->entries.push_back(std::move(line.entries.front()));
    }
  }
  std::vector<std::string> texts;
  for (const Line& line : lines) {
    std::string text(line.tag);
    if (!line.entries.empty()) text += " " + join(line.entries, ", ", line.entries.size());
    // An absolute entry is its own directory.
    const bool told = line.entries.size() == 1 && line.entries.front() == line.where;
    if (!line.where.empty() && !told) text += ": " + line.where;
    const bool system = line.tag == tag_text(SearchTag::system);
    text += system && line.result == AttemptResult::no_file
                ? ": not among them"
                : ": " + std::string(result_text(line.result));
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string describe_holder(const InstallTree& tree, std::size_t file) {
  const TreeFile& holder = tree.files()[file];
  const TreePackage& package = tree.packages()[holder.package];
  const std::string path = tree.display(holder.path);
  if (holder.package == 0) return "this wheel: " + path;
  std::string text = package.distribution;
  if (!package.version.empty()) text += " " + package.version;
  if (!package.chain.empty()) {
    text += " (";
    for (std::size_t i = 0; i < package.chain.size(); ++i) {
      text += (i == 0 ? "" : " -> ") + package.chain[i];
    }
    text += ")";
  }
  return text + ": " + path;
}

std::string describe_shipper(const ProviderRow& row, std::string_view library) {
  std::string text = row.distribution;
  if (!row.versions.str().empty()) text += " " + row.versions.str();
  for (const DeclaredLibrary& shipped : row.libraries) {
    if (base_name_of(shipped.path) == library) return text + ": " + shipped.path;
  }
  return text;
}

bool is_symbol_of_interpreter(std::string_view name) {
  return name.starts_with("Py") || name.starts_with("_Py");
}

std::string hop(std::string_view from_file, std::string_view to_file) {
  const std::vector<std::string> from = components_of(directory_of(from_file));
  const std::vector<std::string> to = components_of(directory_of(to_file));
  std::size_t common = 0;
  while (common < from.size() && common < to.size() && from[common] == to[common]) ++common;
  std::string path = "$ORIGIN";
  for (std::size_t i = common; i < from.size(); ++i) path += "/..";
  for (std::size_t i = common; i < to.size(); ++i) path += "/" + to[i];
  return path;
}

bool is_libpython(std::string_view name) {
  return name.starts_with("libpython") && name.find(".so") != name.npos;
}

std::string_view library_stem(std::string_view name) {
  const std::size_t end = name.find(".so");
  if (end == name.npos || (end + 3 < name.size() && name[end + 3] != '.')) return {};
  std::string_view stem = name.substr(0, end);
  const std::size_t dash = stem.rfind('-');
  if (dash != stem.npos && stem.size() - dash == 9 &&
      stem.find_first_not_of("0123456789abcdef", dash + 1) == stem.npos) {
    stem = stem.substr(0, dash);
  }
  return stem;
}

bool is_driver_library(std::string_view name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-") ||
         name.starts_with("libnvcuvid.so") || name.starts_with("libcudadebugger.so");
}

}  // namespace wheelcheck
