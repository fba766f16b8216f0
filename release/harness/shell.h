#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wheelcheck::harness {

struct Outcome {
  int code = -1;       ///< exit code; -1: ended by a signal, or not started
  std::string output;  ///< standard output and standard error together
};

/// Runs a program in an empty environment, but for PATH=/usr/bin:/bin: no toolkit, no search path
/// and no variable of the machine reaches it.
[[nodiscard]] Outcome run_clean(const std::vector<std::string>& command);

/// A folder that lives as long as the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace wheelcheck::harness
