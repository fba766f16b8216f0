// Version needs name files: what becomes of those that no NEEDED of the same object names.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/policy.h"
#include "rules/support.h"
#include "rules/symbol_judges.h"
#include "rules/system_symbols.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {
namespace {

using Names = std::set<std::string, std::less<>>;

/// What the processes that hold an object say of a file that it does not need by itself.
struct Presence {
  bool absent = false;   ///< one of them, of which everything is known, has no such file
  bool brought = false;  ///< one of them has it
  bool unknown = false;  ///< one of them may have it
};

class VersionFiles {
 public:
  explicit VersionFiles(const Context& context) : context_(context) {
    for (const MemberFacts* member : elf_members(context.wheel)) {
      by_name_.emplace(base_name(member->entry.path), member);
      if (member->elf->soname) by_name_.emplace(*member->elf->soname, member);
    }
    const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
    if (policy != nullptr) table_ = SystemSymbols::built_in(policy->arch);
    for (const RootProcess& process : context.resolution.processes) read(process);
  }

  [[nodiscard]] Presence presence(const MemberFacts& member, std::string_view file) const {
    Presence presence;
    for (const Known& process : processes_) {
      if (process.members.count(&member) == 0) continue;
      if (process.names.find(file) != process.names.end()) {
        presence.brought = true;
      } else {
        (process.complete ? presence.absent : presence.unknown) = true;
      }
    }
    const bool nowhere = !presence.absent && !presence.brought && !presence.unknown;
    if (nowhere) presence.unknown = true;
    return presence;
  }

  /// Something of the wheel that the object needs, or that that needs, names the file.
  [[nodiscard]] bool is_needed_further(const ElfFacts& elf, std::string_view file) const {
    Names seen;
    std::vector<std::string> queue = elf.needed;
    while (!queue.empty()) {
      const std::string name = std::move(queue.back());
      queue.pop_back();
      if (name == file) return true;
      const auto found = by_name_.find(name);
      if (found == by_name_.end() || !seen.insert(name).second) continue;
      const auto& further = found->second->elf->needed;
      queue.insert(queue.end(), further.begin(), further.end());
    }
    return false;
  }

 private:
  struct Known {
    std::set<const MemberFacts*> members;
    Names names;
    bool complete = false;  ///< nothing can be there that is not in `names`
  };

  void read(const RootProcess& process) {
    Known known;
    known.complete = process.complete;
    for (const ScopeMember& member : process.members) {
      if (!member.file) {
        known.names.insert(member.names.begin(), member.names.end());
        add_system(member.names.back(), known);
        continue;
      }
      const TreeFile& file = context_.tree.files()[*member.file];
      // What a package that is only declared would load is not what any of its releases must load.
      if (!file.table) known.names.insert(member.names.begin(), member.names.end());
      known.complete = known.complete && file.elf != nullptr && !file.table;
      if (file.package == 0 && file.member != nullptr) known.members.insert(file.member);
    }
    if (!known.members.empty()) processes_.push_back(std::move(known));
  }

  void add_system(const std::string& name, Known& known) const {
    const SystemSymbols::Library* library = table_ == nullptr ? nullptr : table_->find(name);
    if (library == nullptr) {
      known.complete = false;
      return;
    }
    for (const std::string& need : library->needed) {
      if (known.names.insert(need).second) add_system(need, known);
    }
  }

  const Context& context_;
  std::map<std::string, const MemberFacts*, std::less<>> by_name_;
  const SystemSymbols* table_ = nullptr;
  std::vector<Known> processes_;
};

/// Every process has these two, so their versions are looked up whoever names them.
bool is_always_loaded(std::string_view name) {
  return name == "libc.so.6" || name.starts_with("ld-linux") || name.starts_with("ld64.so") ||
         name.starts_with("ld.so");
}

}  // namespace

std::vector<Finding> judge_version_files(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (context.tree.loader() == LoaderKind::musl) return findings;  // it reads no versions
  const VersionFiles files(context);
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (!elf.loadable() || !elf.has_dynamic) continue;
    Names wanted;
    for (const ElfVersion& version : elf.versions) {
      if (!version.defined && !version.file.empty()) wanted.insert(version.file);
    }
    for (const std::string& file : wanted) {
      if (is_always_loaded(file)) continue;
      if (std::find(elf.needed.begin(), elf.needed.end(), file) != elf.needed.end()) continue;
      // It may come with something else: then the load goes well, by luck.
      const Presence presence = files.presence(*member, file);
      const bool brought =
          !presence.absent &&
          (presence.unknown ? files.is_needed_further(elf, file) : presence.brought);
      findings.push_back(
          make_finding(row, brought ? Level::warning : Level::error, member->entry.path, file,
                       "wants symbol versions from " + file + ", which is not in its NEEDED (" +
                           join(elf.needed) + ")" +
                           (brought           ? "; something that it needs brings it"
                            : presence.absent ? "; nothing that is loaded with it brings it"
                                              : "")));
    }
  }
  return findings;
}

}  // namespace wheelcheck
