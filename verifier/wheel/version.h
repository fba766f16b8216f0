#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"

namespace wheelcheck {

/// A PEP 440 version. Parses, orders and prints like `packaging.version.Version`. Numbers may be
/// of any length, so they are kept as decimal digits without leading zeros.
class Version {
 public:
  [[nodiscard]] static Result<Version> parse(std::string_view text);

  [[nodiscard]] std::string str() const;          ///< normalised: "1.5.0.dev20260822+cu130"
  [[nodiscard]] std::string public_part() const;  ///< without "+local"
  [[nodiscard]] std::string local() const;        ///< "cu130"; empty when there is none
  [[nodiscard]] bool is_prerelease() const;       ///< a, b, rc or dev
  [[nodiscard]] bool is_postrelease() const { return post_.has_value(); }
  [[nodiscard]] const std::string& epoch() const { return epoch_; }
  [[nodiscard]] const std::vector<std::string>& release() const { return release_; }
  /// `packaging`'s order: 1.0 equals 1.0.0, and 1.0 stands before 1.0+local.
  [[nodiscard]] std::strong_ordering operator<=>(const Version& other) const;
  [[nodiscard]] bool operator==(const Version& other) const { return (*this <=> other) == 0; }

 private:
  friend class Specifier;
  friend class VersionScanner;
  [[nodiscard]] std::strong_ordering compare_public(const Version& other) const;
  [[nodiscard]] std::string str(bool with_local, bool trim_zeros) const;
  /// Same epoch and release, whatever the number of zeros behind it.
  [[nodiscard]] bool same_release(const Version& other) const;

  std::string epoch_ = "0";
  std::vector<std::string> release_;
  std::string pre_kind_;  // "", "a", "b", "rc"
  std::string pre_number_;
  std::optional<std::string> post_;
  std::optional<std::string> dev_;
  std::vector<std::string> local_;  // numbers normalised, words in lower case
};

/// One clause: ">=13", "==1.*", "~=2.2", "===1.0".
class Specifier {
 public:
  [[nodiscard]] static Result<Specifier> parse(std::string_view text);
  /// How long the clause is that starts at `at`, without white space around it; nothing when none
  /// starts there. More text may follow: "==1.0foo" is a clause of 5 bytes.
  [[nodiscard]] static std::optional<std::size_t> length_at(std::string_view text, std::size_t at);

  /// Pre-releases are accepted. "===" compares with `version.str()`.
  [[nodiscard]] bool contains(const Version& version) const;
  /// The same of a text that need not be a version: "===" compares it as it is, every other
  /// operator is false when it is none.
  [[nodiscard]] bool contains_text(std::string_view version) const;
  [[nodiscard]] const std::string& op() const { return op_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] std::string str() const { return op_ + version_; }
  /// What equality compares: same operator, same canonical version ("1.0" for ">=1.0.0" too).
  [[nodiscard]] std::string canonical() const;
  /// Equal as `packaging` sees it: same operator, same canonical version.
  [[nodiscard]] bool operator==(const Specifier& other) const {
    return canonical() == other.canonical();
  }

 private:
  std::string op_;
  std::string version_;            // as written, stripped
  std::optional<Version> parsed_;  // without ".*"; nothing for "===" of something else
  bool wildcard_ = false;
};

/// Comma-separated clauses, all of which must hold. Equality ignores order and repetition:
/// ">=13,<14" == "<14,>=13".
class SpecifierSet {
 public:
  /// An empty text is the set that holds every version.
  [[nodiscard]] static Result<SpecifierSet> parse(std::string_view text);
  /// `prereleases`: false refuses every pre-release, whatever the clauses name; true is also what
  /// `packaging` does where it is not told, since a lone version has no alternative.
  [[nodiscard]] bool contains(const Version& version, bool prereleases = true) const;
  [[nodiscard]] const std::vector<Specifier>& clauses() const { return clauses_; }
  [[nodiscard]] bool empty() const { return clauses_.empty(); }
  /// Sorted and without repetition, as `packaging` prints it: "!=1.5,<2,>=1".
  [[nodiscard]] std::string str() const;
  [[nodiscard]] bool operator==(const SpecifierSet& other) const;

 private:
  std::vector<Specifier> clauses_;  // as written
};

}  // namespace wheelcheck
