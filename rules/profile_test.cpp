#include "rules/profile.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rules/policy.h"
#include "rules/testing.h"

namespace wheelcheck {
namespace {

using testing::Elf;
using testing::WheelBuilder;

const Profile& chosen(WheelBuilder& builder, std::string_view name = "") {
  const Profile* profile = Policy::built_in().choose_profile(builder.facts(), name);
  static const Profile kNone;
  EXPECT_NE(profile, nullptr);
  return profile == nullptr ? kNone : *profile;
}

TEST(ProfileChoice, ByNameWhateverItsSpelling) {
  WheelBuilder wheel("ExecuTorch-1.4.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  EXPECT_EQ(chosen(wheel).name, "executorch-upstream");
  EXPECT_EQ(chosen(wheel).chosen_because, "of the distribution's name");
}

TEST(ProfileChoice, ByContent) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("executorch/lib/libexecutorch.so", Elf()).file("executorch/exir/__init__.py");
  EXPECT_EQ(chosen(wheel).name, "executorch-upstream");
  EXPECT_EQ(chosen(wheel).chosen_because, "the wheel holds executorch/lib/libexecutorch.so");
}

TEST(ProfileChoice, OwnLayoutIsToldByItsCMakePackageAndHasNoExporter) {
  const auto own = [](bool package, bool exporter) {
    WheelBuilder wheel("executorch-1.5.0-cp312-cp312-linux_x86_64.whl");
    wheel.elf("executorch/lib/libexecutorch.so", Elf())
        .elf("executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so", Elf());
    if (package) wheel.file("executorch/share/cmake/executorch-rpath.txt");
    if (exporter) wheel.file("executorch/exir/__init__.py");
    return chosen(wheel).name;
  };
  EXPECT_EQ(own(true, false), "executorch");
  EXPECT_EQ(own(true, true), "executorch-upstream");
  EXPECT_EQ(own(false, false), "executorch-upstream");
}

TEST(ProfileChoice, GenericOtherwise) {
  WheelBuilder wheel("executorch_tools-1.0-py3-none-any.whl");
  EXPECT_EQ(chosen(wheel).name, "generic");
  EXPECT_EQ(chosen(wheel).chosen_because, "no other profile is for this wheel");
}

TEST(ProfileChoice, TheUserDecides) {
  WheelBuilder wheel("executorch-1.5.0-cp312-cp312-linux_x86_64.whl");
  EXPECT_EQ(chosen(wheel, "generic").name, "generic");
  EXPECT_EQ(chosen(wheel, "generic").chosen_because, "it was asked for");
  EXPECT_EQ(Policy::built_in().choose_profile(wheel.facts(), "genric"), nullptr);
}

TEST(ProfileLayout, IsPromisedFromAVersionOn) {
  const Profile& profile = *Policy::built_in().choose_profile(
      WheelBuilder("x-1-py3-none-any.whl").facts(), "executorch-upstream");
  const auto applies = [&](const char* file_name) {
    return layout_applies(profile, WheelBuilder(file_name).facts());
  };
  EXPECT_FALSE(applies("executorch-1.4.1-cp312-cp312-linux_x86_64.whl"));
  EXPECT_TRUE(applies("executorch-1.5.0.dev20260822+cu130-cp312-cp312-linux_x86_64.whl"));
  EXPECT_TRUE(applies("executorch-1.5.1-cp312-cp312-linux_x86_64.whl"));
}

TEST(Profiles, NineKernelsAreTheNine) {
  const Profile& profile = Policy::built_in().profiles.back();
  for (const SymbolGroup& group : profile.groups) {
    if (group.name != "cuda-kernels") continue;
    EXPECT_EQ(group.symbols.size(), 9U);
    EXPECT_THAT(group.symbols, ::testing::Contains("aoti_torch_cuda__weight_int4pack_mm"));
    EXPECT_THAT(group.symbols, ::testing::Not(::testing::Contains("aoti_torch_create_cuda_guard")));
    return;
  }
  FAIL() << "the generic profile does not judge the kernels";
}

TEST(Profiles, GroupsOfOneProfileShareNoSymbol) {
  for (const Profile& profile : Policy::built_in().profiles) {
    std::set<std::string> seen;
    for (const SymbolGroup& group : profile.groups) {
      EXPECT_FALSE(group.what.empty()) << group.name;
      EXPECT_FALSE(group.symbols.empty() && group.prefixes.empty()) << group.name;
      for (const std::string& symbol : group.symbols) {
        EXPECT_TRUE(seen.insert(symbol).second) << profile.name << ": " << symbol;
      }
    }
  }
}

TEST(Profiles, ExtendingKeepsWhatIsNotSaid) {
  const auto profiles = parse_profiles(R"({"schema": 1, "groups": {}, "profiles": [
      {"name": "a", "extends": "b", "hosts": []},
      {"name": "b", "trains": true, "hosts": [{"distribution": "torch", "reason": "r"}]},
      {"name": "generic"}]})");
  ASSERT_TRUE(profiles);
  EXPECT_EQ((*profiles)[0].name, "a");
  EXPECT_TRUE((*profiles)[0].trains);
  EXPECT_TRUE((*profiles)[0].hosts.empty());
  EXPECT_EQ((*profiles)[1].hosts.size(), 1U);
}

TEST(ProfilesFile, DefectsAreErrors) {
  EXPECT_FALSE(parse_profiles("[").ok());
  EXPECT_FALSE(parse_profiles(R"({"schema": 1, "groups": {}, "profiles": []})").ok());
  // A mistyped key would switch a check off without a word.
  EXPECT_FALSE(parse_profiles(
                   R"({"schema": 1, "groups": {}, "profiles": [{"name": "generic", "host": []}]})")
                   .ok());
  EXPECT_FALSE(parse_profiles(R"({"schema": 1, "groups": {}, "profiles": [
      {"name": "generic", "groups": [{"group": "none"}]}]})")
                   .ok());
}

}  // namespace
}  // namespace wheelcheck
