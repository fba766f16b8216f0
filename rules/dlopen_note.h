#pragma once

#include <string>
#include <vector>

#include "verifier/elf/facts.h"

namespace wheelcheck {

/// One entry of .note.dlopen (https://systemd.io/ELF_DLOPEN_METADATA): what a file opens when it is
/// used. Any one of the names will do.
struct DlopenNote {
  std::string feature;
  std::string priority;  ///< "recommended" where the note does not say
  std::vector<std::string> sonames;
};

/// The entries of a file that can be read; others are left out.
[[nodiscard]] std::vector<DlopenNote> dlopen_notes(const ElfFacts& elf);

}  // namespace wheelcheck
