#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "verifier/loader/process.h"
#include "verifier/loader/symbols.h"

namespace wheelcheck {

/// What loaders do about the scopes of one process; see SymbolRule.
enum class ScopeRule {
  global_before_own,  ///< the program, what is preloaded and what is shared come first
  shared_by_all,      ///< RTLD_GLOBAL
  local_stays_local,  ///< RTLD_LOCAL
  preload_first,      ///< LD_PRELOAD: right behind the program
  calls_wait,         ///< glibc: lazy binding
  own_before_global,  ///< glibc: RTLD_DEEPBIND
  bound_once,         ///< when an object is loaded; what comes later changes nothing
  count_
};
using ScopeRules = std::bitset<static_cast<std::size_t>(ScopeRule::count_)>;

/// Something that an object refers to and what that was bound to.
struct BoundReference {
  std::size_t object = 0;                ///< index into Process::objects()
  const ElfSymbol* reference = nullptr;  ///< of that object
  BindingKind kind = BindingKind::bound;
  std::size_t definer = 0;                ///< bound, no_versions: index into Process::objects()
  const ElfSymbol* definition = nullptr;  ///< bound
};

/// A version that an object needs in vain.
struct UnmetVersion {
  std::size_t object = 0;               ///< index into Process::objects()
  std::size_t version = 0;              ///< index into ElfFacts::versions
  std::optional<std::size_t> provider;  ///< that lacks it; nothing: the file is not there
};

/// How dlopen was told to bind.
struct BindOptions {
  bool lazily = false;  ///< RTLD_LAZY: glibc leaves functions for their first call
  bool deeply = false;  ///< RTLD_DEEPBIND: glibc looks into what was opened before all else
};

/// What relocating the objects that came with one dlopen, or with the program, comes to.
struct BoundLoad {
  std::vector<BoundReference> references;
  std::vector<UnmetVersion> versions;
};

/// The symbols of one process: binds objects as they come.
class ProcessBindings {
 public:
  struct Rules {
    SymbolRules symbols;  ///< those that are off
    ScopeRules scopes;
  };
  ProcessBindings(Process& process, const InstallTree& tree, GlibcVersion glibc, KnownByName known,
                  Rules off = {})
      : process_(process), tree_(tree), glibc_(glibc), known_(std::move(known)), off_(off) {}

  /// Binds what `root`, the program or what was opened, has brought. Nothing that is bound already
  /// is bound again.
  [[nodiscard]] BoundLoad bind(std::size_t root, const BindOptions& options = {});
  /// dlopen was given RTLD_GLOBAL.
  void share(std::size_t root);
  /// The dlopen failed that began with so many objects.
  void take_back(std::size_t objects);

 private:
  struct Unique {
    std::size_t object = 0;
    const ElfSymbol* definition = nullptr;
  };

  [[nodiscard]] bool follows(ScopeRule rule) const {
    return !off_.scopes.test(static_cast<std::size_t>(rule));
  }
  [[nodiscard]] std::vector<ScopeMember> members_for(std::size_t root, bool own_first) const;
  void bind_object(std::size_t object, const SymbolScope& scope,
                   const std::vector<std::size_t>& objects, bool lazily, BoundLoad& load);
  /// The unique definition that serves; `name`'s first one does ever after.
  [[nodiscard]] Unique settle_unique(std::string_view name, Unique found);

  Process& process_;
  const InstallTree& tree_;
  const GlibcVersion glibc_;
  const KnownByName known_;
  const Rules off_;
  ExportTables tables_;
  std::unordered_set<std::size_t> bound_;
  std::unordered_map<std::string, Unique> unique_;
};

}  // namespace wheelcheck
