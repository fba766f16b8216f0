// What is loaded, and what is refused in which words. The libraries are those of
// testing/fake_model.cpp, CUDA is testing/fake_cuda.h.
#include <cstdlib>
#include <elf.h>
#include <executorch/runtime/backend/interface.h>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/image.h"
#include "backends/cuda/library.h"
#include "backends/cuda/private_file.h"
#include "backends/cuda/testing/fake_program.h"

namespace executorch::backends::cuda {
namespace {

using runtime::Error;
using testing::Bytes;
using ::testing::ElementsAre;
using testing::fake_constants;
using testing::fake_library;
using testing::FakeCuda;
using testing::FakeProgram;
using ::testing::HasSubstr;
using testing::Log;
using testing::ProgramOptions;

class Loading : public ::testing::Test {
 protected:
  void SetUp() override { FakeCuda::instance().reset(); }
  void TearDown() override { EXPECT_EQ(FakeCuda::instance().alive(), 0u); }

  static std::vector<float> run(const ProgramOptions& options) {
    FakeProgram program(options);
    const auto result = program.run({1, 2, 3, 4}, {10, 20, 30, 40});
    return result.ok() ? *result : std::vector<float>();
  }
  // Why it is not loaded, having made sure that nothing of it is left.
  static std::string refusal(const ProgramOptions& options, Error expected) {
    FakeProgram program(options);
    Log log;
    EXPECT_EQ(program.load(), expected);
    EXPECT_EQ(FakeCuda::instance().alive(), 0u);
    return log.text();
  }
};

TEST_F(Loading, RunsOnTheHost) { EXPECT_THAT(run({}), ElementsAre(11, 22, 33, 44)); }

TEST_F(Loading, EveryPayloadIsRead) {
  const Bytes library = fake_library("constants");
  ProgramOptions options;
  options.variant = "constants";
  options.data = fake_constants(100, 1000);
  EXPECT_THAT(run(options), ElementsAre(1111, 1122, 1133, 1144)) << "ETCUDAFQN3";

  options.library_key = "for90";
  options.payload = testing::manifest({{80, 0, false, "for80"}, {90, 0, false, "for90"}},
                                      testing::fake_entries());
  EXPECT_THAT(run(options), ElementsAre(1111, 1122, 1133, 1144)) << "ETCUDAFQN0";

  const std::string key = testing::library_key(library);
  const std::string names = key + "\nblob";
  options.library_key = key;
  options.payload = Bytes(names.begin(), names.end());
  options.data = {{"blob", testing::float_bytes({100, 1000})}};
  EXPECT_THAT(run(options), ElementsAre(1111, 1122, 1133, 1144)) << "two lines";

  options.method_name = "decode";
  options.library_key = "decode_so_blob";
  options.payload = Bytes();
  options.data = {{"decode_weights_blob", testing::float_bytes({100, 1000})}};
  EXPECT_THAT(run(options), ElementsAre(1111, 1122, 1133, 1144)) << "empty";
}

TEST_F(Loading, ALibraryIsLoadedOnce) {
  const Bytes library = fake_library("plain");
  const AotiLibrary* first = nullptr;
  const AotiLibrary* second = nullptr;
  ASSERT_EQ(AotiLibrary::get(library, "one", &first), Error::Ok);
  ASSERT_EQ(AotiLibrary::get(library, testing::library_key(library), &second), Error::Ok);
  EXPECT_EQ(first, second);
  ASSERT_EQ(AotiLibrary::get(fake_library("constants"), "one", &second), Error::Ok);
  EXPECT_NE(first, second) << "a name says nothing";
}

TEST_F(Loading, NoStackBecomesExecutable) {
  const Bytes library = fake_library("outputs");
  Imports imports;
  ASSERT_EQ(read_imports(library, "outputs", &imports), Error::Ok);
  ASSERT_NE(imports.executable_stack_flags, 0u) << "it asks for one, as those of exports do";
  const AotiLibrary* first = nullptr;
  const AotiLibrary* second = nullptr;
  ASSERT_EQ(AotiLibrary::get(library, testing::library_key(library), &first), Error::Ok);
  ASSERT_EQ(AotiLibrary::get(library, testing::library_key(library), &second), Error::Ok);
  EXPECT_EQ(first, second);
  std::ifstream maps("/proc/self/maps");
  std::size_t stacks = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[stack]") == std::string::npos) continue;
    ++stacks;
    EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
  }
  EXPECT_EQ(stacks, 1u);
}

TEST_F(Loading, AnotherHashThanTheNameSaysIsRefused) {
  ProgramOptions options;
  options.library_key = std::string(64, 'a') + "_so_blob";
  EXPECT_THAT(refusal(options, Error::InvalidProgram), HasSubstr("SHA-256"));
}

TEST_F(Loading, ALibraryCutShortIsRefused) {
  Bytes library = fake_library("plain");
  ASSERT_GT(library.size(), 4096u);
  for (std::size_t size = 1; size < library.size(); size += 211) {
    Imports imports;
    EXPECT_NE(read_imports({library.data(), size}, "cut", &imports), Error::Ok) << size;
  }
  library.resize(library.size() / 2);
  ProgramOptions options;
  options.library = library;
  EXPECT_THAT(refusal(options, Error::InvalidProgram), HasSubstr("cut short"));
}

TEST_F(Loading, ALibraryForAnotherProcessorIsRefused) {
  Bytes library = fake_library("plain");
  library[offsetof(Elf64_Ehdr, e_machine)] = EM_RISCV;
  ProgramOptions options;
  options.library = library;
  EXPECT_THAT(refusal(options, Error::NotSupported), HasSubstr("another processor"));
}

TEST_F(Loading, DamagedImagesAreReadWithinBounds) {
  const Bytes library = fake_library("plain");
  std::uint64_t state = 6;
  for (int round = 0; round < 400; ++round) {
    Bytes damaged = library;
    for (int i = 0; i < 8; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      // The header and what follows it are where a change matters.
      const std::size_t range = (round % 2) != 0 ? 1024 : damaged.size();
      damaged[(state >> 33) % range] = static_cast<std::uint8_t>(state >> 25);
    }
    Imports imports;
    const Error error = read_imports(damaged, "damaged", &imports);
    EXPECT_TRUE(error != Error::Ok || imports.symbols.size() < damaged.size());
  }
}

TEST_F(Loading, AnythingButACompiledModelIsRefused) {
  ProgramOptions options;
  options.variant = "nothing";
  EXPECT_THAT(refusal(options, Error::InvalidProgram), HasSubstr("is not a compiled model"));
  options.library = Bytes{1, 2, 3};
  EXPECT_THAT(refusal(options, Error::InvalidProgram), HasSubstr("ELF"));
}

TEST_F(Loading, MissingSymbolsAreNamedBeforeAnythingRuns) {
  ProgramOptions options;
  options.variant = "imports";
  const std::string log = refusal(options, Error::NotSupported);
  EXPECT_THAT(log, HasSubstr("nothing in this process defines aoti_torch_cuda_nobody_has_this"));
  EXPECT_THAT(log, HasSubstr("imports 1 function that is missing"));
}

TEST_F(Loading, MissingDataIsNamed) {
  ProgramOptions options;
  options.payload = testing::manifest("elsewhere", {});
  EXPECT_THAT(refusal(options, Error::NotFound), HasSubstr("'elsewhere'"));

  ProgramOptions weights;
  weights.variant = "constants";
  weights.data = {{"key.w", testing::float_bytes({1})}};
  const std::string log = refusal(weights, Error::NotFound);
  EXPECT_THAT(log, HasSubstr("'key.n'"));
  EXPECT_THAT(log, HasSubstr(".ptd"));

  weights.data.push_back({"key.n", testing::float_bytes({1, 2})});
  EXPECT_THAT(refusal(weights, Error::InvalidExternalData),
              HasSubstr("8 bytes, and the program needs 4"));
}

TEST_F(Loading, AConstantThatTheManifestLacksIsNamed) {
  ProgramOptions options;
  options.variant = "constants";
  auto entries = testing::fake_entries();
  entries.pop_back();
  options.payload = testing::manifest(testing::library_key(fake_library("constants")), entries);
  options.data = fake_constants(1, 2);
  EXPECT_THAT(refusal(options, Error::InvalidProgram), HasSubstr("layer.n"));
}

TEST_F(Loading, ABlobOfAnotherSizeIsRefused) {
  const std::string key = testing::library_key(fake_library("constants"));
  const std::string names = key + "\nblob";
  ProgramOptions options;
  options.variant = "constants";
  options.payload = Bytes(names.begin(), names.end());
  options.data = {{"blob", testing::float_bytes({1})}};
  EXPECT_THAT(refusal(options, Error::InvalidExternalData), HasSubstr("the library needs 8"));
  options.data = {{"other", testing::float_bytes({1, 2})}};
  EXPECT_THAT(refusal(options, Error::NotFound), HasSubstr("'blob'"));
}

TEST_F(Loading, AMachineWithoutADriverIsToldSo) {
  FakeCuda::instance().driver = cudaErrorInsufficientDriver;
  const std::string log = refusal({}, Error::NotFound);
  EXPECT_THAT(log, HasSubstr("cudaErrorInsufficientDriver"));
  EXPECT_THAT(log, HasSubstr("there is no CUDA device that can be used"));
}

TEST_F(Loading, ConstantsAreSharedByContentAndStateIsNot) {
  FakeCuda& fake = FakeCuda::instance();
  ProgramOptions options;
  options.variant = "constants";
  options.data = fake_constants(100, 0);
  FakeProgram first(options);
  ASSERT_EQ(first.load(), Error::Ok);
  EXPECT_EQ(fake.bytes_allocated, 8u);
  FakeProgram second(options);
  ASSERT_EQ(second.load(), Error::Ok);
  EXPECT_EQ(fake.bytes_allocated, 12u) << "its own state, and no second weight";
  options.data = fake_constants(200, 0);
  FakeProgram other(options);
  ASSERT_EQ(other.load(), Error::Ok);
  EXPECT_EQ(fake.bytes_allocated, 20u) << "the same names, of another model";

  // The state counts the runs, and is added.
  EXPECT_THAT(*first.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(100, 100, 100, 100));
  EXPECT_THAT(*first.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(101, 101, 101, 101));
  EXPECT_THAT(*second.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(100, 100, 100, 100));
  EXPECT_THAT(*other.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(200, 200, 200, 200));
}

TEST_F(Loading, StateIsSharedWhereItIsAskedFor) {
  runtime::BackendOptions<1> on;
  ASSERT_EQ(on.set_option("weight_sharing_across_methods", true), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", on.view()), Error::Ok);
  ProgramOptions options;
  options.variant = "constants";
  options.data = fake_constants(100, 0);
  {
    FakeProgram first(options);
    EXPECT_THAT(*first.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(100, 100, 100, 100));
    FakeProgram second(options);
    EXPECT_THAT(*second.run({0, 0, 0, 0}, {0, 0, 0, 0}), ElementsAre(101, 101, 101, 101));
  }
  ASSERT_EQ(on.set_option("weight_sharing_across_methods", false), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", on.view()), Error::Ok);
}

TEST_F(Loading, OptionsAreChecked) {
  runtime::BackendOptions<2> options;
  ASSERT_EQ(options.set_option("use_shared_cuda_stream", "yes"), Error::Ok);
  EXPECT_EQ(runtime::set_option("CudaBackend", options.view()), Error::InvalidArgument);
  runtime::BackendOptions<2> lists;
  ASSERT_EQ(lists.set_option("enable_cuda_graph_for_method", 3), Error::Ok);
  EXPECT_EQ(runtime::set_option("CudaBackend", lists.view()), Error::InvalidArgument);
  runtime::BackendOptions<2> unknown;
  ASSERT_EQ(unknown.set_option("of_another_release", 3), Error::Ok);
  EXPECT_EQ(runtime::set_option("CudaBackend", unknown.view()), Error::Ok);
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/cuda_files_" + std::to_string(getpid());
    std::filesystem::create_directory(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    unsetenv("TMPDIR");
    std::filesystem::remove(folder_);
  }
  std::string folder_;
};

TEST_F(Files, NeitherWayLeavesAnything) {
  const Bytes content = fake_library("plain");
  std::set<std::string> paths;
  for (int i = 0; i < 40; ++i) {
    PrivateFile file;
    ASSERT_EQ((i % 2) == 0 ? file.create(content) : file.create_on_disk(content), Error::Ok);
    EXPECT_TRUE(paths.insert(file.path()).second) << "the loader would take it for the earlier one";
    EXPECT_TRUE(std::filesystem::equivalent(file.path(), file.path()));
    std::span<const std::uint8_t> mapped;
    ASSERT_EQ(file.map(&mapped), Error::Ok);
    EXPECT_TRUE(std::equal(mapped.begin(), mapped.end(), content.begin(), content.end()));
  }
}

TEST_F(Files, AFolderThatIsNotThereIsAnErrorInWords) {
  setenv("TMPDIR", "/nowhere/at/all", 1);
  PrivateFile file;
  Log log;
  EXPECT_EQ(file.create_on_disk(Bytes{1}), Error::AccessFailed);
  EXPECT_THAT(log.text(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace executorch::backends::cuda
