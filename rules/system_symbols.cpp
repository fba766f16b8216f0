#include "rules/system_symbols.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "rules/embedded.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

constexpr std::string_view kUnversioned = "Base";
constexpr std::size_t kMostShared = 50;

Error malformed(std::size_t line, std::string what) {
  return Error{"system_symbols.txt", "line " + std::to_string(line) + ": " + std::move(what), {}};
}

}  // namespace

/// Goes through the text line by line.
class SystemSymbolsReader {
 public:
  explicit SystemSymbolsReader(std::string_view text) : text_(text) {
    // Views into it are taken on the way: no symbol is longer than its own characters and those
    // that it shares.
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    names_->reserve(text.size() + (lines + 1) * kMostShared);
  }

  Result<std::vector<SystemSymbols>> run() {
    std::size_t number = 0;
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number;
      if (line.empty() || line.front() == '#') continue;
      if (auto problem = take(line)) return malformed(number, *problem);
    }
    finish_library();
    if (glibc_minor_ == 0) return malformed(number, "does not say of which glibc it is");
    if (tables_.empty()) return malformed(number, "is of no machine");
    return std::move(tables_);
  }

 private:
  using Library = SystemSymbols::Library;
  using Version = SystemSymbols::Version;

  /// What is wrong with the line.
  std::optional<std::string> take(std::string_view line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    const std::vector<std::string> rest = words_of(line.substr(space));
    if (word == "glibc") return take_glibc(rest);
    if (word == "machine") return take_machine(rest);
    if (word == "library") return take_library(rest);
    if (word == "like") return take_like(rest);
    if (word == "version" || word == "without") {
      if (library() == nullptr || rest.size() != 1) return "a version of no library";
      removes_ = word == "without";
      version_ = rest[0];
      before_ = {};
      return std::nullopt;
    }
    return take_symbol(line);
  }

  std::optional<std::string> take_glibc(const std::vector<std::string>& rest) {
    if (rest.size() != 1 || !rest[0].starts_with("2.")) return "names no version of glibc";
    std::from_chars(rest[0].data() + 2, rest[0].data() + rest[0].size(), glibc_minor_);
    return std::nullopt;
  }

  std::optional<std::string> take_machine(const std::vector<std::string>& rest) {
    if (rest.empty() || rest.size() > 2) return "names no machine";
    finish_library();
    SystemSymbols& table = tables_.emplace_back();
    table.machine_ = rest[0];
    table.glibc_minor_ = glibc_minor_;
    table.names_ = names_;
    first_version_ = rest.size() == 2 ? rest[1] : std::string();
    return std::nullopt;
  }

  std::optional<std::string> take_library(const std::vector<std::string>& rest) {
    if (tables_.empty() || rest.empty()) return "names no library of a machine";
    finish_library();
    Library& library = tables_.back().libraries_.emplace_back();
    library.name = rest[0];
    library.needed.assign(std::next(rest.begin()), rest.end());
    return std::nullopt;
  }

  std::optional<std::string> take_like(const std::vector<std::string>& rest) {
    const Library* other =
        rest.size() == 1 && tables_.size() > 1 ? tables_.front().find(rest[0]) : nullptr;
    if (library() == nullptr || other == nullptr) return "is like no library of the first machine";
    for (const Version& version : other->versions) {
      const bool folds = family_of(version.name) == family_of(first_version_) &&
                         version_less(version.name, first_version_);
      Version& own = version_named(folds ? first_version_ : version.name);
      own.symbols.insert(own.symbols.end(), version.symbols.begin(), version.symbols.end());
    }
    return std::nullopt;
  }

  std::optional<std::string> take_symbol(std::string_view line) {
    const auto shared = static_cast<std::size_t>(line.front() - '0');
    const bool placed = library() != nullptr && !version_.empty();
    if (!placed || line.front() < '0' || shared > kMostShared || shared > before_.size()) {
      return "no symbol can stand here";
    }
    const std::size_t start = names_->size();
    names_->append(before_.substr(0, shared));
    names_->append(line.substr(1));
    before_ = std::string_view(*names_).substr(start);
    if (removes_) {
      std::erase(version_named(version_).symbols, before_);
    } else {
      version_named(version_).symbols.push_back(before_);
    }
    return std::nullopt;
  }

  [[nodiscard]] Library* library() {
    const bool none = tables_.empty() || tables_.back().libraries_.empty();
    return none ? nullptr : &tables_.back().libraries_.back();
  }

  static std::string_view family_of(std::string_view version) {
    return version.substr(0, std::min(version.rfind('_'), version.size()));
  }

  /// Of the library; a new one comes before the newer ones of its family.
  Version& version_named(const std::string& name) {
    auto& versions = library()->versions;
    const auto known = std::find_if(versions.begin(), versions.end(),
                                    [&](const Version& version) { return version.name == name; });
    if (known != versions.end()) return *known;
    const auto newer = std::find_if(versions.begin(), versions.end(), [&](const Version& version) {
      return family_of(version.name) == family_of(name) && version_less(name, version.name);
    });
    return *versions.insert(newer, Version{name, {}});
  }

  void finish_library() {
    if (library() != nullptr) {
      auto& versions = library()->versions;
      for (Version& version : versions) {
        auto& symbols = version.symbols;
        // Those of the file are in order, but for what two of its lists bring together.
        const auto ordered = std::adjacent_find(symbols.begin(), symbols.end(),
                                                std::greater_equal<std::string_view>());
        if (ordered == symbols.end()) continue;
        std::sort(symbols.begin(), symbols.end());
        symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
      }
      std::erase_if(versions, [](const Version& version) { return version.symbols.empty(); });
    }
    version_.clear();
  }

  std::string_view text_;
  int glibc_minor_ = 0;
  std::vector<SystemSymbols> tables_;
  std::shared_ptr<std::string> names_ = std::make_shared<std::string>();
  std::string first_version_;  ///< of the machine; empty: as the file has them
  std::string version_;
  bool removes_ = false;
  std::string_view before_;
};

Result<std::vector<SystemSymbols>> SystemSymbols::parse(std::string_view text) {
  return SystemSymbolsReader(text).run();
}

const SystemSymbols* SystemSymbols::built_in(std::string_view machine) {
  // Left to the end of the process, which is sooner done with them.
  static const auto& tables = *new std::vector<SystemSymbols>([] {
    auto parsed = parse(embedded::system_symbols_txt());
    if (!parsed) {  // a defect of the program, found by its tests
      std::fprintf(stderr, "built-in policy: %s\n", parsed.error().message().c_str());
      std::abort();
    }
    return *std::move(parsed);
  }());
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const SystemSymbols& table) {
    return table.machine() == machine;
  });
  return found == tables.end() ? nullptr : &*found;
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
  constexpr std::uint16_t kX86 = 62;
  constexpr std::uint16_t kArm = 183;
  facts->machine = symbols_.machine() == "x86_64" ? kX86 : kArm;
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
  return policy.kind == PlatformKind::manylinux && policy.arch == symbols.machine() &&
         policy.major == 2 && policy.minor <= symbols.glibc_minor();
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
