#include "verifier/loader/host_machine.h"

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

/// What the machine's own loader says of "glibc-hwcaps": the folders that it searches, in order.
std::vector<std::string> searched_by_ld_so() {
  std::vector<std::string> levels;
#ifdef __x86_64__
  constexpr const char* kCommand = "LC_ALL=C /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(kCommand, "r"), pclose);
  std::array<char, 256> line{};
  while (output && std::fgets(line.data(), static_cast<int>(line.size()), output.get())) {
    const std::string_view text(line.data());
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == text.npos || !text.substr(begin).starts_with("x86-64-v")) continue;
    if (text.find("(supported, searched)") == text.npos) continue;
    levels.push_back("glibc-hwcaps/" +
                     std::string(text.substr(begin, text.find(' ', begin) - begin)) + "/");
  }
#endif
  return levels;
}

TEST(HostMachine, ProcessorLevelsAreThoseThatLdSoSearches) {
  const std::vector<std::string> expected = searched_by_ld_so();
  if (expected.empty()) GTEST_SKIP() << "the loader of this machine does not say what it searches";
  const auto machine = host_machine();
  ASSERT_TRUE(machine.ok()) << machine.error().message();
  std::vector<std::string> found;
  for (const std::string& directory : machine->subdirectories) {
    if (directory.starts_with("glibc-hwcaps/")) found.push_back(directory);
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace wheelcheck
