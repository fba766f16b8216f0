#include "rules/provider.h"

#include <gtest/gtest.h>

#include "rules/embedded.h"

namespace wheelcheck {
namespace {

const ProviderTable& table() {
  static const ProviderTable parsed = [] {
    auto result = ProviderTable::parse(embedded::providers_json());
    EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message());
    return result ? *std::move(result) : ProviderTable();
  }();
  return parsed;
}

const ProviderRow* chosen(const std::string& line) {
  auto requirement = Requirement::parse(line);
  EXPECT_TRUE(requirement.ok()) << line;
  return table().choose(*requirement);
}

std::string path_of(const ProviderRow* row, const std::string& soname) {
  if (row == nullptr) return "no row";
  for (const DeclaredLibrary& library : row->libraries) {
    if (library.soname == soname) return library.path;
  }
  return "no such library";
}

TEST(Provider, RequirementPicksTheRowOfItsVersions) {
  EXPECT_EQ(path_of(chosen("nvidia-cuda-runtime>=13,<14"), "libcudart.so.13"),
            "nvidia/cu13/lib/libcudart.so.13");
  EXPECT_EQ(path_of(chosen("nvidia-cuda-runtime-cu12==12.6.77"), "libcudart.so.12"),
            "nvidia/cuda_runtime/lib/libcudart.so.12");
  EXPECT_EQ(chosen("nvidia-cuda-runtime==14.0"), nullptr);
  EXPECT_EQ(chosen("nvidia-cuda-runtime-cu13"), nullptr);
  EXPECT_EQ(path_of(chosen("nvidia-cusparselt-cu13==0.8.1"), "libcusparseLt.so.0"),
            "nvidia/cusparselt/lib/libcusparseLt.so.0");
  EXPECT_EQ(path_of(chosen("nvidia-cusparselt-cu13"), "libcusparseLt.so.0"),
            "nvidia/cu13/lib/libcusparseLt.so.0");
  EXPECT_EQ(path_of(chosen("nvidia-cudnn-cu12==8.9.2.26"), "libcudnn.so.8"),
            "nvidia/cudnn/lib/libcudnn.so.8");
}

TEST(Provider, NewestRowServesAnUnboundedRequirement) {
  ASSERT_NE(chosen("torch"), nullptr);
  EXPECT_EQ(chosen("torch")->cuda, "13");
  ASSERT_NE(chosen("torch<2.11"), nullptr);
  EXPECT_EQ(chosen("torch<2.11")->cuda, "12");
  EXPECT_TRUE(chosen("torch")->preloads);
}

TEST(Provider, ShippersAreFoundByNameAndByDirectory) {
  bool runtime = false;
  for (const ProviderRow* row : table().shippers("libcudart.so.13")) {
    runtime = runtime || row->distribution == "nvidia-cuda-runtime";
  }
  EXPECT_TRUE(runtime);
  EXPECT_TRUE(table().shippers("libnothing.so.1").empty());
  EXPECT_FALSE(table().in_directory("nvidia/cu13/lib").empty());
  EXPECT_TRUE(table().in_directory("nvidia").empty());
}

TEST(Provider, RowsHaveLibrariesOrLeadToOnesThatDo) {
  ASSERT_GE(table().all().size(), 60U);
  for (const ProviderRow& row : table().all()) {
    EXPECT_FALSE(row.libraries.empty() && row.requires_dist.empty()) << row.distribution;
    for (const DeclaredLibrary& library : row.libraries) {
      EXPECT_FALSE(library.path.starts_with('/')) << library.path;
      EXPECT_FALSE(library.soname.empty()) << library.path;
    }
  }
}

TEST(Provider, DamagedFileIsAnError) {
  EXPECT_FALSE(ProviderTable::parse("[]").ok());
  EXPECT_FALSE(ProviderTable::parse(R"({"rows":[{"distribution":"x","cuda":"","preloads":false,
    "versions":"not a version","requires":[],"libraries":[]}]})")
                   .ok());
}

}  // namespace
}  // namespace wheelcheck
