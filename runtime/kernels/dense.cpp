#include "runtime/kernels/dense.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch::kernels {
namespace {

// For empty tensors, which may have no memory.
alignas(64) char nothing[64];

template <class C>
View dense_view(const Shape& shape, const C* data) {
  View view;
  view.shape = shape;
  view.type = kNative<C>;
  view.data = reinterpret_cast<char*>(const_cast<C*>(data));
  dense_strides(shape, sizeof(C), view.stride);
  return view;
}

}  // namespace

bool is_dense(const View& view) {
  int64_t expected = static_cast<int64_t>(runtime::elementSize(view.type));
  for (int d = view.shape.rank - 1; d >= 0; --d) {
    const int64_t size = view.shape.size[d];
    if (size == 1) continue;
    if (size == 0) return true;
    if (view.stride[d] != expected) return false;
    expected *= size;
  }
  return true;
}

template <class C>
const C* dense_input(Context& context, const View& view) {
  const int64_t count = view.shape.numel();
  if (count == 0) return reinterpret_cast<const C*>(nothing);
  if (view.type == kNative<C> && is_dense(view)) return reinterpret_cast<const C*>(view.data);
  C* values = allocate_temp<C>(context, count);
  if (values == nullptr) return nullptr;
  return copy_view(context, dense_view(view.shape, values), view) ? values : nullptr;
}

template <class C>
DenseOutput<C>::DenseOutput(Context& context, const Tensor& out)
    : context_(context), out_(view_of(out)) {
  const int64_t count = out_.shape.numel();
  direct_ = count == 0 || (out_.type == kNative<C> && is_dense(out_));
  if (!direct_) {
    data_ = allocate_temp<C>(context, count);
  } else {
    data_ = reinterpret_cast<C*>(count == 0 ? nothing : out_.data);
  }
}

template <class C>
void DenseOutput<C>::finish() {
  if (!direct_ && data_ != nullptr) copy_view(context_, out_, dense_view(out_.shape, data_));
}

#define INSTANTIATE(C)                                     \
  template const C* dense_input<C>(Context&, const View&); \
  template class DenseOutput<C>;
INSTANTIATE(int64_t)
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace executorch::kernels
