#pragma once

// Dim orders: the dimensions of a tensor from the outermost to the innermost in memory. For a
// contiguous tensor that is 0, 1, 2, ...; for channels last 0, 2, 3, 1.

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

/// Whether the order is a permutation of 0 .. dims-1, dims at most kTensorDimensionLimit.
template <typename DimOrderType>
bool validate_dim_order(const DimOrderType* dim_order, const size_t dims) {
  if (dims > kTensorDimensionLimit) {
    return false;
  }
  uint32_t seen = 0;
  for (size_t i = 0; i < dims; ++i) {
    if (!(dim_order[i] >= 0 && static_cast<size_t>(dim_order[i]) < dims)) {
      return false;
    }
    seen |= 1u << dim_order[i];
  }
  return seen == (1u << dims) - 1u;
}

/// Whether the order is 0, 1, 2, ...
template <typename DimOrderType>
bool is_contiguous_dim_order(const DimOrderType* dim_order, const size_t dims) {
  for (size_t i = 0; i < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i) {
      return false;
    }
  }
  return true;
}

/// Whether the order is 0, 2, 3, 1 or 0, 2, 3, 4, 1.
template <typename DimOrderType>
bool is_channels_last_dim_order(const DimOrderType* dim_order, const size_t dims) {
  if ((dims != 4 && dims != 5) || dim_order[0] != 0 || dim_order[dims - 1] != 1) {
    return false;
  }
  for (size_t i = 1; i + 1 < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i + 1) {
      return false;
    }
  }
  return true;
}

/// Strides of a dense tensor of these sizes in that order. A dimension of size 0 counts as 1.
template <typename SizesType, typename DimOrderType, typename StridesType>
void dim_order_to_stride_nocheck(const SizesType* sizes, const DimOrderType* dim_order,
                                 const size_t dims, StridesType* strides) {
  // Wider than a stride: the product with the outermost size is none, and need not fit one.
  uint64_t stride = 1;
  for (size_t i = dims; i-- > 0;) {
    strides[dim_order[i]] = static_cast<StridesType>(stride);
    if (sizes[dim_order[i]] != 0) {
      stride *= static_cast<uint64_t>(sizes[dim_order[i]]);
    }
  }
}

/// The same; InvalidArgument when the order is no permutation.
template <typename SizesType, typename DimOrderType, typename StridesType>
ET_NODISCARD Error dim_order_to_stride(const SizesType* sizes, const DimOrderType* dim_order,
                                       const size_t dims, StridesType* strides) {
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order, dims), InvalidArgument,
                           "The dim order is no permutation of 0 to %zu.", dims - 1);
  dim_order_to_stride_nocheck(sizes, dim_order, dims, strides);
  return Error::Ok;
}

/// The order of strides: from the largest to the smallest, equal ones as they come.
template <typename DimOrderType, typename StridesType>
ET_NODISCARD Error stride_to_dim_order(const StridesType* strides, const size_t dims,
                                       DimOrderType* dim_order) {
  ET_CHECK_OR_RETURN_ERROR(dim_order != nullptr, MemoryAllocationFailed, "%s",
                           "There is no room for the dim order.");
  ET_CHECK_OR_RETURN_ERROR(dims <= kTensorDimensionLimit, NotSupported,
                           "Rank %zu is above the limit of %zu.", dims, kTensorDimensionLimit);
  for (size_t i = 0; i < dims; ++i) {
    size_t place = i;
    while (place > 0 && strides[dim_order[place - 1]] < strides[i]) {
      dim_order[place] = dim_order[place - 1];
      --place;
    }
    dim_order[place] = static_cast<DimOrderType>(i);
  }
  return Error::Ok;
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::dim_order_to_stride;
using ::executorch::runtime::dim_order_to_stride_nocheck;
using ::executorch::runtime::is_channels_last_dim_order;
using ::executorch::runtime::is_contiguous_dim_order;
using ::executorch::runtime::stride_to_dim_order;
}  // namespace torch::executor
