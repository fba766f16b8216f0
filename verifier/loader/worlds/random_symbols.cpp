#include "verifier/loader/worlds/random_symbols.h"

#include <algorithm>
#include <random>

namespace wheelcheck::worlds {

namespace {

class Maker {
 public:
  Maker(std::uint64_t seed, LoaderKind loader) : random_(seed), further_(~seed) {
    world_.title = "symbols of seed " + std::to_string(seed);
    world_.loader = loader;
  }

  World run() {
    const std::size_t count = 2 + below(5);
    for (std::size_t i = 0; i < count; ++i) add_library(i);
    for (WorldFile& file : world_.files) add_definitions(file);
    for (WorldFile& file : world_.files) add_references(file);
    if (one_in(3)) {
      world_.program = world_.files[0].path;
      if (one_in(4)) world_.preloads.push_back("@/" + any_library().path);
      return std::move(world_);
    }
    add_host();
    return std::move(world_);
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }
  const WorldFile& any_library() { return any(world_.files); }

  void add_library(std::size_t index) {
    WorldFile file;
    const std::string name = "lib" + std::to_string(index + 1) + ".so";
    file.path = "pkg/" + name;
    if (one_in(2)) file.soname = name;
    file.runpath = "$ORIGIN";
    file.symbolic = further_() % 6 == 0;
    // Earlier ones need later ones.
    for (WorldFile& earlier : world_.files) {
      if (one_in(2)) earlier.needed.push_back(name);
    }
    world_.files.push_back(std::move(file));
  }

  void add_definitions(WorldFile& file) {
    for (const char* version : {"V1", "V2", "V3"}) {
      if (one_in(2)) file.versions.emplace_back(version);
    }
    if (one_in(4)) file.versions.clear();
    for (const char* name : {"f", "g", "h"}) {
      if (one_in(2)) continue;
      if (file.versions.empty() || one_in(4)) add_definition(file, name);
      if (file.versions.empty() || one_in(3)) continue;
      for (const std::string& version : file.versions) {
        if (one_in(2)) continue;
        add_definition(file, name);
        file.symbols.back().version = version;
        file.symbols.back().version_hidden = !one_in(3);
      }
    }
    if (one_in(4)) {
      add_definition(file, "u");
      file.symbols.back().visibility =
          further_() % 5 == 0 ? SymbolVisibility::protected_ : SymbolVisibility::standard;
      file.symbols.back().binding = one_in(4) ? SymbolBinding::weak : SymbolBinding::gnu_unique;
      // Which one is the first then depends on the order in which objects are relocated.
      if (file.symbolic) file.symbols.back().binding = SymbolBinding::global;
    }
    if (one_in(4)) {
      add_definition(file, "t");
      WorldSymbol& symbol = file.symbols.back();
      symbol.type = SymbolType::tls;
      symbol.zero = symbol.absolute = false;
    }
    std::shuffle(file.symbols.begin(), file.symbols.end(), random_);
  }

  void add_definition(WorldFile& file, const char* name) {
    WorldSymbol& symbol = file.symbols.emplace_back();
    symbol.name = name;
    symbol.defined = true;
    symbol.used = one_in(3);
    if (one_in(4)) symbol.binding = SymbolBinding::weak;
    if (one_in(8)) symbol.visibility = SymbolVisibility::protected_;
    if (one_in(10)) symbol.visibility = SymbolVisibility::hidden;
    if (one_in(6)) symbol.type = SymbolType::object;
    if (one_in(10)) symbol.type = SymbolType::none;
    if (one_in(8)) symbol.type = SymbolType::ifunc;
    if (one_in(20)) symbol.zero = true;
    if (one_in(20)) symbol.absolute = true;
    if (one_in(15)) symbol.version_hidden = true;
    // Linkers bind a file to its own definitions that nobody else sees.
    if (symbol.visibility == SymbolVisibility::hidden) symbol.used = false;
    // What chooses its address must have one, or the loader calls nothing.
    if (symbol.type == SymbolType::ifunc) symbol.zero = symbol.absolute = false;
  }

  void add_references(WorldFile& file) {
    const std::size_t count = below(4);
    for (std::size_t i = 0; i < count; ++i) {
      WorldSymbol symbol;
      symbol.used = !one_in(8);
      symbol.called = symbol.used && one_in(3);
      if (one_in(4)) symbol.binding = SymbolBinding::weak;
      symbol.name = any(std::vector<std::string>{"f", "g", "h", "u", "t"});
      if (symbol.name == "t") {
        symbol.type = SymbolType::tls;
        symbol.called = false;
        symbol.binding = SymbolBinding::global;  // musl takes weak ones for what is there
      }
      const bool versioned = symbol.name != "u" && symbol.name != "t" && one_in(2);
      if (versioned && !wants_version(file, symbol)) continue;
      file.symbols.push_back(std::move(symbol));
    }
    if (one_in(8) && !file.needed.empty()) {
      file.version_needs.push_back({any(file.needed), one_in(2) ? "V1" : "V2", one_in(2)});
    }
    if (one_in(60)) file.version_needs.push_back({any_library().path.substr(4), "V1", one_in(4)});
  }

  /// Mostly a version that some library has the symbol by.
  bool wants_version(const WorldFile& file, WorldSymbol& symbol) {
    if (file.needed.empty()) return false;
    symbol.file = any(file.needed);
    const WorldFile& other = *world_.find("pkg/" + symbol.file);
    const bool random = other.versions.empty() || one_in(6);
    symbol.version = random ? (one_in(2) ? "V1" : "V2") : any(other.versions);
    for (const WorldSymbol& defined : other.symbols) {
      if (!random && defined.defined && !defined.version.empty() && one_in(2)) {
        symbol.version = defined.version;
        if (defined.name != "u" && defined.name != "t") symbol.name = defined.name;
      }
    }
    return true;
  }

  void add_host() {
    WorldFile host;
    host.kind = FileKind::host;
    host.path = "bin/host";
    if (one_in(4)) world_.preloads.push_back("@/" + any_library().path);
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) {
      world_.opens.push_back({"@/" + any_library().path, "", one_in(3)});
      // musl comes back later to what it did not find.
      world_.opens.back().lazy = world_.loader == LoaderKind::glibc && one_in(5);
      world_.opens.back().deep = world_.loader == LoaderKind::glibc && further_() % 5 == 0;
    }
    world_.program = host.path;
    world_.files.push_back(std::move(host));
  }

  std::mt19937_64 random_;
  std::mt19937_64 further_;  ///< for what came later: the rest of a seed's world stays as it was
  World world_;
};

}  // namespace

World random_symbols(std::uint64_t seed, LoaderKind loader) { return Maker(seed, loader).run(); }

}  // namespace wheelcheck::worlds
