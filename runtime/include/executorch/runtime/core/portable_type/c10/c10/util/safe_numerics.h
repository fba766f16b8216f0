#pragma once

#include <cstdint>
#include <type_traits>

namespace c10 {

/// Puts a + b, wrapped, into *out and returns whether it overflowed.
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
inline bool add_overflows(T a, T b, T* out) {
  return __builtin_add_overflow(a, b, out);
}
inline bool add_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return __builtin_add_overflow(a, b, out);
}

/// Puts a * b, wrapped, into *out and returns whether it overflowed.
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
inline bool mul_overflows(T a, T b, T* out) {
  return __builtin_mul_overflow(a, b, out);
}
inline bool mul_overflows(uint64_t a, uint64_t b, uint64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}

/// Puts the product of all, wrapped, into *out and returns whether it overflowed.
template <typename It>
bool safe_multiplies_u64(It first, It last, uint64_t* out) {
  uint64_t product = 1;
  bool overflow = false;
  for (; first != last; ++first) {
    overflow |= mul_overflows(product, static_cast<uint64_t>(*first), &product);
  }
  *out = product;
  return overflow;
}
template <typename Container>
bool safe_multiplies_u64(const Container& numbers, uint64_t* out) {
  return safe_multiplies_u64(numbers.begin(), numbers.end(), out);
}

}  // namespace c10
