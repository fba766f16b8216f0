#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Small text helpers shared by the readers of this folder.
namespace wheelcheck::text {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
[[nodiscard]] constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

/// One code point of UTF-8. `size` 0: no valid sequence starts here.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;
};
[[nodiscard]] CodePoint decode_utf8(std::string_view text, std::size_t at);
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t value);

/// Length of the white space at `at`, where white space is what Python's `str.isspace` and `\s`
/// take for it (so also U+00A0 and the like); 0 when there is none.
[[nodiscard]] std::size_t space_at(std::string_view text, std::size_t at);
[[nodiscard]] std::size_t skip_spaces(std::string_view text, std::size_t at);
/// Python's `str.strip()`.
[[nodiscard]] std::string_view strip(std::string_view text);

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Text for a message: cut at `limit` bytes, control and non-UTF-8 bytes shown as \xNN.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t limit = 120);

/// Splits a text into lines. \n, \r\n and \r end a line, as in Python's universal newlines.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}
  /// Moves to the next line; false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }  ///< from 1
  [[nodiscard]] std::size_t start() const { return start_; }      ///< offset of the line
  [[nodiscard]] std::size_t end() const { return at_; }           ///< offset behind its line end

 private:
  std::string_view text_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  std::uint32_t number_ = 0;
};

/// Decimal numbers of any length, as digits without leading zeros.
namespace decimal {
[[nodiscard]] std::string normalise(std::string_view digits);
/// Below, at or above zero, like memcmp. Both normalised.
[[nodiscard]] int compare(std::string_view a, std::string_view b);
[[nodiscard]] std::string increment(std::string_view digits);
}  // namespace decimal

}  // namespace wheelcheck::text
