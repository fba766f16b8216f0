#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/tensor_layout.h>

namespace executorch::runtime {

Result<const TensorLayout> TensorLayout::create(Span<const int32_t> sizes,
                                                Span<const uint8_t> dim_order,
                                                etensor::ScalarType scalar_type) {
  ET_CHECK_OR_RETURN_ERROR(isValid(scalar_type), InvalidArgument, "Element type %d.",
                           static_cast<int>(scalar_type));
  ET_CHECK_OR_RETURN_ERROR(
      sizes.size() == dim_order.size() && validate_dim_order(dim_order.data(), dim_order.size()),
      InvalidArgument, "%zu sizes and a dim order of %zu that doesn't fit them.", sizes.size(),
      dim_order.size());
  const Result<ssize_t> numel =
      etensor::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  if (!numel.ok()) {
    return numel.error();
  }
  size_t nbytes = 0;
  ET_CHECK_OR_RETURN_ERROR(
      !__builtin_mul_overflow(static_cast<size_t>(*numel), elementSize(scalar_type), &nbytes),
      InvalidArgument, "%zd elements of type %s are too large.", *numel, toString(scalar_type));
  return TensorLayout(sizes, dim_order, scalar_type, nbytes);
}

}  // namespace executorch::runtime
