#pragma once

#include <array>
#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/error.h"
#include "shims/tensor.h"

namespace shims {

/// Elements of two tensors side by side, with adjacent dimensions merged where both allow it.
struct CopyPlan {
  static constexpr int kMaxDims = 16;
  int ndim = 0;
  int64_t numel = 0;
  std::array<int64_t, kMaxDims> sizes{};
  std::array<int64_t, kMaxDims> to_strides{};
  std::array<int64_t, kMaxDims> from_strides{};
};

/// Plans a copy of `from` into the sizes of `to`; dimensions of size 1, and missing leading ones,
/// are repeated. Refuses sizes that do not fit, and more than 16 dimensions that cannot be merged.
[[nodiscard]] Error plan_copy(const Shape& to, const Shape& from, CopyPlan* plan);

/// Whether elements of one type can be turned into the other's; always for equal types.
bool can_convert(DType to, DType from);

/// Both on the device of `stream`. A null `from` writes zeros.
[[nodiscard]] Error copy_on_device(const CopyPlan& plan, void* to, DType to_type, const void* from,
                                   DType from_type, cudaStream_t stream);
/// Both on the host.
void copy_on_host(const CopyPlan& plan, void* to, DType to_type, const void* from, DType from_type);

}  // namespace shims
