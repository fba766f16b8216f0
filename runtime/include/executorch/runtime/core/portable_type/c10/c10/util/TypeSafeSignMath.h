#pragma once

#include <type_traits>

namespace c10 {

/// Whether x is below zero; false for unsigned types, without a warning.
template <typename T>
constexpr bool is_negative(const T& x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < T(0);
  }
}

/// Whether the signs of a and b differ; zero counts as positive.
template <typename T, typename U>
constexpr bool signs_differ(const T& a, const U& b) {
  return is_negative(a) != is_negative(b);
}

}  // namespace c10
