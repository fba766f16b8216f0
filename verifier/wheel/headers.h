#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/wheel/metadata.h"

namespace wheelcheck {

/// Adds a problem unless there are too many already.
void add_problem(std::vector<TextProblem>& problems, std::uint32_t line, std::string what);

/// One header of METADATA or WHEEL.
struct Header {
  std::string name;         ///< as written; empty for ": x" and "From x", which nobody reads
  std::string value;        ///< stripped; continuation lines joined with one space
  std::uint32_t line = 0;   ///< its first
  std::uint32_t lines = 1;  ///< how many it spans
  std::string_view raw;     ///< everything behind the colon, line ends included
  [[nodiscard]] bool is(std::string_view other) const;  ///< names compare without case
};

/// A text of headers and a body, as mail has them.
struct HeaderBlock {
  std::vector<Header> headers;
  std::string_view body;
  std::uint32_t body_line = 0;  ///< its first; 0: none
};
/// `raw` and `body` point into `text`.
[[nodiscard]] HeaderBlock parse_headers(std::string_view text, std::vector<TextProblem>& problems);

/// The first header of that name, and a problem for each further one.
[[nodiscard]] const Header* single_header(const HeaderBlock& block, std::string_view name,
                                          std::vector<TextProblem>& problems);

}  // namespace wheelcheck
