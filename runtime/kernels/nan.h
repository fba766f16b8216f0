#pragma once

namespace executorch::kernels {

/// True for a NaN, false for every number of any type. Unlike std::isnan it takes integers, and it
/// is one comparison.
template <class C>
constexpr bool is_nan(C value) {
  return value != value;  // NOLINT(misc-redundant-expression)
}

}  // namespace executorch::kernels
