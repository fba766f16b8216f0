#pragma once

#include <cstddef>
#include <string_view>

#include "verifier/wheel/version.h"

namespace wheelcheck {

/// Reads the longest version at a place in a text; versions and specifiers share its grammar.
/// Every part takes what it can and never gives back, so one pass is enough.
class VersionScanner {
 public:
  VersionScanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  /// [v][epoch!]release; false when no release starts here.
  [[nodiscard]] bool scan_release(Version& version);
  /// [pre][post][dev], each of which may be missing.
  void scan_suffix(Version& version);
  /// [+local]
  void scan_local(Version& version);
  [[nodiscard]] bool take(std::string_view literal);
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  [[nodiscard]] std::string_view digits();
  void separator();
  [[nodiscard]] std::string_view word(const std::string_view* begin, const std::string_view* end);
  [[nodiscard]] bool scan_pre(Version& version);
  [[nodiscard]] bool scan_post(Version& version);
  [[nodiscard]] bool scan_dev(Version& version);

  std::string_view text_;
  std::size_t at_;
};

}  // namespace wheelcheck
