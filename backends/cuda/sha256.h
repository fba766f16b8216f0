#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace executorch::backends::cuda {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::span<const std::uint8_t> bytes);
/// In lower-case hexadecimal digits.
std::string to_hex(const Sha256& digest);

}  // namespace executorch::backends::cuda
