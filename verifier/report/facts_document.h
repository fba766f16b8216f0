#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Facts as a tree, from which both forms of output are made, so that they cannot differ. Keys are
/// words with underscores; absent facts have no key.
using Document = nlohmann::ordered_json;

enum class Depth { brief, deep, with_symbols };

[[nodiscard]] Document elf_document(const ElfFacts& elf, Depth depth);
[[nodiscard]] Document fatbin_document(const FatbinFacts& fatbin);
[[nodiscard]] Document foreign_document(const ForeignFacts& foreign);
[[nodiscard]] Document member_document(const MemberFacts& member, Depth depth);
[[nodiscard]] Document wheel_document(const WheelFacts& wheel);

/// The tree as indented lines for people. Everything is made printable.
[[nodiscard]] std::string document_text(const Document& document);

}  // namespace wheelcheck
