#pragma once

#include <string>

#include "verifier/elf/facts.h"

namespace wheelcheck {

/// All facts of an ELF file as text, one a line: a keyword, then fields `name=value`, numbers in
/// hexadecimal, texts last on their line and with control characters escaped as \xNN. The order
/// is that of the file. `show` prints it and compare_readelf.py parses it.
[[nodiscard]] std::string dump(const ElfFacts& facts);

[[nodiscard]] std::string_view name_of(SymbolBinding binding);
[[nodiscard]] std::string_view name_of(SymbolVisibility visibility);
[[nodiscard]] std::string_view name_of(SymbolType type);
[[nodiscard]] std::string_view name_of(SymtabState state);

}  // namespace wheelcheck
