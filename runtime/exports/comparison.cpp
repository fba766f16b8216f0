#include "runtime/exports/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <sstream>

namespace executorch::exports {

namespace {

constexpr double kTolerance = 1e-5;

bool close(double value, double reference, double largest) {
  if (std::isnan(reference) || std::isnan(value)) return std::isnan(reference) && std::isnan(value);
  if (std::isinf(reference) || std::isinf(value)) return value == reference;
  return std::fabs(value - reference) <= kTolerance * std::max(std::fabs(reference), largest);
}

template <typename T>
std::string compare_floats(const T* values, const T* references, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double reference = static_cast<double>(references[i]);
    if (std::isfinite(reference)) largest = std::max(largest, std::fabs(reference));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(values[i]);
    const double reference = static_cast<double>(references[i]);
    if (close(value, reference, largest)) continue;
    std::ostringstream text;
    text.precision(9);
    text << "element " << i << " is " << value << ", not " << reference << " (largest " << largest
         << ")";
    return text.str();
  }
  return {};
}

std::string compare_bytes(const std::uint8_t* values, const std::vector<std::uint8_t>& references) {
  const auto [value, reference] =
      std::mismatch(values, values + references.size(), references.begin());
  if (reference == references.end()) return {};
  return "byte " + std::to_string(reference - references.begin()) + " is " +
         std::to_string(*value) + ", not " + std::to_string(*reference);
}

}  // namespace

std::string difference(const aten::Tensor& tensor, const TensorFile& reference) {
  if (tensor.scalar_type() != reference.type) {
    return std::string("type ") + runtime::toString(tensor.scalar_type());
  }
  const auto sizes = tensor.sizes();
  if (!std::equal(sizes.begin(), sizes.end(), reference.sizes.begin(), reference.sizes.end())) {
    std::string text = "sizes";
    for (const auto size : sizes) text += " " + std::to_string(size);
    return text;
  }
  if (tensor.nbytes() == 0) return {};
  if (tensor.const_data_ptr() == nullptr) return "no data";
  const auto count = static_cast<std::size_t>(tensor.numel());
  switch (reference.type) {
    case aten::ScalarType::Float:
      return compare_floats(tensor.const_data_ptr<float>(),
                            reinterpret_cast<const float*>(reference.bytes.data()), count);
    case aten::ScalarType::Double:
      return compare_floats(tensor.const_data_ptr<double>(),
                            reinterpret_cast<const double*>(reference.bytes.data()), count);
    default:
      return compare_bytes(tensor.const_data_ptr<std::uint8_t>(), reference.bytes);
  }
}

}  // namespace executorch::exports
