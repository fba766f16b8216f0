#include "verifier/cli/options.h"

#include <algorithm>

#include "CLI/CLI.hpp"

#include "verifier/check/spelling.h"
#include "verifier/cli/console.h"

namespace wheelcheck::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::optional<int> parse_options(CLI::App& app, const std::vector<std::string>& arguments) {
  // Taken along instead of refused, so that the message can be ours.
  app.allow_extras();
  app.get_formatter()->column_width(28);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return say(app.help());
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return std::nullopt;
  const std::string name = extras[0].substr(0, extras[0].find('='));
  if (name.starts_with("-")) {
    return usage_error("there is no option '" + name + "'" +
                       spelling_hint(name, option_names(app)));
  }
  return usage_error("'" + name + "' is one argument too many");
}

}  // namespace wheelcheck::cli
