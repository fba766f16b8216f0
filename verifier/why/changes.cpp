#include "verifier/why/changes.h"

#include <algorithm>
#include <map>

#include "rules/need_judge.h"
#include "verifier/elf/layout.h"
#include "verifier/loader/search_path.h"
#include "verifier/why/need_report.h"

namespace wheelcheck {

namespace {

/// Where site-packages lie differs from machine to machine, so no way may lead through it from
/// outside: programs in bin/, files of the data scheme, and modules of the other scheme where that
/// has a directory of its own.
bool is_portable(const InstallTree& tree, std::string_view from, std::string_view to) {
  const auto elsewhere = [&](std::string_view path) { return !path.starts_with(tree.prefix()); };
  const auto inside = [&](std::string_view path) {
    return elsewhere(path) || tree.below_site_packages(path);
  };
  if (elsewhere(from) || elsewhere(to)) return inside(from) == inside(to);
  return tree.is_fixed_way(from, to);
}

std::string join_path(const std::vector<std::string>& first, const std::string& raw,
                      const std::vector<std::string>& last) {
  std::string path;
  const auto add = [&](const std::string& element) { path += (path.empty() ? "" : ":") + element; };
  for (const std::string& element : first) add(element);
  std::string rest = raw;
  for (const std::string& element : first) {  // what moves to the front need not stay behind
    const std::string padded = ":" + rest + ":";
    const std::size_t at = padded.find(":" + element + ":");
    if (at != padded.npos && rest != element) {
      rest = padded.substr(1, at) + padded.substr(at + element.size() + 2);
      while (rest.ends_with(':')) rest.pop_back();
    }
  }
  if (!rest.empty()) add(rest);
  for (const std::string& element : last) add(element);
  return path;
}

class Planner {
 public:
  Planner(const Subject& subject, std::vector<std::string>& remarks)
      : subject_(subject), tree_(subject.tree()), files_(tree_.files()), remarks_(remarks) {}

  void plan(const OpenNeed& open) {
    const TreeFile& asker = files_[open.file];
    if (!subject_.owns(open.file)) {
      const std::string& owner = tree_.packages()[asker.package].distribution;
      remark(subject_.display(open.file) + " belongs to " + (owner.empty() ? "the system" : owner) +
             ": what it lacks cannot be mended in this package");
      return;
    }
    Edit& edit = edits_[open.file];
    edit.inherits = edit.inherits || open.asker_inherits;
    const Need& need = open.need;
    const Sources sources = sources_of(subject_, *asker.elf, need.name);
    if (need.verdict == Verdict::own_path || need.verdict == Verdict::inherited) {
      if (!need.file) return;
      const TreePackage& package = tree_.packages()[files_[*need.file].package];
      if (package.kind == PackageKind::machine) {
        remark(need.name + " is found on this machine only, by a search path from its root");
      } else {
        require(package);
      }
    } else if (const auto stack = stopped_by_stack(need)) {
      others_.push_back(clear_execstack_change(subject_, *stack));
    } else if (!sources.holders.empty()) {
      const std::size_t holder = sources.holders.front();
      const TreePackage& package = tree_.packages()[files_[holder].package];
      if (files_[holder].package != 0 && !is_present(package)) require(package);
      lead(open, files_[holder].path);
      rename_if_path(open);
    } else if (symlink_target(need)) {
      replace_file(need);
    } else if (!sources.aliases.empty()) {
      const std::string& path = files_[sources.aliases.front()].path;
      edit.names.emplace_back(need.name, std::string(base_name_of(path)));
      if (!is_reached(need, path)) lead(open, path);
    } else if (is_libpython(need.name)) {
      edit.names.emplace_back(need.name, std::string());
    } else if (is_driver_library(need.name)) {
      remark(need.name +
             " comes with the graphics driver: open it when it is used (dlopen) instead of needing "
             "it, or run where there is one");
    } else if (const ProviderRow* row = choose(sources.shippers)) {
      require(*row);
      lead(open, subject_.installed(path_in(*row, need.name)));
      rename_if_path(open);
    } else {
      ship(open);
    }
  }

