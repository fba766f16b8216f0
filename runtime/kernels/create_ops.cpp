// Operators whose output comes from numbers alone.

#include <algorithm>
#include <cmath>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/view.h"

namespace executorch::kernels {
namespace {

void fill(Context& context, const Scalar& value, Tensor& out) {
  const double real = as_double(value);
  const int64_t whole = as_int(value);
  View target = view_of(out);
  // Memory has no holes, so the order of the elements does not matter.
  target.shape.rank = 0;
  target.stride[0] = out.element_size();
  target.shape.push(out.numel());
  View source = target;
  source.stride[0] = 0;
  source.type = value.isFloatingPoint() ? ScalarType::Double : ScalarType::Long;
  source.data = const_cast<char*>(value.isFloatingPoint() ? reinterpret_cast<const char*>(&real)
                                                          : reinterpret_cast<const char*>(&whole));
  copy_view(context, target, source);
}

bool sized_out(Context& context, IntList sizes, Tensor& out) {
  Shape shape;
  if (sizes.size() > kMaxDims) return refuse(context, "rank %zu is too large", sizes.size());
  for (const int64_t size : sizes) {
    if (size < 0) return refuse(context, "size %lld", static_cast<long long>(size));
    shape.push(size);
  }
  return resize_out(context, out, shape);
}

void full(Context& context, IntList sizes, Scalar value, Tensor& out) {
  if (sized_out(context, sizes, out)) fill(context, value, out);
}
void full_like(Context& context, const Tensor& in, Scalar value, std::optional<int64_t>,
               Tensor& out) {
  if (resize_out(context, out, shape_of(in))) fill(context, value, out);
}
void fill_scalar(Context& context, const Tensor& in, Scalar value, Tensor& out) {
  full_like(context, in, value, std::nullopt, out);
}
void fill_tensor(Context& context, const Tensor& in, const Tensor& value, Tensor& out) {
  if (value.numel() != 1) {
    refuse(context, "fill: the value has %lld elements", static_cast<long long>(value.numel()));
    return;
  }
  if (!resize_out(context, out, shape_of(in))) return;
  View source = view_of(value);
  source.shape.rank = 0;
  expand(source, shape_of(out));
  copy_view(context, view_of(out), source);
}
void ones(Context& context, IntList sizes, Tensor& out) {
  if (sized_out(context, sizes, out)) fill(context, Scalar(1), out);
}
void zeros(Context& context, IntList sizes, Tensor& out) {
  if (sized_out(context, sizes, out)) fill(context, Scalar(0), out);
}
void empty(Context& context, IntList sizes, std::optional<int64_t>, Tensor& out) {
  sized_out(context, sizes, out);
}
void empty_dim_order(Context& context, IntList sizes, std::optional<IntList>, Tensor& out) {
  sized_out(context, sizes, out);
}
void scalar_tensor(Context& context, Scalar value, Tensor& out) {
  if (resize_out(context, out, Shape{})) fill(context, value, out);
}

void arange_start(Context& context, Scalar start, Scalar end, Scalar step, Tensor& out) {
  const double first = as_double(start);
  const double last = as_double(end);
  const double by = as_double(step);
  const bool whole = !start.isFloatingPoint() && !end.isFloatingPoint() && !step.isFloatingPoint();
  const double length = std::ceil((last - first) / by);
  if (by == 0 || !(length >= 0) || length > INT32_MAX) {
    refuse(context, "arange: from %g to %g by %g", first, last, by);
    return;
  }
  Shape shape;
  shape.push(static_cast<int64_t>(length));
  if (!resize_out(context, out, shape)) return;
  const Compute compute =
      whole && is_integral(out.scalar_type(), true) ? Compute::kInt : Compute::kDouble;
  if (compute_of(out.scalar_type()) == Compute::kNone) {
    refuse(context, "arange: unsupported type");
    return;
  }
  with_compute(compute, [&](auto zero) {
    using C = decltype(zero);
    const auto store = storer<C>(out.scalar_type());
    const C from = scalar_as<C>(start);
    const C increment = scalar_as<C>(step);
    const int64_t size = out.element_size();
    char* to = static_cast<char*>(out.mutable_data_ptr());
    constexpr int64_t kPart = 128;
    C values[kPart];
    for (int64_t begin = 0; begin < shape.size[0]; begin += kPart) {
      const int64_t n = std::min(kPart, shape.size[0] - begin);
      for (int64_t i = 0; i < n; ++i) values[i] = from + static_cast<C>(begin + i) * increment;
      store(to + begin * size, size, values, n);
    }
  });
}
void arange(Context& context, Scalar end, Tensor& out) {
  arange_start(context, Scalar(0), end, Scalar(1), out);
}

constexpr Operator kOperators[] = {
    {"aten::full.out", &box<&full>},
    {"aten::full_like.out", &box<&full_like>},
    {"aten::fill.Scalar_out", &box<&fill_scalar>},
    {"aten::fill.Tensor_out", &box<&fill_tensor>},
    {"aten::ones.out", &box<&ones>},
    {"aten::zeros.out", &box<&zeros>},
    {"aten::empty.out", &box<&empty>},
    {"dim_order_ops::_empty_dim_order.out", &box<&empty_dim_order>},
    {"aten::scalar_tensor.out", &box<&scalar_tensor>},
    {"aten::arange.out", &box<&arange>},
    {"aten::arange.start_out", &box<&arange_start>},
};

}  // namespace

Operators create_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
