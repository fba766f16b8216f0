#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck {

enum class SymbolBinding : std::uint8_t { local, global, weak, gnu_unique, other };
enum class SymbolVisibility : std::uint8_t { standard, internal, hidden, protected_ };
enum class SymbolType : std::uint8_t {
  none,
  object,
  function,
  section,
  file,
  common,
  tls,
  ifunc,
  other
};

/// One symbol. Names lie in the owning ElfFacts' `names`: ask `ElfFacts::name(symbol)`.
struct ElfSymbol {
  std::uint32_t name = 0;  ///< offset into ElfFacts::names
  /// Version index as the file has it: 0 local, 1 global (no version). See ElfFacts::version_of().
  std::uint16_t version = 0;
  SymbolBinding binding = SymbolBinding::other;
  SymbolVisibility visibility = SymbolVisibility::standard;
  SymbolType type = SymbolType::other;
  bool defined = false;         ///< st_shndx is not SHN_UNDEF
  bool absolute = false;        ///< st_shndx is SHN_ABS
  bool version_hidden = false;  ///< VERSYM_HIDDEN: "name@V", not the default "name@@V"
  bool referenced = true;       ///< some relocation names it; see ElfFacts::references_known
  bool only_called = false;     ///< every relocation that names it can wait for the first call
  bool copied = false;          ///< a program's copy of what a library defines
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

/// A symbol version, needed from a file or defined here.
struct ElfVersion {
  std::string name;  ///< "GLIBC_2.17"
  std::string file;  ///< the library it is needed from; empty when defined here
  std::uint16_t index = 0;
  bool weak = false;  ///< VER_FLG_WEAK
  bool base = false;  ///< VER_FLG_BASE: names the file itself
  bool defined = false;
};

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t address = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;  ///< PF_X 1, PF_W 2, PF_R 4
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t align = 0;
};

/// How far `.symtab` was read. Local definitions are only known when it is `read`.
enum class SymtabState { absent, not_requested, over_budget, read };

/// Everything a rule may want to know of one ELF file. Plain data.
struct ElfFacts {
  // ELF header
  bool is_64 = true;
  Endian endian = Endian::little;
  std::uint16_t type = 0;     ///< ET_EXEC 2, ET_DYN 3, ...
  std::uint16_t machine = 0;  ///< EM_X86_64 62, EM_AARCH64 183, ...
  std::uint8_t os_abi = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSegment> segments;
  std::vector<ElfSection> sections;  ///< empty when the file has no section headers

  // PT_DYNAMIC
  bool has_dynamic = false;
  std::optional<std::string> soname;
  std::vector<std::string> needed;     ///< in order
  std::optional<std::string> rpath;    ///< raw, as stored
  std::optional<std::string> runpath;  ///< raw, as stored
  std::vector<std::string> auxiliary;  ///< DT_AUXILIARY
  std::vector<std::string> filter;     ///< DT_FILTER
  std::uint64_t dt_flags = 0;          ///< DT_FLAGS (DF_STATIC_TLS 0x10, ...)
  std::uint64_t dt_flags_1 = 0;  ///< DT_FLAGS_1 (DF_1_NODEFLIB 0x800, DF_1_PIE 0x8000000, ...)
  bool has_relr = false;         ///< DT_RELR
  bool has_textrel = false;

  // symbols
  std::string names;  ///< the string bytes that symbol names point into
  std::vector<ElfSymbol> dynamic_symbols;
  /// Every relocation was read. Linkers leave undefined symbols that no relocation names, and no
  /// loader looks for those. False: such symbols count as referenced, like all others.
  bool references_known = false;
  std::vector<ElfVersion> versions;  ///< verneed and verdef, in file order
  /// By version index: 1 + the position in `versions` that the loader uses, 0 for none.
  std::vector<std::uint32_t> version_positions;
  SymtabState symtab = SymtabState::absent;
  std::string symtab_note;  ///< why it is over budget, with sizes
  std::vector<ElfSymbol>
      local_symbols;        ///< STB_LOCAL functions, objects and TLS defined in .symtab
  std::string local_names;  ///< names of `local_symbols`

  // segments, notes
  std::optional<std::string> interpreter;    ///< PT_INTERP
  std::optional<std::uint32_t> stack_flags;  ///< PT_GNU_STACK's p_flags; nothing: no such segment
  std::optional<std::uint64_t> tls_size;     ///< PT_TLS memory size in bytes
  std::string build_id;                      ///< lower-case hex
  std::vector<std::string> dlopen_notes;     ///< JSON texts of .note.dlopen
  std::optional<std::uint32_t> x86_isa_needed;    ///< GNU_PROPERTY_X86_ISA_1_NEEDED
  std::optional<std::uint32_t> x86_features;      ///< GNU_PROPERTY_X86_FEATURE_1_AND
  std::optional<std::uint32_t> aarch64_features;  ///< GNU_PROPERTY_AARCH64_FEATURE_1_AND

  /// Contradictions inside the file that do not keep ld.so from loading it, and how the reader
  /// decided them (sections unlike segments, symbols counted without a hash table, ...).
  std::vector<std::string> observations;

  [[nodiscard]] std::string_view name(const ElfSymbol& symbol) const {
    return c_string(names, symbol.name);
  }
  [[nodiscard]] std::string_view local_name(const ElfSymbol& symbol) const {
    return c_string(local_names, symbol.name);
  }
  /// The version record of a symbol, or null when it is unversioned. Constant time.
  [[nodiscard]] const ElfVersion* version_of(const ElfSymbol& symbol) const;
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  /// A program or a library that ld.so would map (not a relocatable object, not a core file).
  [[nodiscard]] bool loadable() const { return type == 2 || type == 3; }

 private:
  static std::string_view c_string(const std::string& table, std::uint32_t offset) {
    return offset < table.size() ? std::string_view(table.c_str() + offset) : std::string_view();
  }
};

}  // namespace wheelcheck
