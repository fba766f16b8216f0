// The dynamic symbol table and the version index of each symbol.
#include "verifier/elf/reader.h"
#include "verifier/elf/symbol_fields.h"

namespace wheelcheck::elf {
namespace {

SymbolBinding binding_of(std::uint8_t info) {
  switch (info >> 4) {
    case 0:
      return SymbolBinding::local;
    case 1:
      return SymbolBinding::global;
    case 2:
      return SymbolBinding::weak;
    case 10:
      return SymbolBinding::gnu_unique;
    default:
      return SymbolBinding::other;
  }
}

SymbolType type_of(std::uint8_t info) {
  switch (info & 15) {
    case 0:
      return SymbolType::none;
    case 1:
      return SymbolType::object;
    case 2:
      return SymbolType::function;
    case 3:
      return SymbolType::section;
    case 4:
      return SymbolType::file;
    case 5:
      return SymbolType::common;
    case 6:
      return SymbolType::tls;
    case 10:
      return SymbolType::ifunc;
    default:
      return SymbolType::other;
  }
}

}  // namespace

ElfSymbol read_symbol(const Record& entry, bool is_64) {
  ElfSymbol symbol;
  symbol.name = entry.u32(0);
  const std::uint8_t info = entry.u8(is_64 ? 4 : 12);
  symbol.binding = binding_of(info);
  symbol.type = type_of(info);
  symbol.visibility = static_cast<SymbolVisibility>(entry.u8(is_64 ? 5 : 13) & 3);
  constexpr std::uint16_t kAbsolute = 0xfff1;
  const std::uint16_t section = entry.u16(is_64 ? 6 : 14);
  symbol.defined = section != 0;
  symbol.absolute = section == kAbsolute;
  symbol.value = entry.word(4, 8);
  symbol.size = entry.word(8, 16);
  return symbol;
}

ElfReader::Step ElfReader::symbol_table() {
  constexpr std::string_view kTable = "dynamic symbol table";
  if (!is_done(Job::symbol_count)) return Step::waiting;
  if (!symbol_count_) return Step::done;
  const std::uint64_t size = *symbol_count_ * symbol_size();
  const auto extent = locate_table(kTable, tag_value(tag::kSymtab).value_or(0), size);
  if (!extent) return stop();
  const auto bytes = fetch(kTable, extent->offset, extent->size);
  if (const auto address = tag_value(tag::kVersym)) {
    const auto versym = locate_table(".gnu.version", *address, *symbol_count_ * 2);
    if (!versym) return stop();
    const auto indexes = fetch(".gnu.version", versym->offset, versym->size);
    if (!indexes) return stop();
    versym_extent_ = *versym;
    versym_ = *indexes;
  }
  if (!bytes) return stop();
  release(kept_windows_);
  symbols_extent_ = *extent;
  symbols_ = *bytes;
  return Step::done;
}

bool ElfReader::finish_symbols() {
  constexpr std::string_view kTable = "dynamic symbol table";
  if (!symbol_count_ || *symbol_count_ == 0) return true;
  constexpr std::uint16_t kHidden = 0x8000;
  const Record indexes = record(versym_);
  facts_.dynamic_symbols.reserve(*symbol_count_ - 1);
  bool gap_seen = false;
  for (std::uint64_t i = 1; i < *symbol_count_; ++i) {  // entry 0 is no symbol
    ElfSymbol symbol =
        read_symbol(record(symbols_.subspan(i * symbol_size(), symbol_size())), facts_.is_64);
    if (!string_length(kTable, strings_, strings_extent_.offset, symbol.name, "symbol", i)) {
      return false;
    }
    const std::uint8_t uses = i < uses_.size() ? uses_[i] : 0;
    if (facts_.references_known) symbol.referenced = uses != 0;
    symbol.only_called = facts_.references_known && uses == kAtFirstCall;
    symbol.copied = (uses & kCopy) != 0;
    symbol.version = symbol.binding == SymbolBinding::local ? 0 : 1;
    if (!versym_.empty()) {
      const std::uint16_t index = indexes.u16(i * 2);
      symbol.version = index & static_cast<std::uint16_t>(~kHidden);
      symbol.version_hidden = (index & kHidden) != 0;
      if (symbol.version > 1 && facts_.version_of(symbol) == nullptr) {
        // ld.so indexes an array that ends with the highest version it found.
        if (symbol.version >= facts_.version_positions.size()) {
          fail(".gnu.version",
               "symbol " + std::to_string(i) + " has version index " +
                   std::to_string(symbol.version) +
                   ", beyond every version that the file needs or defines",
               versym_extent_.offset + i * 2);
          return false;
        }
        if (!gap_seen) {
          observe("symbol " + std::to_string(i) + " has version index " +
                  std::to_string(symbol.version) +
                  ", which no version record has; it counts as "
                  "unversioned, as in ld.so");
        }
        gap_seen = true;
      }
    }
    facts_.dynamic_symbols.push_back(symbol);
  }
  facts_.names.assign(as_text(strings_));
  return true;
}

}  // namespace wheelcheck::elf
