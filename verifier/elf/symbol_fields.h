#pragma once

#include "verifier/elf/facts.h"
#include "verifier/elf/layout.h"

namespace wheelcheck::elf {

/// One entry of a symbol table; `name` is still an offset into its string table.
[[nodiscard]] ElfSymbol read_symbol(const Record& entry, bool is_64);

}  // namespace wheelcheck::elf
