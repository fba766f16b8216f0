#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch::runtime {

/// Type and shape of a tensor whose data lies elsewhere.
class ET_API TensorLayout final {
 public:
  TensorLayout() = delete;

  /// A layout that views `sizes` and `dim_order`. InvalidArgument when they differ in length, the
  /// order is no permutation, a size is negative, the type is none, or the bytes overflow.
  static Result<const TensorLayout> create(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
                                           etensor::ScalarType scalar_type);

  Span<const int32_t> sizes() const { return sizes_; }
  Span<const uint8_t> dim_order() const { return dim_order_; }
  etensor::ScalarType scalar_type() const { return scalar_type_; }
  /// Bytes of the data.
  size_t nbytes() const { return nbytes_; }

 private:
  TensorLayout(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
               etensor::ScalarType scalar_type, size_t nbytes)
      : sizes_(sizes), dim_order_(dim_order), scalar_type_(scalar_type), nbytes_(nbytes) {}

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  etensor::ScalarType scalar_type_;
  size_t nbytes_;
};

}  // namespace executorch::runtime