  std::vector<Change> take() {
    std::vector<Change> changes;
    for (auto& [name, change] : requirements_) changes.push_back(std::move(change));
    for (Change& change : others_) changes.push_back(std::move(change));
    for (const auto& [file, edit] : edits_) {
      for (const auto& [old_name, name] : edit.names) {
        changes.push_back(needed_change(subject_, file, old_name, name));
      }
      if (!edit.first.empty() || !edit.last.empty()) changes.push_back(path_change(file, edit));
    }
    return changes;
  }

 private:
  struct Edit {
    std::vector<std::string> first;  ///< entries before what is there
    std::vector<std::string> last;
    std::vector<std::pair<std::string, std::string>> names;  ///< NEEDED: old, new
    bool inherits = false;
  };

  void remark(std::string text) {
    if (std::find(remarks_.begin(), remarks_.end(), text) == remarks_.end()) {
      remarks_.push_back(std::move(text));
    }
  }

  static void add_once(std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  }

  /// Whether the search of the object itself looks where `path` lies.
  bool is_reached(const Need& need, const std::string& path) const {
    const std::string_view wanted = directory_of(path);
    return std::any_of(need.attempts.begin(), need.attempts.end(), [&](const Attempt& attempt) {
      const bool own = attempt.tag == SearchTag::rpath || attempt.tag == SearchTag::runpath;
      return own && directory_of(normalise_path(attempt.path)) == wanted;
    });
  }

  void lead(const OpenNeed& open, const std::string& path) {
    const std::string& from = files_[open.file].path;
    if (is_reached(open.need, path) && open.need.verdict != Verdict::fatal) return;
    if (!is_portable(tree_, from, path)) {
      remark("no search path of " + subject_.display(open.file) + " can lead to " +
             subject_.display(path) +
             ": where the one lies as seen from the other differs from machine to machine");
      return;
    }
    Edit& edit = edits_[open.file];
    // What stops the search has to come later than what is wanted.
    add_once(open.need.verdict == Verdict::fatal ? edit.first : edit.last, hop(from, path));
  }

  void rename_if_path(const OpenNeed& open) {
    const std::string& name = open.need.name;
    if (name.find('/') == std::string::npos) return;
    edits_[open.file].names.emplace_back(name, std::string(base_name_of(name)));
  }

  void require(const TreePackage& package) {
    require_line(package.distribution, package.distribution);
  }
  void require(const ProviderRow& row) {
    require_line(row.distribution, row.distribution + row.versions.str());
  }
  void require_line(const std::string& distribution, const std::string& line) {
    Change change;
    change.kind = ChangeKind::require;
    change.requirement = line;
    const auto lines = subject_.requirements();
    const bool required = std::any_of(lines.begin(), lines.end(), [&](const Requirement& known) {
      return known.normalised == distribution;
    });
    change.words = (subject_.is_folder() || required ? "install " : "require ") + line +
                   (required ? ", which is required" : "");
    requirements_.emplace(distribution, std::move(change));
  }

  static InstallPath path_in(const ProviderRow& row, std::string_view name) {
    for (const DeclaredLibrary& library : row.libraries) {
      if (base_name_of(library.path) == base_name_of(name)) return {library.scheme, library.path};
    }
    return {};
  }

  /// Of several packages the one of the CUDA train that the subject's other needs are of.
  const ProviderRow* choose(const std::vector<const ProviderRow*>& rows) const {
    if (rows.empty()) return nullptr;
    std::map<std::string, int> votes;
    for (const Requirement& requirement : subject_.requirements()) {
      const ProviderRow* row = subject_.policy().providers.choose(requirement);
      if (row != nullptr && !row->cuda.empty()) votes[row->cuda] += 100;
    }
    for (const TreeFile& file : files_) {
      if (file.package != 0 || file.elf == nullptr) continue;
      for (const std::string& name : file.elf->needed) {
        std::vector<std::string> trains;
        for (const ProviderRow* row : subject_.policy().providers.shippers(name)) {
          add_once(trains, row->cuda);
        }
        if (trains.size() == 1) ++votes[trains.front()];
      }
    }
    return *std::max_element(rows.begin(), rows.end(),
                             [&](const ProviderRow* left, const ProviderRow* right) {
                               return votes[left->cuda] < votes[right->cuda];
                             });
  }

