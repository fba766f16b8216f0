// The model of symbols against the real loaders of this machine, over named and random worlds; and
// the proof that the worlds reach every rule.
#include "verifier/loader/worlds/symbol_worlds.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>

#include "verifier/loader/worlds/compiled_symbols.h"
#include "verifier/loader/worlds/oracle.h"
#include "verifier/loader/worlds/random_symbols.h"
#include "verifier/loader/worlds/symbol_check.h"
#include "verifier/loader/worlds/symbol_scenarios.h"

namespace wheelcheck::worlds {
namespace {

constexpr std::uint64_t kRandomWorlds = 150;
constexpr std::uint64_t kSeed = 20'000;  // apart from those that ci/loader-differential begins with

struct RuleRow {
  const char* name = nullptr;
  bool glibc = true;
  bool musl = false;
};
constexpr std::array<RuleRow, static_cast<std::size_t>(SymbolRule::count_)> kSymbolRules = {{
    {"first_definer_serves", true, true},
    {"weak_definition_serves", true, true},
    {"weak_reference_optional", true, true},
    {"own_weak_not_optional", false, true},
    {"invisible_serves_none", true, false},
    {"protected_serves", true, false},
    {"own_protected_stays", true, false},
    {"zero_serves_none", true, true},
    {"absolute_zero_serves", true, false},
    {"ifunc_serves", true, false},
    {"ifunc_serves_none", false, true},
    {"unique_once", true, false},
    {"copy_is_of_another", true, true},
    {"symbolic_first", true, false},
    {"version_decides", true, false},
    {"no_table_serves_any", true, false},
    {"no_table_of_the_file_stops", true, false},
    {"unversioned_serves_any", true, false},
    {"hidden_unversioned_serves_no_version", true, false},
    {"first_version_serves", true, false},
    {"only_default_serves", true, false},
    {"hidden_later_serves_none", true, false},
    {"hidden_version_serves_none", false, true},
    {"versions_are_ignored", false, true},
    {"file_decides", false, false},  // no loader of these machines is that old; see symbols_test
    {"missing_version_stops", true, false},
    {"weak_need_may_fail", true, false},
    {"no_definitions_pass", true, false},
    {"need_of_any_object", true, false},
    {"absent_file_stops", true, false},
}};
static_assert(kSymbolRules.back().name != nullptr, "a rule without a row");
constexpr std::array<RuleRow, static_cast<std::size_t>(ScopeRule::count_)> kScopeRules = {{
    {"global_before_own", true, true},
    {"shared_by_all", true, true},
    {"local_stays_local", true, true},
    {"preload_first", true, true},
    {"calls_wait", true, false},
    {"own_before_global", true, false},
    {"bound_once", true, true},
}};
static_assert(kScopeRules.back().name != nullptr, "a rule without a row");

std::vector<World> all_worlds(LoaderKind kind) {
  std::vector<World> worlds = symbol_scenarios(kind);
  for (std::uint64_t i = 0; i < kRandomWorlds; ++i) {
    worlds.push_back(random_symbols(kSeed + i, kind));
  }
  return worlds;
}

/// Worlds with what the real loader said of them, to ask the model again and again.
struct Known {
  World world;
  ModelledWorld modelled;
  Reading real;
};

class Symbols : public ::testing::TestWithParam<LoaderKind> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(oracle_);
    for (World& world : all_worlds(GetParam())) {
      auto contents = contents_of(world, oracle_->templates(), oracle_->root());
      ASSERT_TRUE(contents);
      ASSERT_TRUE(lay_down(world, *contents, oracle_->root()));
      auto written = oracle_->run_for_symbols(world);
      ASSERT_TRUE(written) << written.error().message();
      Reading real = symbol_reading(*written, world, oracle_->root());
      ModelledWorld modelled =
          model(world, *contents, oracle_->root(), oracle_->libc(), oracle_->links());
      known_.push_back({std::move(world), std::move(modelled), std::move(real)});
    }
  }
  Reading predicted(const Known& one, const ProcessBindings::Rules& off = {}) {
    return predict_symbols(one.world, one.modelled, oracle_->machine(), oracle_->root(),
                           oracle_->libc(), one.real, off);
  }
  bool is_noticed(const ProcessBindings::Rules& off) {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const Known& one) { return predicted(one, off) != one.real; });
  }
  template <class Rows>
  void expect_noticed(const Rows& rows, ProcessBindings::Rules (*without)(std::size_t rule)) {
    for (std::size_t rule = 0; rule < rows.size(); ++rule) {
      const bool has = GetParam() == LoaderKind::musl ? rows[rule].musl : rows[rule].glibc;
      if (has) {
        EXPECT_TRUE(is_noticed(without(rule))) << "no world needs the rule " << rows[rule].name;
      }
    }
  }

  Oracle oracle_{GetParam(), WORLD_PROGRAMS};
  std::vector<Known> known_;
};

