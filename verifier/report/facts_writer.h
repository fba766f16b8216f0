#pragma once

#include <string>

#include "verifier/wheel/facts.h"

namespace wheelcheck {

struct FactsOptions {
  bool json = false;
  bool symbols = false;  ///< each symbol, not only their number
};

/// What is known of a wheel: one document. ELF files in brief.
[[nodiscard]] std::string facts_of_wheel(const WheelFacts& wheel, const FactsOptions& options);
/// What is known of one member, or of a file that was made to look like one: ELF facts in depth.
[[nodiscard]] std::string facts_of_member(const MemberFacts& member, const FactsOptions& options);

}  // namespace wheelcheck