  /// A file of the subject that is found and not opened, as it asks for an executable stack.
  std::optional<std::size_t> stopped_by_stack(const Need& need) const {
    if (need.verdict != Verdict::fatal || need.attempts.empty()) return std::nullopt;
    const PathLookup there = tree_.look_up(need.attempts.back().path);
    if (there.kind != PathKind::file || !subject_.owns(there.file)) return std::nullopt;
    const TreeFile& file = files_[there.file];
    const bool library = file.elf != nullptr && role_of(file) != ObjectRole::program;
    if (!library || !wants_executable_stack(*file.elf)) return std::nullopt;
    return need.attempts.back().result == AttemptResult::not_for_this ? std::optional(there.file)
                                                                      : std::nullopt;
  }

  /// The library that a symbolic link of the wheel means: installers make a text file of the link.
  std::optional<std::string> symlink_target(const Need& need) const {
    if (need.verdict != Verdict::fatal || need.attempts.empty()) return std::nullopt;
    const PathLookup there = tree_.look_up(need.attempts.back().path);
    if (there.kind != PathKind::file || files_[there.file].member == nullptr) return std::nullopt;
    const std::string& target = files_[there.file].member->symlink_target;
    if (target.empty() || target.starts_with('/')) return std::nullopt;
    const std::string path =
        normalise_path(std::string(directory_of(files_[there.file].path)) + "/" + target);
    const PathLookup real = tree_.look_up(path);
    if (real.kind != PathKind::file || files_[real.file].elf == nullptr) return std::nullopt;
    return path;
  }

  void replace_file(const Need& need) {
    const std::size_t link = tree_.look_up(need.attempts.back().path).file;
    const std::size_t real = tree_.look_up(*symlink_target(need)).file;
    Change change;
    change.kind = ChangeKind::replace_file;
    change.file = subject_.editing_path(link);
    change.old_name = need.name;
    change.command = "cp --remove-destination " + shell_word(subject_.editing_path(real)) + " " +
                     shell_word(change.file);
    change.words = subject_.display(link) +
                   " is a symbolic link, of which installers make a text " +
                   "file: put a copy of the library there";
    const bool known = std::any_of(others_.begin(), others_.end(), [&](const Change& other) {
      return other.command == change.command;
    });
    if (!known) others_.push_back(std::move(change));
  }

  void ship(const OpenNeed& open) {
    const std::string name(base_name_of(open.need.name));
    Change change;
    change.kind = ChangeKind::ship;
    change.file = subject_.editing_path(open.file);
    change.old_name = open.need.name;
    change.value = name;
    const CommonLibrary* common = subject_.policy().platforms.common(name);
    change.words = common == nullptr
                       ? "nothing known has " + name + ": ship it beside " +
                             subject_.display(open.file) +
                             ", or require the package that has it and lead a search path there"
                       : name + " is promised by no tag, though most systems have it as part of " +
                             common->what + ": ship it beside " + subject_.display(open.file) +
                             ", or tell users to install it";
    others_.push_back(std::move(change));
    const std::string& from = files_[open.file].path;
    lead(open, std::string(directory_of(from)) + "/" + name);
    rename_if_path(open);
  }

  Change path_change(std::size_t file, const Edit& edit) const {
    const ElfFacts& elf = *files_[file].elf;
    const bool musl = tree_.loader() == LoaderKind::musl;
    // A RUNPATH of its own would shut out the DT_RPATH of those that load it.
    const bool rpath = elf.runpath ? false : elf.rpath || (edit.inherits && !musl);
    std::string raw = elf.runpath ? *elf.runpath : elf.rpath.value_or("");
    const auto elements = split_search_path(tree_.loader(), raw, directory_of(files_[file].path));
    const bool void_path = std::any_of(elements.begin(), elements.end(),
                                       [](const PathElement& one) { return one.ignored; });
    if (musl && void_path) raw.clear();  // one bad token, and musl skips all of it
    return search_path_change(subject_, file, join_path(edit.first, raw, edit.last), rpath);
  }

