#include "verifier/cli/subject_options.h"

#include <charconv>
#include <filesystem>

#include "CLI/CLI.hpp"

#include "verifier/cli/console.h"
#include "verifier/report/escape.h"
#include "verifier/report/report.h"

namespace wheelcheck::cli {
namespace {

/// "2.41"
std::optional<GlibcVersion> parse_glibc(const std::string& text) {
  GlibcVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return version;
}

}  // namespace

void declare(CLI::App& app, SubjectArguments& arguments, const std::string& library_help) {
  Subject::Options& options = arguments.options;
  const auto repeats = [](CLI::Option* option, const char* type) {
    option->allow_extra_args(false)->type_name(type);
  };
  app.add_option("WHEEL_OR_FOLDER", arguments.subject,
                 "a wheel, or a folder with installed packages")
      ->type_name("");
  app.add_option("LIB", arguments.library, library_help)->type_name("");
  repeats(app.add_option("--with", options.with,
                         "wheel, folder of wheels or site-packages, installed beside"),
          "PATH");
  app.add_option("--site-packages", options.site_packages,
                 "of a wheel: what is installed beside it; nothing else is")
      ->type_name("FOLDER");
  repeats(app.add_option("--preload", options.preload,
                         "package or library that is loaded before, as by an import"),
          "NAME");
  app.add_option("--ld-library-path", options.ld_library_path, "as if it were set to this")
      ->type_name("PATH");
  app.add_option("--glibc", arguments.glibc, "rules of this version (default: 2.36)")
      ->type_name("VERSION");
  app.add_flag("--host", options.host,
               "of a folder: look into this machine's directories and ld.so.cache too");
  app.add_option("--format", arguments.format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
}

std::unique_ptr<Subject> read_subject(SubjectArguments& arguments, int& code) {
  std::error_code problem;
  const bool folder = std::filesystem::is_directory(arguments.subject, problem);
  if (!arguments.glibc.empty()) {
    arguments.options.glibc = parse_glibc(arguments.glibc);
    if (!arguments.options.glibc) {
      code = usage_error("'" + arguments.glibc + "' is no version of glibc, such as 2.41");
      return nullptr;
    }
  }
  if (arguments.options.host && !folder) {
    code = usage_error("--host is for folders: a wheel lies on no machine yet");
    return nullptr;
  }
  if (!arguments.options.site_packages.empty() && folder) {
    code = usage_error("--site-packages is for wheels: a folder is one itself");
    return nullptr;
  }
  auto subject = Subject::read(arguments.subject, arguments.options);
  if (subject) return *std::move(subject);
  complain("wheelcheck: error: " + printable(subject.error().message()) + "\n");
  code = kExitUnreadable;
  return nullptr;
}

}  // namespace wheelcheck::cli
