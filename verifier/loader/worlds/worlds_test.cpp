// The model against the real loaders of this machine, over named and random worlds; and the proof
// that the worlds reach every rule: without any one of them the two disagree.
#include <algorithm>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "verifier/elf/collector.h"
#include "verifier/loader/process.h"
#include "verifier/loader/worlds/compiled.h"
#include "verifier/loader/worlds/differential.h"
#include "verifier/loader/worlds/oracle.h"
#include "verifier/loader/worlds/prediction.h"
#include "verifier/loader/worlds/random_world.h"
#include "verifier/loader/worlds/scenarios.h"
#include "verifier/loader/worlds/stamp.h"

namespace wheelcheck::worlds {
namespace {

constexpr std::uint64_t kRandomWorlds = 300;
constexpr std::uint64_t kSeed = 20'000;  // apart from those that ci/loader-differential begins with

struct RuleRow {
  const char* name = nullptr;
  bool glibc = true;
  bool musl = false;
};
constexpr std::array<RuleRow, static_cast<std::size_t>(LoaderRule::count_)> kRules = {{
    {"reuse_by_name", true, true},
    {"reuse_by_soname", true, false},
    {"reuse_by_path", true, false},
    {"reuse_by_file", true, true},
    {"name_of_same_file", true, false},
    {"no_name_by_path", false, true},
    {"breadth_first", true, true},
    {"filters", true, false},
    {"undone_when_failed", true, true},
    {"rpath", true, true},
    {"rpath_inherited", true, false},
    {"rpath_of_program", true, false},
    {"opened_has_no_loader", true, false},
    {"caller_of_dlopen", true, false},
    {"runpath", true, false},
    {"runpath_not_inherited", true, false},
    {"runpath_voids_rpath", true, true},
    {"runpath_shuts_out_rpath", true, false},
    {"everything_inherited", false, true},
    {"ld_library_path", true, true},
    {"rpath_before_ld_library_path", true, false},
    {"ld_library_path_before_runpath", true, true},
    {"cache", true, false},
    {"cache_before_directories", true, false},
    {"default_directories", true, true},
    {"nodeflib_shuts_out_cache", true, false},
    {"nodeflib_shuts_out_directories", true, false},
    {"names_of_libc", false, true},
    {"origin", true, true},
    {"lib_token", true, false},
    {"platform_token", true, false},
    {"braces", true, true},
    {"whole_token", true, false},
    {"unknown_token_stays", true, true},
    {"token_in_needed", true, false},
    {"empty_element_is_here", true, true},
    {"empty_path_is_none", true, false},
    {"relative_to_here", true, true},
    {"semicolon_separates", true, false},
    {"newline_separates", false, true},
    {"hwcaps", true, false},
    {"hwcaps_best_first", true, false},
    {"slash_is_path", true, true},
    {"other_class_skipped", true, false},
    {"other_machine_skipped", true, false},
    {"anything_opened_is_taken", false, true},
    {"damaged_file_stops", true, true},
    {"program_is_no_library", true, false},
    {"loop_stops", true, true},
    {"origin_by_opened_path", true, true},
    {"dot_dot_is_physical", true, true},
}};
static_assert(kRules.back().name != nullptr, "a rule without a row");

constexpr std::uint64_t kPie = 0x8000000;  // which the linker gives programs alone

std::vector<World> random_worlds(LoaderKind kind, const Machine& machine) {
  std::vector<World> worlds;
  for (std::uint64_t i = 0; i < kRandomWorlds; ++i) {
    worlds.push_back(random_world(kSeed + i, kind, machine));
  }
  return worlds;
}

/// Lines compared; failures are told with what is left of the world after shrinking.
std::size_t expect_agreement(RealLoader& loader, const std::vector<World>& worlds) {
  std::size_t lines = 0;
  for (const World& world : worlds) {
    auto compared = compare(loader, world);
    if (!compared) {
      ADD_FAILURE() << world.title << ": " << compared.error().message();
      continue;
    }
    lines += compared->lines;
    if (!compared->disagreement) continue;
    const Disagreement less = shrink(loader, *std::move(compared->disagreement));
    ADD_FAILURE() << describe(less, loader.root());
  }
  return lines;
}

class Loaders : public ::testing::TestWithParam<LoaderKind> {};

TEST_P(Loaders, AgreeInEveryNamedWorld) {
  Oracle oracle(GetParam(), WORLD_PROGRAMS);
  ASSERT_TRUE(oracle);
  const auto worlds = scenarios(GetParam(), oracle->machine());
  EXPECT_GE(worlds.size(), 70U);
  EXPECT_GE(expect_agreement(*oracle, worlds), worlds.size());
}

TEST_P(Loaders, AgreeInRandomWorlds) {
  Oracle oracle(GetParam(), WORLD_PROGRAMS);
  ASSERT_TRUE(oracle);
  const auto worlds = random_worlds(GetParam(), oracle->machine());
  // Worlds in which nothing happens would agree as well.
  EXPECT_GE(expect_agreement(*oracle, worlds), 2 * worlds.size());
}

/// Stamped libraries must be what a compiler makes as far as the loader can tell.
TEST_P(Loaders, AgreeInCompiledWorlds) {
  Oracle oracle(GetParam(), WORLD_PROGRAMS);
  ASSERT_TRUE(oracle);
  const std::string compiler = GetParam() == LoaderKind::musl ? MUSL_COMPILER : C_COMPILER;
  const std::string folder = oracle->root() + ".compiled";
  std::filesystem::create_directories(folder);
  Runner runner;
  const auto worlds = scenarios(GetParam(), oracle->machine());
  std::size_t libraries = 0;
  constexpr std::size_t kEach = 9;
  for (std::size_t i = 0; i < worlds.size(); i += kEach) {
    const World& world = worlds[i];
    SCOPED_TRACE(world.title);
    auto contents = contents_of(world, oracle->templates(), oracle->root());
    ASSERT_TRUE(contents);
    for (std::size_t file = 0; file < world.files.size(); ++file) {
      const WorldFile& library = world.files[file];
      const bool plain = library.kind == FileKind::library && library.machine == 62 &&
                         library.os_abi == 0 && !(library.rpath && library.runpath) &&
                         library.runpath != "" && (library.flags_1 & kPie) == 0 &&
                         library.filter.empty() && library.auxiliary.empty();
      if (!plain) continue;
      auto compiled = compile_library(runner, compiler, library, oracle->root(), folder);
      ASSERT_TRUE(compiled) << compiled.error().message();
      const auto stamped = read_elf(library.path, as_bytes((*contents)[file]));
      const auto facts = read_elf(library.path, as_bytes(*compiled));
      ASSERT_TRUE(stamped && facts);
      EXPECT_EQ(facts->needed, stamped->needed);
      EXPECT_EQ(facts->soname, stamped->soname);
      EXPECT_EQ(facts->rpath, stamped->rpath);
      EXPECT_EQ(facts->runpath, stamped->runpath);
      EXPECT_EQ(facts->dt_flags_1, stamped->dt_flags_1);
      (*contents)[file] = *std::move(compiled);
      ++libraries;
    }
    auto compared = compare_contents(*oracle, world, *contents);
    ASSERT_TRUE(compared) << compared.error().message();
    EXPECT_FALSE(compared->disagreement) << describe(*compared->disagreement, oracle->root());
  }
  EXPECT_GE(libraries, worlds.size() / kEach);
}

INSTANTIATE_TEST_SUITE_P(Real, Loaders, ::testing::Values(LoaderKind::glibc, LoaderKind::musl),
                         [](const auto& kind) {
                           return kind.param == LoaderKind::musl ? "musl" : "glibc";
                         });

/// Worlds with what the real loader said of them, to ask the model again and again.
struct Known {
  World world;
  ModelledWorld modelled;
  Reading real;
};

TEST(Rules, WithoutAnyOneOfThemTheModelIsWrong) {
  for (const LoaderKind kind : {LoaderKind::glibc, LoaderKind::musl}) {
    Oracle oracle(kind, WORLD_PROGRAMS);
    ASSERT_TRUE(oracle);
    std::vector<World> worlds = scenarios(kind, oracle->machine());
    for (World& world : random_worlds(kind, oracle->machine())) worlds.push_back(std::move(world));
    std::vector<Known> known;
    for (World& world : worlds) {
      auto contents = contents_of(world, oracle->templates(), oracle->root());
      ASSERT_TRUE(contents);
      ASSERT_TRUE(lay_down(world, *contents, oracle->root()));
      auto real = oracle->read(world);
      ASSERT_TRUE(real);
      ModelledWorld modelled =
          model(world, *contents, oracle->root(), oracle->libc(), oracle->links());
      known.push_back({std::move(world), std::move(modelled), *std::move(real)});
    }
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
      const bool musl = kind == LoaderKind::musl;
      if (!(musl ? kRules[rule].musl : kRules[rule].glibc)) continue;
      Machine machine = oracle->machine();
      machine.off.set(rule);
      const bool noticed = std::any_of(known.begin(), known.end(), [&](const Known& one) {
        return predict(one.world, one.modelled, machine, oracle->root(), oracle->libc()) !=
               one.real;
      });
      EXPECT_TRUE(noticed) << "no world of " << (musl ? "musl" : "glibc") << " needs the rule "
                           << kRules[rule].name;
    }
  }
}

/// A model that knows one layout alone is wrong about the wheels of the other: not only where it
/// looks for what is opened in a directory that is not there.
TEST(Layouts, AModelOfOneLayoutIsWrongAboutTheOther) {
  for (const LoaderKind kind : {LoaderKind::glibc, LoaderKind::musl}) {
    Oracle oracle(kind, WORLD_PROGRAMS);
    ASSERT_TRUE(oracle);
    std::map<SitePackagesLayout, int> named;
    std::map<SitePackagesLayout, int> random;
    const auto count = [&](const World& world, std::map<SitePackagesLayout, int>& noticed) {
      const bool of_wheels =
          std::any_of(world.files.begin(), world.files.end(),
                      [](const WorldFile& file) { return !file.member.empty(); });
      if (!of_wheels) return;
      auto contents = contents_of(world, oracle->templates(), oracle->root());
      ASSERT_TRUE(contents);
      ASSERT_TRUE(lay_down(world, *contents, oracle->root()));
      const auto real = oracle->read(world);
      ASSERT_TRUE(real);
      World other = world;
      other.layout = world.layout == SitePackagesLayout::split ? SitePackagesLayout::joined
                                                               : SitePackagesLayout::split;
      const ModelledWorld modelled =
          model(other, *contents, oracle->root(), oracle->libc(), oracle->links());
      const std::string program = oracle->root() + "/" + world.program;
      if (modelled.tree->look_up(program).kind != PathKind::file) return;
      noticed[world.layout] +=
          predict(other, modelled, oracle->machine(), oracle->root(), oracle->libc()) != *real ? 1
                                                                                               : 0;
    };
    for (const World& world : scenarios(kind, oracle->machine())) count(world, named);
    for (const World& world : random_worlds(kind, oracle->machine())) count(world, random);
    for (const auto layout : {SitePackagesLayout::joined, SitePackagesLayout::split}) {
      EXPECT_GE(named[layout], 2);
      EXPECT_GE(random[layout], 5);
    }
  }
}

TEST(Worlds, OneSeedIsOneWorld) {
  const Machine machine;
  const auto text = [&](std::uint64_t seed) {
    return describe(random_world(seed, LoaderKind::glibc, machine));
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

TEST(Worlds, SubdirectoriesAreThoseThatTheLoaderTries) {
  Oracle oracle(LoaderKind::glibc, WORLD_PROGRAMS);
  ASSERT_TRUE(oracle);
  const Machine& machine = oracle->machine();
  std::vector<std::string> levels;
  std::vector<std::string> legacy;
  for (const std::string& below : machine.subdirectories) {
    constexpr std::string_view kLevels = "glibc-hwcaps/";
    const std::string name = below.substr(0, below.size() - 1);
    if (below.starts_with(kLevels)) {
      levels.push_back(name.substr(kLevels.size()));
    } else if (legacy.empty()) {  // the first one names them all
      for (std::size_t at = 0; at < below.size();) {
        const std::size_t end = below.find('/', at);
        legacy.push_back(below.substr(at, end - at));
        at = end + 1;
      }
    }
  }
  EXPECT_EQ(machine.subdirectories, hwcap_subdirectories(machine.glibc, levels, legacy));
  EXPECT_EQ(hwcap_subdirectories({2, 37}, {"x86-64-v3"}, {"tls", "x86_64"}),
            std::vector<std::string>{"glibc-hwcaps/x86-64-v3/"});
  EXPECT_EQ(hwcap_subdirectories({2, 31}, {"x86-64-v3"}, {"tls"}),
            std::vector<std::string>{"tls/"});
}

TEST(Worlds, TemplateWithoutRoomIsRefused) {
  WorldFile host;
  host.path = "bin/host";
  host.rpath = "$ORIGIN";
  EXPECT_FALSE(stamp_template("no ELF file", host, "/root"));
}

}  // namespace
}  // namespace wheelcheck::worlds
