// What can only be judged where a wheel is installed, and nothing else is.
//   installed_wheel_test [--gpu] [--wheelcheck PROGRAM --wheel WHEEL] SITE-PACKAGES PYTHON SOURCES
//                        [MODEL.pte [CUDA-MODEL.pte]]
// SOURCES: this repository. Models without weights of their own, as fixtures/exports has them.
// --gpu: there is a GPU, wherever the system shows it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "release/harness/loader_answers.h"
#include "release/harness/shell.h"

namespace wheelcheck::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

struct Given {
  fs::path site;
  std::string python;
  fs::path sources;
  std::string model;
  std::string cuda_model;
  std::string wheelcheck;
  std::string wheel;
  bool gpu = false;
};
Given given;

fs::path package() { return given.site / "executorch"; }

/// "cpu" or "cu130": the local version of the distribution that is installed.
std::string label() {
  static const std::regex kInfo(R"(executorch-[^+]*\+([a-z0-9]+)\.dist-info)");
  for (const auto& entry : fs::directory_iterator(given.site)) {
    std::smatch found;
    const std::string name = entry.path().filename().string();
    if (std::regex_match(name, found, kInfo)) return found[1];
  }
  return {};
}

bool is_elf(const fs::path& path) {
  std::string magic(4, '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(magic.data(), 4) && magic ==
                                           "\x7f"
                                           "ELF";
}

std::vector<fs::path> libraries() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(package())) {
    if (entry.is_regular_file() && is_elf(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Configures and builds a user's project.
Outcome build(const fs::path& source, const fs::path& folder, std::vector<std::string> options) {
  std::vector<std::string> command = {"cmake",         "-S",
                                      source.string(), "-B",
                                      folder.string(), "-DCMAKE_PREFIX_PATH=" + package().string()};
  command.insert(command.end(), options.begin(), options.end());
  Outcome outcome = run_clean(command);
  if (outcome.code != 0) return outcome;
  return run_clean({"cmake", "--build", folder.string()});
}

TEST(Installed, HasALabel) { EXPECT_NE(label(), "") << given.site; }

TEST(Installed, EveryLibraryFindsAllThatItNeeds) {
  const auto found = libraries();
  ASSERT_FALSE(found.empty());
  for (const fs::path& library : found) {
    const Outcome outcome = run_clean({"ldd", library.string()});
    EXPECT_EQ(outcome.code, 0) << library << outcome.output;
    EXPECT_THAT(outcome.output, Not(HasSubstr("not found"))) << library;
    // What is not the system's comes from the environment.
    static const std::regex kResolved(R"(\S+ => (/\S+) \()");
    for (std::sregex_iterator at(outcome.output.begin(), outcome.output.end(), kResolved), end;
         at != end; ++at) {
      const std::string place = fs::canonical((*at)[1].str()).string();
      const bool system = place.starts_with("/lib") || place.starts_with("/usr/lib");
      EXPECT_TRUE(system || place.starts_with(fs::canonical(given.site).string()))
          << library << " gets " << place;
    }
  }
}

TEST(Installed, WheelcheckAndTheSystemLoadTheSameInTheSameOrder) {
  if (given.wheelcheck.empty()) GTEST_SKIP() << "no wheelcheck was given";
  // Of the installed files with this machine's libraries, and of the wheel alone.
  const auto of_site = trees_of_wheelcheck({given.wheelcheck, "tree", given.site, "--host"});
  const auto of_wheel = trees_of_wheelcheck({given.wheelcheck, "tree", given.wheel});
  std::size_t compared = 0;
  for (const fs::path& library : libraries()) {
    const std::string name = fs::relative(library, given.site).string();
    EXPECT_EQ(of_site.contains(name), of_wheel.contains(name)) << name;
    if (!of_site.contains(name) || !of_wheel.contains(name)) continue;
    const Loaded real = loaded_by_system(library, given.site);
    EXPECT_EQ(of_site.at(name), real) << name;
    EXPECT_EQ(without_system(of_wheel.at(name)), without_system(real)) << name;
    ++compared;
  }
  EXPECT_NE(compared, 0U);
}

TEST(Installed, WheelcheckAndTheSystemFindTheSameForEveryNeedOfEveryLibrary) {
  if (given.wheelcheck.empty()) GTEST_SKIP() << "no wheelcheck was given";
  for (const fs::path& library : libraries()) {
    const std::string name = fs::relative(library, given.site).string();
    const Loaded real = loaded_by_system(library, given.site);
    const Loaded of_site =
        needs_of_wheelcheck({given.wheelcheck, "why", given.site, name, "--host"}, name);
    EXPECT_EQ(of_site.empty(), real.empty()) << name;  // the stream helper needs nothing
    EXPECT_EQ(of_site, only(real, of_site)) << name;
    const Loaded of_wheel = needs_of_wheelcheck({given.wheelcheck, "why", given.wheel, name}, name);
    EXPECT_EQ(without_system(of_wheel), without_system(only(real, of_wheel))) << name;
  }
}

TEST(Installed, ProgramIsBuiltAndRuns) {
  const Scratch scratch;
  const Outcome built =
      build(given.sources / "runtime/cmake/consumer", scratch.path(), {"-DCONSUMER_KERNELS=ON"});
  ASSERT_EQ(built.code, 0) << built.output;
  const std::string program = (scratch.path() / "consumer").string();
  EXPECT_THAT(run_clean({program}).output, HasSubstr("all is well\n"));
  if (given.model.empty()) GTEST_SKIP() << "no model was given";
  const Outcome ran = run_clean({program, given.model});
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("output 2\n"));  // ones are added
}

TEST(Installed, ComponentsOfCudaAreThereOrNamedAsMissing) {
  const Scratch scratch;
  const Outcome built = build(given.sources / "release/harness/consumer", scratch.path(),
                              {"-DCOMPONENTS=backend_cuda;extension_cuda"});
  if (label() == "cpu") {
    EXPECT_NE(built.code, 0) << built.output;
    const std::string text = std::regex_replace(built.output, std::regex(R"(\s+)"), " ");
    EXPECT_THAT(text, HasSubstr("has no component backend_cuda, extension_cuda"));
    return;
  }
  ASSERT_EQ(built.code, 0) << built.output;
  const Outcome ran = run_clean({(scratch.path() / "stream").string()});
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("before: none\ninside: selected\nafter: none\n"));
  EXPECT_THAT(ran.output, HasSubstr("delegate: registered\n"));
}

TEST(Installed, CudaProgramRunsWhereThereIsAGpuAndSaysWhyElsewhere) {
  if (given.cuda_model.empty()) GTEST_SKIP() << "no CUDA model was given";
  const bool cpu = label() == "cpu";
  const Scratch scratch;
  const fs::path source =
      given.sources / (cpu ? "runtime/cmake/consumer" : "release/harness/delegate");
  const Outcome built = build(source, scratch.path(), {});
  ASSERT_EQ(built.code, 0) << built.output;
  const std::string program = (scratch.path() / (cpu ? "consumer" : "delegate")).string();
  EXPECT_THAT(run_clean({program}).output, HasSubstr("all is well\n"));
  if (!cpu && !given.gpu && !fs::exists("/dev/nvidia0")) GTEST_SKIP() << "there is no GPU";
  const Outcome ran = run_clean({program, given.cuda_model});
  if (cpu) {
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.output, HasSubstr("CudaBackend is not registered"));
    return;
  }
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("output 2\n"));
}

