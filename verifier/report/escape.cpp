#include "verifier/report/escape.h"

#include <array>
#include <cstdint>

namespace wheelcheck {
namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t length = 0;  ///< 0: not UTF-8
};

/// The character at the start of a non-empty `text`. Rejects overlong forms, surrogates and
/// anything beyond U+10FFFF.
Decoded decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if (first >= 0xc2 && first < 0xe0) {
    length = 2, code = first & 0x1f, least = 0x80;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3, code = first & 0x0f, least = 0x800;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4, code = first & 0x07, least = 0x10000;
  } else {
    return {};
  }
  if (text.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length};
}

struct Range {
  std::uint32_t first, last;
};

// Terminals act on the first three; the rest change what a reader sees without being seen.
constexpr std::array kUnprintable = {
    Range{0x00, 0x1f},     Range{0x7f, 0x7f},      // C0, DEL
    Range{0x80, 0x9f},                             // C1: CSI, OSC and friends in one character
    Range{0xad, 0xad},     Range{0x61c, 0x61c},    // soft hyphen, Arabic letter mark
    Range{0x200b, 0x200f}, Range{0x2028, 0x202e},  // zero width, separators, embeddings
    Range{0x2060, 0x206f},                         // joiners, isolates
    Range{0xfe00, 0xfe0f}, Range{0xfeff, 0xfeff},  // variation selectors, byte order mark
    Range{0xfff0, 0xfffb}, Range{0xe0000, 0xe0fff},
};

bool unprintable(std::uint32_t code) {
  for (const Range& range : kUnprintable) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

std::string hex(std::uint32_t value, std::size_t digits) {
  std::string text;
  while (value != 0 || text.size() < digits) {
    text.insert(text.begin(), "0123456789abcdef"[value & 0xf]);
    value >>= 4;
  }
  return text;
}

template <class Keep>
std::string escaped(std::string_view text, const Keep& keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = decode(text);
    if (character.length == 0) {
      out += "\\x" + hex(static_cast<unsigned char>(text[0]), 2);
      text.remove_prefix(1);
      continue;
    }
    if (keep(character.code)) {
      out += text.substr(0, character.length);
    } else if (character.code < 0x80) {
      out += "\\x" + hex(character.code, 2);
    } else {
      out += "\\u{" + hex(character.code, 4) + "}";
    }
    text.remove_prefix(character.length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, [](std::uint32_t code) { return !unprintable(code); });
}

std::string valid_utf8(std::string_view text) {
  return escaped(text, [](std::uint32_t) { return true; });
}

}  // namespace wheelcheck
