#include "verifier/wheel/text.h"

#include <algorithm>
#include <cstdio>

namespace wheelcheck::text {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(x) == to_lower(y);
         });
}

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<char32_t>(static_cast<unsigned char>(text[i])) : 0;
  };
  const char32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  std::size_t size = 0;
  char32_t value = 0;
  char32_t smallest = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    size = 2, value = first & 0x1F, smallest = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    size = 3, value = first & 0x0F, smallest = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4, value = first & 0x07, smallest = 0x10000;
  } else {
    return {};
  }
  if (text.size() - at < size) return {};
  for (std::size_t i = 1; i < size; ++i) {
    const char32_t next = byte(at + i);
    if ((next & 0xC0) != 0x80) return {};
    value = (value << 6) | (next & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return {};
  return {value, size};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {  // nearly always
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    if (point.size == 0) return false;
    at += point.size;
  }
  return true;
}

void append_utf8(std::string& out, char32_t value) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

std::size_t space_at(std::string_view text, std::size_t at) {
  const CodePoint point = decode_utf8(text, at);
  if (point.size == 0) return 0;
  const char32_t c = point.value;
  const bool space = (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 ||
                     c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
                     c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
  return space ? point.size : 0;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (const std::size_t size = space_at(text, at)) at += size;
  return at;
}

std::string_view strip(std::string_view text) {
  text.remove_prefix(skip_spaces(text, 0));
  while (!text.empty()) {
    // Back to the start of the last code point; a stray continuation byte is no space.
    std::size_t at = text.size() - 1;
    while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
      --at;
    const std::size_t size = space_at(text, at);
    if (size == 0 || at + size != text.size()) break;
    text.remove_suffix(size);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

std::string quoted(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  const bool cut = text.size() > limit;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const std::size_t size = std::max<std::size_t>(point.size, 1);
    if (at + size > limit) break;
    if (point.size == 0 || point.value < 0x20 || point.value == 0x7F) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(text[at]));
      out += buffer;
    } else {
      out += text.substr(at, size);
    }
    at += size;
  }
  return out + (cut ? "...\"" : "\"");
}

bool LineReader::next() {
  if (at_ >= text_.size()) return false;
  start_ = at_;
  std::size_t end = text_.find_first_of("\r\n", at_);
  if (end == std::string_view::npos) {
    end = at_ = text_.size();
  } else {
    const bool pair = text_[end] == '\r' && end + 1 < text_.size() && text_[end + 1] == '\n';
    at_ = end + (pair ? 2 : 1);
  }
  line_ = text_.substr(start_, end - start_);
  ++number_;
  return true;
}

namespace decimal {

std::string normalise(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
}

int compare(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

std::string increment(std::string_view digits) {
  std::string out(digits);
  for (std::size_t i = out.size(); i-- > 0;) {
    if (out[i] != '9') {
      ++out[i];
      return out;
    }
    out[i] = '0';
  }
  return "1" + out;
}

}  // namespace decimal
}  // namespace wheelcheck::text
