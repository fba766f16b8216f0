#include <string>
#include <vector>

#include "CLI/CLI.hpp"

#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/options.h"
#include "verifier/report/escape.h"
#include "verifier/report/report.h"
#include "verifier/why/explain.h"
#include "verifier/why/subject.h"

namespace wheelcheck::cli {

int why_command(const std::vector<std::string>& arguments) {
  std::string wheel;
  std::string question;
  std::string format = "text";
  Subject::Options options;
  CLI::App app("Explains why a library of a wheel loads, or does not, and what would mend it.",
               "wheelcheck why");
  app.add_option("WHEEL", wheel, "a wheel")->type_name("");
  app.add_option("LIB", question,
                 "path in the wheel, file name, SONAME, or the loader's own message in quotes")
      ->type_name("");
  app.add_option("--with", options.with,
                 "wheel, folder of wheels or site-packages, installed beside")
      ->allow_extra_args(false)
      ->type_name("PATH");
  app.add_option("--format", format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
  if (const auto code = parse_options(app, arguments)) return *code;
  if (wheel.empty()) return usage_error("nothing to explain: name a wheel and a library");
  if (question.empty()) return usage_error("which library? name it, or give the loader's message");

  auto subject = Subject::read(wheel, options);
  if (!subject) {
    complain("wheelcheck: error: " + printable(subject.error().message()) + "\n");
    return kExitUnreadable;
  }
  if ((*subject)->tree().loader() == LoaderKind::none) {
    complain("wheelcheck: error: " + printable(wheel) +
             ": no loader is known for its platform, so nothing can be said of it\n");
    return kExitUnreadable;
  }
  const auto answer = explain(**subject, question);
  if (!answer) return usage_error(answer.error().message());
  const bool written = put(format == "json" ? json_of(*answer) : text_of(*answer));
  return written ? answer->exit_code() : kExitUnreadable;
}

}  // namespace wheelcheck::cli
