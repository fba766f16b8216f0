#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "verifier/core/result.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Symbols that must have one definer, and the right one.
struct SymbolGroup {
  std::string name;                   ///< "caller-stream"
  std::string what;                   ///< what breaks with two: goes into the finding
  std::vector<std::string> owners;    ///< member globs, any of which is the right definer; empty:
                                      ///< any one file
  std::vector<std::string> symbols;   ///< exact dynamic symbol names, mangled
  std::vector<std::string> prefixes;  ///< of symbols that are told by a class only
  std::vector<std::string> exempt;    ///< member globs whose own copy is allowed
  /// Symbols that tell that the group is meant at all; empty: any of its symbols does. Other
  /// packages define some of the same names for themselves.
  std::vector<std::string> sentinels;
  /// Local symbols that betray a copy of the state where the functions were inlined away.
  std::vector<std::string> local_state;
  bool complete = true;        ///< all of `symbols` or none
  bool owner_exports = true;   ///< an owner that is there must export some of it
  bool strong = true;          ///< a weak definition does not count as the owner
  Level level = Level::error;  ///< of a second definer
  [[nodiscard]] bool applies_to(std::string_view symbol) const;
};

/// Imports that prove that a file uses the one copy instead of a hidden one of its own.
struct ImportProof {
  std::string what;                  ///< what a hidden copy would break
  std::vector<std::string> files;    ///< member globs
  std::vector<std::string> symbols;  ///< each must be undefined in each file
  bool no_tls = false;               ///< thread-local storage of its own betrays a copy
};

/// Symbols that files must not take from elsewhere.
struct ImportBan {
  std::vector<std::string> files;    ///< member globs
  std::vector<std::string> symbols;  ///< globs over symbol names, as the file has them
  std::string what;                  ///< why
};

/// A NEEDED that must, or must not, be there.
struct EdgeRule {
  std::vector<std::string> files;   ///< member globs
  std::vector<std::string> except;  ///< of `files`
  std::vector<std::string> needed;  ///< globs over NEEDED names
  std::string if_member;            ///< only when a member matches; empty: always
  bool forbidden = false;
  std::string what;  ///< why
};

/// A file that must be there.
struct RequiredFile {
  enum class When { always, cuda, member };
  std::vector<std::string> any_of;  ///< member globs
  When when = When::always;
  std::string member;  ///< `when` member: glob
  std::string what;
};

/// A distribution that is expected to be present although the wheel does not require it.
struct Host {
  std::string distribution;  ///< "torch"
  std::string reason;        ///< shown with the finding
};

/// What "CPU wheel" means for a package that exists in both kinds.
enum class CpuMeaning {
  by_label,    ///< generic: only a "+cpu" label makes the promise
  unless_cuda  ///< no CUDA label means a CPU wheel, whatever else the label says
};

/// What is expected of a kind of package. Chosen by name and content, shown in the report.
struct Profile {
  std::string name;                           ///< "generic", "executorch-upstream", "executorch"
  std::string chosen_because;                 ///< filled in what choose_profile returns
  std::vector<std::string> distributions;     ///< normalised names it is for
  std::vector<std::string> requires_members;  ///< or: globs that must all match a member
  std::vector<std::string> excludes_members;  ///< and in either case globs that must match none
  std::string layout_since;  ///< owners, edges and files are promised from this version on; "": all
  std::vector<Host> hosts;
  std::vector<SymbolGroup> groups;
  std::vector<ImportProof> imports;
  std::vector<ImportBan> forbidden_imports;
  std::vector<EdgeRule> edges;
  std::vector<RequiredFile> required_files;
  CpuMeaning cpu = CpuMeaning::by_label;
  /// The label is one of trains.json: name, requirement, architectures and toolkit follow from it.
  bool trains = false;
  std::vector<std::string> cuda_only;        ///< member globs that a CPU wheel must not hold
  std::vector<std::string> device_code;      ///< member globs that hold device code in a CUDA wheel
  std::vector<std::string> known_libraries;  ///< globs of what may lie in `library_directory`
  std::string library_directory;             ///< "executorch/lib"; empty: not judged
  std::vector<std::string> soname_is_name;   ///< member globs whose SONAME is the file name
  std::vector<std::string> version_files;    ///< member globs that repeat the version
  std::vector<std::string> optional_plugins;  ///< member globs that may fail to load by design
  std::vector<std::string> alternates;        ///< member globs of which one is loaded
};

/// The profiles of a policy file, the generic one last.
[[nodiscard]] Result<std::vector<Profile>> parse_profiles(std::string_view json);

/// True when the profile promises its layout for a wheel of this version.
[[nodiscard]] bool layout_applies(const Profile& profile, const WheelFacts& wheel);

}  // namespace wheelcheck
