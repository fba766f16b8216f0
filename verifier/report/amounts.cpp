#include "verifier/report/amounts.h"

#include <array>
#include <cstdio>

namespace wheelcheck {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}

}  // namespace

std::string count_text(std::uint64_t count, std::string_view noun) {
  std::string text;
  if (count < 1000) {
    text = std::to_string(count);
  } else if (count < 9'950) {
    text = fixed(static_cast<double>(count) / 1e3, 1) + "k";
  } else if (count < 999'500) {
    text = fixed(static_cast<double>(count) / 1e3, 0) + "k";
  } else {
    text = fixed(static_cast<double>(count) / 1e6, 1) + "M";
  }
  text += ' ';
  text += noun;
  if (count != 1) text += noun.ends_with("s") || noun.ends_with("sh") ? "es" : "s";
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fixed(value, 1) + " " + kUnits[unit];
}

std::string seconds_text(double seconds) { return fixed(seconds, seconds < 10 ? 3 : 1) + " s"; }

std::string rate_text(std::uint64_t bytes, double seconds) {
  if (seconds <= 0) return "-";
  return fixed(static_cast<double>(bytes) / seconds / 1e6, 0) + " MB/s";
}

}  // namespace wheelcheck
