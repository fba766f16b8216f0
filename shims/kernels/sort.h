#pragma once

#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/dtype.h"
#include "shims/error.h"

namespace shims {

/// Sorts along one dimension of a contiguous tensor seen as [outer, length, inner].
struct SortJob {
  const void* from = nullptr;
  void* values = nullptr;
  int64_t* indices = nullptr;
  DType dtype = DType::kFloat32;
  int64_t outer = 0;
  int64_t length = 0;
  int64_t inner = 0;
  bool descending = false;
};

/// Real types that have an order here.
bool can_sort(DType dtype);

/// Enqueues a stable sort. NaN counts as greater than everything and equal to itself, -0 as equal
/// to 0, as in torch; equal elements keep their order, in both directions.
[[nodiscard]] Error sort(const SortJob& job, int32_t device, cudaStream_t stream);

}  // namespace shims
