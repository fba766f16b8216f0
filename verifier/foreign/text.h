#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace wheelcheck {

/// "0x1f"
[[nodiscard]] inline std::string hex(std::uint64_t value) {
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, value, 16).ptr;
  return "0x" + std::string(text, end);
}

/// "12 bytes"
[[nodiscard]] inline std::string bytes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace wheelcheck
