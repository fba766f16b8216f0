#include "verifier/loader/worlds/compiled_symbols.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "verifier/loader/worlds/compiled.h"

namespace wheelcheck::worlds {

namespace {

std::string type_of(const WorldSymbol& symbol) {
  if (symbol.binding == SymbolBinding::gnu_unique) return "gnu_unique_object";
  switch (symbol.type) {
    case SymbolType::function:
      return "function";
    case SymbolType::object:
      return "object";
    case SymbolType::tls:
      return "tls_object";
    case SymbolType::ifunc:
      return "gnu_indirect_function";
    default:
      return "notype";
  }
}

/// One library as text for an assembler, and its versions as text for a linker.
class Source {
 public:
  void define(const WorldSymbol& symbol) {
    const std::string label = label_for(symbol);
    const bool thread = symbol.type == SymbolType::tls;
    text_ += thread ? ".section .tdata,\"awT\",@progbits\n" : ".section .code,\"awx\"\n";
    declare(symbol, label);
    if (symbol.visibility == SymbolVisibility::protected_) text_ += ".protected " + label + "\n";
    text_ += ".balign 16\n" + label + ":\n";
    text_ += symbol.type == SymbolType::ifunc ? "lea 0(%rip), %rax\nret\n" : ".quad 0\n";
    text_ += ".size " + label + ", 8\n";
    if (symbol.version.empty()) return;
    const std::string at = symbol.version_hidden ? "@" : "@@";
    text_ += ".symver " + label + ", " + symbol.name + at + symbol.version + ", remove\n";
  }
  void use(const WorldSymbol& symbol) {
    const std::string label = symbol.defined ? symbol.name : label_for(symbol);
    if (!symbol.defined) {
      if (symbol.binding == SymbolBinding::weak) text_ += ".weak " + label + "\n";
      if (!symbol.version.empty()) {
        text_ += ".symver " + label + ", " + symbol.name + "@" + symbol.version + "\n";
      }
    }
    text_ += ".section .uses,\"aw\"\n.quad " + label + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string label_for(const WorldSymbol& symbol) {
    if (symbol.version.empty()) return symbol.name;
    return symbol.name + "_" + std::to_string(labels_++);
  }
  void declare(const WorldSymbol& symbol, const std::string& label) {
    text_ += (symbol.binding == SymbolBinding::weak ? ".weak " : ".globl ") + label + "\n";
    text_ += ".type " + label + ", @" + type_of(symbol) + "\n";
  }

  std::string text_ = ".section .note.GNU-stack,\"\",@progbits\n";
  std::size_t labels_ = 0;
};

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

Result<std::string> link(Runner& runner, const std::string& compiler, const Source& source,
                         const std::vector<std::string>& versions, std::vector<std::string> options,
                         const std::string& output) {
  std::string script;
  for (const std::string& version : versions) script += version + " { };\n";
  if (!write_text(output + ".s", source.text()) || !write_text(output + ".map", script)) {
    return Error{output, "its source cannot be written", std::nullopt};
  }
  options.insert(options.begin(), {output + ".s", "-Wl,--hash-style=both", "-Wl,--no-as-needed",
                                   "-Wl,--allow-shlib-undefined"});
  if (!versions.empty()) options.push_back("-Wl,--version-script=" + output + ".map");
  auto compiled = call_compiler(runner, compiler, std::move(options), output);
  if (compiled) return compiled;
  return Error{output, compiled.error().what + source.text(), std::nullopt};
}

}  // namespace

bool is_compilable(const WorldFile& file) {
  // A version that no symbol has, or that the file gets from nothing that it links with.
  if (file.kind != FileKind::library || !file.version_needs.empty() || file.rpath) return false;
  if (file.symbolic) return false;  // the linker binds what it can itself
  std::set<std::string> defined;
  for (const WorldSymbol& symbol : file.symbols) {
    const bool plain = !symbol.zero && !symbol.absolute && !symbol.copied && !symbol.called;
    const bool visible = symbol.visibility == SymbolVisibility::standard ||
                         symbol.visibility == SymbolVisibility::protected_;
    const bool known = symbol.type != SymbolType::section && symbol.type != SymbolType::common &&
                       symbol.type != SymbolType::none;
    if (!plain || !visible || !known) return false;
    if (symbol.version_hidden && symbol.version.empty()) return false;
    if (symbol.type == SymbolType::tls && symbol.used) return false;  // by code alone
    if (symbol.binding == SymbolBinding::gnu_unique && symbol.type == SymbolType::tls) return false;
    if (symbol.defined) {
      // One name, one version, or the assembler wants more than a label.
      if (!defined.insert(symbol.name + "@" + symbol.version).second) return false;
      if (symbol.used && !symbol.version.empty()) return false;
      if (symbol.used && symbol.visibility == SymbolVisibility::protected_) return false;
    } else if (!symbol.used) {
      return false;
    } else if (!symbol.version.empty()) {
      const bool needed =
          std::find(file.needed.begin(), file.needed.end(), symbol.file) != file.needed.end();
      if (!needed) return false;
    }
  }
  // A file that defines a name does not refer to another's.
  return std::none_of(file.symbols.begin(), file.symbols.end(), [&](const WorldSymbol& use) {
    return !use.defined &&
           std::any_of(file.symbols.begin(), file.symbols.end(), [&](const WorldSymbol& other) {
             return &use != &other && other.name == use.name &&
                    (other.defined || other.version.empty() || use.version.empty());
           });
  });
}

Result<std::string> compile_symbols(Runner& runner, const std::string& compiler,
                                    const WorldFile& file, const std::string& folder) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < file.needed.size(); ++i) {
    // A stub with the versions that are wanted of it.
    const std::string output = folder + "/stub" + std::to_string(i) + ".so";
    Source stub;
    std::set<std::string> versions;
    for (const WorldSymbol& symbol : file.symbols) {
      if (symbol.defined || symbol.version.empty() || symbol.file != file.needed[i]) continue;
      WorldSymbol definition;
      definition.name = symbol.name;
      definition.version = symbol.version;
      definition.version_hidden = true;
      stub.define(definition);
      versions.insert(symbol.version);
    }
    auto made = link(runner, compiler, stub, {versions.begin(), versions.end()},
                     {"-Wl,-soname," + file.needed[i]}, output);
    if (!made) return made;
    options.push_back(output);
  }
  Source source;
  for (const WorldSymbol& symbol : file.symbols) {
    if (symbol.defined) source.define(symbol);
  }
  for (const WorldSymbol& symbol : file.symbols) {
    if (symbol.used) source.use(symbol);
  }
  if (file.soname) options.push_back("-Wl,-soname," + *file.soname);
  if (file.runpath) options.push_back("-Wl,--enable-new-dtags,-rpath," + *file.runpath);
  return link(runner, compiler, source, file.versions, std::move(options), folder + "/compiled.so");
}

}  // namespace wheelcheck::worlds
