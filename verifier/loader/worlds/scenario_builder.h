#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// A world put together by hand:
///   ScenarioBuilder("RUNPATH of the requester")
///       .lib("pkg/lib/liba.so")
///       .root({{"liba.so"}, "", "$ORIGIN/lib"})
class ScenarioBuilder {
 public:
  /// What is said of a library. An empty RPATH, RUNPATH or SONAME is none.
  struct Lib {
    std::vector<std::string> needed = {};
    std::string rpath = {};
    std::string runpath = {};
    std::string soname = {};
    bool empty_runpath = false;  ///< one of no length
    std::uint64_t flags_1 = 0;
  };

  explicit ScenarioBuilder(std::string title) { world_.title = std::move(title); }

  ScenarioBuilder& lib(std::string path) { return lib(std::move(path), Lib()); }
  ScenarioBuilder& lib(std::string path, const Lib& lib) {
    WorldFile file;
    file.path = std::move(path);
    file.needed = lib.needed;
    if (!lib.rpath.empty()) file.rpath = lib.rpath;
    if (!lib.runpath.empty() || lib.empty_runpath) file.runpath = lib.runpath;
    if (!lib.soname.empty()) file.soname = lib.soname;
    file.flags_1 = lib.flags_1;
    return this->file(std::move(file));
  }
  /// The layout by which wheels are installed; before the first of their files.
  ScenarioBuilder& layout(SitePackagesLayout layout) {
    world_.layout = layout;
    return *this;
  }
  /// A library of a wheel, and what it is for.
  ScenarioBuilder& member(Scheme scheme, const std::string& name) {
    return member(scheme, name, Lib());
  }
  ScenarioBuilder& member(Scheme scheme, const std::string& name, const Lib& lib) {
    this->lib(installed(world_.layout, scheme, name), lib);
    world_.files.back().member = name;
    world_.files.back().scheme = scheme;
    return *this;
  }
  /// ... whose needs are listed.
  ScenarioBuilder& root_member(Scheme scheme, const std::string& name, const Lib& lib) {
    member(scheme, name, lib);
    world_.program = world_.files.back().path;
    return *this;
  }
  /// The library whose needs are listed.
  ScenarioBuilder& root(const Lib& root) {
    world_.program = "pkg/root.so";
    return lib(world_.program, root);
  }
  ScenarioBuilder& file(WorldFile file) {
    world_.files.push_back(std::move(file));
    return *this;
  }
  ScenarioBuilder& link(std::string path, std::string target) {
    return linked(FileKind::link, std::move(path), std::move(target));
  }
  ScenarioBuilder& hard_link(std::string path, std::string target) {
    return linked(FileKind::hard_link, std::move(path), std::move(target));
  }
  ScenarioBuilder& text(std::string path) { return linked(FileKind::text, std::move(path), {}); }
  ScenarioBuilder& directory(std::string path) {
    return linked(FileKind::directory, std::move(path), {});
  }
  ScenarioBuilder& host(std::string rpath = {}, std::string runpath = {}) {
    return host_at("bin/host", std::move(rpath), std::move(runpath));
  }
  ScenarioBuilder& host_at(std::string path, std::string rpath = {}, std::string runpath = {}) {
    world_.program = path;
    return compiled(FileKind::host, std::move(path), std::move(rpath), std::move(runpath));
  }
  ScenarioBuilder& caller(std::string path, std::string rpath, std::string runpath) {
    return compiled(FileKind::caller, std::move(path), std::move(rpath), std::move(runpath));
  }
  /// Another path to start the program by.
  ScenarioBuilder& program(std::string path) {
    world_.program = std::move(path);
    return *this;
  }
  ScenarioBuilder& by_kernel() {
    world_.by_kernel = true;
    return *this;
  }
  ScenarioBuilder& open(std::string name, std::string caller = {}) {
    world_.opens.push_back({std::move(name), std::move(caller)});
    return *this;
  }
  ScenarioBuilder& library_path(std::string path) {
    world_.ld_library_path = std::move(path);
    return *this;
  }
  ScenarioBuilder& cached(std::string name, std::string path) {
    world_.cache.push_back({std::move(name), std::move(path)});
    return *this;
  }
  ScenarioBuilder& config(std::string text) {
    world_.search_config = std::move(text);
    return *this;
  }
  ScenarioBuilder& share(std::string name) {
    open(std::move(name));
    world_.opens.back().global = true;
    return *this;
  }
  ScenarioBuilder& lazily(std::string name) {
    open(std::move(name));
    world_.opens.back().lazy = true;
    return *this;
  }
  ScenarioBuilder& deeply(std::string name) {
    open(std::move(name));
    world_.opens.back().deep = true;
    return *this;
  }
  ScenarioBuilder& preload(std::string name) {
    world_.preloads.push_back(std::move(name));
    return *this;
  }

