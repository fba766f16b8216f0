#include "verifier/elf/dump.h"

#include <charconv>
#include <iterator>

namespace wheelcheck {
namespace {

class Lines {
 public:
  Lines& start(std::string_view keyword) {
    text_ += keyword;
    return *this;
  }
  Lines& number(std::string_view name, std::uint64_t value) {
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value, 16).ptr;
    return word(name, std::string("0x").append(digits, end));
  }
  Lines& word(std::string_view name, std::string_view value) {
    text_.append(" ").append(name).append("=").append(value);
    return *this;
  }
  Lines& flag(std::string_view name, bool value) { return word(name, value ? "1" : "0"); }
  void end() { text_ += '\n'; }
  void end(std::string_view last) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += ' ';
    for (const char c : last) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte != 0x7f && byte != '\\') {
        text_ += c;
      } else {
        text_ += "\\x";
        text_ += kDigits[byte >> 4];
        text_ += kDigits[byte & 15];
      }
    }
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void dump_dynamic(const ElfFacts& facts, Lines& out) {
  if (!facts.has_dynamic) return;
  out.start("dynamic").number("flags", facts.dt_flags).number("flags_1", facts.dt_flags_1);
  out.flag("relr", facts.has_relr).flag("textrel", facts.has_textrel).end();
  if (facts.soname) out.start("soname").end(*facts.soname);
  for (const auto& name : facts.needed) out.start("needed").end(name);
  if (facts.rpath) out.start("rpath").end(*facts.rpath);
  if (facts.runpath) out.start("runpath").end(*facts.runpath);
  for (const auto& name : facts.auxiliary) out.start("auxiliary").end(name);
  for (const auto& name : facts.filter) out.start("filter").end(name);
}

void dump_symbol(std::string_view keyword, const ElfSymbol& symbol, std::string_view name,
                 const ElfVersion* version, Lines& out) {
  out.start(keyword).word("bind", name_of(symbol.binding)).word("type", name_of(symbol.type));
  out.word("vis", name_of(symbol.visibility)).flag("defined", symbol.defined);
  out.number("value", symbol.value).number("size", symbol.size);
  std::string text(name);
  if (version != nullptr) {
    text += version->defined && !symbol.version_hidden ? "@@" : "@";
    text += version->name;
  }
  out.number("ver", symbol.version).flag("hidden", symbol.version_hidden).end(text);
}

}  // namespace

std::string_view name_of(SymbolBinding binding) {
  switch (binding) {
    case SymbolBinding::local:
      return "local";
    case SymbolBinding::global:
      return "global";
    case SymbolBinding::weak:
      return "weak";
    case SymbolBinding::gnu_unique:
      return "unique";
    case SymbolBinding::other:
      break;
  }
  return "other";
}

std::string_view name_of(SymbolVisibility visibility) {
  switch (visibility) {
    case SymbolVisibility::standard:
      return "default";
    case SymbolVisibility::internal:
      return "internal";
    case SymbolVisibility::hidden:
      return "hidden";
    case SymbolVisibility::protected_:
      break;
  }
  return "protected";
}

std::string_view name_of(SymbolType type) {
  switch (type) {
    case SymbolType::none:
      return "notype";
    case SymbolType::object:
      return "object";
    case SymbolType::function:
      return "func";
    case SymbolType::section:
      return "section";
    case SymbolType::file:
      return "file";
    case SymbolType::common:
      return "common";
    case SymbolType::tls:
      return "tls";
    case SymbolType::ifunc:
      return "ifunc";
    case SymbolType::other:
      break;
  }
  return "other";
}

std::string_view name_of(SymtabState state) {
  switch (state) {
    case SymtabState::absent:
      return "absent";
    case SymtabState::not_requested:
      return "not_requested";
    case SymtabState::over_budget:
      return "over_budget";
    case SymtabState::read:
      break;
  }
  return "read";
}

std::string dump(const ElfFacts& facts) {
  Lines out;
  out.start("elf").word("class", facts.is_64 ? "64" : "32");
  out.word("order", facts.endian == Endian::little ? "little" : "big");
  out.number("type", facts.type).number("machine", facts.machine).number("osabi", facts.os_abi);
  out.number("flags", facts.flags).end();
  for (const auto& s : facts.segments) {
    out.start("segment").number("type", s.type).number("flags", s.flags);
    out.number("offset", s.offset).number("address", s.address).number("filesz", s.file_size);
    out.number("memsz", s.memory_size).number("align", s.align).end();
  }
  for (const auto& s : facts.sections) {
    out.start("section").number("type", s.type).number("flags", s.flags);
    out.number("offset", s.offset).number("size", s.size).number("address", s.address);
    out.end(s.name);
  }
  dump_dynamic(facts, out);
  if (facts.interpreter) out.start("interpreter").end(*facts.interpreter);
  if (facts.stack_flags) out.start("stack").number("flags", *facts.stack_flags).end();
  if (facts.tls_size) out.start("tls").number("size", *facts.tls_size).end();
  if (!facts.build_id.empty()) out.start("build_id").end(facts.build_id);
  for (const auto& text : facts.dlopen_notes) out.start("dlopen").end(text);
  if (facts.x86_isa_needed) out.start("x86_isa_needed").number("bits", *facts.x86_isa_needed).end();
  if (facts.x86_features) out.start("x86_features").number("bits", *facts.x86_features).end();
  if (facts.aarch64_features) {
    out.start("aarch64_features").number("bits", *facts.aarch64_features).end();
  }
  for (const auto& v : facts.versions) {
    out.start(v.defined ? "verdef" : "verneed").number("index", v.index).flag("weak", v.weak);
    out.flag("base", v.base);
    if (!v.defined) out.word("file", v.file);
    out.end(v.name);
  }
  for (const auto& s : facts.dynamic_symbols) {
    dump_symbol("symbol", s, facts.name(s), facts.version_of(s), out);
  }
  out.start("symtab").word("state", name_of(facts.symtab)).end(facts.symtab_note);
  for (const auto& s : facts.local_symbols) {
    dump_symbol("local", s, facts.local_name(s), nullptr, out);
  }
  for (const auto& text : facts.observations) out.start("observation").end(text);
  return out.take();
}

}  // namespace wheelcheck
