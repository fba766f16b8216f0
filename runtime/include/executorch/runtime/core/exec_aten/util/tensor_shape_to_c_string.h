#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>
#include <limits>

namespace executorch::runtime {

/// Bytes of the longest shape as a string: two brackets, sizes of ten digits, separators, NUL.
constexpr size_t kTensorShapeStringSizeLimit =
    1 + 10 * kTensorDimensionLimit + 2 * kTensorDimensionLimit + 1;

namespace internal {
constexpr size_t kMaximumPrintableTensorShapeElement = std::numeric_limits<int32_t>::max();
}  // namespace internal

/// A shape for messages: "(2, 3)". A size that no tensor can have is shown as ERR, and a shape of
/// too high a rank is cut with "...".
ET_API std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    Span<const int32_t> shape);
ET_API std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    Span<const int64_t> shape);

}  // namespace executorch::runtime
