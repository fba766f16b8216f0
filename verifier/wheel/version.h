#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"

namespace wheelcheck {

/// A PEP 440 version. Parses, orders and prints like `packaging.version.Version`.
class Version {
 public:
  [[nodiscard]] static Result<Version> parse(std::string_view text);

  [[nodiscard]] std::string str() const;          ///< normalised: "1.5.0.dev20260822+cu130"
  [[nodiscard]] std::string public_part() const;  ///< without "+local"
  [[nodiscard]] std::string local() const;        ///< "cu130"; empty when there is none
  [[nodiscard]] bool is_prerelease() const;       ///< a, b, rc or dev
  [[nodiscard]] const std::vector<std::string>& release() const { return release_; }
  [[nodiscard]] std::strong_ordering operator<=>(const Version& other) const;
  [[nodiscard]] bool operator==(const Version& other) const { return (*this <=> other) == 0; }

 private:
  friend class Specifier;
  std::string epoch_ = "0";  // decimal digits without leading zeros: numbers may be of any length
  std::vector<std::string> release_;  // likewise
  std::string pre_kind_;              // "", "a", "b", "rc"
  std::string pre_number_;
  std::optional<std::string> post_;
  std::optional<std::string> dev_;
  std::vector<std::string> local_;
};

/// One clause: ">=13", "==1.*", "~=2.2", "===1.0".
class Specifier {
 public:
  [[nodiscard]] static Result<Specifier> parse(std::string_view text);
  [[nodiscard]] bool contains(const Version& version) const;
  [[nodiscard]] const std::string& op() const { return op_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::string str() const { return op_ + version_; }
  /// Equal as `packaging` sees it: same operator, same canonical version.
  [[nodiscard]] bool operator==(const Specifier& other) const;

 private:
  std::string op_;
  std::string version_;  // as written, stripped
};

/// Comma-separated clauses, all of which must hold. Equality ignores order: ">=13,<14" ==
/// "<14,>=13".
class SpecifierSet {
 public:
  [[nodiscard]] static Result<SpecifierSet> parse(std::string_view text);
  /// `prereleases`: accept pre-releases even where no clause names one.
  [[nodiscard]] bool contains(const Version& version, bool prereleases = true) const;
  [[nodiscard]] const std::vector<Specifier>& clauses() const { return clauses_; }
  [[nodiscard]] std::string str() const;
  [[nodiscard]] bool operator==(const SpecifierSet& other) const;

 private:
  std::vector<Specifier> clauses_;
};

}  // namespace wheelcheck
