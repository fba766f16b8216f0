#include <string>
#include <vector>

#include "CLI/CLI.hpp"

#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/options.h"
#include "verifier/cli/subject_options.h"
#include "verifier/report/report.h"
#include "verifier/why/explain.h"
#include "verifier/why/tree.h"

namespace wheelcheck::cli {

namespace {

template <class Answer>
int print(const Result<Answer>& answer, const SubjectArguments& given) {
  if (!answer) return usage_error(answer.error().message());
  const bool written = put(given.format == "json" ? json_of(*answer) : text_of(*answer));
  return written ? answer->exit_code() : kExitUnreadable;
}

}  // namespace

int why_command(const std::vector<std::string>& arguments) {
  SubjectArguments given;
  CLI::App app("Explains why a library loads, or does not, and what would mend it.",
               "wheelcheck why");
  declare(app, given, "path, file name, SONAME, or the loader's own message in quotes");
  if (const auto code = parse_options(app, arguments)) return *code;
  if (given.subject.empty()) return usage_error("nothing to explain: name a wheel and a library");
  if (given.library.empty()) {
    return usage_error("which library? name it, or give the loader's message");
  }
  int code = kExitUsage;
  const auto subject = read_subject(given, code);
  if (subject == nullptr) return code;
  return print(explain(*subject, given.library), given);
}

int tree_command(const std::vector<std::string>& arguments) {
  SubjectArguments given;
  CLI::App app("Shows what each extension, program and library loads, in the order of loading.",
               "wheelcheck tree");
  declare(app, given, "only what loads this: path, file name or SONAME");
  if (const auto code = parse_options(app, arguments)) return *code;
  if (given.subject.empty()) return usage_error("nothing to show: name a wheel or a folder");
  int code = kExitUsage;
  const auto subject = read_subject(given, code);
  if (subject == nullptr) return code;
  return print(tree_of(*subject, given.library), given);
}

}  // namespace wheelcheck::cli