TEST_P(Symbols, AreBoundAsTheRealLoaderBindsThem) {
  std::size_t lines = 0;
  std::size_t bound = 0;
  std::size_t failed = 0;
  for (const Known& one : known_) {
    const Reading told = predicted(one);
    lines += one.real.lines.size();
    for (const std::string& line : one.real.lines) {
      bound += line.starts_with("bound ") ? 1U : 0U;
      const bool fails =
          line.starts_with("failed ") || line.starts_with("undefined ") || line == "stop";
      failed += fails ? 1U : 0U;
    }
    if (told == one.real) continue;
    const Compare compare = [&](const World& world) { return compare_symbols(*oracle_, world); };
    ADD_FAILURE() << describe(shrink(compare, {one.world, one.real, told}), oracle_->root());
  }
  // Worlds in which nothing happens would agree as well.
  EXPECT_GE(lines, known_.size());
  EXPECT_GE(bound, known_.size() / 2);
  EXPECT_GE(failed, known_.size() / 10);
}

TEST_P(Symbols, WithoutAnyOneRuleTheModelIsWrong) {
  expect_noticed(kSymbolRules, [](std::size_t rule) {
    ProcessBindings::Rules off;
    off.symbols.set(rule);
    return off;
  });
  expect_noticed(kScopeRules, [](std::size_t rule) {
    ProcessBindings::Rules off;
    off.scopes.set(rule);
    return off;
  });
}

/// Stamped libraries must be what a compiler makes as far as the loader can tell.
TEST_P(Symbols, AreBoundInCompiledWorldsAsWell) {
  const std::string compiler = GetParam() == LoaderKind::musl ? MUSL_COMPILER : C_COMPILER;
  const std::string folder = oracle_->root() + ".compiled";
  std::filesystem::create_directories(folder);
  Runner runner;
  std::size_t libraries = 0;
  constexpr std::size_t kMost = 60;
  for (const Known& one : known_) {
    if (libraries >= kMost) break;
    const World& world = one.world;
    const auto compilable = [](const WorldFile& file) {
      return file.kind == FileKind::host || is_compilable(file);
    };
    if (!std::all_of(world.files.begin(), world.files.end(), compilable)) continue;
    SCOPED_TRACE(describe(world));
    auto contents = contents_of(world, oracle_->templates(), oracle_->root());
    ASSERT_TRUE(contents);
    for (std::size_t file = 0; file < world.files.size(); ++file) {
      if (world.files[file].kind == FileKind::host) continue;
      auto compiled = compile_symbols(runner, compiler, world.files[file], folder);
      ASSERT_TRUE(compiled) << compiled.error().message();
      (*contents)[file] = *std::move(compiled);
      ++libraries;
    }
    auto compared = compare_symbols_in(*oracle_, world, *contents);
    ASSERT_TRUE(compared) << compared.error().message();
    EXPECT_FALSE(compared->disagreement) << describe(*compared->disagreement, oracle_->root());
  }
  EXPECT_GE(libraries, kMost);
}

INSTANTIATE_TEST_SUITE_P(Real, Symbols, ::testing::Values(LoaderKind::glibc, LoaderKind::musl),
                         [](const auto& kind) {
                           return kind.param == LoaderKind::musl ? "musl" : "glibc";
                         });

TEST(SymbolWorlds, OneSeedIsOneWorld) {
  const auto text = [](std::uint64_t seed) {
    return describe(random_symbols(seed, LoaderKind::glibc));
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

TEST(SymbolWorlds, AMessageThatIsNotUnderstoodStaysAsItIs) {
  EXPECT_EQ(symbol_failure("/pkg/a.so: undefined symbol: f, version V2"),
            "undefined f@V2 by /pkg/a.so");
  EXPECT_EQ(symbol_failure("/b.so: version `V2' not found (required by /a.so)"),
            "no version V2 in /b.so for /a.so");
  EXPECT_EQ(symbol_failure("Error relocating /a.so: f: symbol not found"), "undefined f by /a.so");
  EXPECT_EQ(symbol_failure("/a.so: something else"), std::nullopt);
  World world;
  world.files.push_back({});
  world.files.back().path = world.program = "bin/host";
  world.files.back().kind = FileKind::host;
  Written written;
  written.out = "failed /a.so: something else\n";
  EXPECT_EQ(symbol_reading(written, world, "/root").lines,
            std::vector<std::string>{"failed /a.so: something else"});
}

}  // namespace
}  // namespace wheelcheck::worlds
