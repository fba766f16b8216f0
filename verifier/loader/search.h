#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "verifier/loader/attempt.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/machine.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

/// An object that has a say in a search: its file, and the path it was opened by, which is where
/// its $ORIGIN points to.
struct Carrier {
  std::size_t file = 0;  ///< index into InstallTree::files()
  std::string_view opened;
};

/// Whose search it is.
struct Asker {
  /// The object that asks, its loader, that one's loader and so on. Empty: nobody asks.
  std::span<const Carrier> chain;
  std::optional<Carrier> program;  ///< the main program, if the tree holds it
  bool by_dlopen = false;          ///< not at the start of a program
};

/// Where one search for a name came out. Reuse of loaded objects is not part of it.
struct SearchOutcome {
  std::vector<Attempt> attempts;  ///< in order, the last is the winner unless nothing was found
  bool found = false;
  bool fatal = false;               ///< a candidate stopped the load
  bool unfit = false;               ///< musl: taken, though it is for another machine
  bool stopped = false;             ///< musl: a loop of links ended the whole search
  std::optional<std::size_t> file;  ///< nothing: a system library known by name alone
};

/// The search for names over one tree, as one kind of loader does it. Remembers what does not
/// depend on who loaded whom.
class Search {
 public:
  Search(const InstallTree& tree, const Machine& machine);

  [[nodiscard]] SearchOutcome find(std::string_view name, const Asker& asker);
  /// `name` with its tokens replaced, as the asker's NEEDED means it.
  [[nodiscard]] std::string expanded(std::string_view name, const Asker& asker) const;
  /// Whether the loader opens `name` as it stands.
  [[nodiscard]] bool is_path(std::string_view name) const;

  [[nodiscard]] const InstallTree& tree() const { return tree_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] bool follows(LoaderRule rule) const { return machine_.follows(rule); }

 private:
  struct Carried {                   // the search paths of one object, split and expanded once
    std::vector<PathElement> rpath;  // empty where a RUNPATH makes it void; musl: either tag
    std::vector<PathElement> runpath;
    bool has_runpath = false;
  };

  const Carried& carried(const Carrier& carrier);
  [[nodiscard]] std::string origin_of(const Carrier& carrier) const;
  [[nodiscard]] std::string absolute(std::string_view path) const;
  void glibc(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void musl(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void rpaths(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void runpaths(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void library_path(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void system(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void cache(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void directories(std::string_view name, const Asker& asker, SearchOutcome& outcome);
  void through(const std::vector<PathElement>& elements, SearchTag tag, std::size_t carrier,
               std::string_view name, const Asker& asker, SearchOutcome& outcome);
  [[nodiscard]] bool leaves_prefix(const std::string& path) const;
  /// False: the list of directories ends here.
  bool candidate(Attempt attempt, const Asker& asker, SearchOutcome& outcome) const;
  void judge_file(const TreeFile& file, const Asker& asker, Attempt& attempt,
                  SearchOutcome& outcome) const;

  const InstallTree& tree_;
  const Machine machine_;
  const LoaderKind loader_;
  std::vector<PathElement> library_path_;
  std::optional<std::string> library_path_origin_;
  std::vector<PathElement> directories_;
  std::vector<std::string> plain_;  ///< of subdirectories: none
  std::unordered_map<std::string, Carried> carried_;
};

/// Names that musl answers itself, whatever lies in the search path: libc and its old parts.
[[nodiscard]] bool is_musl_own(std::string_view name);

}  // namespace wheelcheck
