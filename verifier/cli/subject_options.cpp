#include "verifier/cli/subject_options.h"

#include <filesystem>

#include "CLI/CLI.hpp"

#include "verifier/cli/console.h"
#include "verifier/report/escape.h"
#include "verifier/report/report.h"

namespace wheelcheck::cli {
void declare(CLI::App& app, SubjectArguments& arguments, const std::string& library_help) {
  Subject::Options& options = arguments.options;
  app.add_option("WHEEL_OR_FOLDER", arguments.subject,
                 "a wheel, or a folder with installed packages")
      ->type_name("");
  app.add_option("LIB", arguments.library, library_help)->type_name("");
  app.add_option("--with", options.with,
                 "wheel, folder of wheels or site-packages, installed beside")
      ->allow_extra_args(false)
      ->type_name("PATH");
  declare(app, options.surroundings, arguments.texts);
  declare_no_cache(app, options.cache);
  app.add_option("--format", arguments.format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
}

std::unique_ptr<Subject> read_subject(SubjectArguments& arguments, int& code) {
  std::error_code problem;
  const bool folder = std::filesystem::is_directory(arguments.subject, problem);
  if (const auto wrong = settle(arguments.options.surroundings, arguments.texts)) {
    code = *wrong;
    return nullptr;
  }
  if (arguments.options.surroundings.layout && folder) {
    code = usage_error(
        "--site-packages and --site-packages-layout are for wheels: a folder is "
        "taken as it is");
    return nullptr;
  }
  auto subject = Subject::read(arguments.subject, arguments.options);
  if (subject) return *std::move(subject);
  complain("wheelcheck: error: " + printable(subject.error().message()) + "\n");
  code = kExitUnreadable;
  return nullptr;
}

}  // namespace wheelcheck::cli
