// Which processes load a library, what goes wrong in the worst of them, and what would mend it.
#include "verifier/why/explain.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "rules/dlopen_note.h"
#include "verifier/check/spelling.h"
#include "verifier/loader/closure.h"
#include "verifier/loader/search_path.h"
#include "verifier/why/changes.h"
#include "verifier/why/complaint.h"
#include "verifier/why/need_report.h"

namespace wheelcheck {

namespace {

/// What is explained: a file, or of a file the NEEDED of one name.
struct Target {
  std::size_t file = 0;
  std::string only;  ///< empty: all its NEEDED, and those of what it loads
};

/// The process that shows a target best.
struct Shown {
  std::shared_ptr<const Closure> closure;
  std::size_t object = 0;  ///< of the closure: the target
  std::size_t open = 0;    ///< NEEDED that are not firm
  std::size_t roots = 0;   ///< processes in which it is loaded
};

/// An object and everything that it brings in, in the order in which it is met.
std::vector<std::size_t> reached_from(const Closure& closure, std::size_t object) {
  std::vector<std::size_t> reached{object};
  std::vector<bool> seen(closure.objects.size(), false);
  seen[object] = true;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const auto& got : closure.objects[reached[next]].got) {
      if (!got || seen[*got]) continue;
      seen[*got] = true;
      reached.push_back(*got);
    }
  }
  return reached;
}

