#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// PEP 503: lower case, runs of '-', '_', '.' become one '-'.
[[nodiscard]] std::string normalise_name(std::string_view name);
/// Whether core metadata allows it as the name of a distribution or an extra.
[[nodiscard]] bool is_valid_name(std::string_view name);

/// The machine for which environment markers are evaluated: derived from a wheel's tags, never
/// from the machine that wheelcheck runs on.
struct MarkerEnvironment {
  std::string os_name = "posix";
  std::string sys_platform = "linux";
  std::string platform_system = "Linux";
  std::string platform_machine = "x86_64";
  std::string platform_python_implementation = "CPython";
  std::string platform_release;
  std::string platform_version;
  std::string implementation_name = "cpython";
  std::string implementation_version = "3.12.0";
  std::string python_version = "3.12";
  std::string python_full_version = "3.12.0";
  std::string extra;  ///< one at a time, as in PEP 508
};

/// A parsed PEP 508 marker.
class Marker {
 public:
  struct Node;
  /// Parentheses nest at most 200 deep, as in `packaging`.
  [[nodiscard]] static Result<Marker> parse(std::string_view text);
  /// The value, or why there is none: a comparison that has no meaning ('os_name ~= "x"') or a name
  /// that the environment does not have. An installer refuses the requirement in that case.
  [[nodiscard]] Result<bool> try_evaluate(const MarkerEnvironment& environment) const;
  /// False where there is no value.
  [[nodiscard]] bool evaluate(const MarkerEnvironment& environment) const;
  [[nodiscard]] std::string str() const;
  /// True when the marker names `extra`: the requirement is an optional one.
  [[nodiscard]] bool uses_extra() const;

 private:
  friend class RequirementParser;
  std::shared_ptr<const Node> root_;
};

/// One Requires-Dist line.
struct Requirement {
  std::string text;  ///< as written
  std::string name;  ///< as written
  std::string normalised;
  std::vector<std::string> extras;  ///< normalised
  SpecifierSet specifiers;
  std::string url;
  std::optional<Marker> marker;
  std::uint32_t line = 0;  ///< of METADATA, from 1; 0: not read from there

  [[nodiscard]] static Result<Requirement> parse(std::string_view text);
  /// Holds in `environment` with any of `extras` asked for (and with none).
  [[nodiscard]] bool applies(MarkerEnvironment environment,
                             const std::set<std::string>& extras) const;
};

}  // namespace wheelcheck
