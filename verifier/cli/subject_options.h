#pragma once

#include <memory>
#include <string>

#include "verifier/cli/surroundings_options.h"
#include "verifier/why/subject.h"

namespace CLI {
class App;
}

namespace wheelcheck::cli {

/// The arguments that `why` and `tree` share.
struct SubjectArguments {
  std::string subject;
  std::string library;
  std::string format = "text";
  SurroundingsTexts texts;
  Subject::Options options;
};

/// Declares all of them but the library, which each command describes in its own words.
void declare(CLI::App& app, SubjectArguments& arguments, const std::string& library_help);

/// Reads the subject. Null: it could not be, which has been complained of; `code` is then the exit
/// code.
[[nodiscard]] std::unique_ptr<Subject> read_subject(SubjectArguments& arguments, int& code);

}  // namespace wheelcheck::cli
