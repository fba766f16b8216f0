#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// PEP 503: lower case, runs of '-', '_', '.' become one '-'.
[[nodiscard]] std::string normalise_name(std::string_view name);

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
  [[nodiscard]] static Result<Marker> parse(std::string_view text);
  [[nodiscard]] bool evaluate(const MarkerEnvironment& environment) const;
  [[nodiscard]] std::string str() const;
  /// True when the marker names `extra`: the requirement is an optional one.
  [[nodiscard]] bool uses_extra() const;

 private:
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

  [[nodiscard]] static Result<Requirement> parse(std::string_view text);
  /// Holds in `environment` with any of `extras` asked for (and with none).
  [[nodiscard]] bool applies(MarkerEnvironment environment,
                             const std::set<std::string>& extras) const;
};

}  // namespace wheelcheck
