// Section headers, their names, and the local symbols of .symtab, which only they lead to.
#include <algorithm>

#include "verifier/elf/reader.h"
#include "verifier/elf/symbol_fields.h"

namespace wheelcheck::elf {

ElfReader::Step ElfReader::section_headers() {
  constexpr std::string_view kTable = "section headers";
  if (!is_done(Job::header)) return Step::waiting;
  if (section_offset_ == 0 || section_count_ == 0) return Step::done;
  if (section_count_ > budget_.sections) {
    return fail(kTable,
                std::to_string(section_count_) + " sections are more than the reader allows",
                section_offset_);
  }
  const std::uint64_t size = facts_.is_64 ? 64 : 40;
  const auto bytes = fetch(kTable, section_offset_, section_count_ * size);
  if (!bytes) return stop();
  facts_.sections.reserve(section_count_);
  raw_sections_.reserve(section_count_);
  for (std::uint64_t i = 0; i < section_count_; ++i) {
    const Record shdr = record(bytes->subspan(i * size, size));
    ElfSection section;
    RawSection raw;
    raw.name = shdr.u32(0);
    section.type = shdr.u32(4);
    section.flags = shdr.word(8, 8);
    section.address = shdr.word(12, 16);
    section.offset = shdr.word(16, 24);
    section.size = shdr.word(20, 32);
    raw.link = shdr.u32(facts_.is_64 ? 40 : 24);
    raw.info = shdr.u32(facts_.is_64 ? 44 : 28);
    raw.entry_size = shdr.word(36, 56);
    if (i != 0 && section.type != kSectionNull && section.type != kSectionNoBits &&
        section.size != 0 &&
        (section.offset > image_.size() || image_.size() - section.offset < section.size)) {
      return fail(kTable,
                  "section " + std::to_string(i) + " (" + std::to_string(section.size) +
                      " bytes at " + std::to_string(section.offset) +
                      ") lies beyond the end of the file, which has " +
                      std::to_string(image_.size()) + " bytes",
                  section_offset_ + i * size);
    }
    facts_.sections.push_back(std::move(section));
    raw_sections_.push_back(raw);
  }
  return Step::done;
}

ElfReader::Step ElfReader::section_names() {
  constexpr std::string_view kTable = "section names";
  if (!is_done(Job::section_headers)) return Step::waiting;
  const auto finish = [this] {
    if (!want_local_symbols_) release(tail_);
    return Step::done;
  };
  if (facts_.sections.empty() || section_names_index_ == 0) return finish();
  if (section_names_index_ >= facts_.sections.size()) {
    return fail(kTable, "are in section " + std::to_string(section_names_index_) + " of " +
                            std::to_string(facts_.sections.size()));
  }
  const ElfSection& table = facts_.sections[section_names_index_];
  if (table.type != kSectionStrtab) {
    return fail(
        kTable,
        "are in a section that is no string table (type " + std::to_string(table.type) + ")",
        table.offset);
  }
  const std::uint64_t offset = table.offset;
  const auto bytes = fetch(kTable, offset, table.size);
  if (!bytes) return stop();
  for (std::size_t i = 0; i < facts_.sections.size(); ++i) {
    auto name = copy_string(kTable, *bytes, offset, raw_sections_[i].name, "section", i);
    if (!name) return stop();
    facts_.sections[i].name = *std::move(name);
  }
  return finish();
}

ElfReader::Step ElfReader::local_symbols() {
  constexpr std::string_view kTable = ".symtab";
  if (!is_done(Job::section_names)) return Step::waiting;
  const auto found = std::find_if(facts_.sections.begin(), facts_.sections.end(),
                                  [](const ElfSection& s) { return s.type == kSectionSymtab; });
  if (found == facts_.sections.end()) return Step::done;
  if (!want_local_symbols_) {
    facts_.symtab = SymtabState::not_requested;
    return Step::done;
  }
  const RawSection& raw = raw_sections_[static_cast<std::size_t>(found - facts_.sections.begin())];
  if (raw.entry_size != symbol_size()) {
    return fail(kTable, "has entries of " + std::to_string(raw.entry_size) + " bytes",
                found->offset);
  }
  if (raw.link == 0 || raw.link >= facts_.sections.size() ||
      facts_.sections[raw.link].type != kSectionStrtab) {
    return fail(kTable, "names no string table (section " + std::to_string(raw.link) + ")",
                found->offset);
  }
  const std::uint64_t total = found->size / symbol_size();
  if (raw.info > total) {
    return fail(kTable,
                "has " + std::to_string(raw.info) + " local symbols of " + std::to_string(total),
                found->offset);
  }
  const ElfSection& names = facts_.sections[raw.link];
  // Local symbols come first; sh_info is their number.
  const std::uint64_t symbols_size = std::uint64_t{raw.info} * symbol_size();
  const std::uint64_t needed = symbols_size + names.size;
  if (needed > budget_.symtab_bytes || raw.info > budget_.symbols) {
    facts_.symtab = SymtabState::over_budget;
    facts_.symtab_note = ".symtab has " + std::to_string(raw.info) + " local symbols in " +
                         std::to_string(symbols_size) + " bytes and " + std::to_string(names.size) +
                         " bytes of names; the limit is " + std::to_string(budget_.symtab_bytes) +
                         " bytes";
    return Step::done;
  }
  const auto symbols = fetch(kTable, found->offset, symbols_size);
  const auto strings = fetch(".strtab", names.offset, names.size);
  if (!symbols || !strings) return stop();
  facts_.symtab = SymtabState::read;
  facts_.local_names.assign(1, '\0');  // offset 0: no name
  for (std::uint32_t i = 1; i < raw.info; ++i) {
    ElfSymbol symbol =
        read_symbol(record(symbols->subspan(i * symbol_size(), symbol_size())), facts_.is_64);
    const bool kept = symbol.binding == SymbolBinding::local && symbol.defined &&
                      (symbol.type == SymbolType::function || symbol.type == SymbolType::object ||
                       symbol.type == SymbolType::tls || symbol.type == SymbolType::ifunc);
    if (!kept) continue;
    const auto length = string_length(".strtab", *strings, names.offset, symbol.name, "symbol", i);
    if (!length) return stop();
    if (facts_.local_names.size() + *length + 1 > budget_.symtab_bytes) {
      return fail(".strtab", "its names add up to more than the reader allows", names.offset);
    }
    const std::string_view name = as_text(strings->subspan(symbol.name, *length));
    symbol.name = static_cast<std::uint32_t>(facts_.local_names.size());
    facts_.local_names.append(name).push_back('\0');
    facts_.local_symbols.push_back(symbol);
  }
  return Step::done;
}

}  // namespace wheelcheck::elf
