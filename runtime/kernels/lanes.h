#pragma once

// Reductions of contiguous values in a fixed number of independent lanes, which the compiler keeps
// in vector registers without being allowed to reorder anything else.

#include <cstdint>
#include <limits>

namespace executorch::kernels {

inline constexpr int kLanes = 8;

/// Sum, kept in double: the error is that of the final rounding.
template <class C>
double lane_sum(const C* values, int64_t n) {
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(values[i + k]);
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(values[i]);
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Sum of squared deviations from `mean`.
template <class C>
double lane_squares(const C* values, int64_t n, double mean) {
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const double delta = static_cast<double>(values[i + k]) - mean;
      lanes[k] += delta * delta;
    }
  }
  double sum = 0;
  for (; i < n; ++i) {
    const double delta = static_cast<double>(values[i]) - mean;
    sum += delta * delta;
  }
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Largest value; NaN is passed over, -infinity for nothing.
template <class C>
C lane_max(const C* values, int64_t n) {
  C lanes[kLanes];
  for (C& lane : lanes) lane = -std::numeric_limits<C>::infinity();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] = values[i + k] > lanes[k] ? values[i + k] : lanes[k];
  }
  C best = lanes[0];
  for (const C lane : lanes) best = lane > best ? lane : best;
  for (; i < n; ++i) best = values[i] > best ? values[i] : best;
  return best;
}

}  // namespace executorch::kernels
