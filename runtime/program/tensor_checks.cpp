#include "runtime/program/tensor_checks.h"

#include <array>
#include <cinttypes>
#include <limits>

#include "runtime/program/verify.h"

namespace executorch::runtime::format {

namespace {

// By number of the type; see the list of element types in the format's description.
constexpr std::array<std::uint8_t, 30> kElementSizes = {
    1, 1, 2,  4, 8,  // Byte Char Short Int Long
    2, 4, 8,         // Half Float Double
    4, 8, 16,        // ComplexHalf ComplexFloat ComplexDouble
    1, 1, 1,  4,     // Bool QInt8 QUInt8 QInt32
    2, 1, 1,         // BFloat16 QUInt4x2 QUInt2x4
    1, 1, 1,  1, 2,  // Bits1x8 Bits2x4 Bits4x2 Bits8 Bits16
    1, 1, 1,  1,     // Float8 e5m2 e4m3fn e5m2fnuz e4m3fnuz
    2, 4, 8,         // UInt16 UInt32 UInt64
};

}  // namespace

std::size_t element_size(std::int8_t scalar_type) {
  const auto index = static_cast<std::uint8_t>(scalar_type);
  return index < kElementSizes.size() ? kElementSizes[index] : 0;
}

bool check_layout(std::int8_t scalar_type, std::span<const std::int32_t> sizes,
                  std::span<const std::uint8_t> dim_order, Error bad, const char* what,
                  std::size_t index, Refusal& refusal) {
  if (element_size(scalar_type) == 0) {
    return refusal.because(bad, "%s %zu: unknown element type %d", what, index, scalar_type);
  }
  if (sizes.size() > kMaxRank || sizes.size() != dim_order.size()) {
    return refusal.because(bad, "%s %zu: %zu sizes and %zu entries of the dimension order", what,
                           index, sizes.size(), dim_order.size());
  }
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      return refusal.because(bad, "%s %zu: size %" PRId32, what, index, sizes[i]);
    }
    if (dim_order[i] >= sizes.size() || (seen >> dim_order[i] & 1U) != 0) {
      return refusal.because(bad, "%s %zu: the dimension order is not a permutation", what, index);
    }
    seen |= 1U << dim_order[i];
  }
  return true;
}

std::optional<TensorSize> tensor_size(std::span<const std::int32_t> sizes,
                                      std::span<const std::uint8_t> dim_order,
                                      std::int8_t scalar_type) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kLargestStride = std::numeric_limits<std::int32_t>::max();
  std::uint64_t stride = 1;
  bool empty = false;
  for (std::size_t i = dim_order.size(); i-- > 0;) {
    // Also of an empty tensor: its strides are computed all the same.
    if (stride > kLargestStride) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(sizes[dim_order[i]]);
    if (size == 0) {
      empty = true;
      continue;
    }
    stride *= size;  // below 2^62
  }
  TensorSize result;
  result.elements = empty ? 0 : stride;
  if (__builtin_mul_overflow(result.elements, element_size(scalar_type), &result.bytes) ||
      result.bytes > kLargest) {
    return std::nullopt;
  }
  return result;
}

}  // namespace executorch::runtime::format
