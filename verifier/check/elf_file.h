#pragma once

#include <optional>
#include <string>

#include "verifier/core/result.h"
#include "verifier/elf/collector.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Reads an ELF file that lies on disk into what a member of that content would have: `elf` or
/// `unread`, and with `device_code` also `fatbin`. Nothing: not an ELF file by its first bytes, or
/// no file that can be opened.
[[nodiscard]] std::optional<MemberFacts> read_elf_file(const std::string& path,
                                                       const ElfBudget& budget,
                                                       bool want_local_symbols, bool device_code);

}  // namespace wheelcheck
