#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/policy.h"
#include "rules/profile.h"
#include "rules/provider.h"
#include "rules/testing.h"

namespace wheelcheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Elf;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::WheelBuilder;

/// "nvidia-cuda-runtime", "torch (host)", "nvidia-nccl-cu12 [gpu]" of a tree, its subject left out.
std::vector<std::string> packages(WheelBuilder& builder, const std::string& profile = "generic",
                                  std::vector<const WheelFacts*> given = {}) {
  const WheelFacts wheel = builder.build();
  const Policy& policy = Policy::built_in();
  const Profile* chosen = policy.choose_profile(wheel, profile);
  std::vector<std::string> names;
  if (chosen == nullptr) return {"no such profile"};
  const InstallTree tree = install(wheel, given, policy, *chosen);
  for (const TreePackage& package : tree.packages()) {
    if (package.kind == PackageKind::subject) continue;
    std::string name = package.distribution;
    if (package.host) name += " (host)";
    if (!package.required && !package.host) name += " (not required)";
    if (!package.extra.empty()) name += " [" + package.extra + "]";
    names.push_back(name);
  }
  return names;
}

WheelBuilder wheel() { return WheelBuilder("pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl"); }

TEST(Install, RequirementsAreFollowedThroughTheTable) {
  auto builder = wheel();
  builder.requiring("torch>=2.11");
  const std::vector<std::string> found = packages(builder);
  EXPECT_THAT(found, Contains("torch"));
  EXPECT_THAT(found, Contains("nvidia-cuda-runtime"));
  EXPECT_THAT(found, Contains("nvidia-cudnn-cu13"));
  EXPECT_THAT(found, Not(Contains("nvidia-npp")));
}

TEST(Install, BoundsPickTheRow) {
  auto builder = wheel();
  builder.requiring("torch>=2.7,<2.10");
  EXPECT_THAT(packages(builder), Contains("nvidia-cuda-runtime-cu12"));
}

TEST(Install, MarkersAreThoseOfTheWheelsPlatform) {
  auto builder = wheel();
  builder.requiring("nvidia-nccl-cu12; sys_platform == 'win32'")
      .requiring("nvidia-cuda-runtime; platform_machine == 'x86_64' and python_version >= '3.12'");
  EXPECT_THAT(packages(builder), ElementsAre("nvidia-cuda-runtime"));
  auto arm = WheelBuilder("pkg-1.0-cp312-cp312-manylinux_2_28_aarch64.whl");
  arm.requiring("nvidia-cuda-runtime; platform_machine == 'x86_64'");
  EXPECT_THAT(packages(arm), IsEmpty());
}

TEST(Install, MarkersAreEvaluatedForTheNewestOfSeveralPythons) {
  WheelBuilder builder("pkg-1.0-py2.py3-none-manylinux_2_28_x86_64.whl");
  builder.requiring("torch>=2.11; python_version >= \"3\"");
  EXPECT_THAT(packages(builder), Contains("torch"));
}

TEST(Install, ExtrasAreKeptApart) {
  auto builder = wheel();
  builder.extra("gpu")
      .extra("all")
      .requiring("nvidia-cuda-runtime")
      .requiring("nvidia-nccl-cu12; extra == 'gpu'")
      .requiring("pkg[gpu]; extra == 'all'");
  EXPECT_THAT(packages(builder), ElementsAre("nvidia-cuda-runtime", "nvidia-nccl-cu12 [gpu]"));
}

TEST(Install, ExtrasOfARequirementAreFollowed) {
  auto builder = wheel();
  builder.requiring("cuda-toolkit[nvrtc]==13.0.3");
  EXPECT_THAT(packages(builder), ElementsAre("nvidia-cuda-nvrtc"));
}

TEST(Install, HostsBringTheirOwnRequirements) {
  auto builder = WheelBuilder("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  const std::vector<std::string> found = packages(builder, "executorch-upstream");
  EXPECT_THAT(found, Contains("torch (host)"));
  EXPECT_THAT(found, Contains("nvidia-cuda-runtime (host)"));
}

TEST(Install, RequiredHostIsNoHost) {
  auto builder = WheelBuilder("executorch-1.4.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  builder.requiring("torch>=2.13.0a0");
  EXPECT_THAT(packages(builder, "executorch-upstream"), Contains("torch"));
}

TEST(Install, GivenWheelsAreMarkedByWhatLeadsToThem) {
  const WheelFacts torch =
      WheelBuilder("torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl").requiring("sympy").build();
  const WheelFacts other = WheelBuilder("other-1.0-py3-none-any.whl").build();
  auto builder = wheel();
  builder.requiring("torch");
  EXPECT_THAT(packages(builder, "generic", {&torch, &other}),
              ElementsAre("other (not required)", "torch"));
}

TEST(Install, LoaderAndLibrariesAreThoseOfTheTag) {
  const auto tree_of = [](const std::string& name) {
    static std::vector<std::unique_ptr<WheelFacts>> kept;
    kept.push_back(std::make_unique<WheelFacts>(WheelBuilder(name).build()));
    const Policy& policy = Policy::built_in();
    return install(*kept.back(), {}, policy, *policy.choose_profile(*kept.back(), "generic"));
  };
  EXPECT_EQ(tree_of("p-1-cp312-cp312-musllinux_1_2_x86_64.whl").loader(), LoaderKind::musl);
  EXPECT_EQ(tree_of("p-1-cp312-cp312-linux_x86_64.whl").loader(), LoaderKind::glibc);
  EXPECT_EQ(tree_of("p-1-cp312-cp312-macosx_11_0_arm64.whl").loader(), LoaderKind::none);
  EXPECT_EQ(tree_of("p-1-py3-none-any.whl").loader(), LoaderKind::none);
  EXPECT_TRUE(tree_of("p-1-cp312-cp312-manylinux_2_28_x86_64.whl").is_system_library("libc.so.6"));
}

}  // namespace
}  // namespace wheelcheck