/// The objects from the root to this one.
std::vector<std::size_t> chain_to(const Closure& closure, std::size_t object) {
  std::vector<std::size_t> chain{object};
  while (closure.objects[chain.back()].loader && chain.size() <= closure.objects.size()) {
    chain.push_back(*closure.objects[chain.back()].loader);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

class Explainer {
 public:
  Explainer(Subject& subject, const std::string& question) : subject_(subject) {
    answer_.subject = subject.path();
    answer_.system = subject.system();
    answer_.question = question;
    answer_.complaint = parse_complaint(question);
    answer_.unread = subject.unread();
  }

  Result<Explanation> run() {
    if (subject_.over_budget()) {
      answer_.remarks.emplace_back(
          "too many files load one another: not every process was looked at");
    }
    name_ = answer_.complaint ? answer_.complaint->file : answer_.question;
    const bool missing = answer_.complaint && answer_.complaint->kind == ComplaintKind::missing;
    std::vector<Target> targets = targets_of(name_, missing);
    if (answer_.complaint && !answer_.complaint->asker.empty()) {
      for (const std::size_t file : subject_.called(answer_.complaint->asker))
        add(targets, {file, ""});
    }
    if (targets.empty() && !has_own_answer()) {
      return Error{subject_.path(),
                   "has no library called " + name_ + ", and none that needs one of that name" +
                       spelling_hint(std::string(base_name_of(name_)), known_names()),
                   {}};
    }
    constexpr std::size_t kMostTargets = 24;
    if (targets.size() > kMostTargets) {
      answer_.remarks.push_back("of " + std::to_string(targets.size()) +
                                " files that this is about the first " +
                                std::to_string(kMostTargets) + " are shown");
      targets.resize(kMostTargets);
    }
    answer_.firm = !subject_.over_budget();
    const std::vector<Shown> shown = shown_for(targets);
    for (std::size_t i = 0; i < targets.size(); ++i) explain_target(targets[i], shown[i]);
    if (answer_.complaint) {
      judge_complaint(subject_, *answer_.complaint, closures_, answer_);
    }
    plan(targets);
    return std::move(answer_);
  }

 private:
  const InstallTree& tree() const { return subject_.tree(); }

  static void add(std::vector<Target>& targets, Target target) {
    const bool known = std::any_of(targets.begin(), targets.end(), [&](const Target& other) {
      return other.file == target.file && (other.only.empty() || other.only == target.only);
    });
    if (!known) targets.push_back(std::move(target));
  }

  /// `missing`: the loader found no file of that name, so it is about those that ask for it.
  std::vector<Target> targets_of(const std::string& name, bool missing) const {
    std::vector<Target> targets;
    const std::vector<std::size_t> files = subject_.called(name);
    std::set<std::string> names{name, std::string(base_name_of(name))};
    if (!missing) {
      for (const std::size_t file : files) {
        add(targets, {file, ""});
        const TreeFile& there = tree().files()[file];
        names.emplace(base_name_of(there.path));
        if (there.elf != nullptr && there.elf->soname) names.insert(*there.elf->soname);
      }
    }
    std::vector<Target> askers;
    for (std::size_t file = 0; file < tree().files().size(); ++file) {
      const TreeFile& asker = tree().files()[file];
      if (asker.elf == nullptr || !subject_.owns(file)) continue;
      for (const std::string& needed : asker.elf->needed) {
        if (names.count(needed) != 0) askers.push_back({file, needed});
      }
    }
    std::vector<Target> failing;
    const std::vector<Shown> shown = shown_for(askers);
    for (std::size_t i = 0; i < askers.size(); ++i) {
      if (shown[i].open != 0) failing.push_back(askers[i]);
    }
    // Where the file is there and all find it, they are of no interest.
    if (!failing.empty()) askers = failing;
    // A loader stops at the first name that is missing; the next try would end at the next one.
    for (Target& asker : askers) {
      if (missing && !failing.empty()) asker.only.clear();
    }
    if (files.empty() || missing || !failing.empty()) {
      for (Target& asker : askers) add(targets, std::move(asker));
    }
    return targets;
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const TreeFile& file : tree().files()) {
      if (file.elf == nullptr || file.package != 0) continue;
      names.emplace_back(base_name_of(file.path));
      names.insert(names.end(), file.elf->needed.begin(), file.elf->needed.end());
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  bool has_own_answer() const {
    return answer_.complaint && answer_.complaint->kind == ComplaintKind::version_file;
  }

  /// NEEDED of a target that are not firm, as object and index.
  std::vector<std::pair<std::size_t, std::size_t>> open_of(const Closure& closure,
                                                           std::size_t object,
                                                           const std::string& only) const {
    std::vector<std::pair<std::size_t, std::size_t>> open;
    const auto reached = only.empty() ? reached_from(closure, object) : std::vector{object};
    for (const std::size_t at : reached) {
      const auto& needs = closure.objects[at].needs;
      for (std::size_t i = 0; i < needs.size(); ++i) {
        if (!only.empty() && needs[i].name != only) continue;
        if (!is_firm(subject_, needs[i])) open.emplace_back(at, i);
      }
    }
    return open;
  }

  /// For each target the process in which most goes wrong; where nothing does, the first, and
  /// extensions come before other roots. A file that no process loads is opened by itself.
  std::vector<Shown> shown_for(const std::vector<Target>& targets) const {
    std::vector<Shown> shown(targets.size());
    const auto look = [&](std::size_t root, std::size_t from, std::size_t to) {
      const auto closure =
          std::make_shared<const Closure>(closure_of(tree(), subject_.loader(), root));
      for (std::size_t i = from; i < to; ++i) {
        const auto object = closure->find(targets[i].file);
        if (!object) continue;
        Shown& best = shown[i];
        const std::size_t open =
            open_of(*closure, *object, targets[i].only).size() + bad_steps(*closure, *object);
        ++best.roots;
        if (best.roots == 1 || open > best.open) {
          best.closure = closure;
          best.object = *object;
          best.open = open;
        }
      }
    };
    for (const std::string& path : subject_.roots()) {
      look(tree().look_up(path).file, 0, targets.size());
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (shown[i].roots == 0) look(targets[i].file, i, i + 1);
    }
    return shown;
  }

  /// Steps of the chain to an object that cannot be counted on.
  std::size_t bad_steps(const Closure& closure, std::size_t object) const {
    std::size_t bad = 0;
    for (const std::size_t at : chain_to(closure, object)) {
      const ClosureObject& step = closure.objects[at];
      if (!step.loader || !step.entry) continue;
      if (!is_firm(subject_, closure.objects[*step.loader].needs[*step.entry])) ++bad;
    }
    return bad;
  }

  void explain_target(const Target& target, const Shown& shown) {
    if (shown.roots == 0) return;
    const Closure& closure = *shown.closure;
    ObjectReport report;
    report.file = subject_.display(target.file);
    const TreeFile& file = tree().files()[target.file];
    if (!subject_.owns(target.file)) report.package = tree().packages()[file.package].distribution;
    report.role = role_of(file);
    report.root_role = closure.role;
    report.chain = chain_report(closure, shown.object);
    report.other_roots = shown.roots - 1;
    const ClosureObject& object = closure.objects[shown.object];
    for (std::size_t i = 0; i < object.needs.size(); ++i) {
      if (!target.only.empty() && object.needs[i].name != target.only) continue;
      report.needs.push_back(report_need(subject_, closure, shown.object, i));
    }
    report.loaded = reached_from(closure, shown.object).size() - 1;
    for (const auto& [at, index] : open_of(closure, shown.object, target.only)) {
      take_open(closure, at, index);
      if (at == shown.object) continue;
      report.further.push_back(
          {subject_.display(*closure.objects[at].file), report_need(subject_, closure, at, index)});
    }
    for (const std::size_t at : chain_to(closure, shown.object)) {
      const ClosureObject& step = closure.objects[at];
      if (!step.loader || !step.entry) continue;
      if (is_firm(subject_, closure.objects[*step.loader].needs[*step.entry])) continue;
      take_open(closure, *step.loader, *step.entry);
    }
    report.later = opened_later(closure, target);
    if (closure.over_budget || file.unread) answer_.firm = false;
    if (file.elf == nullptr && !file.unread) {
      answer_.firm = false;
      answer_.remarks.push_back(report.file + " is no ELF file");
    }
    answer_.objects.push_back(std::move(report));
    closures_.push_back({shown.closure, shown.object});
  }

  /// What the file's own notes say that it opens when it is used.
  std::vector<LaterNeed> opened_later(const Closure& closure, const Target& target) {
    std::vector<LaterNeed> later;
    const ElfFacts* elf = tree().files()[target.file].elf;
    if (elf == nullptr || !target.only.empty()) return later;
    for (const DlopenNote& note : dlopen_notes(*elf)) {
      for (const std::string& name : note.sonames) {
        const auto need =
            need_of_dlopen(tree(), subject_.loader(), closure.root, target.file, name);
        if (!need) continue;
        LaterNeed one;
        one.feature = note.feature;
        one.priority = note.priority;
        one.name = name;
        one.verdict = need->verdict;
        one.firm = is_firm(subject_, *need);
        if (need->file) one.found = subject_.display(*need->file);
        if (!one.firm && note.priority == "required" && note.sonames.size() == 1) {
          answer_.firm = false;
        }
        later.push_back(std::move(one));
      }
    }
    return later;
  }

  static OpenNeed open_need(const ClosureObject& asker, std::size_t index) {
    OpenNeed open;
    open.file = *asker.file;
    open.need = asker.needs[index];
    open.asker_inherits = std::any_of(asker.needs.begin(), asker.needs.end(), [](const Need& need) {
      return need.winner.tag == SearchTag::inherited_rpath;
    });
    return open;
  }

  void take_open(const Closure& closure, std::size_t object, std::size_t index) {
    answer_.firm = false;
    OpenNeed open = open_need(closure.objects[object], index);
    const bool known = std::any_of(open_.begin(), open_.end(), [&](const OpenNeed& other) {
      return other.file == open.file && other.need.name == open.need.name;
    });
    if (!known) open_.push_back(std::move(open));
  }

  std::vector<ChainStep> chain_report(const Closure& closure, std::size_t object) const {
    std::vector<ChainStep> chain;
    for (const std::size_t at : chain_to(closure, object)) {
      const ClosureObject& step = closure.objects[at];
      ChainStep shown;
      shown.file = step.file ? subject_.display(*step.file) : step.opened;
      if (step.loader && step.entry) {
        const Need& need = closure.objects[*step.loader].needs[*step.entry];
        shown.name = need.name;
        shown.found = need.verdict;
      }
      chain.push_back(std::move(shown));
    }
    return chain;
  }

  /// A NEEDED that is open, by what does not change when everything is laid down again.
  using OpenPair = std::pair<std::string, std::string>;  // path in the tree, name

  struct Open {
    std::map<OpenPair, OpenNeed> needs;
    bool loaded = true;  ///< each target is, and by a chain that can be counted on
  };
  Open open_now(const std::vector<OpenPair>& targets) const {
    Open open;
    std::vector<Target> files;
    for (const auto& [path, only] : targets) files.push_back({tree().look_up(path).file, ""});
    for (const Shown& shown : shown_for(files)) {
      open.loaded = open.loaded && shown.roots != 0 && bad_steps(*shown.closure, shown.object) == 0;
      if (shown.roots == 0) continue;
      for (const auto& [at, index] : open_of(*shown.closure, shown.object, "")) {
        const ClosureObject& asker = shown.closure->objects[at];
        open.needs.try_emplace({tree().files()[*asker.file].path, asker.needs[index].name},
                               open_need(asker, index));
      }
    }
    return open;
  }

  /// Plans changes and tries them. What is found by them has needs of its own, which may be open in
  /// their turn: these are planned for as well.
  void plan(const std::vector<Target>& targets) {
    std::vector<OpenPair> wanted;
    for (const Target& target : targets) {
      wanted.emplace_back(tree().files()[target.file].path, target.only);
    }
    // Of a file that is only asked for one name, what else it lacks is another question.
    std::set<OpenPair> others;
    for (const auto& [pair, need] : open_now(wanted).needs) others.insert(pair);
    for (const OpenNeed& open : open_) {
      others.erase({tree().files()[open.file].path, open.need.name});
    }
    const std::vector<Change> given = answer_.changes;
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      answer_.changes = changes_for(subject_, open_, answer_.remarks);
      answer_.changes.insert(answer_.changes.end(), given.begin(), given.end());
      if (answer_.changes.empty()) return;
      std::map<OpenPair, OpenNeed> left;
      if (!try_changes(wanted, others, left)) return;
      if (left.empty()) {
        answer_.changes_suffice = true;
        return;
      }
      if (!take_new(left)) return;
    }
  }

  /// False: it cannot be tried, or a target is not loaded in the end.
  bool try_changes(const std::vector<OpenPair>& wanted, const std::set<OpenPair>& others,
                   std::map<OpenPair, OpenNeed>& left) {
    std::set<std::string> replaced;
    for (const Change& change : answer_.changes) {
      if (change.kind == ChangeKind::rebuild) return false;
      if (change.kind == ChangeKind::replace_file) replaced.insert(change.old_name);
    }
    const Trial trial(subject_, answer_.changes);
    Open after = open_now(wanted);
    std::erase_if(after.needs, [&](const auto& entry) {
      return others.count(entry.first) != 0 || replaced.count(entry.first.second) != 0;
    });
    left = std::move(after.needs);
    return trial.complete() && (after.loaded || !left.empty());
  }

  /// Adds what has come up by a trial. False: nothing new, so that another round is of no use.
  bool take_new(std::map<OpenPair, OpenNeed>& left) {
    bool is_new = false;
    for (auto& [pair, open] : left) {
      const PathLookup there = tree().look_up(pair.first);
      if (there.kind != PathKind::file) return false;  // of a package that is yet to be required
      open.file = there.file;
      const bool known = std::any_of(open_.begin(), open_.end(), [&](const OpenNeed& other) {
        return other.file == open.file && other.need.name == open.need.name;
      });
      if (known) return false;
      open_.push_back(std::move(open));
      is_new = true;
    }
    return is_new;
  }

  Subject& subject_;
  Explanation answer_;
  std::string name_;
  std::vector<OpenNeed> open_;
  std::vector<ShownProcess> closures_;
};

}  // namespace

Result<Explanation> explain(Subject& subject, const std::string& question) {
  return Explainer(subject, question).run();
}

}  // namespace wheelcheck
