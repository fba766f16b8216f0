#include "verifier/why/complaint.h"

#include <algorithm>
#include <set>

#include "rules/need_judge.h"
#include "rules/platform_policy.h"
#include "verifier/elf/layout.h"
#include "verifier/loader/search_path.h"
#include "verifier/why/changes.h"
#include "verifier/why/need_report.h"

namespace wheelcheck {

namespace {

bool offers(const ElfSymbol& symbol) {
  return symbol.defined && symbol.binding != SymbolBinding::local &&
         symbol.visibility != SymbolVisibility::hidden &&
         symbol.visibility != SymbolVisibility::internal;
}

class Judge {
 public:
  Judge(const Subject& subject, const Complaint& complaint, const std::vector<ShownProcess>& shown,
        Explanation& answer)
      : subject_(subject),
        files_(subject.tree().files()),
        complaint_(complaint),
        shown_(shown),
        answer_(answer) {}

  void run() {
    switch (complaint_.kind) {
      case ComplaintKind::missing:
        return missing();
      case ComplaintKind::undefined_symbol:
        return undefined_symbol();
      case ComplaintKind::version_missing:
        return version_missing();
      case ComplaintKind::not_elf:
      case ComplaintKind::wrong_class:
      case ComplaintKind::not_a_library:
        return unfit();
      case ComplaintKind::not_mapped:
        return not_mapped();
      case ComplaintKind::executable_stack:
        return executable_stack();
      case ComplaintKind::static_tls:
        return static_tls();
      case ComplaintKind::version_file:
        return version_file();
    }
  }

 private:
  void remark(std::string text) { answer_.remarks.push_back(std::move(text)); }
  void fault(std::string text) {
    answer_.firm = false;
    remark(std::move(text));
  }
  void rebuild(std::string words) {
    Change change;
    change.kind = ChangeKind::rebuild;
    change.words = std::move(words);
    answer_.changes.push_back(std::move(change));
  }

  const ElfFacts* target_elf() const {
    if (shown_.empty()) return nullptr;
    return files_[target()].elf;
  }
  std::size_t target() const {
    return *shown_.front().closure->objects[shown_.front().object].file;
  }

  /// Each file of the processes once, with its facts.
  template <class Visit>
  void each_loaded(Visit visit) const {
    std::set<std::size_t> seen;
    for (const ShownProcess& process : shown_) {
      for (const ClosureObject& object : process.closure->objects) {
        if (!object.file || !seen.insert(*object.file).second) continue;
        if (files_[*object.file].elf != nullptr) visit(*object.file, *files_[*object.file].elf);
      }
    }
  }

  void missing() {
    if (!answer_.firm) return;
    if (answer_.objects.empty() ||
        std::all_of(answer_.objects.begin(), answer_.objects.end(),
                    [](const ObjectReport& object) { return object.needs.empty(); })) {
      fault("no file needs " + complaint_.file +
            " by that name: something opens it when it is used (dlopen, ctypes)");
      return;
    }
    remark("as the packages are here, " + complaint_.file +
           " is found: where the message comes from, other files or other versions are installed");
  }

  // --- symbols ---

  /// The file's definition of the symbol; `any_version`: of whatever version.
  const ElfSymbol* definition(const ElfFacts& elf, bool any_version) const {
    for (const ElfSymbol& symbol : elf.dynamic_symbols) {
      if (!offers(symbol) || elf.name(symbol) != complaint_.symbol) continue;
      const ElfVersion* version = elf.version_of(symbol);
      // A file without versions serves every reference.
      if (any_version || complaint_.version.empty() || version == nullptr ||
          version->name == complaint_.version) {
        return &symbol;
      }
    }
    return nullptr;
  }

  bool imports(const ElfFacts& elf) const {
    return std::any_of(elf.dynamic_symbols.begin(), elf.dynamic_symbols.end(),
                       [&](const ElfSymbol& symbol) {
                         return !symbol.defined && elf.name(symbol) == complaint_.symbol;
                       });
  }

  void undefined_symbol() {
    const ElfFacts* elf = target_elf();
    if (elf == nullptr) return;
    const std::string& symbol = complaint_.symbol;
    if (!imports(*elf)) {
      fault(subject_.display(target()) + " does not import " + symbol +
            ": where the message comes from, another build of it is installed");
      return;
    }
    std::optional<std::size_t> here;
    std::optional<std::size_t> other_version;
    each_loaded([&](std::size_t file, const ElfFacts& loaded) {
      if (!here && definition(loaded, false) != nullptr) here = file;
      if (!other_version && definition(loaded, true) != nullptr) other_version = file;
    });
    if (here) {
      remark(symbol + " is defined by " + subject_.display(*here) +
             ", which is loaded along: where the message comes from, another version of it is "
             "installed");
      return;
    }
    if (other_version) {
      fault(symbol + " is defined by " + subject_.display(*other_version) +
            ", but not in the version " + complaint_.version);
      rebuild(
          "build against the version of the library that is installed, or require the one that "
          "has this version");
      return;
    }
    symbol_elsewhere();
  }

