#pragma once

// A tensor's memory seen with other sizes and strides, and copying between such views. The
// operators that only move elements are a change of the view followed by one copy.

#include "runtime/kernels/dtype.h"

namespace executorch::kernels {

struct View {
  Shape shape;
  int64_t stride[kMaxDims];  // bytes; may be 0 or negative
  char* data = nullptr;
  ScalarType type = ScalarType::Undefined;
};

View view_of(const Tensor& tensor);

// Each changes `view` in place. Dimensions and indices must be in range already.
void permute(View& view, const int* order);
void narrow(View& view, int dim, int64_t start, int64_t length, int64_t step = 1);
void select(View& view, int dim, int64_t index);
void unsqueeze(View& view, int dim);
/// `shape` as broadcast from the view (sizes were checked).
void expand(View& view, const Shape& shape);

/// Copies `from` to `to`, which have the same shape, and converts if their types differ. False,
/// with the reason in `context`, when there is no such conversion.
bool copy_view(Context& context, const View& to, const View& from);

/// Resizes `out` to the view's shape and copies the view there. Types must be equal.
void write_view(Context& context, const View& from, Tensor& out);

}  // namespace executorch::kernels
