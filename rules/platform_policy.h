#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/facts.h"
#include "verifier/wheel/tags.h"

namespace wheelcheck {

/// What a platform tag allows for one architecture.
struct PlatformPolicy {
  std::string name;  ///< "manylinux_2_28"
  PlatformKind kind = PlatformKind::manylinux;
  int major = 0;
  int minor = 0;
  std::string arch;
  std::set<std::string, std::less<>> libraries;  ///< names that every such system has
  /// "GLIBC" -> {"2.2.5", ...}; versions in the order in which they were made.
  std::map<std::string, std::vector<std::string>, std::less<>> symbol_versions;
  /// library -> symbols that must not be used although the library is allowed.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> blacklist;

  [[nodiscard]] bool allows_library(std::string_view library) const {
    return libraries.find(library) != libraries.end();
  }
  /// `version`: "GLIBC_2.17". Names of families that the policy does not know are allowed.
  [[nodiscard]] bool allows_version(std::string_view version) const;
};

/// A library that is on no tag's list although nearly every system of its kind has it.
struct CommonLibrary {
  std::string name;
  std::string what;  ///< where it comes from: goes into the finding
};

class PlatformPolicies {
 public:
  [[nodiscard]] static Result<PlatformPolicies> parse(std::string_view json);

  /// The newest policy that is not newer than the tag. "linux_*" gets the newest manylinux.
  /// Null: none for that system or architecture (macOS, Windows, "any").
  [[nodiscard]] const PlatformPolicy* find(const Platform& platform) const;
  [[nodiscard]] const std::vector<PlatformPolicy>& all() const { return policies_; }
  [[nodiscard]] const CommonLibrary* common(std::string_view name) const;

 private:
  std::vector<PlatformPolicy> policies_;
  std::map<std::string, CommonLibrary, std::less<>> common_;
};

/// The platforms that a wheel is for, as its file name says (as WHEEL says without one).
[[nodiscard]] std::vector<Platform> platforms_of(const WheelFacts& wheel);

/// The strictest policy of all the tags of a wheel: each tag is a promise. A wheel without a
/// platform ("any") that holds ELF files is held to the newest manylinux of their machine.
[[nodiscard]] const PlatformPolicy* strictest(const PlatformPolicies& policies,
                                              const WheelFacts& wheel);

/// "x86_64" for EM_X86_64 and so on; empty for a machine that no platform tag names.
[[nodiscard]] std::string_view arch_of_machine(const ElfFacts& elf);

}  // namespace wheelcheck
