#pragma once

#include <string>
#include <vector>

namespace wheelcheck::cli {

/// One subcommand: takes the arguments behind its name, returns the exit code.
struct Command {
  const char* name;
  int (*run)(const std::vector<std::string>& arguments);
};

[[nodiscard]] int check_command(const std::vector<std::string>& arguments);
[[nodiscard]] int show_command(const std::vector<std::string>& arguments);
[[nodiscard]] int explain_command(const std::vector<std::string>& arguments);
[[nodiscard]] int row_command(const std::vector<std::string>& arguments);
[[nodiscard]] int tree_command(const std::vector<std::string>& arguments);
[[nodiscard]] int why_command(const std::vector<std::string>& arguments);

}  // namespace wheelcheck::cli
