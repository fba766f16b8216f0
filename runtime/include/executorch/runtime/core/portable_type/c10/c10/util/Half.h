#pragma once

#include <c10/util/bit_cast.h>
#include <c10/util/reduced_float.h>
#include <cstdint>
#include <iosfwd>
#include <limits>

namespace c10 {
namespace detail {

inline float fp32_from_bits(uint32_t bits) { return bit_cast<float>(bits); }
inline uint32_t fp32_to_bits(float value) { return bit_cast<uint32_t>(value); }

/// The bits of the float with the value of a binary16 number.
inline uint32_t fp16_ieee_to_fp32_bits(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    // Zero or subnormal: mantissa * 2^-24, exact in float.
    return sign | fp32_to_bits(static_cast<float>(mantissa) * 0x1p-24f);
  }
  if (exponent == 31) {
    return sign | 0x7f800000u | (mantissa << 13);
  }
  return sign | ((exponent + (127u - 15u)) << 23) | (mantissa << 13);
}
inline float fp16_ieee_to_fp32_value(uint16_t half) {
  return fp32_from_bits(fp16_ieee_to_fp32_bits(half));
}

/// The binary16 number nearest to a float, ties to even; what is too large becomes infinity.
inline uint16_t fp16_ieee_from_fp32_value(float value) {
  const uint32_t bits = fp32_to_bits(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u);
  }
  if (magnitude >= 0x47800000u) {  // 2^16 and above
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: subnormal
    // Adding 0.5 aligns the mantissa so that the float unit does the rounding.
    const uint32_t rounded = fp32_to_bits(fp32_from_bits(magnitude) + 0.5f) - 0x3f000000u;
    return static_cast<uint16_t>(sign | rounded);
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded = (magnitude - ((127u - 15u) << 23) + 0xfffu + odd) >> 13;
  return static_cast<uint16_t>(sign | rounded);
}

}  // namespace detail

/// A number of IEEE 754 binary16.
struct alignas(2) Half {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  Half() = default;
  constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}
  /* implicit */ Half(float value) : x(detail::fp16_ieee_from_fp32_value(value)) {}
  /* implicit */ operator float() const { return detail::fp16_ieee_to_fp32_value(x); }
};

C10_INTERNAL_REDUCED_FLOAT_OPERATORS(Half)

template <typename Stream>
Stream& operator<<(Stream& out, const Half& value) {
  out << static_cast<float>(value);
  return out;
}

}  // namespace c10

namespace std {
C10_INTERNAL_REDUCED_FLOAT_LIMITS(c10::Half, 11, 3, 5, -13, -4, 16, 4, 0x0400, 0xfbff, 0x7bff,
                                  0x1400, 0x3800, 0x7c00, 0x7e00, 0x0001);
}  // namespace std
