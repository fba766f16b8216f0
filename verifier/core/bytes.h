#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wheelcheck {

using Bytes = std::span<const std::byte>;

enum class Endian { little, big };

/// Reads an unsigned integer at `offset`, or nothing when it does not fit inside `bytes`.
/// The only way in which readers turn untrusted bytes into numbers.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> read_at(Bytes bytes, std::uint64_t offset,
                                                 Endian endian = Endian::little) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const std::size_t at = endian == Endian::little ? i : sizeof(T) - 1 - i;
    const auto byte = std::to_integer<T>(bytes[static_cast<std::size_t>(offset) + at]);
    value = static_cast<T>(value | static_cast<T>(byte << (8 * i)));
  }
  return value;
}

/// The part of `bytes` at [offset, offset + size), or nothing when it is not all there.
[[nodiscard]] constexpr std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset,
                                                   std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

[[nodiscard]] inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

[[nodiscard]] inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wheelcheck
