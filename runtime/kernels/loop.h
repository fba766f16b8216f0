#pragma once

// Iteration over tensors of one shape with arbitrary strides: dimensions are merged where memory
// allows, so that most calls become one run over contiguous memory.

#include "runtime/kernels/shape.h"

namespace executorch::kernels {

inline constexpr int kMaxOperands = 4;

/// Values per block where a kernel converts into a buffer on the stack.
inline constexpr int64_t kBlock = 256;

struct Loop {
  int operands = 0;
  int rank = 0;
  // Innermost dimension first.
  int64_t size[kMaxDims];
  int64_t stride[kMaxOperands][kMaxDims];  // bytes; 0 where an operand is broadcast
  char* data[kMaxOperands];
  int64_t count = 0;  // elements

  explicit Loop(const Shape& shape);
  /// Adds an operand whose sizes broadcast to the shape. The first one decides the order.
  void add(const Tensor& tensor);
  /// Adds an operand by its strides in bytes, one a dimension of the shape.
  void add(const void* base, const int64_t* strides);
  /// Adds one value for all elements.
  void add_constant(const void* value);
  /// Orders the dimensions by the first operand's strides, drops those of extent 1, merges.
  void finish();
};

/// A finished loop: operand 0 is `out`, then the inputs. `out` has its final shape.
Loop elementwise_loop(const Tensor& out, const Tensor* const* inputs, int count);

/// Calls `body(data, n)` for each run along the innermost dimension. data[k] points to the run's
/// first element of operand k; the elements stand loop.stride[k][0] bytes apart.
template <class F>
void for_each_run(const Loop& loop, F&& body) {
  if (loop.count == 0) return;
  char* data[kMaxOperands] = {};
  for (int k = 0; k < loop.operands; ++k) data[k] = loop.data[k];
  const int64_t inner = loop.rank > 0 ? loop.size[0] : 1;
  if (loop.rank <= 1) {
    body(data, inner);
    return;
  }
  int64_t index[kMaxDims] = {};
  for (;;) {
    body(data, inner);
    int d = 1;
    for (;; ++d) {
      if (d == loop.rank) return;
      ++index[d];
      for (int k = 0; k < loop.operands; ++k) data[k] += loop.stride[k][d];
      if (index[d] < loop.size[d]) break;
      for (int k = 0; k < loop.operands; ++k) data[k] -= loop.stride[k][d] * loop.size[d];
      index[d] = 0;
    }
  }
}

}  // namespace executorch::kernels
