#include "verifier/cli/dispatch.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "verifier/check/spelling.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/report/report.h"

namespace wheelcheck::cli {
namespace {

constexpr std::array kCommands = {
    Command{"check", check_command},     Command{"show", show_command},
    Command{"explain", explain_command}, Command{"row", row_command},
    Command{"why", why_command},         Command{"tree", tree_command},
};

const Command* find_command(std::string_view name) {
  const auto* const found = std::find_if(kCommands.begin(), kCommands.end(),
                                         [&](const Command& c) { return c.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

/// The command of a call that has options before it, as in `--stats check WHEEL`, unless a file of
/// that name is meant.
std::size_t command_behind_options(const std::vector<std::string>& arguments) {
  const auto word = std::find_if(arguments.begin(), arguments.end(),
                                 [](const std::string& a) { return !a.starts_with('-'); });
  std::error_code code;
  const bool is_one = word != arguments.end() && find_command(*word) != nullptr &&
                      (word == arguments.begin() || !std::filesystem::exists(*word, code));
  return is_one ? static_cast<std::size_t>(word - arguments.begin()) : arguments.size();
}

constexpr std::string_view kHelp =
    R"(wheelcheck: will this wheel load? Reads built wheels without installing or unpacking them.

  wheelcheck [check] [OPTIONS] WHEEL...   judge wheels, or every wheel of a folder
  wheelcheck why WHEEL LIB                why a library loads, or does not, and what mends it
  wheelcheck tree WHEEL [LIB]             what each library loads, and from where
  wheelcheck show FILE                    the facts of a wheel or an ELF file
  wheelcheck explain [RULE...]            what a rule means, or all rules in a line each
  wheelcheck row [VALUE]                  what a row of the build matrix, such as cu130, means
  wheelcheck COMMAND --help               the options of a command
  wheelcheck --version

Exit code: 0 clean, 1 findings, 2 wrong call, 3 something could not be read, 70 a defect in
wheelcheck; where several apply, the highest.
)";

}  // namespace

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    usage_error("nothing to check");
    complain(kHelp);
    return kExitUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") return say(kHelp);
  if (first == "--version") return say("wheelcheck " + std::string(tool_version()) + "\n");
  const std::size_t at = command_behind_options(arguments);
  if (at != arguments.size()) {
    std::vector<std::string> rest = arguments;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    return find_command(arguments[at])->run(rest);
  }
  // A word that is no file is more likely a command with a slip in it.
  std::error_code code;
  const bool plain_word = first.find_first_of("-./*") != 0 && first.find('.') == std::string::npos;
  if (plain_word && !std::filesystem::exists(first, code)) {
    std::vector<std::string> names;
    for (const Command& command : kCommands) names.emplace_back(command.name);
    if (const auto near = nearest_word(first, names)) {
      return usage_error("'" + first + "' is neither a command nor a file; did you mean '" + *near +
                         "'?");
    }
  }
  return check_command(arguments);
}

}  // namespace wheelcheck::cli
