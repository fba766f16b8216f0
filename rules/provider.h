#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/install_tree.h"
#include "verifier/wheel/facts.h"
#include "verifier/wheel/requirement.h"

namespace wheelcheck {

struct Policy;   // rules/policy.h
struct Profile;  // rules/profile.h

/// What one distribution ships in one range of versions.
struct ProviderRow {
  std::string distribution;  ///< normalised
  SpecifierSet versions;
  std::vector<DeclaredLibrary> libraries;
  std::vector<Requirement> requires_dist;  ///< with markers and extras, as in METADATA
  bool preloads = false;                   ///< importing the package loads its libraries
  std::string cuda;                        ///< "13" when it belongs to one CUDA major, else empty
};

class ProviderTable {
 public:
  [[nodiscard]] static Result<ProviderTable> parse(std::string_view json);

  /// Rows of a distribution, newest first.
  [[nodiscard]] std::span<const ProviderRow> rows(std::string_view distribution) const;
  /// The newest row that a requirement's specifiers can mean. Null: none known.
  [[nodiscard]] const ProviderRow* choose(const Requirement& requirement) const;
  /// Every row that ships a library of that SONAME or file name.
  [[nodiscard]] std::vector<const ProviderRow*> shippers(std::string_view library) const;
  /// Rows with a library in that directory ("nvidia/cu13/lib").
  [[nodiscard]] std::vector<const ProviderRow*> in_directory(std::string_view directory) const;
  [[nodiscard]] const std::vector<ProviderRow>& all() const { return rows_; }

 private:
  std::vector<ProviderRow> rows_;  // grouped by distribution, newest first
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> by_name_;
};

/// The tree that an installer would lay down for `wheel`: requirements are followed, with the
/// markers of the wheel's own platform, through the wheels that are given and the table; a given
/// wheel replaces the table's rows of its name. Hosts of the profile are added as such.
/// `only_given`: what is given is all there is, and the table's libraries are left out. `layout`:
/// where they all go.
[[nodiscard]] InstallTree install(const WheelFacts& wheel, std::span<const WheelFacts* const> given,
                                  const Policy& policy, const Profile& profile,
                                  bool only_given = false,
                                  SitePackagesLayout layout = SitePackagesLayout::joined);

}  // namespace wheelcheck
