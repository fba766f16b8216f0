#include "verifier/loader/worlds/environment_check.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "verifier/loader/environment.h"
#include "verifier/loader/worlds/differential.h"
#include "verifier/loader/worlds/prediction.h"
#include "verifier/loader/worlds/symbol_check.h"

namespace wheelcheck::worlds {

namespace {

/// Of sorted readings, the lines that one side has and the other has not.
Disagreement differing(Disagreement found) {
  std::vector<std::string>& real = found.real.lines;
  std::vector<std::string>& predicted = found.predicted.lines;
  std::vector<std::string> only_real;
  std::vector<std::string> only_predicted;
  std::set_difference(real.begin(), real.end(), predicted.begin(), predicted.end(),
                      std::back_inserter(only_real));
  std::set_difference(predicted.begin(), predicted.end(), real.begin(), real.end(),
                      std::back_inserter(only_predicted));
  real = std::move(only_real);
  predicted = std::move(only_predicted);
  return found;
}

}  // namespace

Result<EnvironmentTally> check_environment(RealLoader& loader, const std::string& folder,
                                           const std::function<void(const std::string&)>& tell) {
  auto environment = read_environment(folder, loader.kind(), loader.machine(), true);
  if (!environment) return environment.error();
  EnvironmentTally tally;
  tally.other_machine = environment->other_machine;
  tally.no_dynamic = environment->no_dynamic;
  tally.unread = environment->unread.size();
  for (const Error& error : environment->unread) tell("unread: " + error.message() + "\n");

  ModelledWorld modelled;
  modelled.tree = std::move(environment->tree);
  auto symbols = SymbolPrediction::make(*modelled.tree, loader.machine(), loader.file());
  if (!symbols) return symbols.error();
  for (const std::string& file : environment->roots) {
    World world;
    world.loader = loader.kind();
    world.title = file;
    world.program = file.substr(1);  // below the root, which is this machine's
    world.search_config = loader.search_config();
    auto real = loader.list(file);
    if (!real) return real.error();
    Reading predicted = predict(world, modelled, loader.machine(), {}, loader.libc());
    ++tally.libraries;
    const PathLookup there = modelled.tree->look_up(file);
    if (there.kind == PathKind::file) {
      tally.needs += modelled.tree->files()[there.file].elf->needed.size();
      auto unbound = loader.list_symbols(file);
      if (!unbound) return unbound.error();
      Reading expected = (*symbols)->read(there.file, file);
      tally.references = (*symbols)->lookups();
      tally.unbound += unbound->lines.size();
      if (*unbound != expected) {
        ++tally.symbol_disagreements;
        tell(describe(differing({world, *std::move(unbound), std::move(expected)}), folder));
      }
    }
    tally.lines += real->lines.size();
    if (*real == predicted) continue;
    ++tally.disagreements;
    tell(describe({std::move(world), *std::move(real), std::move(predicted)}, folder));
  }
  return tally;
}

}  // namespace wheelcheck::worlds
