#include "verifier/cli/program.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace wheelcheck::testing {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Sandbox::Sandbox() {
  std::string pattern = (std::filesystem::temp_directory_path() / "wheelcheck-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  root_ = pattern;
}

Sandbox::~Sandbox() {
  std::error_code code;
  std::filesystem::remove_all(root_, code);
}

std::string Sandbox::write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories((root_ / name).parent_path());
  std::ofstream(root_ / name, std::ios::binary) << content;
  return (root_ / name).string();
}

std::string Sandbox::make_folder(const std::string& name) const {
  std::filesystem::create_directories(root_ / name);
  return (root_ / name).string();
}

Outcome Sandbox::run(const std::string& arguments, const std::string& environment) const {
  // Facts that other runs kept, or leave, are no part of a test.
  const std::string command = "cd '" + path() + "' && export XDG_CACHE_HOME='" + path() +
                              "/cache' && (" + environment + " '" WHEELCHECK_PROGRAM "' " +
                              arguments + ") >.out 2>.err </dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  outcome.out = content_of(root_ / ".out");
  outcome.err = content_of(root_ / ".err");
  return outcome;
}

}  // namespace wheelcheck::testing
