#include "verifier/cuda/scan.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "verifier/cuda/layout.h"

namespace wheelcheck::fatbin {
namespace {

constexpr std::uint32_t swapped(std::uint32_t value) {
  return (value >> 24) | ((value >> 8) & 0xff00u) | ((value << 8) & 0xff0000u) | (value << 24);
}
constexpr std::uint32_t kNative =
    std::endian::native == std::endian::little ? kMagic : swapped(kMagic);

bool starts_with_magic(const std::byte* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word == kNative;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::size_t find_magic(Bytes units) {
  constexpr std::size_t kUnit = 8;
  constexpr std::size_t kBlock = 16 * kUnit;
  const std::byte* data = units.data();
  const std::size_t end = units.size() / kUnit * kUnit;
  std::size_t at = 0;
  // Blocks without a branch on each unit, which compilers turn into vector code.
  for (; at + kBlock <= end; at += kBlock) {
    bool hit = false;
    for (std::size_t i = 0; i < kBlock; i += kUnit) hit |= starts_with_magic(data + at + i);
    if (hit) break;
  }
  for (; at < end; at += kUnit) {
    if (starts_with_magic(data + at)) return at;
  }
  return end;
}

std::optional<std::string> toolkit_in(std::string_view payload) {
  static constexpr std::string_view kText = "Cuda compilation tools, release ";
  static constexpr std::size_t kLongestVersion = 16;
  static_assert(kText.size() + kLongestVersion < kToolkitOverlap);
  while (!payload.empty()) {
    const void* found = ::memmem(payload.data(), payload.size(), kText.data(), kText.size());
    if (found == nullptr) return std::nullopt;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - payload.data());
    payload.remove_prefix(at + kText.size());
    const auto end = std::find_if(payload.begin(), payload.end(),
                                  [](char c) { return !is_digit(c) && c != '.'; });
    if (end == payload.end()) return std::nullopt;  // cut off; the next piece has it whole
    const std::string_view version =
        payload.substr(0, static_cast<std::size_t>(end - payload.begin()));
    const std::size_t dot = version.find('.');
    if (version.size() <= kLongestVersion && dot != std::string_view::npos && dot != 0 &&
        dot + 1 < version.size() && version.find('.', dot + 1) == std::string_view::npos) {
      return std::string(version);
    }
  }
  return std::nullopt;
}

}  // namespace wheelcheck::fatbin
