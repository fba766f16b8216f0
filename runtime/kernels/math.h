#pragma once

// Scalar functions written without branches, so that loops over them are vectorised.

#include <bit>
#include <cmath>
#include <cstdint>

namespace executorch::kernels {

/// e^x within 1.5 units in the last place over the whole range, with subnormal results, infinities
/// and NaN as the C library has them.
inline float fast_exp(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  float y = x < -104.0F ? -104.0F : x;   // NaN passes both comparisons unchanged
  y = y > 89.0F ? 89.0F : y;
  const float shifted = y * kLog2E + kShift;
  const float n = shifted - kShift;
  const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kShift);
  const float r = (y - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  // 2^n in two factors: n reaches from -150 to 128, outside of what one factor can hold.
  const int32_t half = exponent >> 1;
  const uint32_t first = static_cast<uint32_t>(half + 127) << 23;
  const uint32_t second = static_cast<uint32_t>(exponent - half + 127) << 23;
  return p * std::bit_cast<float>(first) * std::bit_cast<float>(second);
}
inline double fast_exp(double x) { return std::exp(x); }

}  // namespace executorch::kernels
