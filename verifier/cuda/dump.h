#pragma once

#include <string>

#include "verifier/cuda/facts.h"

namespace wheelcheck {

/// "sm_90a" for a cubin, "compute_90a" for PTX, "kind16_90" for kinds that are not known.
[[nodiscard]] std::string arch_name(const DeviceCode& code);

/// Device code as text, one kind of entry a line, in the order of first occurrence.
[[nodiscard]] std::string dump(const FatbinFacts& facts);

}  // namespace wheelcheck
