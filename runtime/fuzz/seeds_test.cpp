// The inputs that fuzzing starts from are good ones: what is refused at once leads nowhere.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/fuzz/exercise.h"

namespace executorch::runtime::fuzz {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RUNTIME_FUZZ_CORPUS)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Reached reached(const std::string& name) {
  std::ifstream in(std::string(RUNTIME_FUZZ_CORPUS) + "/" + name, std::ios::binary);
  const std::vector<char> raw{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return exercise(std::vector<std::uint8_t>(raw.begin(), raw.end()));
}

TEST(Seeds, AreThere) { EXPECT_GE(seeds().size(), 15U); }

TEST(Seeds, TensorFilesAreLoadedAndProgramsRun) {
  for (const std::string& name : seeds()) {
    if (name.starts_with("found-")) continue;  // what once failed
    const bool tensors = name == "tensors" || name == "aoti_cuda_blob";
    EXPECT_EQ(reached(name), tensors ? Reached::kLoaded : Reached::kRan) << name;
  }
}

}  // namespace
}  // namespace executorch::runtime::fuzz
