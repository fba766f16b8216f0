#pragma once

#include <optional>
#include <string>

#include "verifier/core/bytes.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// What is kept of a wheel that lies beside others: names, places, metadata, and the facts of its
/// ELF files. Left out is what rules ask of the checked wheel alone: RECORD, other texts,
/// device code, Mach-O and PE files, paths of build machines.
[[nodiscard]] std::string encode_facts(const WheelFacts& wheel);

/// Reads it back. Nothing: it is damaged or of another format. Whatever the bytes are, no more
/// memory is taken than in proportion to them. `path` is what the wheel is called now.
[[nodiscard]] std::optional<WheelFacts> decode_facts(Bytes bytes, const std::string& path);

}  // namespace wheelcheck
