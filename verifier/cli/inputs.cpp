#include "verifier/cli/inputs.h"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <iterator>
#include <system_error>

namespace wheelcheck::cli {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> wheels_in(const std::string& directory) {
  std::vector<std::string> wheels;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".whl") wheels.push_back(entry->path().string());
  }
  if (code) return Error{directory, "cannot be listed: " + code.message(), {}};
  if (wheels.empty()) return Error{directory, "there is no wheel (*.whl) in this folder", {}};
  std::sort(wheels.begin(), wheels.end());
  return wheels;
}

Result<std::vector<std::string>> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files;
  if (status == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (status == 0) return files;
  if (status == GLOB_NOMATCH) return Error{pattern, "no file matches this pattern", {}};
  return Error{pattern, "the files that match this pattern cannot be listed", {}};
}

}  // namespace

Result<std::vector<std::string>> expand_inputs(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  const auto append = [&files](Result<std::vector<std::string>>& more) {
    std::move(more->begin(), more->end(), std::back_inserter(files));
  };
  for (const std::string& argument : arguments) {
    std::error_code code;
    if (fs::is_directory(argument, code)) {
      auto wheels = wheels_in(argument);
      if (!wheels) return wheels.error();
      append(wheels);
    } else if (argument.find_first_of("*?[") != std::string::npos && !fs::exists(argument, code)) {
      auto matches = matches_of(argument);
      if (!matches) return matches.error();
      append(matches);
    } else {
      files.push_back(argument);
    }
  }
  return files;
}

}  // namespace wheelcheck::cli
