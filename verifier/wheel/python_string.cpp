#include "verifier/wheel/python_string.h"

#include <optional>

#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

std::optional<char32_t> digit_value(char c, char32_t base) {
  char32_t value = 0;
  if (text::is_digit(c)) {
    value = static_cast<char32_t>(c - '0');
  } else if (text::is_alpha(c)) {
    value = static_cast<char32_t>(text::to_lower(c) - 'a') + 10;
  } else {
    return std::nullopt;
  }
  return value < base ? std::optional(value) : std::nullopt;
}

/// A single-letter escape that stands for one character.
std::optional<char> simple_escape(char c) {
  switch (c) {
    case '\\':
    case '\'':
    case '"':
      return c;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return std::nullopt;
  }
}

Error bad(std::string what) { return Error{"string", std::move(what), std::nullopt}; }

}  // namespace

Result<std::string> python_string(std::string_view body) {
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    const char c = body[at];
    if (c == '\n' || c == '\r' || c == '\0')
      return bad("a quoted value holds a line end or a zero byte");
    if (c != '\\') {
      out += c;
      ++at;
      continue;
    }
    if (++at == body.size()) return bad("a quoted value ends in a backslash");
    const char kind = body[at];
    if (const auto simple = simple_escape(kind)) {
      out += *simple;
      ++at;
    } else if (kind == '\n' || kind == '\r') {  // a continued line
      at += body.substr(at, 2) == "\r\n" ? 2U : 1U;
    } else if (digit_value(kind, 8)) {
      char32_t value = 0;
      for (int i = 0; i < 3 && at < body.size(); ++i, ++at) {
        const auto digit = digit_value(body[at], 8);
        if (!digit) break;
        value = value * 8 + *digit;
      }
      text::append_utf8(out, value);
    } else if (kind == 'x' || kind == 'u' || kind == 'U') {
      const std::size_t count = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
      char32_t value = 0;
      for (std::size_t i = 1; i <= count; ++i) {
        const auto digit =
            at + i < body.size() ? digit_value(body[at + i], 16) : std::optional<char32_t>();
        if (!digit) return bad("a quoted value holds an incomplete escape");
        value = value * 16 + *digit;
      }
      if (value > 0x10FFFF) return bad("a quoted value holds an escape beyond Unicode");
      text::append_utf8(out, value);
      at += count + 1;
    } else if (kind == 'N') {
      return bad("a quoted value holds a named character");
    } else {
      out += '\\';  // not an escape: both stay
    }
  }
  return out;
}

}  // namespace wheelcheck
