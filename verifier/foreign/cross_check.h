#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/elf/facts.h"
#include "verifier/foreign/child.h"
#include "verifier/foreign/second_opinion.h"

namespace wheelcheck {

/// A fact on which our reader and LIEF differ.
struct Disagreement {
  std::string field;  ///< "NEEDED[2]", "symbol 17 (cudaMalloc): version"
  std::string ours;
  std::string lief;
};

/// What a second opinion came to. Agreement is only what was compared: `skipped` is none.
struct CrossCheck {
  std::uint64_t compared = 0;  ///< single facts held against each other
  std::uint64_t differing = 0;
  std::vector<Disagreement> disagreements;  ///< the first of them, at most kListed
  std::optional<std::string> skipped;       ///< why nothing was compared: LIEF failed, or cannot
  std::vector<std::string> left_out;        ///< tables that LIEF cannot read whole, and why

  static constexpr std::size_t kListed = 20;
  [[nodiscard]] bool agrees() const { return !skipped && compared > 0 && differing == 0; }
};

/// Limits for a whole ELF file: LIEF keeps every relocation as an object.
[[nodiscard]] ChildLimits cross_check_limits();

/// Asks LIEF, in a process of its own, for the facts of `file` and compares them with `ours`.
[[nodiscard]] CrossCheck cross_check(const std::string& where, const ElfFacts& ours, Bytes file,
                                     const ChildLimits& limits = cross_check_limits());

/// The comparison itself.
[[nodiscard]] CrossCheck compare_elf(const ElfFacts& ours, const LiefElf& lief);

}  // namespace wheelcheck