  const Subject& subject_;
  const InstallTree& tree_;
  const std::vector<TreeFile>& files_;
  std::vector<std::string>& remarks_;
  std::map<std::size_t, Edit> edits_;
  std::map<std::string, Change> requirements_;
  std::vector<Change> others_;
};

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == text.npos;
  // A name must not be taken for an option.
  std::string word = text.starts_with('-') ? "./" : "";
  if (plain) return word + std::string(text);
  word += '\'';
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

Change search_path_change(const Subject& subject, std::size_t file, std::string value, bool rpath) {
  Change change;
  change.kind = ChangeKind::search_path;
  change.file = subject.editing_path(file);
  change.value = std::move(value);
  change.rpath = rpath;
  change.command = std::string("patchelf ") + (rpath ? "--force-rpath " : "") + "--set-rpath " +
                   shell_word(change.value) + " " + shell_word(change.file);
  change.words = std::string("set its ") + (rpath ? "RPATH" : "RUNPATH") + " to " + change.value;
  return change;
}

Change needed_change(const Subject& subject, std::size_t file, std::string old_name,
                     std::string value) {
  Change change;
  change.kind = old_name.empty() ? ChangeKind::add_needed
                : value.empty()  ? ChangeKind::remove_needed
                                 : ChangeKind::replace_needed;
  change.file = subject.editing_path(file);
  change.old_name = std::move(old_name);
  change.value = std::move(value);
  const std::string words = shell_word(change.file);
  switch (change.kind) {
    case ChangeKind::add_needed:
      change.command = "patchelf --add-needed " + shell_word(change.value) + " " + words;
      change.words = "let it need " + change.value;
      break;
    case ChangeKind::remove_needed:
      change.command = "patchelf --remove-needed " + shell_word(change.old_name) + " " + words;
      change.words = "let it no longer need " + change.old_name;
      break;
    default:
      change.command = "patchelf --replace-needed " + shell_word(change.old_name) + " " +
                       shell_word(change.value) + " " + words;
      change.words = "let it need " + change.value + " instead of " + change.old_name;
  }
  return change;
}

bool wants_executable_stack(const ElfFacts& elf) {
  return !elf.stack_flags || (*elf.stack_flags & elf::kExecutable) != 0;
}

Change clear_execstack_change(const Subject& subject, std::size_t file) {
  Change change;
  change.kind = ChangeKind::clear_execstack;
  change.file = subject.editing_path(file);
  change.command = "patchelf --clear-execstack " + shell_word(change.file);
  change.words = "let it no longer ask for an executable stack, unless it runs code there";
  return change;
}

std::vector<Change> changes_for(const Subject& subject, const std::vector<OpenNeed>& needs,
                                std::vector<std::string>& remarks) {
  Planner planner(subject, remarks);
  for (const OpenNeed& need : needs) planner.plan(need);
  return planner.take();
}

Trial::Trial(Subject& subject, const std::vector<Change>& changes)
    : subject_(subject), requirements_(subject.requirements()) {
  for (const Change& change : changes) complete_ = make(change) && complete_;
}

Trial::~Trial() {
  for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved) {
    saved->facts->rpath = saved->rpath;
    saved->facts->runpath = saved->runpath;
    saved->facts->needed = saved->needed;
    saved->facts->stack_flags = saved->stack_flags;
  }
  if (relaid_) subject_.set_requirements(requirements_);
}

bool Trial::make(const Change& change) {
  if (change.kind == ChangeKind::require) {
    relaid_ = true;
    return subject_.require(change.requirement);
  }
  const auto file = subject_.file_of(change.file);
  if (change.kind == ChangeKind::replace_file) return file.has_value();
  ElfFacts* facts = file ? subject_.editable(*file) : nullptr;
  if (facts == nullptr) return false;
  saved_.push_back({facts, facts->rpath, facts->runpath, facts->needed, facts->stack_flags});
  auto& needed = facts->needed;
  const auto old = std::find(needed.begin(), needed.end(), change.old_name);
  switch (change.kind) {
    case ChangeKind::search_path:
      facts->rpath.reset();
      facts->runpath.reset();
      (change.rpath ? facts->rpath : facts->runpath) = change.value;
      return true;
    case ChangeKind::clear_execstack:
      facts->stack_flags = 6;  // readable and writable
      return true;
    case ChangeKind::add_needed:
      needed.insert(needed.begin(), change.value);  // as patchelf does
      return true;
    case ChangeKind::remove_needed:
    case ChangeKind::ship:  // that it is found where it was put needs no trial
      if (old == needed.end()) return false;
      needed.erase(old);
      return true;
    case ChangeKind::replace_needed:
      if (old == needed.end()) return false;
      *old = change.value;
      return true;
    default:
      return false;
  }
}

}  // namespace wheelcheck
