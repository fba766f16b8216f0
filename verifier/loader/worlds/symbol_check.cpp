#include "verifier/loader/worlds/symbol_check.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "verifier/elf/collector.h"
#include "verifier/loader/process.h"
#include "verifier/loader/worlds/reading.h"

namespace wheelcheck::worlds {

namespace {

constexpr std::string_view kAbsentFile = "Assertion `needed != NULL' failed";
/// The file of a version has the symbol and no versions.
constexpr std::string_view kNoVersions = "! _dl_name_match_p (version->filename, map)' failed";

/// Takes "BEFORE x BEHIND" apart; false when the text has another form.
bool take(std::string_view& text, std::string_view before, std::string_view behind,
          std::string& found) {
  if (!text.starts_with(before)) return false;
  const std::string_view rest = text.substr(before.size());
  const std::size_t end = behind.empty() ? rest.size() : rest.find(behind);
  if (end == std::string_view::npos) return false;
  found = rest.substr(0, end);
  text = rest.substr(end + behind.size());
  return true;
}

std::optional<std::string> glibc_line(std::string_view line, const std::string& program) {
  std::string symbol;
  std::string version;
  std::string file;
  std::string object;
  std::string_view rest = line;
  if (take(rest, "undefined symbol: ", "\t(", symbol) && take(rest, "", ")", object)) {
    const std::size_t comma = symbol.find(", version ");
    if (comma != std::string::npos) symbol.replace(comma, 10, "@");
    return "undefined " + symbol + " by " + object;
  }
  rest = line;
  if (take(rest, "symbol ", " version ", symbol) &&
      take(rest, "", " not defined in file ", version) &&
      take(rest, "", " with link time reference", file)) {
    const std::size_t open = rest.find("\t(");
    if (open == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(open);
    if (!take(rest, "\t(", ")", object)) return std::nullopt;
    return "not in " + file + ": " + symbol + "@" + version + " by " + object;
  }
  const std::size_t missing = line.find(": version `");
  if (missing != std::string_view::npos) {
    rest = line.substr(missing);
    // "PROGRAM: FILE: version ..."
    std::string_view files = line.substr(0, missing);
    const std::size_t colon = files.rfind(": ");
    if (colon != std::string_view::npos) files.remove_prefix(colon + 2);
    if (files == "version lookup error") return std::nullopt;  // the same, told once more
    if (take(rest, ": version `", "' not found (required by ", version) &&
        take(rest, "", ")", object)) {
      return "no version " + version + " in " + std::string(files) + " for " + object;
    }
  }
  if (line.find(kAbsentFile) != std::string_view::npos) {
    return "no file of a version for " + program;
  }
  if (line.find(kNoVersions) != std::string_view::npos) return "no versions for " + program;
  return std::nullopt;
}

/// A loader that lists leaves versions of files that are missing out of its count, and takes
/// symbols whose version is behind the count for unversioned.
std::uint16_t counted_versions(const ElfFacts& elf, const SymbolScope& scope) {
  std::uint16_t highest = 0;
  for (const ElfVersion& version : elf.versions) {
    const bool counts = version.defined || scope.named(version.file);
    if (counts) highest = std::max(highest, version.index);
  }
  return highest;
}

template <class Turn>
Reading sorted_lines(const std::string& text, Turn turn) {
  Reading reading;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto turned = turn(line)) reading.lines.push_back(*std::move(turned));
  }
  std::sort(reading.lines.begin(), reading.lines.end());
  reading.lines.erase(std::unique(reading.lines.begin(), reading.lines.end()), reading.lines.end());
  return reading;
}

}  // namespace

Reading glibc_symbols(const Written& written, const std::string& program) {
  return sorted_lines(written.err + "\n" + written.out,
                      [&](std::string_view line) { return glibc_line(line, program); });
}

