#pragma once

// Sizes, strides, broadcasting, and the resizing of outputs.

#include "runtime/kernels/context.h"

namespace executorch::kernels {

/// The runtime's limit on the rank of a tensor.
inline constexpr int kMaxDims = 16;

struct Shape {
  int rank = 0;
  int64_t size[kMaxDims];

  void push(int64_t extent) { size[rank++] = extent; }
  /// Number of elements; 1 for rank 0.
  int64_t numel() const;
  bool operator==(const Shape& other) const;
};

inline int rank_of(const Tensor& tensor) { return static_cast<int>(tensor.dim()); }

/// Shape of `tensor`; rank is at most kMaxDims (the boxed call has checked it).
Shape shape_of(const Tensor& tensor);

/// Strides of `tensor` in bytes into `strides[0 .. rank)`.
void byte_strides(const Tensor& tensor, int64_t* strides);

/// Strides in bytes of a dense row-major tensor of that shape.
void dense_strides(const Shape& shape, int64_t element_size, int64_t* strides);

/// True when the memory order is the row-major one (dim order 0, 1, 2 ...) or cannot be told from
/// it.
bool is_row_major(const Tensor& tensor);

/// Same sizes and same dim order: element i of one lies where element i of the other lies.
bool same_layout(const Tensor& a, const Tensor& b);

/// Widens `shape` by the sizes of `tensor` after the broadcasting rules. False: they do not fit.
bool broadcast(Shape& shape, const Shape& other);

/// `dim` in [-rank, rank) to [0, rank); rank 0 counts as rank 1. False when out of range.
bool wrap_dim(Context& context, int64_t dim, int rank, int& wrapped);

/// What start:end:step of a dimension of `size` selects, with Python's rules for negative and
/// overlong bounds. `step` must be positive.
bool slice_range(Context& context, int64_t size, std::optional<int64_t> start,
                 std::optional<int64_t> end, int64_t step, int64_t& first, int64_t& length);

/// Gives `out` the shape, and checks that it has memory for it. Kernels call it before they write.
bool resize_out(Context& context, Tensor& out, const Shape& shape);

/// The tensor arguments of equal rank must agree in dim order (a kernel never rearranges memory).
bool same_dim_order(Context& context, const Tensor& a, const Tensor& b);

}  // namespace executorch::kernels
