#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wheelcheck {

/// How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that somebody who wrote `word` most likely meant, if any is near enough.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& words);

/// "; did you mean 'x'?", or nothing when no word is near.
[[nodiscard]] std::string spelling_hint(std::string_view word,
                                        const std::vector<std::string>& words);

}  // namespace wheelcheck
