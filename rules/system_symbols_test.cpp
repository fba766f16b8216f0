#include "rules/system_symbols.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <gnu/libc-version.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rules/policy.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;

TEST(SystemSymbols, ReadsSharedPrefixes) {
  const auto table = SystemSymbols::parse(
      "# comment\nglibc 2.36\nlibrary libx.so.1 libc.so.6\nversion X_1\n0alpha\n5bet\n2pha\n"
      "version X_2\n0alpha\n");
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_EQ(table->glibc_minor(), 36);
  ASSERT_EQ(table->libraries().size(), 1U);
  EXPECT_THAT(table->libraries()[0].needed, ElementsAre("libc.so.6"));
  ASSERT_EQ(table->libraries()[0].versions.size(), 2U);
  EXPECT_THAT(table->libraries()[0].versions[0].symbols, ElementsAre("alpha", "alphabet", "alpha"));
}

TEST(SystemSymbols, ALineThatFitsNowhereIsAnError) {
  for (const char* text : {"", "glibc 2.36\n0symbol\n", "glibc 2.36\nversion V\n",
                           "glibc 2.36\nlibrary \n", "glibc 2.36\nlibrary l\nversion V\n1symbol\n",
                           "glibc 2.36\nlibrary l\nversion V\n~symbol\n",
                           "glibc 2.36\nlibrary l\nversion V\n symbol\n"}) {
    EXPECT_FALSE(SystemSymbols::parse(text).ok()) << text;
  }
}

TEST(SystemSymbols, TheBuiltInTableIsSortedAndOldestFirst) {
  const SystemSymbols& table = SystemSymbols::built_in();
  EXPECT_GE(table.libraries().size(), 12U);
  for (const SystemSymbols::Library& library : table.libraries()) {
    EXPECT_FALSE(library.versions.empty()) << library.name;
    const SystemSymbols::Version* before = nullptr;
    for (const SystemSymbols::Version& version : library.versions) {
      EXPECT_TRUE(std::is_sorted(version.symbols.begin(), version.symbols.end())) << version.name;
      const auto family = [](const std::string& name) { return name.substr(0, name.rfind('_')); };
      if (before != nullptr && family(before->name) == family(version.name) &&
          version.name != "CXXABI_FLOAT128") {
        EXPECT_TRUE(version_less(before->name, version.name)) << version.name;
      }
      before = &version;
    }
    for (const std::string& needed : library.needed) EXPECT_NE(table.find(needed), nullptr);
  }
}

TEST(SystemSymbols, TellsWhatBroughtASymbol) {
  const SystemSymbols& table = SystemSymbols::built_in();
  EXPECT_EQ(table.since("libc.so.6", "read"), "GLIBC_2.2.5");
  EXPECT_EQ(table.since("libc.so.6", "stat"), "GLIBC_2.33");
  EXPECT_EQ(table.since("libm.so.6", "scalbln"), "GLIBC_2.2.5");
  EXPECT_EQ(table.since("libc.so.6", "scalbln"), "");
  EXPECT_EQ(table.since("libstdc++.so.6", "_ZSt28__throw_bad_array_new_lengthv"), "GLIBCXX_3.4.29");
  EXPECT_EQ(table.since("libnone.so", "read"), "");
}

TEST(SystemSymbols, TheTableIsTrueOfTheCLibraryHere) {
  int minor = 0;
  ASSERT_EQ(std::sscanf(gnu_get_libc_version(), "2.%d", &minor), 1);
  const SystemSymbols& table = SystemSymbols::built_in();
  if (minor < table.glibc_minor()) GTEST_SKIP() << "the C library is older than the table";
  const SystemSymbols::Library* libc = table.find("libc.so.6");
  ASSERT_NE(libc, nullptr);
  std::size_t asked = 0;
  for (const SystemSymbols::Version& version : libc->versions) {
    for (const std::string_view name : version.symbols) {
      ++asked;
      EXPECT_NE(dlvsym(RTLD_DEFAULT, std::string(name).c_str(), version.name.c_str()), nullptr)
          << name << "@" << version.name;
    }
  }
  EXPECT_GT(asked, 2000U);
}

TEST(SystemLibraries, HoldWhatTheTagPromises) {
  Platform platform;
  platform.kind = PlatformKind::manylinux;
  platform.major = 2;
  platform.minor = 28;
  platform.arch = "x86_64";
  const PlatformPolicy* policy = Policy::built_in().platforms.find(platform);
  ASSERT_NE(policy, nullptr);
  const SystemSymbols& table = SystemSymbols::built_in();
  EXPECT_TRUE(knows_symbols_of(table, *policy));
  SystemLibraries promised(table, policy);
  SystemLibraries newest(table, nullptr);
  const auto has = [](const ElfFacts* elf, std::string_view name) {
    return elf != nullptr &&
           std::any_of(elf->dynamic_symbols.begin(), elf->dynamic_symbols.end(),
                       [&](const ElfSymbol& symbol) { return elf->name(symbol) == name; });
  };
  EXPECT_TRUE(has(promised.find("libc.so.6"), "read"));
  EXPECT_FALSE(has(promised.find("libc.so.6"), "stat"));
  EXPECT_TRUE(has(newest.find("libc.so.6"), "stat"));
  EXPECT_EQ(promised.find("libX11.so.6"), nullptr);
}

TEST(SystemLibraries, NothingIsKnownOfOtherMachinesAndNewerSystems) {
  PlatformPolicy policy;
  policy.major = 2;
  policy.minor = 36;
  policy.arch = "x86_64";
  const SystemSymbols& table = SystemSymbols::built_in();
  EXPECT_TRUE(knows_symbols_of(table, policy));
  policy.minor = 39;
  EXPECT_FALSE(knows_symbols_of(table, policy));
  policy.minor = 28;
  policy.arch = "aarch64";
  EXPECT_FALSE(knows_symbols_of(table, policy));
  policy.arch = "x86_64";
  policy.kind = PlatformKind::musllinux;
  EXPECT_FALSE(knows_symbols_of(table, policy));
}

TEST(OldestSystem, NamesTheFirstThatIsNewEnough) {
  EXPECT_EQ(oldest_system("GLIBC_2.2.5"), "CentOS 7");
  EXPECT_EQ(oldest_system("GLIBC_2.34"), "RHEL 9");
  EXPECT_EQ(oldest_system("GLIBC_2.38"), "Ubuntu 24.04");
  EXPECT_EQ(oldest_system("GLIBCXX_3.4.29"), "RHEL 9");
  EXPECT_EQ(oldest_system("GLIBC_2.99"), "");
  EXPECT_EQ(oldest_system("GLIBC_PRIVATE"), "");
  EXPECT_EQ(oldest_system("OPENSSL_3.0.0"), "");
  EXPECT_EQ(oldest_system(""), "");
}

}  // namespace
}  // namespace wheelcheck
