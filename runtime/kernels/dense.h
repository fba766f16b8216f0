#pragma once

// Tensors as row-major arrays of the type of computation: the memory itself where it is that
// already, else a converted copy in temporary memory. Kernels that walk over memory in a fixed
// order are written once, for such arrays, and serve every type and dim order.

#include "runtime/kernels/view.h"

namespace executorch::kernels {

/// True when the view's elements lie one after the other in row-major order.
bool is_dense(const View& view);

/// The values of `view` in row-major order; nullptr after a failure recorded in `context`.
/// An empty view gives a pointer that must not be read.
template <class C>
const C* dense_input(Context& context, const View& view);

/// Where a kernel writes its result in row-major order.
template <class C>
class DenseOutput {
 public:
  /// `out` has its final shape.
  DenseOutput(Context& context, const Tensor& out);
  bool ok() const { return data_ != nullptr; }
  C* data() const { return data_; }
  /// Brings the values to `out` if they were written elsewhere.
  void finish();

 private:
  Context& context_;
  View out_;
  C* data_ = nullptr;
  bool direct_ = false;
};

}  // namespace executorch::kernels
