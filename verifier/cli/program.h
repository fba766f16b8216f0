#pragma once

#include <filesystem>
#include <string>

namespace wheelcheck::testing {

struct Outcome {
  int code = -1;  ///< exit code; -1: it was ended by a signal or did not run
  std::string out;
  std::string err;
};

/// A folder that lives as long as the object, in which the built program is run.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  [[nodiscard]] std::string path() const { return root_.string(); }
  std::string write(const std::string& name, const std::string& content) const;
  std::string make_folder(const std::string& name) const;
  /// `arguments` as a shell reads them, after "wheelcheck "; `environment` before it.
  [[nodiscard]] Outcome run(const std::string& arguments,
                            const std::string& environment = "") const;

 private:
  std::filesystem::path root_;
};

}  // namespace wheelcheck::testing