TEST(Installed, PythonPackageIsImported) {
  if (!fs::exists(package() / "runtime/__init__.py")) GTEST_SKIP() << "it has no Python package";
  const Outcome ran =
      run_clean({given.python, "-c",
                 "from executorch.runtime import Runtime\n"
                 "import executorch.version as version\n"
                 "runtime = Runtime.get()\n"
                 "print('version', version.__version__)\n"
                 "print('operators', len(runtime.operator_registry.operator_names))"});
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("+" + label() + "\n"));
  EXPECT_THAT(ran.output, Not(HasSubstr("operators 0\n")));
}

}  // namespace
}  // namespace wheelcheck::harness

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto& given = wheelcheck::harness::given;
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--wheelcheck" && i + 1 < argc) {
      given.wheelcheck = argv[++i];
    } else if (argument == "--wheel" && i + 1 < argc) {
      given.wheel = argv[++i];
    } else if (argument == "--gpu") {
      given.gpu = true;
    } else {
      places.push_back(argument);
    }
  }
  if (places.size() < 3 || places.size() > 5 || given.wheelcheck.empty() != given.wheel.empty()) {
    std::cerr << "installed_wheel_test [--gpu] [--wheelcheck PROGRAM --wheel WHEEL] SITE-PACKAGES "
                 "PYTHON SOURCES [MODEL.pte [CUDA-MODEL.pte]]\n";
    return 2;
  }
  given.site = places[0];
  given.python = places[1];
  given.sources = places[2];
  if (places.size() > 3) given.model = places[3];
  if (places.size() > 4) given.cuda_model = places[4];
  return RUN_ALL_TESTS();
}
