// loader_differential worlds N [SEED] [--loader PATH] [--libc PATH] [--only glibc|musl]
//   Compares the model with the real loaders of this machine over N random worlds of each.
// loader_differential environment FOLDER [--loader PATH] [--only glibc|musl]
//   Compares them over every library below FOLDER, glibc unless told otherwise.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "verifier/loader/worlds/differential.h"
#include "verifier/loader/worlds/environment_check.h"
#include "verifier/loader/worlds/random_symbols.h"
#include "verifier/loader/worlds/random_world.h"
#include "verifier/loader/worlds/scenarios.h"
#include "verifier/loader/worlds/symbol_scenarios.h"
#include "verifier/loader/worlds/symbol_worlds.h"

namespace {

using namespace wheelcheck;
using namespace wheelcheck::worlds;

constexpr int kWrongCall = 2;
constexpr int kCouldNot = 3;
constexpr std::size_t kShown = 3;

struct Call {
  std::string folder;  ///< of an environment; empty: worlds
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  std::string loader;
  std::string libc;
  std::string only;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Call> parse(const std::vector<std::string>& words) {
  Call call;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string* text = words[i] == "--loader" ? &call.loader
                        : words[i] == "--libc" ? &call.libc
                        : words[i] == "--only" ? &call.only
                                               : nullptr;
    if (text != nullptr) {
      if (++i == words.size()) return std::nullopt;
      *text = words[i];
      continue;
    }
    if (words[0] == "environment" && call.folder.empty()) {
      call.folder = words[i];
      continue;
    }
    const auto value = number(words[i]);
    if (!value) return std::nullopt;
    numbers.push_back(*value);
  }
  if (!words.empty() && words[0] == "environment") {
    if (call.folder.empty() || !numbers.empty()) return std::nullopt;
    return call;
  }
  if (words.empty() || words[0] != "worlds" || numbers.empty() || numbers.size() > 2) {
    return std::nullopt;
  }
  call.count = numbers[0];
  if (numbers.size() == 2) call.seed = numbers[1];
  return call;
}

struct Tally {
  std::uint64_t worlds = 0;
  std::uint64_t lines = 0;
  std::uint64_t disagreements = 0;
};

/// False: something could not be compared at all.
bool take(RealLoader& loader, const Compare& compare, const World& world, Tally& tally) {
  auto compared = compare(world);
  if (!compared) {
    std::fprintf(stderr, "%s: %s\n", world.title.c_str(), compared.error().message().c_str());
    return false;
  }
  ++tally.worlds;
  tally.lines += compared->lines;
  if (!compared->disagreement) return true;
  if (++tally.disagreements > kShown) return true;
  const Disagreement less = shrink(compare, *std::move(compared->disagreement));
  std::printf("%s\n", describe(less, loader.root()).c_str());
  return true;
}

Result<std::unique_ptr<RealLoader>> loader_of(const Call& call, LoaderKind kind,
                                              const std::string& folder) {
  const bool musl = kind == LoaderKind::musl;
  const std::string programs = WORLD_PROGRAMS;
  RealLoader::Setup setup;
  setup.kind = kind;
  setup.loader = musl ? "/lib/ld-musl-x86_64.so.1" : "/lib64/ld-linux-x86-64.so.2";
  if (!call.loader.empty()) setup.loader = call.loader;
  setup.libc = call.libc;
  setup.host = programs + (musl ? "/host_musl" : "/host_glibc");
  setup.caller = programs + (musl ? "/caller_musl" : "/caller_glibc");
  setup.folder = folder;
  setup.as_built = !call.folder.empty();
  return RealLoader::make(std::move(setup));
}

int run_environment(const Call& call, const std::string& folder) {
  const LoaderKind kind = call.only == "musl" ? LoaderKind::musl : LoaderKind::glibc;
  auto loader = loader_of(call, kind, folder);
  if (!loader) {
    std::fprintf(stderr, "loader_differential: %s\n", loader.error().message().c_str());
    return kCouldNot;
  }
  std::size_t shown = 0;
  std::error_code problem;
  const std::string where = std::filesystem::canonical(call.folder, problem).string();
  auto tally =
      check_environment(**loader, problem ? call.folder : where, [&](const std::string& text) {
        if (++shown <= kShown) std::printf("%s\n", text.c_str());
      });
  if (!tally) {
    std::fprintf(stderr, "loader_differential: %s\n", tally.error().message().c_str());
    return kCouldNot;
  }
  std::printf(
      "%s: %zu libraries, %zu needs, %zu lines compared, %zu disagreements; %zu references "
      "of symbols, %zu unbound, %zu disagreements; left out: %zu for other machines, %zu without a "
      "dynamic section; %zu unread\n",
      (*loader)->version().c_str(), tally->libraries, tally->needs, tally->lines,
      tally->disagreements, tally->references, tally->unbound, tally->symbol_disagreements,
      tally->other_machine, tally->no_dynamic, tally->unread);
  if (tally->libraries == 0 || tally->unread != 0) return kCouldNot;
  return tally->disagreements + tally->symbol_disagreements == 0 ? 0 : 1;
}

/// One kind of worlds.
struct Kind {
  const char* name;
  std::vector<World> named;
  std::function<World(std::uint64_t seed)> random;
  Compare compare;
};

bool run_kind(const Call& call, RealLoader& loader, const Kind& kind, Tally& all) {
  Tally named;
  for (const World& world : kind.named) {
    if (!take(loader, kind.compare, world, named)) return false;
  }
  Tally random;
  for (std::uint64_t i = 0; i < call.count; ++i) {
    if (!take(loader, kind.compare, kind.random(call.seed + i), random)) return false;
  }
  const std::uint64_t disagreements = named.disagreements + random.disagreements;
  std::printf(
      "%s, %s: %llu named, %llu random (seeds %llu to %llu), %llu lines compared, "
      "%llu disagreements\n",
      loader.version().c_str(), kind.name, static_cast<unsigned long long>(named.worlds),
      static_cast<unsigned long long>(random.worlds), static_cast<unsigned long long>(call.seed),
      static_cast<unsigned long long>(call.seed + call.count - 1),
      static_cast<unsigned long long>(named.lines + random.lines),
      static_cast<unsigned long long>(disagreements));
  all.disagreements += disagreements;
  all.worlds += named.worlds + random.worlds;
  return true;
}

bool run(const Call& call, LoaderKind kind, const std::string& folder, Tally& all) {
  auto loader = loader_of(call, kind, folder);
  if (!loader) {
    std::fprintf(stderr, "loader_differential: %s\n", loader.error().message().c_str());
    return false;
  }
  const Machine& machine = (*loader)->machine();
  const Kind files = {"worlds", scenarios(kind, machine),
                      [&](std::uint64_t seed) { return random_world(seed, kind, machine); },
                      [&](const World& world) { return compare(**loader, world); }};
  const Kind symbols = {"worlds of symbols", symbol_scenarios(kind),
                        [&](std::uint64_t seed) { return random_symbols(seed, kind); },
                        [&](const World& world) { return compare_symbols(**loader, world); }};
  return run_kind(call, **loader, files, all) && run_kind(call, **loader, symbols, all);
}

}  // namespace

int main(int count, char** words) {
  const auto call = parse({words + 1, words + count});
  if (!call) {
    std::fprintf(stderr,
                 "usage: loader_differential worlds N [SEED] [--loader PATH] [--libc PATH] "
                 "[--only glibc|musl]\n"
                 "       loader_differential environment FOLDER [--loader PATH] "
                 "[--only glibc|musl]\n");
    return kWrongCall;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "loader-worlds-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "loader_differential: %s: %s\n", folder.c_str(), std::strerror(errno));
    return kCouldNot;
  }
  if (!call->folder.empty()) {
    const int status = run_environment(*call, folder);
    std::filesystem::remove_all(folder);
    return status;
  }
  Tally all;
  bool complete = true;
  if (call->only != "musl") complete = run(*call, LoaderKind::glibc, folder + "/g", all);
  if (call->only != "glibc")
    complete = run(*call, LoaderKind::musl, folder + "/m", all) && complete;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!complete || all.worlds == 0) return kCouldNot;
  return all.disagreements == 0 ? 0 : 1;
}