  // Symbols of the library that was added last.

  /// Versions that it defines, oldest first.
  ScenarioBuilder& versions(std::vector<std::string> versions) {
    world_.files.back().versions = std::move(versions);
    return *this;
  }
  ScenarioBuilder& symbolic() {
    world_.files.back().symbolic = true;
    return *this;
  }
  ScenarioBuilder& needs_version(std::string file, std::string version, bool weak = false) {
    world_.files.back().version_needs.push_back({std::move(file), std::move(version), weak});
    return *this;
  }
  /// A definition: "name", "name@@V" as the default, "name@V".
  ScenarioBuilder& defines(const std::string& text) { return add(text, true); }
  /// A reference: "name", "name@V:FILE" to a version of a file.
  ScenarioBuilder& uses(const std::string& text) { return add(text, false); }

  // Of the symbol that was added last.

  [[nodiscard]] WorldSymbol& symbol() { return world_.files.back().symbols.back(); }
  ScenarioBuilder& with(const std::function<void(WorldSymbol&)>& change) {
    change(symbol());
    return *this;
  }
  ScenarioBuilder& weak() {
    return with([](WorldSymbol& one) { one.binding = SymbolBinding::weak; });
  }
  ScenarioBuilder& unique() {
    return with([](WorldSymbol& one) { one.binding = SymbolBinding::gnu_unique; });
  }
  ScenarioBuilder& visible(SymbolVisibility visibility) {
    return with([visibility](WorldSymbol& one) { one.visibility = visibility; });
  }
  ScenarioBuilder& typed(SymbolType type) {
    return with([type](WorldSymbol& one) { one.type = type; });
  }
  /// Through the procedure linkage table.
  ScenarioBuilder& called() {
    return with([](WorldSymbol& one) { one.called = true; });
  }
  ScenarioBuilder& used() {
    return with([](WorldSymbol& one) { one.used = true; });
  }

  operator World() const { return world_; }  // NOLINT: the point of it

 private:
  ScenarioBuilder& add(const std::string& text, bool defined) {
    WorldSymbol symbol;
    symbol.defined = defined;
    symbol.used = !defined;
    const std::size_t at = text.find('@');
    symbol.name = text.substr(0, at);
    if (at != std::string::npos) {
      const bool is_default = text.compare(at, 2, "@@") == 0;
      symbol.version = text.substr(at + (is_default ? 2 : 1));
      symbol.version_hidden = defined && !is_default;
      const std::size_t colon = symbol.version.find(':');
      if (colon != std::string::npos) {
        symbol.file = symbol.version.substr(colon + 1);
        symbol.version.resize(colon);
      }
    }
    world_.files.back().symbols.push_back(std::move(symbol));
    return *this;
  }
  ScenarioBuilder& linked(FileKind kind, std::string path, std::string target) {
    WorldFile file;
    file.kind = kind;
    file.path = std::move(path);
    file.target = std::move(target);
    return this->file(std::move(file));
  }
  ScenarioBuilder& compiled(FileKind kind, std::string path, std::string rpath,
                            std::string runpath) {
    WorldFile file;
    file.kind = kind;
    file.path = std::move(path);
    if (!rpath.empty()) file.rpath = std::move(rpath);
    if (!runpath.empty()) file.runpath = std::move(runpath);
    return this->file(std::move(file));
  }

  World world_;
};

}  // namespace wheelcheck::worlds
