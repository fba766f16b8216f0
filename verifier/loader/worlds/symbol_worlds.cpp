#include "verifier/loader/worlds/symbol_worlds.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "verifier/loader/worlds/prediction.h"
#include "verifier/loader/worlds/reading.h"
#include "verifier/loader/worlds/symbol_check.h"

namespace wheelcheck::worlds {

namespace {

constexpr const char* kStop = "stop";
constexpr const char* kNoFile = "failed to find a file";

bool tells_of_missing_file(std::string_view text) {
  return text.find("cannot open shared object file") != std::string_view::npos ||
         text.find("Error loading shared library") != std::string_view::npos ||
         text.find(" => not found") != std::string_view::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

void sort_once(std::vector<std::string>& lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

/// "... binding file A [0] to B [0]: normal symbol `NAME' [VERSION]"
std::optional<std::string> debug_binding(const std::string& line) {
  constexpr std::string_view kBinding = "binding file ";
  const std::size_t at = line.find(kBinding);
  const std::size_t to = line.find(" [0] to ", at);
  const std::size_t name = line.find(" symbol `", to);
  const std::size_t end = line.rfind('\'');
  if (at == std::string::npos || to == std::string::npos || name == std::string::npos ||
      end == std::string::npos || end < name + 9) {
    return std::nullopt;
  }
  const std::size_t from = at + kBinding.size();
  const std::string object = line.substr(from, to - from);
  const std::string definer = line.substr(to + 8, line.find(" [0]", to + 8) - to - 8);
  std::string symbol = line.substr(name + 9, end - name - 9);
  const std::size_t version = line.find(" [", end);
  if (version != std::string::npos) {
    symbol += "@" + line.substr(version + 2, line.find(']', version) - version - 2);
  }
  return "bound " + symbol + " of " + object + " to " + definer;
}

Reading list_reading(const Written& written, const World& world, const std::string& root) {
  const std::string program = root + "/" + world.program;
  const bool musl = world.loader == LoaderKind::musl;
  if (tells_of_missing_file(written.out) || tells_of_missing_file(written.err)) return {{kStop}};
  Reading reading = musl ? musl_symbols(written) : glibc_symbols(written, program);
  const auto last =
      std::find_if(reading.lines.begin(), reading.lines.end(), [&](const std::string& line) {
        return line == "no file of a version for " + program ||
               line == "no versions for " + program;
      });
  if (last != reading.lines.end()) return {{*last}};  // what came before depends on the order
  for (const std::string& line : lines_of(written.err)) {
    auto bound = debug_binding(line);
    if (bound && bound->find(" of " + root + "/pkg/") != std::string::npos) {
      reading.lines.push_back(*std::move(bound));
    }
  }
  sort_once(reading.lines);
  return reading;
}

class SymbolModel {
 public:
  SymbolModel(const World& world, const ModelledWorld& modelled, const Machine& machine,
              const std::string& root, const ProcessBindings::Rules& off)
      : world_(world),
        root_(root),
        musl_(world.loader == LoaderKind::musl),
        tree_(*modelled.tree),
        search_(tree_, machine),
        process_(search_, {WhenMissing::fail, false, 1'000'000}),
        bindings_(process_, tree_, machine.glibc, nothing_known(), off) {}

  Reading run(std::size_t program, const Reading& real) {
    std::vector<std::string> preloads;
    for (const std::string& preload : world_.preloads) preloads.push_back(at_root(preload, root_));
    if (!process_.start(program, root_ + "/" + world_.program, preloads)) return {{kStop}};
    // What is there from the start is bound lazily, unless told otherwise as for listing.
    const bool lazily = !musl_ && world_.runs_host();
    const BoundLoad load = bindings_.bind(0, {lazily, false});
    if (!world_.runs_host()) return list(load);
    if (!reasons_to_fail(load).empty()) return {{kStop}};
    keep(load);
    if (lazily) keep_waiting(0);
    Reading reading;
    for (std::size_t i = 0; i < world_.opens.size(); ++i) {
      const std::string& told = i < real.lines.size() ? real.lines[i] : std::string();
      reading.lines.push_back(open(world_.opens[i], told));
      if (reading.lines.back() == kStop) return reading;
    }
    std::vector<std::string> bound;
    for (const auto& [key, line] : bound_) bound.push_back(line);
    sort_once(bound);
    reading.lines.insert(reading.lines.end(), bound.begin(), bound.end());
    return reading;
  }

 private:
  /// Of libraries that are known by name alone, the C library, worlds use no symbol.
  static KnownByName nothing_known() {
    static const ElfFacts nothing;
    return [](std::string_view) { return &nothing; };
  }

  /// `told`: how the real loader says that it came out.
  std::string open(const Open& open, const std::string& told) {
    const std::size_t before = process_.objects().size();
    const auto got = process_.open(at_root(open.name, root_), 0);
    if (!got) return kNoFile;
    const BoundLoad load = bindings_.bind(*got, {open.lazy && !musl_, open.deep});
    const std::set<std::string> reasons = reasons_to_fail(load);
    if (reasons.empty()) {
      keep(load);
      if (open.lazy) keep_waiting(before);
      if (open.global) bindings_.share(*got);
      return "opened";
    }
    bindings_.take_back(before);
    return reasons.count(told) != 0 ? told : *reasons.begin();
  }

  [[nodiscard]] const ElfFacts& elf_of(std::size_t object) const {
    return *tree_.files()[*process_.objects()[object].file].elf;
  }
  [[nodiscard]] const std::string& path_of(std::size_t object) const {
    return process_.objects()[object].opened;
  }
  [[nodiscard]] bool is_told(std::size_t object) const {
    return path_of(object).starts_with(root_ + "/pkg/");
  }
  /// musl's messages name no version.
  [[nodiscard]] std::string name_of(const BoundReference& reference) const {
    const ElfFacts& elf = elf_of(reference.object);
    std::string name(elf.name(*reference.reference));
    const ElfVersion* version = elf.version_of(*reference.reference);
    if (!musl_ && version != nullptr && !version->base) name += "@" + version->name;
    return name;
  }
  [[nodiscard]] std::string told(const UnmetVersion& unmet) const {
    return "no version " + elf_of(unmet.object).versions[unmet.version].name + " in " +
           path_of(*unmet.provider) + " for " + path_of(unmet.object);
  }
  [[nodiscard]] std::string told(const BoundReference& reference) const {
    return "undefined " + name_of(reference) + " by " + path_of(reference.object);
  }

  /// Versions come before symbols.
  [[nodiscard]] std::set<std::string> reasons_to_fail(const BoundLoad& load) const {
    std::set<std::string> reasons;
    for (const UnmetVersion& unmet : load.versions) {
      reasons.insert(unmet.provider ? "failed " + told(unmet) : kStop);
    }
    if (!reasons.empty()) return reasons;
    for (const BoundReference& reference : load.references) {
      if (!is_told(reference.object)) continue;
      if (reference.kind == BindingKind::undefined) reasons.insert("failed " + told(reference));
      if (reference.kind == BindingKind::no_versions) reasons.insert(kStop);
    }
    return reasons;
  }

  [[nodiscard]] Reading list(const BoundLoad& load) const {
    const std::string program = root_ + "/" + world_.program;
    Reading reading;
    for (const UnmetVersion& unmet : load.versions) {
      if (!unmet.provider) return {{"no file of a version for " + program}};
      reading.lines.push_back(told(unmet));
    }
    for (const BoundReference& reference : load.references) {
      if (!is_told(reference.object)) continue;
      if (reference.kind == BindingKind::no_versions) return {{"no versions for " + program}};
      if (reference.kind == BindingKind::undefined) reading.lines.push_back(told(reference));
      if (reference.kind == BindingKind::bound && !musl_) {
        reading.lines.push_back("bound " + name_of(reference) + " of " + path_of(reference.object) +
                                " to " + path_of(reference.definer));
      }
    }
    sort_once(reading.lines);
    return reading;
  }

  void keep(const BoundLoad& load) {
    for (const BoundReference& reference : load.references) {
      if (!is_told(reference.object)) continue;
      const ElfFacts& elf = elf_of(reference.object);
      const auto number =
          static_cast<std::size_t>(reference.reference - elf.dynamic_symbols.data());
      bound_[{reference.object, number}] = "bound " + std::to_string(number + 1) + " " +
                                           std::string(elf.name(*reference.reference)) + " of " +
                                           path_of(reference.object) + " to " +
                                           target_of(reference);
    }
  }

  /// What waits for its first call leads into the file itself.
  void keep_waiting(std::size_t first) {
    for (std::size_t object = first; object < process_.objects().size(); ++object) {
      if (!process_.objects()[object].file || !is_told(object)) continue;
      const ElfFacts& elf = elf_of(object);
      for (std::size_t i = 0; i < elf.dynamic_symbols.size(); ++i) {
        const ElfSymbol& symbol = elf.dynamic_symbols[i];
        if (!symbol.only_called) continue;
        bound_.try_emplace({object, i}, "bound " + std::to_string(i + 1) + " " +
                                            std::string(elf.name(symbol)) + " of " +
                                            path_of(object) + " to " + path_of(object) + " 0");
      }
    }
  }

  [[nodiscard]] std::string target_of(const BoundReference& reference) const {
    constexpr const char* kNothing = "nothing";
    constexpr std::uint64_t kChosen = 7;  // what a stamped function chooses lies behind itself
    if (reference.kind != BindingKind::bound) return kNothing;
    const ElfSymbol& definition = *reference.definition;
    std::uint64_t offset = definition.value;
    if (reference.reference->type == SymbolType::tls) {
      if (!elf_of(reference.definer).tls_size) return kNothing;
      offset = 0;
    } else if (definition.absolute && !musl_) {
      return kNothing;
    } else if (definition.type == SymbolType::ifunc) {
      offset += kChosen;
    }
    char text[32];
    std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(offset));
    return path_of(reference.definer) + text;
  }

  const World& world_;
  const std::string& root_;
  const bool musl_;
  const InstallTree& tree_;
  Search search_;
  Process process_;
  ProcessBindings bindings_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> bound_;
};

}  // namespace

Reading symbol_reading(const Written& written, const World& world, const std::string& root) {
  if (!world.runs_host()) return list_reading(written, world, root);
  Reading reading;
  std::vector<std::string> bound;
  for (std::string& line : lines_of(written.out)) {
    constexpr std::string_view kFailed = "failed ";
    if (line == "opened") {
      reading.lines.push_back(std::move(line));
    } else if (line.starts_with(kFailed)) {
      const std::string message = line.substr(kFailed.size());
      const bool missing = tells_of_missing_file(message);
      reading.lines.push_back(missing ? kNoFile
                                      : "failed " + symbol_failure(message).value_or(message));
    } else if (line.starts_with("bound ")) {
      bound.push_back(std::move(line));
    }
  }
  sort_once(bound);
  reading.lines.insert(reading.lines.end(), bound.begin(), bound.end());
  if (written.status != 0) reading.lines.emplace_back(kStop);
  return reading;
}

Reading predict_symbols(const World& world, const ModelledWorld& modelled, const Machine& machine,
                        const std::string& root, const std::string& libc, const Reading& real,
                        const ProcessBindings::Rules& off) {
  const Machine whole = machine_of(world, machine, root, libc);
  const PathLookup program = modelled.tree->look_up(root + "/" + world.program);
  if (program.kind != PathKind::file) return {{"the program is missing"}};
  return SymbolModel(world, modelled, whole, root, off).run(program.file, real);
}

Result<Comparison> compare_symbols(RealLoader& loader, const World& world,
                                   const ProcessBindings::Rules& off) {
  auto contents = contents_of(world, loader.templates(), loader.root());
  if (!contents) return contents.error();
  return compare_symbols_in(loader, world, *contents, off);
}

Result<Comparison> compare_symbols_in(RealLoader& loader, const World& world,
                                      const std::vector<std::string>& contents,
                                      const ProcessBindings::Rules& off) {
  if (auto done = lay_down(world, contents, loader.root()); !done) return done.error();
  auto written = loader.run_for_symbols(world);
  if (!written) return written.error();
  Reading real = symbol_reading(*written, world, loader.root());
  const ModelledWorld modelled =
      model(world, contents, loader.root(), loader.libc(), loader.links());
  Reading predicted =
      predict_symbols(world, modelled, loader.machine(), loader.root(), loader.libc(), real, off);
  Comparison comparison;
  comparison.lines = real.lines.size();
  if (real != predicted) {
    comparison.disagreement = Disagreement{world, std::move(real), std::move(predicted)};
  }
  return comparison;
}

}  // namespace wheelcheck::worlds
