#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/resolution.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

/// Where one search for a name came out. Reuse of loaded objects is not part of it.
struct SearchOutcome {
  std::vector<Attempt> attempts;  ///< in order, the last is the winner unless nothing was found
  bool found = false;
  bool fatal = false;               ///< a candidate stopped the load
  std::optional<std::size_t> file;  ///< nothing: a system library
};

/// The search for NEEDED names over one tree, for one kind of loader. Remembers what does not
/// depend on who loaded whom.
class Search {
 public:
  Search(const InstallTree& tree, const LoaderOptions& options);

  /// `chain`: the object that asks, its loader, that one's loader and so on, as indices into
  /// InstallTree::files().
  [[nodiscard]] SearchOutcome find(std::string_view name, const std::vector<std::size_t>& chain);

 private:
  struct Carried {  // the search paths of one file, split and expanded once
    bool ready = false;
    std::vector<PathElement> rpath;    // empty where a RUNPATH makes it void
    std::vector<PathElement> runpath;  // glibc alone
    bool has_runpath = false;
  };

  const Carried& carried(std::size_t file);
  void literal(std::string_view name, std::size_t asker, SearchOutcome& outcome);
  void through(const std::vector<PathElement>& elements, SearchTag tag, std::size_t carrier,
               std::string_view name, std::size_t asker, SearchOutcome& outcome);
  void candidate(Attempt attempt, std::size_t asker, SearchOutcome& outcome);
  void system(std::string_view name, std::size_t asker, SearchOutcome& outcome);

  const InstallTree& tree_;
  const LoaderKind loader_;
  std::vector<PathElement> ld_library_path_;
  std::vector<Carried> carried_;
};

/// Names that musl answers itself, whatever lies in the search path: libc and its old parts.
[[nodiscard]] bool is_musl_own(std::string_view name);

}  // namespace wheelcheck
