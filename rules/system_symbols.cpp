#include "rules/system_symbols.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "rules/embedded.h"

namespace wheelcheck {
namespace {

constexpr std::string_view kUnversioned = "Base";
constexpr std::size_t kMostShared = 50;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Error malformed(std::size_t line, std::string what) {
  return Error{"system_symbols.txt", "line " + std::to_string(line) + ": " + std::move(what), {}};
}

}  // namespace

Result<SystemSymbols> SystemSymbols::parse(std::string_view text) {
  SystemSymbols table;
  // Views into it are taken on the way: no symbol is longer than its own characters and those that
  // it shares.
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  table.names_->reserve(text.size() + (lines + 1) * kMostShared);
  std::string_view before;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("glibc 2.")) {
      const std::string_view minor = line.substr(8);
      std::from_chars(minor.data(), minor.data() + minor.size(), table.glibc_minor_);
    } else if (line.starts_with("library ")) {
      std::vector<std::string> words = words_of(line.substr(8));
      if (words.empty()) return malformed(number, "names no library");
      Library library;
      library.name = std::move(words.front());
      library.needed.assign(std::next(words.begin()), words.end());
      table.libraries_.push_back(std::move(library));
    } else if (line.starts_with("version ")) {
      if (table.libraries_.empty()) return malformed(number, "a version of no library");
      table.libraries_.back().versions.push_back({std::string(line.substr(8)), {}});
      before = {};
    } else {
      const auto shared = static_cast<std::size_t>(line.front() - '0');
      const bool placed = !table.libraries_.empty() && !table.libraries_.back().versions.empty();
      if (!placed || line.front() < '0' || shared > kMostShared || shared > before.size()) {
        return malformed(number, "no symbol can stand here");
      }
      const std::size_t start = table.names_->size();
      table.names_->append(before.substr(0, shared));
      table.names_->append(line.substr(1));
      before = std::string_view(*table.names_).substr(start);
      table.libraries_.back().versions.back().symbols.push_back(before);
    }
  }
  if (table.glibc_minor_ == 0) return malformed(number, "does not say of which glibc it is");
  return table;
}

const SystemSymbols& SystemSymbols::built_in() {
  static const SystemSymbols table = [] {
    auto parsed = parse(embedded::system_symbols_txt());
    if (!parsed) {  // a defect of the program, found by its tests
      std::fprintf(stderr, "built-in policy: %s\n", parsed.error().message().c_str());
      std::abort();
    }
    return *std::move(parsed);
  }();
  return table;
}

const SystemSymbols::Library* SystemSymbols::find(std::string_view library) const {
  const auto found = std::find_if(libraries_.begin(), libraries_.end(),
                                  [&](const Library& known) { return known.name == library; });
  return found == libraries_.end() ? nullptr : &*found;
}

std::string_view SystemSymbols::since(std::string_view library, std::string_view symbol) const {
  const Library* known = find(library);
  if (known == nullptr) return {};
  for (const Version& version : known->versions) {
    if (std::binary_search(version.symbols.begin(), version.symbols.end(), symbol)) {
      return version.name;
    }
  }
  return {};
}

const ElfFacts* SystemLibraries::find(std::string_view library) {
  const auto made = made_.find(library);
  if (made != made_.end()) return made->second.get();
  const SystemSymbols::Library* known = symbols_.find(library);
  if (known == nullptr) return nullptr;
  auto facts = std::make_unique<ElfFacts>();
  facts->type = 3;
  facts->machine = 62;
  facts->has_dynamic = true;
  facts->soname = known->name;
  facts->needed = known->needed;
  facts->references_known = true;
  facts->names.push_back('\0');
  facts->version_positions = {0, 0};
  std::unordered_set<std::string_view> seen;
  for (const SystemSymbols::Version& version : known->versions) {
    if (policy_ != nullptr && !policy_->allows_version(version.name)) continue;
    std::uint16_t index = 1;
    if (version.name != kUnversioned) {
      index = static_cast<std::uint16_t>(facts->version_positions.size());
      ElfVersion record;
      record.name = version.name;
      record.index = index;
      record.defined = true;
      facts->versions.push_back(std::move(record));
      facts->version_positions.push_back(static_cast<std::uint32_t>(facts->versions.size()));
    }
    for (const std::string_view name : version.symbols) {
      ElfSymbol symbol;
      symbol.name = static_cast<std::uint32_t>(facts->names.size());
      symbol.version = index;
      symbol.binding = SymbolBinding::global;
      symbol.type = SymbolType::function;
      symbol.defined = true;
      symbol.value = 1;  // somewhere
      // Which one is the default differs from system to system; that there is one does not.
      symbol.version_hidden = !seen.insert(name).second;
      facts->names.append(name);
      facts->names.push_back('\0');
      facts->dynamic_symbols.push_back(symbol);
    }
  }
  return made_.emplace(std::string(library), std::move(facts)).first->second.get();
}

bool knows_symbols_of(const SystemSymbols& symbols, const PlatformPolicy& policy) {
  return policy.kind == PlatformKind::manylinux && policy.arch == "x86_64" && policy.major == 2 &&
         policy.minor <= symbols.glibc_minor();
}

bool version_less(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view& text) {
    std::uint64_t number = 0;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
      text.remove_prefix(1);
    }
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
      number = number * 10 + static_cast<std::uint64_t>(text.front() - '0');
      text.remove_prefix(1);
    }
    return number;
  };
  while (!a.empty() || !b.empty()) {
    const std::uint64_t x = next(a);
    const std::uint64_t y = next(b);
    if (x != y) return x < y;
  }
  return false;
}

std::string oldest_system(std::string_view version) {
  const std::size_t split = version.rfind('_');
  if (split == std::string_view::npos) return {};
  const std::string family(version.substr(0, split));
  const std::string_view wanted = version.substr(split + 1);
  if (wanted.empty() || std::isdigit(static_cast<unsigned char>(wanted.front())) == 0) return {};
  const auto document = nlohmann::json::parse(embedded::systems_json(), nullptr, false);
  if (document.is_discarded() || !document.contains("systems")) return {};
  for (const auto& system : document["systems"]) {
    const auto newest = system.find(family);
    if (newest == system.end() || !newest->is_string()) continue;
    if (!version_less(newest->get_ref<const std::string&>(), wanted)) {
      return system.value("name", std::string());
    }
  }
  return {};
}

}  // namespace wheelcheck
