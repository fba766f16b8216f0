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

const SystemSymbols& x86() { return *SystemSymbols::built_in("x86_64"); }
const SystemSymbols& arm() { return *SystemSymbols::built_in("aarch64"); }

std::vector<std::string> names_of(const SystemSymbols::Library& library) {
  std::vector<std::string> names;
  for (const SystemSymbols::Version& version : library.versions) {
    for (const std::string_view name : version.symbols) {
      names.push_back(std::string(name) + "@" + version.name);
    }
  }
  return names;
}

TEST(SystemSymbols, ReadsSharedPrefixes) {
  const auto tables = SystemSymbols::parse(
      "# comment\nglibc 2.36\nmachine m\nlibrary libx.so.1 libc.so.6\nversion X_1\n0alpha\n5bet\n"
      "2pha\nversion X_2\n0alpha\n");
  ASSERT_TRUE(tables.ok()) << tables.error().message();
  ASSERT_EQ(tables->size(), 1U);
  const SystemSymbols& table = tables->front();
  EXPECT_EQ(table.machine(), "m");
  EXPECT_EQ(table.glibc_minor(), 36);
  ASSERT_EQ(table.libraries().size(), 1U);
  EXPECT_THAT(table.libraries()[0].needed, ElementsAre("libc.so.6"));
  EXPECT_THAT(names_of(table.libraries()[0]),
              ElementsAre("alpha@X_1", "alphabet@X_1", "alpha@X_2"));
}

TEST(SystemSymbols, AnotherMachineIsToldByWhatIsDifferent) {
  const auto tables = SystemSymbols::parse(
      "glibc 2.36\nmachine m\nlibrary l.so.1\nversion G_2.2.5\n0old\n0gone\nversion G_2.10\n0mid\n"
      "version G_2.17\n0base\nversion G_2.30\n0new\nversion X_1\n0x\n"
      "machine n G_2.17\nlibrary other.so.1 z.so\nlike l.so.1\nversion G_2.20\n0more\n"
      "without G_2.17\n0gone\nwithout X_1\n0x\n");
  ASSERT_TRUE(tables.ok()) << tables.error().message();
  ASSERT_EQ(tables->size(), 2U);
  const SystemSymbols& other = tables->back();
  ASSERT_EQ(other.libraries().size(), 1U);
  EXPECT_EQ(other.libraries()[0].name, "other.so.1");
  EXPECT_THAT(names_of(other.libraries()[0]),
              ElementsAre("base@G_2.17", "mid@G_2.17", "old@G_2.17", "more@G_2.20", "new@G_2.30"));
}

TEST(SystemSymbols, ALineThatFitsNowhereIsAnError) {
  const std::string start = "glibc 2.36\nmachine m\n";
  ASSERT_TRUE(SystemSymbols::parse(start).ok());
  for (const std::string& text :
       {std::string(), std::string("machine m\n"), std::string("glibc 2.36\n"),
        std::string("glibc 2.36\nlibrary l\n"), start + "0symbol\n", start + "version V\n",
        start + "library \n", start + "library l\nversion V\n1symbol\n",
        start + "library l\nversion V\n~symbol\n", start + "library l\nversion V\n symbol\n",
        start + "library l\n0symbol\n", start + "library l\nlike l\n",
        start + "machine n\nlibrary l\nlike k\n", start + "machine n\nlike l\n",
        start + "glibc three\n", start + "machine \n"}) {
    EXPECT_FALSE(SystemSymbols::parse(text).ok()) << text;
  }
}

class BuiltIn : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Machines, BuiltIn, ::testing::Values("x86_64", "aarch64"));

TEST_P(BuiltIn, IsSortedAndOldestFirst) {
  const SystemSymbols& table = *SystemSymbols::built_in(GetParam());
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

TEST(SystemSymbols, ArmHasWhatItsFirstSystemHadInOneVersion) {
  EXPECT_EQ(arm().since("libc.so.6", "read"), "GLIBC_2.17");
  EXPECT_EQ(arm().since("libc.so.6", "stat"), "GLIBC_2.33");
  EXPECT_EQ(arm().since("libc.so.6", "__x86_get_cpuid_feature_leaf"), "");
  EXPECT_EQ(arm().since("libm.so.6", "acosf128"), "GLIBC_2.27");
  EXPECT_EQ(x86().since("libm.so.6", "acosf128"), "GLIBC_2.26");
  EXPECT_EQ(arm().since("ld-linux-aarch64.so.1", "__tls_get_addr"), "GLIBC_2.17");
  EXPECT_EQ(arm().since("libgcc_s.so.1", "__addtf3"), "GCC_3.0");
  EXPECT_EQ(arm().find("ld-linux-x86-64.so.2"), nullptr);
  EXPECT_EQ(arm().find("libmvec.so.1"), nullptr);
  EXPECT_EQ(SystemSymbols::built_in("ppc64le"), nullptr);
}

TEST(SystemSymbols, TellsWhatBroughtASymbol) {
  const SystemSymbols& table = x86();
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
  const SystemSymbols& table = x86();
  if (minor < table.glibc_minor()) GTEST_SKIP() << "the C library is older than the table";
#ifndef __x86_64__
  GTEST_SKIP() << "the C library is another machine's";
#endif
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
  const SystemSymbols& table = x86();
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
  const SystemSymbols& table = x86();
  EXPECT_TRUE(knows_symbols_of(table, policy));
  policy.minor = 39;
  EXPECT_FALSE(knows_symbols_of(table, policy));
  policy.minor = 28;
  policy.arch = "aarch64";
  EXPECT_FALSE(knows_symbols_of(table, policy));
  EXPECT_TRUE(knows_symbols_of(arm(), policy));
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