  void symbol_elsewhere() {
    const std::string& symbol = complaint_.symbol;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const TreeFile& holder = files_[file];
      if (holder.elf == nullptr || role_of(holder) == ObjectRole::program) continue;
      if (definition(*holder.elf, false) == nullptr) continue;
      fault(symbol + " is defined by " + subject_.display(file) +
            ", which is not loaded along: no NEEDED leads to it");
      link_to(file);
      return;
    }
    if (is_symbol_of_interpreter(symbol)) {
      fault(symbol +
            " is the interpreter's: this Python is older or newer than the one that the "
            "file was built for");
      rebuild("install the wheel for this version of Python, or build one");
      return;
    }
    fault("no file that is known here defines " + symbol);
    std::vector<std::string> unknown;
    each_loaded([&](std::size_t file, const ElfFacts&) {
      if (files_[file].table) unknown.push_back(subject_.display(file));
    });
    if (!unknown.empty()) {
      remark("of " + std::to_string(unknown.size()) + " libraries that are loaded along, " +
             unknown.front() + (unknown.size() > 1 ? " among them" : "") +
             ", only the names are known: give their wheels (--with) to have their symbols looked "
             "at");
    }
    rebuild("link to the library that defines " + symbol + ", in a version that does");
  }

  void link_to(std::size_t holder) {
    const std::size_t file = target();
    if (!subject_.owns(file)) return;
    const TreePackage& package = subject_.tree().packages()[files_[holder].package];
    const bool to_install = package.kind != PackageKind::machine && !is_present(package);
    if (!subject_.owns(holder) && to_install) {
      Change change;
      change.kind = ChangeKind::require;
      change.requirement = package.distribution;
      change.words = "require " + package.distribution;
      answer_.changes.push_back(std::move(change));
    }
    const std::string name(base_name_of(files_[holder].path));
    answer_.changes.push_back(needed_change(subject_, file, {}, name));
    const ElfFacts& elf = *files_[file].elf;
    const bool rpath = elf.rpath && !elf.runpath;
    std::string path = elf.runpath ? *elf.runpath : elf.rpath.value_or("");
    const std::string way = hop(files_[file].path, files_[holder].path);
    const auto elements =
        split_search_path(subject_.tree().loader(), path, directory_of(files_[file].path));
    const bool reached = std::any_of(elements.begin(), elements.end(), [&](const PathElement& one) {
      return normalise_path(one.path) == directory_of(files_[holder].path);
    });
    if (reached) return;
    path += (path.empty() ? "" : ":") + way;
    answer_.changes.push_back(search_path_change(subject_, file, path, rpath));
  }

  // --- versions ---

  void version_missing() {
    const std::string lib(base_name_of(complaint_.file));
    const std::string& version = complaint_.version;
    for (const std::size_t file : subject_.tree().named(lib)) {
      const ElfFacts* elf = files_[file].elf;
      if (elf == nullptr || files_[file].table) continue;
      const bool has =
          std::any_of(elf->versions.begin(), elf->versions.end(),
                      [&](const ElfVersion& one) { return one.defined && one.name == version; });
      if (has) {
        remark(subject_.display(file) + " has " + version + ": where the message comes from, " +
               complaint_.file + " is loaded instead");
      } else {
        fault(subject_.display(file) + " does not define " + version);
        rebuild("build against the " + lib + " that is installed, or ship the one built against");
      }
      return;
    }
    tell_users_of(lib);
    const PlatformPolicy* platform = subject_.platform();
    if (platform != nullptr && !platform->allows_version(version)) {
      fault(platform->name + " does not promise " + version + " of " + lib +
            ": the wheel's tag claims too much");
      rebuild("build where " + lib + " is older, or give the wheel the tag of systems that have " +
              version);
    } else {
      remark("the platform tag asks for systems with " + version + " of " + lib +
             ": the machine that the message comes from is older, or loads an older copy of " +
             lib);
    }
  }

  /// Which symbols of that version the file that complains imports.
  void tell_users_of(const std::string& lib) {
    for (const ShownProcess& process : shown_) {
      const std::size_t file = *process.closure->objects[process.object].file;
      const ElfFacts* elf = files_[file].elf;
      if (elf == nullptr) continue;
      std::vector<std::string> symbols;
      for (const ElfSymbol& symbol : elf->dynamic_symbols) {
        const ElfVersion* version = symbol.defined ? nullptr : elf->version_of(symbol);
        if (version != nullptr && version->name == complaint_.version && version->file == lib) {
          symbols.emplace_back(elf->name(symbol));
        }
      }
      if (symbols.empty()) continue;
      std::string list;
      constexpr std::size_t kShown = 8;
      for (std::size_t i = 0; i < symbols.size() && i < kShown; ++i) {
        list += (i == 0 ? "" : ", ") + symbols[i];
      }
      if (symbols.size() > kShown) {
        list += " and " + std::to_string(symbols.size() - kShown) + " more";
      }
      remark(subject_.display(file) + " imports " + list + " of " + complaint_.version);
    }
  }

