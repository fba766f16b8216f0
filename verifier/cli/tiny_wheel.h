#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace wheelcheck::testing {

/// A small wheel for tests of the program: members are stored, RECORD and the rest of dist-info are
/// made. "demo-1.0-py3-none-any.whl" unless told otherwise.
class TinyWheel {
 public:
  explicit TinyWheel(std::string tag = "py3-none-any", const std::string& requires_dist = "");

  TinyWheel& add(std::string name, std::string content);
  /// A symbolic link; RECORD has it as what installers make of it.
  TinyWheel& add_link(std::string name, std::string target);
  [[nodiscard]] std::string file_name() const;
  /// Writes it into `directory`. Returns the path.
  std::string write(const std::string& directory) const;

 private:
  std::string tag_;
  std::vector<std::pair<std::string, std::string>> members_;
  std::set<std::string> links_;
};

/// A shared library for x86_64 that needs `needed` and has that RUNPATH (empty: none).
[[nodiscard]] std::string tiny_library(const std::vector<std::string>& needed,
                                       const std::string& runpath = "");

}  // namespace wheelcheck::testing