Reading musl_symbols(const Written& written) {
  return sorted_lines(written.err + "\n" + written.out,
                      [](std::string_view line) -> std::optional<std::string> {
                        std::string object;
                        std::string symbol;
                        if (!take(line, "Error relocating ", ": ", object) ||
                            !take(line, "", ": symbol not found", symbol)) {
                          return std::nullopt;
                        }
                        return "undefined " + symbol + " by " + object;
                      });
}

std::optional<std::string> symbol_failure(std::string_view message) {
  std::string symbol;
  std::string object;
  std::string_view rest = message;
  if (take(rest, "Error relocating ", ": ", object) &&
      take(rest, "", ": symbol not found", symbol)) {
    return "undefined " + symbol + " by " + object;
  }
  const std::size_t undefined = message.find(": undefined symbol: ");
  if (undefined != std::string_view::npos) {
    object = message.substr(0, undefined);
    rest = message.substr(undefined);
    if (!take(rest, ": undefined symbol: ", "", symbol)) return std::nullopt;
    const std::size_t comma = symbol.find(", version ");
    if (comma != std::string::npos) symbol.replace(comma, 10, "@");
    return "undefined " + symbol + " by " + object;
  }
  return glibc_line(message, {});
}

Result<std::unique_ptr<SymbolPrediction>> SymbolPrediction::make(const InstallTree& tree,
                                                                 const Machine& machine,
                                                                 const std::string& loader) {
  std::ifstream file(loader, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return Error{loader, "cannot be read", std::nullopt};
  const std::string code = std::move(bytes).str();
  auto facts = read_elf(loader, as_bytes(code));
  if (!facts) return facts.error();
  std::unique_ptr<SymbolPrediction> prediction(new SymbolPrediction(tree, machine));
  prediction->loader_ = *std::move(facts);
  return prediction;
}

Reading SymbolPrediction::read(std::size_t file, const std::string& path) {
  const bool musl = tree_.loader() == LoaderKind::musl;
  Process process(search_, {WhenMissing::go_on, false, 1'000'000});
  process.start(file, path);
  const auto known = [&](std::string_view name) -> const ElfFacts* {
    return musl || is_loader_itself(name) ? &loader_ : nullptr;  // musl's is the C library as well
  };
  const SymbolScope scope(tree_.loader(), search_.machine().glibc,
                          symbol_objects(tree_, process.scope_of(0), known), tables_);
  Reading reading;
  const auto tell = [&](std::string line) { reading.lines.push_back(std::move(line)); };
  for (std::size_t i = 0; i < scope.objects().size(); ++i) {
    const SymbolObject& object = scope.objects()[i];
    const std::string& by = object.names.back();
    if (object.elf == nullptr) {
      tell("unknown " + by);
      continue;
    }
    if (object.elf == &loader_) continue;
    for (const MissingVersion& missing : missing_versions(*object.elf, scope, tree_.loader())) {
      tell("no version " + object.elf->versions[missing.version].name + " in " +
           scope.objects()[missing.object].names.back() + " for " + by);
    }
    const std::uint16_t versions = counted_versions(*object.elf, scope);
    for (const ElfSymbol& symbol : object.elf->dynamic_symbols) {
      if (!is_reference(*object.elf, symbol)) continue;
      ++lookups_;
      const Binding binding = scope.look_up(*object.elf, symbol);
      std::string name(object.elf->name(symbol));
      const ElfVersion* version =
          musl || symbol.version > versions ? nullptr : object.elf->version_of(symbol);
      if (version != nullptr) name += "@" + version->name;
      if (binding.kind == BindingKind::undefined) tell("undefined " + name + " by " + by);
      if (binding.kind == BindingKind::not_in_file && version != nullptr) {
        tell("not in " + version->file + ": " + name + " by " + by);
      }
    }
  }
  std::sort(reading.lines.begin(), reading.lines.end());
  reading.lines.erase(std::unique(reading.lines.begin(), reading.lines.end()), reading.lines.end());
  return reading;
}

}  // namespace wheelcheck::worlds