  // --- the file itself ---

  void unfit() {
    for (const ShownProcess& process : shown_) {
      const std::size_t file = *process.closure->objects[process.object].file;
      const std::string name = subject_.display(file);
      const TreeFile& there = files_[file];
      if (there.unread) {
        fault(name + " is an ELF file that cannot be read");
      } else if (there.elf == nullptr) {
        answer_.firm = false;  // which has been said
      } else if (role_of(there) == ObjectRole::program) {
        fault(name + " is a program, which cannot be opened as a library");
      } else {
        const PlatformPolicy* platform = subject_.platform();
        const std::string_view arch = arch_of_machine(*there.elf);
        if (platform != nullptr && !arch.empty() && arch != platform->arch) {
          fault(name + " is for " + std::string(arch) + ", the wheel for " + platform->arch);
          rebuild("put the file for " + platform->arch + " in its place");
        } else {
          remark(name +
                 " is a library as it should be: where the message comes from, it is damaged "
                 "or another file lies there");
        }
      }
    }
    if (shown_.empty()) fault("no file of the package is meant: " + complaint_.file);
  }

  void not_mapped() {
    for (const ShownProcess& process : shown_) {
      const std::size_t file = *process.closure->objects[process.object].file;
      const TreeFile& there = files_[file];
      if (there.elf == nullptr || there.member == nullptr) continue;
      std::uint64_t end = 0;
      for (const ElfSegment& segment : there.elf->segments) {
        if (segment.type == elf::kSegmentLoad)
          end = std::max(end, segment.offset + segment.file_size);
      }
      if (there.member->entry.size < end) {
        fault(subject_.display(file) + " is cut off: its segments end at " + std::to_string(end) +
              ", the file at " + std::to_string(there.member->entry.size));
        rebuild("put the whole file there");
        return;
      }
    }
    remark(
        "the files are whole: the system refused to map one, as it does for a file system that "
        "is mounted noexec, by a security policy, or for want of memory");
  }

  void executable_stack() {
    bool found = false;
    each_loaded([&](std::size_t file, const ElfFacts& elf) {
      if (files_[file].table) return;
      if (!wants_executable_stack(elf)) return;
      found = true;
      fault(subject_.display(file) +
            " asks for an executable stack, which glibc 2.41 and later do "
            "not give to what is opened later");
      if (!subject_.owns(file)) return;
      answer_.changes.push_back(clear_execstack_change(subject_, file));
    });
    if (!found) remark("no file that is loaded here asks for an executable stack");
  }

  void static_tls() {
    std::string list;
    each_loaded([&](std::size_t file, const ElfFacts& elf) {
      if ((elf.dt_flags & elf::kFlagStaticTls) == 0) return;
      list += (list.empty() ? "" : ", ") + subject_.display(file) + " (" +
              std::to_string(elf.tls_size.value_or(0)) + " bytes)";
    });
    if (list.empty()) {
      remark("no file that is loaded here asks for static thread-local storage");
      return;
    }
    fault(
        "these take from the little static thread-local storage that is left once a process "
        "runs: " +
        list);
    rebuild("build them without -ftls-model=initial-exec, or with -mtls-dialect=gnu2");
  }

  void version_file() {
    bool found = false;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const ElfFacts* elf = files_[file].elf;
      if (elf == nullptr || !subject_.owns(file)) continue;
      for (const ElfVersion& version : elf->versions) {
        if (version.defined) continue;
        if (std::find(elf->needed.begin(), elf->needed.end(), version.file) != elf->needed.end()) {
          continue;
        }
        found = true;
        fault(subject_.display(file) + " wants " + version.name + " of " + version.file +
              ", which is not among its NEEDED");
        break;
      }
    }
    if (found) {
      rebuild(
          "rename libraries with a tool that renames them in .gnu.version_r too, and start from "
          "the files as they were built");
    } else {
      remark("every file from which a version is wanted is among the NEEDED");
    }
  }

  const Subject& subject_;
  const std::vector<TreeFile>& files_;
  const Complaint& complaint_;
  const std::vector<ShownProcess>& shown_;
  Explanation& answer_;
};

}  // namespace

void judge_complaint(const Subject& subject, const Complaint& complaint,
                     const std::vector<ShownProcess>& shown, Explanation& answer) {
  Judge(subject, complaint, shown, answer).run();
}

}  // namespace wheelcheck
