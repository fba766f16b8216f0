#pragma once

#include <c10/util/bit_cast.h>
#include <c10/util/reduced_float.h>
#include <cstdint>
#include <iosfwd>
#include <limits>

namespace c10 {
namespace detail {

inline float f32_from_bits(uint16_t bits) {
  return bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// The upper half of the float nearest to `value` that has no lower half, ties to even.
inline uint16_t round_to_nearest_even(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0x7fc0;
  }
  const uint32_t odd = (bits >> 16) & 1u;
  return static_cast<uint16_t>((bits + 0x7fffu + odd) >> 16);
}

}  // namespace detail

/// A float with 8 bits of significand: the upper half of binary32.
struct alignas(2) BFloat16 {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  BFloat16() = default;
  constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  /* implicit */ BFloat16(float value) : x(detail::round_to_nearest_even(value)) {}
  /* implicit */ operator float() const { return detail::f32_from_bits(x); }
};

C10_INTERNAL_REDUCED_FLOAT_OPERATORS(BFloat16)

template <typename Stream>
Stream& operator<<(Stream& out, const BFloat16& value) {
  out << static_cast<float>(value);
  return out;
}

}  // namespace c10

namespace std {
C10_INTERNAL_REDUCED_FLOAT_LIMITS(c10::BFloat16, 8, 2, 4, -125, -37, 128, 38, 0x0080, 0xff7f,
                                  0x7f7f, 0x3c00, 0x3f00, 0x7f80, 0x7fc0, 0x0001);
}  // namespace std
