#include <memory>
#include <string>
#include <vector>

#include "LIEF/ELF/Binary.hpp"
#include "LIEF/ELF/DynamicEntryLibrary.hpp"
#include "LIEF/ELF/DynamicEntryRpath.hpp"
#include "LIEF/ELF/DynamicEntryRunPath.hpp"
#include "LIEF/ELF/DynamicSharedObject.hpp"
#include "LIEF/ELF/Note.hpp"
#include "LIEF/ELF/Parser.hpp"
#include "LIEF/ELF/Section.hpp"
#include "LIEF/ELF/Segment.hpp"
#include "LIEF/ELF/Symbol.hpp"
#include "LIEF/ELF/SymbolVersion.hpp"
#include "LIEF/ELF/SymbolVersionAux.hpp"
#include "LIEF/ELF/SymbolVersionAuxRequirement.hpp"
#include "LIEF/ELF/SymbolVersionDefinition.hpp"
#include "LIEF/ELF/SymbolVersionRequirement.hpp"

#include "verifier/foreign/second_opinion.h"
#include "verifier/foreign/worker_modes.h"

namespace wheelcheck::worker {

namespace {

namespace le = LIEF::ELF;

std::unique_ptr<le::Binary> parse(const std::string& path) {
  // LIEF's own choice of how to count symbols ("auto") trusts relocations and then refuses the
  // section's count when it is 3000 or more above, so it loses the rest of a large symbol table.
  // The section says it exactly; files without sections leave no choice.
  auto binary = le::Parser::parse(path, le::DYNSYM_COUNT_METHODS::COUNT_SECTION);
  if (binary != nullptr && binary->dynamic_symbols().empty() &&
      binary->has(le::DYNAMIC_TAGS::DT_SYMTAB)) {
    binary = le::Parser::parse(path, le::DYNSYM_COUNT_METHODS::COUNT_AUTO);
  }
  return binary;
}

std::string text_of(const le::DynamicEntry& entry) {
  switch (entry.tag()) {
    case le::DYNAMIC_TAGS::DT_NEEDED:
      return static_cast<const le::DynamicEntryLibrary&>(entry).name();
    case le::DYNAMIC_TAGS::DT_SONAME:
      return static_cast<const le::DynamicSharedObject&>(entry).name();
    case le::DYNAMIC_TAGS::DT_RPATH:
      return static_cast<const le::DynamicEntryRpath&>(entry).name();
    case le::DYNAMIC_TAGS::DT_RUNPATH:
      return static_cast<const le::DynamicEntryRunPath&>(entry).name();
    default:
      return {};
  }
}

LiefSymbol symbol_of(const le::Symbol& symbol) {
  LiefSymbol out;
  out.name = symbol.name();
  out.binding = static_cast<std::uint8_t>(symbol.binding());
  out.type = static_cast<std::uint8_t>(symbol.type());
  out.other = symbol.other();
  out.section = symbol.shndx();
  // The raw number, not the name: LIEF ties a symbol of a version with a predecessor to the
  // predecessor's name (the last auxiliary record wins), so its names are wrong where the numbers
  // and the records are right.
  if (symbol.has_version()) out.version = symbol.symbol_version()->value();
  out.value = symbol.value();
  out.size = symbol.size();
  return out;
}

std::string hex_text(const std::vector<std::uint8_t>& bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

void take_versions(const le::Binary& binary, LiefElf& out) {
  for (const le::SymbolVersionRequirement& needed : binary.symbols_version_requirement()) {
    for (const le::SymbolVersionAuxRequirement& version : needed.auxiliary_symbols()) {
      out.needed_versions.push_back(
          {version.name(), needed.name(), version.other(), version.flags()});
    }
  }
  for (const le::SymbolVersionDefinition& defined : binary.symbols_version_definition()) {
    const auto names = defined.symbols_aux();
    out.defined_versions.push_back(
        {names.empty() ? std::string() : names[0].name(), {}, defined.ndx(), defined.flags()});
  }
}

}  // namespace

bool write_elf(const std::string& path, wire::Writer& out) {
  const auto parsed = parse(path);
  if (parsed == nullptr) return false;
  const le::Binary& binary = *parsed;
  LiefElf elf;
  const le::Header& header = binary.header();
  elf.elf_class = static_cast<std::uint8_t>(binary.type());
  elf.data = static_cast<std::uint8_t>(header.identity_data());
  elf.os_abi = static_cast<std::uint8_t>(header.identity_os_abi());
  elf.type = static_cast<std::uint16_t>(header.file_type());
  elf.machine = static_cast<std::uint16_t>(header.machine_type());
  elf.flags = header.processor_flag();
  for (const le::Segment& segment : binary.segments()) {
    elf.segments.push_back({static_cast<std::uint32_t>(segment.type()),
                            static_cast<std::uint32_t>(segment.flags()), segment.file_offset(),
                            segment.virtual_address(), segment.physical_size(),
                            segment.virtual_size(), segment.alignment()});
  }
  for (const le::Section& section : binary.sections()) {
    elf.sections.push_back({section.name(), static_cast<std::uint32_t>(section.type()),
                            section.flags(), section.file_offset(), section.size(),
                            section.virtual_address()});
  }
  for (const le::DynamicEntry& entry : binary.dynamic_entries()) {
    elf.dynamic.push_back({static_cast<std::uint64_t>(entry.tag()), entry.value(), text_of(entry)});
  }
  if (binary.has_interpreter()) elf.interpreter = binary.interpreter();
  for (const le::Note& note : binary.notes()) {
    if (note.name() == "GNU" && note.type() == le::NOTE_TYPES::NT_GNU_BUILD_ID) {
      elf.build_id = hex_text(note.description());
      break;
    }
  }
  for (const le::Symbol& symbol : binary.dynamic_symbols()) {
    elf.dynamic_symbols.push_back(symbol_of(symbol));
  }
  for (const le::Symbol& symbol : binary.static_symbols()) {
    elf.static_symbols.push_back(symbol_of(symbol));
  }
  take_versions(binary, elf);
  wire::Output output(out);
  exchange(output, elf);
  return true;
}

}  // namespace wheelcheck::worker
