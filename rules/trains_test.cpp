#include "rules/trains.h"

#include "gtest/gtest.h"

#include "rules/policy.h"
#include "verifier/wheel/requirement.h"

namespace wheelcheck {
namespace {

const Trains& trains() { return Policy::built_in().trains; }

TEST(Trains, AreTheThreeThatAreBuilt) {
  EXPECT_EQ(trains().supported(), "cu126, cu130, cu132");
  const Train* train = trains().find("cu130");
  ASSERT_NE(train, nullptr);
  EXPECT_EQ(train->version(), "13.0");
  EXPECT_EQ(train->cudart, "libcudart.so.13");
  EXPECT_EQ(train->runtime_directory, "nvidia/cu13/lib");
  EXPECT_EQ(train->requirement.name, "nvidia-cuda-runtime");
  EXPECT_EQ(trains().find("cu128"), nullptr);
  EXPECT_EQ(trains().find(""), nullptr);
}

TEST(Trains, BoundsAreASet) {
  const auto as_metadata_writes_it = SpecifierSet::parse("<14,>=13");
  ASSERT_TRUE(as_metadata_writes_it);
  EXPECT_TRUE(trains().find("cu132")->requirement.specifiers == *as_metadata_writes_it);
}

TEST(Trains, ArchitecturesDifferByMachine) {
  using Archs = std::vector<std::uint32_t>;
  const Train* old_train = trains().find("cu126");
  const Train* new_train = trains().find("cu132");
  EXPECT_EQ(old_train->architectures.at("x86_64"), (Archs{80, 86, 89, 90}));
  EXPECT_EQ(old_train->architectures.at("aarch64"), (Archs{80, 87, 90}));
  EXPECT_EQ(new_train->architectures.at("x86_64"), (Archs{80, 86, 89, 90, 100, 120}));
  EXPECT_EQ(new_train->architectures.at("aarch64"), (Archs{80, 90, 100, 110, 120}));
}

TEST(Trains, RequirementsParse) {
  for (const Train& train : trains().all()) {
    const auto requirement =
        Requirement::parse(train.requirement.name + train.requirement.specifiers.str() + "; " +
                           train.requirement.marker);
    ASSERT_TRUE(requirement) << train.label;
    EXPECT_TRUE(requirement->applies({}, {})) << train.label;
    EXPECT_EQ(trains().major_of_soname(train.cudart), train.major);
  }
}

struct LabelCase {
  const char* local;
  LabelKind kind;
  int major;
  int minor;
  bool supported;
};

class Label : public ::testing::TestWithParam<LabelCase> {};

TEST_P(Label, IsRead) {
  const LabelCase& expected = GetParam();
  const CudaLabel label = trains().classify(expected.local);
  EXPECT_EQ(label.kind, expected.kind);
  EXPECT_EQ(label.major, expected.major);
  EXPECT_EQ(label.minor, expected.minor);
  EXPECT_EQ(label.train != nullptr, expected.supported);
  const bool explained = label.kind == LabelKind::cuda && label.train == nullptr;
  EXPECT_EQ(!label.why.empty(), explained);
}

INSTANTIATE_TEST_SUITE_P(
    Local, Label,
    ::testing::Values(LabelCase{"", LabelKind::none, 0, -1, false},
                      LabelCase{"cpu", LabelKind::cpu, 0, -1, false},
                      LabelCase{"CPU", LabelKind::cpu, 0, -1, false},
                      LabelCase{"cpu.cxx11.abi", LabelKind::cpu, 0, -1, false},
                      LabelCase{"cu126", LabelKind::cuda, 12, 6, true},
                      LabelCase{"cu130", LabelKind::cuda, 13, 0, true},
                      LabelCase{"cu132", LabelKind::cuda, 13, 2, true},
                      LabelCase{"cu118", LabelKind::cuda, 11, 8, false},
                      // Readers of two digits call it 12.
                      LabelCase{"cu125", LabelKind::cuda, 12, 5, false},
                      LabelCase{"cu13", LabelKind::cuda, 13, -1, false},
                      LabelCase{"cu92", LabelKind::cuda, 9, 2, false},
                      LabelCase{"cu1260", LabelKind::cuda, 0, -1, false},
                      LabelCase{"cu126.full", LabelKind::cuda, 12, 6, false},
                      LabelCase{"cu12torch2.6cxx11abiTRUE", LabelKind::cuda, 12, -1, false},
                      LabelCase{"cuda12.1.sm86.ampere", LabelKind::cuda, 12, 1, false},
                      // Begin with "cu", or are made of digits, and say nothing of CUDA.
                      LabelCase{"custom.1", LabelKind::other, 0, -1, false},
                      LabelCase{"cublas", LabelKind::other, 0, -1, false},
                      LabelCase{"cuda", LabelKind::other, 0, -1, false},
                      LabelCase{"cpu126", LabelKind::other, 0, -1, false},
                      LabelCase{"3a00cc1", LabelKind::other, 0, -1, false},
                      LabelCase{"126", LabelKind::other, 0, -1, false},
                      LabelCase{"rocm6.2", LabelKind::other, 0, -1, false}));

TEST(CudaNames, OnlySomeTellTheMajor) {
  EXPECT_EQ(trains().major_of_soname("libcudart.so.12"), 12);
  EXPECT_EQ(trains().major_of_soname("libcublasLt.so.13"), 13);
  EXPECT_EQ(trains().major_of_soname("libnvrtc.so.11.2"), 11);
  EXPECT_EQ(trains().major_of_soname("cublas64_13.dll"), 13);
  // One name for several majors.
  EXPECT_EQ(trains().major_of_soname("libcurand.so.10"), 0);
  EXPECT_EQ(trains().major_of_soname("libcuda.so.1"), 0);
  EXPECT_EQ(trains().major_of_soname("libc.so.6"), 0);
}

TEST(CudaNames, LibrariesAreToldFromWhatIsCalledAlike) {
  for (const char* name : {"libcudart.so.12", "libcudart-d0da41ae.so.11.0", "libcublasLt.so.12",
                           "libcuda.so.1", "libnvrtc-builtins.so.13.0", "cudart64_12.dll"}) {
    EXPECT_TRUE(trains().is_cuda_library(name)) << name;
  }
  for (const char* name : {"libcudart.py", "libc10_cuda.so", "libcuda_helpers.so", "cudart.h",
                           "libexecutorch_backend_cuda.so"}) {
    EXPECT_FALSE(trains().is_cuda_library(name)) << name;
  }
  ASSERT_NE(trains().family_of_library("libcudart-d0da41ae.so.11.0"), nullptr);
  EXPECT_EQ(trains().family_of_library("libcudart-d0da41ae.so.11.0")->name, "cudart");
  EXPECT_EQ(trains().family_of_library("libcudart_static.so"), nullptr);
  ASSERT_NE(trains().family_of_package("nvidia-cublas-cu12"), nullptr);
  EXPECT_EQ(trains().family_of_package("nvidia-cublas-cu12")->name, "cublas");
  EXPECT_EQ(trains().family_of_package("numpy"), nullptr);
}

TEST(TrainsFile, DefectsAreErrors) {
  EXPECT_FALSE(Trains::parse("").ok());
  EXPECT_FALSE(Trains::parse("{}").ok());
  EXPECT_FALSE(Trains::parse(R"({"schema": 2, "trains": []})").ok());
  EXPECT_FALSE(Trains::parse(R"({"schema": 1, "trains": [{"label": "cu1"}]})").ok());
}

}  // namespace
}  // namespace wheelcheck
