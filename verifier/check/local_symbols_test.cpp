#include "verifier/check/local_symbols.h"

#include <utility>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

Profile with_group(std::vector<std::string> local_state) {
  Profile profile;
  profile.name = "some";
  SymbolGroup group;
  group.symbols = {"shared_a", "shared_b"};
  group.local_state = std::move(local_state);
  profile.groups.push_back(group);
  return profile;
}

WheelFacts with_symbol(const char* name) {
  WheelFacts wheel;
  MemberFacts member;
  member.elf = std::make_unique<ElfFacts>();
  member.elf->names = std::string(1, '\0') + name + '\0';
  ElfSymbol symbol;
  symbol.name = 1;
  member.elf->dynamic_symbols.push_back(symbol);
  wheel.members.push_back(std::move(member));
  return wheel;
}

TEST(LocalSymbols, AreWantedWhereALibraryHasToDoWithAGroup) {
  const Profile profile = with_group({"state_"});
  EXPECT_TRUE(local_symbols_wanted(profile, with_symbol("shared_b")));
  EXPECT_FALSE(local_symbols_wanted(profile, with_symbol("shared_b_longer")));
  EXPECT_FALSE(local_symbols_wanted(profile, WheelFacts{}));
}

TEST(LocalSymbols, SentinelsDecideWhereOthersDefineTheSameNames) {
  Profile profile = with_group({"state_"});
  profile.groups[0].sentinels = {"only_ours"};
  EXPECT_FALSE(local_symbols_wanted(profile, with_symbol("shared_a")));
  EXPECT_TRUE(local_symbols_wanted(profile, with_symbol("only_ours")));
}

TEST(LocalSymbols, AreWantedForAProfileThatIsForThisWheel) {
  Profile profile = with_group({"state_"});
  profile.requires_members = {"some/lib.so"};
  EXPECT_TRUE(local_symbols_wanted(profile, WheelFacts{}));
  EXPECT_FALSE(local_symbols_wanted(with_group({}), with_symbol("shared_a")))
      << "no group has state that hides";
}

TEST(LocalSymbols, AreWantedWhereTheLabelPromisesCpu) {
  WheelFacts wheel;
  wheel.file_name = *parse_wheel_filename("a-1+cpu-py3-none-any.whl");
  EXPECT_TRUE(local_symbols_wanted(Profile{}, wheel));
}

TEST(LocalSymbols, NameOrProfileTellsBeforehand) {
  Policy policy;
  policy.profiles = {with_group({"state_"}), with_group({"state_"})};
  policy.profiles[0].distributions = {"known"};
  policy.profiles[1].name = "generic";
  EXPECT_TRUE(local_symbols_expected(policy.profiles, "dist/Known-1-py3-none-any.whl", ""));
  EXPECT_TRUE(local_symbols_expected(policy.profiles, "dist/other-1+cpu-py3-none-any.whl", ""));
  EXPECT_FALSE(local_symbols_expected(policy.profiles, "dist/other-1-py3-none-any.whl", ""));
  EXPECT_FALSE(local_symbols_expected(policy.profiles, "odd.whl", ""));
  EXPECT_TRUE(local_symbols_expected(policy.profiles, "odd.whl", "generic"));
}

}  // namespace
}  // namespace wheelcheck
