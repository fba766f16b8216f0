// Times what is done with facts once they are read: laying packages down, and resolving every
// NEEDED of a wheel in every process that loads one of its files.
//   loader_speed LIMIT WHEEL PACKAGE...
// LIMIT: seconds that both may take together; more is a failure. Facts of PACKAGEs come from the
// user's cache where they are known.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/policy.h"
#include "verifier/check/given.h"
#include "verifier/loader/resolution.h"
#include "verifier/scan/scan.h"

namespace {

using namespace wheelcheck;  // NOLINT(google-build-using-namespace): this file is all about it
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int measure(double limit, const std::string& wheel, const std::vector<std::string>& packages) {
  ScanOptions options;
  options.scan_build_paths = false;
  GivenPackages given(FactsCache::of_user());
  for (const std::string& package : packages) given.add(package, options);
  for (const Error& error : given.errors()) std::fprintf(stderr, "%s\n", error.message().c_str());
  if (!given.errors().empty()) return 3;
  // The wheel itself is one more of which the facts are kept: the check reads it in full.
  BesideStats own;
  const auto start = Clock::now();
  const auto cache = FactsCache::of_user();
  auto facts = cache ? cache->scan(wheel, options, own) : scan_wheel(wheel, options);
  if (!facts) {
    std::fprintf(stderr, "%s\n", facts.error().message().c_str());
    return 3;
  }
  const double facts_seconds = given.stats().seconds + since(start);
  const Policy& policy = Policy::built_in();
  const Profile* profile = policy.choose_profile(*facts, "");
  const std::vector<const WheelFacts*> beside = given.suiting(*facts);
  if (profile == nullptr || beside.size() != packages.size()) {
    std::fprintf(stderr, "%zu of %zu packages suit the wheel\n", beside.size(), packages.size());
    return 3;
  }
  std::vector<double> laid_down;
  std::vector<double> resolved;
  Resolution resolution;
  std::size_t libraries = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    const InstallTree tree = install(*facts, beside, policy, *profile);
    laid_down.push_back(since(begin));
    const auto next = Clock::now();
    LoaderOptions loader;
    add_openings(loader, tree, policy.openings);
    resolution = resolve(tree, loader);
    resolved.push_back(since(next));
    libraries = static_cast<std::size_t>(
        std::count_if(tree.files().begin(), tree.files().end(),
                      [](const TreeFile& file) { return file.elf != nullptr && !file.table; }));
  }
  const double seconds = median(laid_down) + median(resolved);
  std::printf(
      "%zu packages beside, %zu ELF files; %zu processes, %llu NEEDED of the wheel's own\n"
      "facts: %llu wheels read, %llu known from earlier runs: %.2f s\n"
      "laid down in %.3f s, resolved in %.3f s (medians of %d), %.3f s together, limit %.1f s\n",
      beside.size(), libraries, resolution.processes.size(),
      static_cast<unsigned long long>(resolution.needs),
      static_cast<unsigned long long>(given.stats().read + own.read),
      static_cast<unsigned long long>(given.stats().cached + own.cached), facts_seconds,
      median(laid_down), median(resolved), kRounds, seconds, limit);
  if (resolution.over_budget || resolution.needs == 0) return 3;
  return seconds <= limit ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: loader_speed LIMIT WHEEL PACKAGE...\n", stderr);
    return 2;
  }
  return measure(std::strtod(arguments[1], nullptr), arguments[2],
                 std::vector<std::string>(arguments + 3, arguments + count));
}
