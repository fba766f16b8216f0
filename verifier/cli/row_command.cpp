#include <cstdlib>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

#include "rules/policy.h"
#include "rules/row.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/options.h"
#include "verifier/report/escape.h"
#include "verifier/report/report.h"

namespace wheelcheck::cli {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

int row_command(const std::vector<std::string>& arguments) {
  std::string value;
  CLI::App app("Says what a row of the build matrix means: \"cpu\", or \"cuda 13.0\".",
               "wheelcheck row");
  const CLI::Option* given =
      app.add_option("VALUE", value,
                     "as CU_VERSION has it; none: that of the environment, or DESIRED_CUDA where "
                     "CU_VERSION is empty")
          ->type_name("");
  if (const auto code = parse_options(app, arguments)) return *code;
  if (given->count() == 0) {
    value = from_environment("CU_VERSION");
    if (value.empty()) value = from_environment("DESIRED_CUDA");
  }
  const auto row = read_row(value, Policy::built_in().trains);
  if (!row) {
    complain("wheelcheck: error: " + printable(row.error().message()) + "\n");
    return kExitFindings;
  }
  return say(row->str() + "\n");
}

}  // namespace wheelcheck::cli
