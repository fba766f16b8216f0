#pragma once

// The arithmetic that Half and BFloat16 share: every operation is done in float and rounded once.

#define C10_INTERNAL_REDUCED_FLOAT_OPERATORS(T)                        \
  inline T operator+(const T& a, const T& b) {                         \
    return T(static_cast<float>(a) + static_cast<float>(b));           \
  }                                                                    \
  inline T operator-(const T& a, const T& b) {                         \
    return T(static_cast<float>(a) - static_cast<float>(b));           \
  }                                                                    \
  inline T operator*(const T& a, const T& b) {                         \
    return T(static_cast<float>(a) * static_cast<float>(b));           \
  }                                                                    \
  inline T operator/(const T& a, const T& b) {                         \
    return T(static_cast<float>(a) / static_cast<float>(b));           \
  }                                                                    \
  inline T operator-(const T& a) { return T(-static_cast<float>(a)); } \
  inline T& operator+=(T& a, const T& b) { return a = a + b; }         \
  inline T& operator-=(T& a, const T& b) { return a = a - b; }         \
  inline T& operator*=(T& a, const T& b) { return a = a * b; }         \
  inline T& operator/=(T& a, const T& b) { return a = a / b; }         \
  C10_INTERNAL_REDUCED_FLOAT_WITH_FLOAT(T, float)                      \
  C10_INTERNAL_REDUCED_FLOAT_WITH_FLOAT(T, double)                     \
  C10_INTERNAL_REDUCED_FLOAT_WITH_INTEGER(T, int)                      \
  C10_INTERNAL_REDUCED_FLOAT_WITH_INTEGER(T, int64_t)

// With a wider float the result is of that type; with an integer it stays a T.
#define C10_INTERNAL_REDUCED_FLOAT_WITH_FLOAT(T, U)              \
  inline U operator+(T a, U b) { return static_cast<U>(a) + b; } \
  inline U operator+(U a, T b) { return a + static_cast<U>(b); } \
  inline U operator-(T a, U b) { return static_cast<U>(a) - b; } \
  inline U operator-(U a, T b) { return a - static_cast<U>(b); } \
  inline U operator*(T a, U b) { return static_cast<U>(a) * b; } \
  inline U operator*(U a, T b) { return a * static_cast<U>(b); } \
  inline U operator/(T a, U b) { return static_cast<U>(a) / b; } \
  inline U operator/(U a, T b) { return a / static_cast<U>(b); }

#define C10_INTERNAL_REDUCED_FLOAT_WITH_INTEGER(T, U)                   \
  inline T operator+(T a, U b) { return a + T(static_cast<float>(b)); } \
  inline T operator+(U a, T b) { return T(static_cast<float>(a)) + b; } \
  inline T operator-(T a, U b) { return a - T(static_cast<float>(b)); } \
  inline T operator-(U a, T b) { return T(static_cast<float>(a)) - b; } \
  inline T operator*(T a, U b) { return a * T(static_cast<float>(b)); } \
  inline T operator*(U a, T b) { return T(static_cast<float>(a)) * b; } \
  inline T operator/(T a, U b) { return a / T(static_cast<float>(b)); } \
  inline T operator/(U a, T b) { return T(static_cast<float>(a)) / b; }

// Members of numeric_limits that differ, as bits.
#define C10_INTERNAL_REDUCED_FLOAT_LIMITS(T, mantissa_digits, decimal_digits, max_decimal_digits, \
                                          min_exp, min_exp10, max_exp, max_exp10, min_bits,       \
                                          lowest_bits, max_bits, epsilon_bits, half_bits,         \
                                          infinity_bits, nan_bits, denorm_bits)                   \
  template <>                                                                                     \
  class numeric_limits<T> {                                                                       \
   public:                                                                                        \
    static constexpr bool is_specialized = true;                                                  \
    static constexpr bool is_signed = true;                                                       \
    static constexpr bool is_integer = false;                                                     \
    static constexpr bool is_exact = false;                                                       \
    static constexpr bool has_infinity = true;                                                    \
    static constexpr bool has_quiet_NaN = true;                                                   \
    static constexpr bool has_signaling_NaN = true;                                               \
    static constexpr bool is_iec559 = true;                                                       \
    static constexpr bool is_bounded = true;                                                      \
    static constexpr bool is_modulo = false;                                                      \
    static constexpr bool traps = false;                                                          \
    static constexpr bool tinyness_before = false;                                                \
    static constexpr auto round_style = numeric_limits<float>::round_style;                       \
    static constexpr int digits = mantissa_digits;                                                \
    static constexpr int digits10 = decimal_digits;                                               \
    static constexpr int max_digits10 = max_decimal_digits;                                       \
    static constexpr int radix = 2;                                                               \
    static constexpr int min_exponent = min_exp;                                                  \
    static constexpr int min_exponent10 = min_exp10;                                              \
    static constexpr int max_exponent = max_exp;                                                  \
    static constexpr int max_exponent10 = max_exp10;                                              \
    static constexpr T min() noexcept { return T(min_bits, T::from_bits()); }                     \
    static constexpr T lowest() noexcept { return T(lowest_bits, T::from_bits()); }               \
    static constexpr T max() noexcept { return T(max_bits, T::from_bits()); }                     \
    static constexpr T epsilon() noexcept { return T(epsilon_bits, T::from_bits()); }             \
    static constexpr T round_error() noexcept { return T(half_bits, T::from_bits()); }            \
    static constexpr T infinity() noexcept { return T(infinity_bits, T::from_bits()); }           \
    static constexpr T quiet_NaN() noexcept { return T(nan_bits, T::from_bits()); }               \
    static constexpr T signaling_NaN() noexcept { return T(infinity_bits | 1, T::from_bits()); }  \
    static constexpr T denorm_min() noexcept { return T(denorm_bits, T::from_bits()); }           \
  }
