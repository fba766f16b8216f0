#include "release/harness/shell.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>

namespace wheelcheck::harness {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += R"('\'')";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

Outcome run_clean(const std::vector<std::string>& command) {
  std::string line = "env -i PATH=/usr/bin:/bin";
  for (const std::string& word : command) line += " " + quoted(word);
  line += " 2>&1 </dev/null";
  Outcome outcome;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> block{};
  std::size_t count = 0;
  while ((count = std::fread(block.data(), 1, block.size(), pipe)) > 0) {
    outcome.output.append(block.data(), count);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "wheel-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code code;
  std::filesystem::remove_all(path_, code);
}

}  // namespace wheelcheck::harness
