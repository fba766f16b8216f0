// Operators that move one tensor's elements: a change of the view, then one copy.

#include <algorithm>
#include <cstring>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/view.h"

namespace executorch::kernels {
namespace {

// --- the same elements in the same order ------------------------------------------------------

// Row-major memory of the same count, taken as `shape`.
void reshape(Context& context, const Tensor& in, const Shape& shape, Tensor& out) {
  if (in.scalar_type() != out.scalar_type()) {
    refuse(context, "the output has another type than the input");
    return;
  }
  if (shape.numel() != in.numel()) {
    refuse(context, "%lld elements cannot take a shape of %lld", static_cast<long long>(in.numel()),
           static_cast<long long>(shape.numel()));
    return;
  }
  if (!resize_out(context, out, shape)) return;
  if (same_layout(in, out) || (is_row_major(in) && is_row_major(out))) {
    if (in.nbytes() > 0 && in.const_data_ptr() != out.const_data_ptr()) {
      std::memmove(out.mutable_data_ptr(), in.const_data_ptr(), in.nbytes());
    }
    return;
  }
  refuse(context, "only row-major memory can be given another shape");
}

void view_copy(Context& context, const Tensor& in, IntList sizes, Tensor& out) {
  if (sizes.size() > kMaxDims) {
    refuse(context, "view_copy: rank %zu is too large", sizes.size());
    return;
  }
  Shape shape;
  int inferred = -1;
  int64_t known = 1;
  for (const int64_t size : sizes) {
    if (size == -1 && inferred < 0) {
      inferred = shape.rank;
    } else if (size < 0 || (size > 0 && known > INT64_MAX / size)) {
      refuse(context, "view_copy: bad size %lld", static_cast<long long>(size));
      return;
    } else {
      known *= size;
    }
    shape.push(size);
  }
  if (inferred >= 0) {
    if (known == 0 || in.numel() % known != 0) {
      refuse(context, "view_copy: the size of -1 cannot be inferred");
      return;
    }
    shape.size[inferred] = in.numel() / known;
  }
  reshape(context, in, shape, out);
}

void unsqueeze_copy(Context& context, const Tensor& in, int64_t dim, Tensor& out) {
  int wrapped = 0;
  View view = view_of(in);
  if (view.shape.rank == kMaxDims) {
    refuse(context, "unsqueeze_copy: rank %d is the limit", kMaxDims);
    return;
  }
  if (!wrap_dim(context, dim, view.shape.rank + 1, wrapped)) return;
  unsqueeze(view, wrapped);
  write_view(context, view, out);
}

void squeeze_dims(Context& context, const Tensor& in, IntList dims, Tensor& out) {
  View view = view_of(in);
  bool drop[kMaxDims] = {};
  for (const int64_t dim : dims) {
    int wrapped = 0;
    if (!wrap_dim(context, dim, view.shape.rank, wrapped)) return;
    drop[wrapped] = true;
  }
  for (int d = view.shape.rank - 1; d >= 0; --d) {
    if (drop[d] && view.shape.size[d] == 1) select(view, d, 0);
  }
  write_view(context, view, out);
}
void squeeze_dim(Context& context, const Tensor& in, int64_t dim, Tensor& out) {
  squeeze_dims(context, in, IntList(&dim, 1), out);
}

// --- clone, copy, conversion ------------------------------------------------------------------

void copy_converting(Context& context, const Tensor& from, Tensor& out) {
  if (!resize_out(context, out, shape_of(from))) return;
  if (from.scalar_type() == out.scalar_type() && same_layout(from, out)) {
    if (from.nbytes() > 0)
      std::memmove(out.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
    return;
  }
  copy_view(context, view_of(out), view_of(from));
}

void alias_copy(Context& context, const Tensor& in, Tensor& out) {
  if (in.scalar_type() != out.scalar_type()) {
    refuse(context, "the output has another type than the input");
    return;
  }
  copy_converting(context, in, out);
}

// torch's memory formats by number.
constexpr int64_t kContiguous = 0;
constexpr int64_t kPreserve = 1;
constexpr int64_t kChannelsLast = 2;

bool known_format(Context& context, std::optional<int64_t> format) {
  if (!format.has_value() || *format == kContiguous || *format == kPreserve ||
      *format == kChannelsLast) {
    return true;
  }
  return refuse(context, "memory format %lld is unknown", static_cast<long long>(*format));
}

void clone(Context& context, const Tensor& in, std::optional<int64_t> format, Tensor& out) {
  if (known_format(context, format)) alias_copy(context, in, out);
}
void to_copy(Context& context, const Tensor& in, bool, std::optional<int64_t> format, Tensor& out) {
  if (known_format(context, format)) copy_converting(context, in, out);
}

// The exporter gives `out` the dim order that it asks for here.
bool out_has_order(Context& context, const Tensor& in, const std::optional<IntList>& order,
                   const Tensor& out) {
  if (!order.has_value()) return same_dim_order(context, in, out);
  if (order->size() != out.dim_order().size()) {
    return refuse(context, "the dim order has %zu entries for rank %d", order->size(),
                  rank_of(out));
  }
  for (size_t i = 0; i < order->size(); ++i) {
    if ((*order)[i] != out.dim_order()[i]) {
      return refuse(context, "the output does not have the dim order that was asked for");
    }
  }
  return true;
}
void to_dim_order_copy(Context& context, const Tensor& in, bool, std::optional<IntList> order,
                       Tensor& out) {
  if (out_has_order(context, in, order, out)) copy_converting(context, in, out);
}
void clone_dim_order(Context& context, const Tensor& in, bool, std::optional<IntList> order,
                     Tensor& out) {
  if (out_has_order(context, in, order, out)) alias_copy(context, in, out);
}

// `from` broadcast to the shape of `in`, whose type the output has.
void copy_out(Context& context, const Tensor& in, const Tensor& from, bool, Tensor& out) {
  const Shape shape = shape_of(in);
  Shape wide = shape;
  if (!broadcast(wide, shape_of(from)) || !(wide == shape)) {
    refuse(context, "copy: the source does not broadcast to the target");
    return;
  }
  if (out.scalar_type() != in.scalar_type()) {
    refuse(context, "the output has another type than the input");
    return;
  }
  if (!resize_out(context, out, shape)) return;
  if (from.scalar_type() == out.scalar_type() && same_layout(from, out)) {
    if (from.nbytes() > 0)
      std::memmove(out.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
    return;
  }
  View source = view_of(from);
  expand(source, shape);
  copy_view(context, view_of(out), source);
}
// The target is the first argument; the value behind the arguments repeats it.
void copy_in_place(Context& context, Tensor& self, const Tensor& from, bool non_blocking) {
  copy_out(context, self, from, non_blocking, self);
}

// --- changed order ----------------------------------------------------------------------------

void permute_copy(Context& context, const Tensor& in, IntList dims, Tensor& out) {
  View view = view_of(in);
  int order[kMaxDims];
  bool seen[kMaxDims] = {};
  if (static_cast<int>(dims.size()) != view.shape.rank) {
    refuse(context, "permute_copy: %zu dimensions for rank %d", dims.size(), view.shape.rank);
    return;
  }
  for (int d = 0; d < view.shape.rank; ++d) {
    if (!wrap_dim(context, dims.data()[d], view.shape.rank, order[d])) return;
    if (seen[order[d]]) {
      refuse(context, "permute_copy: dimension %d stands twice", order[d]);
      return;
    }
    seen[order[d]] = true;
  }
  permute(view, order);
  write_view(context, view, out);
}

void transpose_copy(Context& context, const Tensor& in, int64_t first, int64_t second,
                    Tensor& out) {
  View view = view_of(in);
  int a = 0;
  int b = 0;
  if (!wrap_dim(context, first, view.shape.rank, a) ||
      !wrap_dim(context, second, view.shape.rank, b)) {
    return;
  }
  if (view.shape.rank > 0) {
    std::swap(view.shape.size[a], view.shape.size[b]);
    std::swap(view.stride[a], view.stride[b]);
  }
  write_view(context, view, out);
}
void t_copy(Context& context, const Tensor& in, Tensor& out) {
  if (in.dim() > 2) {
    refuse(context, "t_copy: rank %d", rank_of(in));
    return;
  }
  transpose_copy(context, in, 0, in.dim() == 2 ? 1 : 0, out);
}

void flip(Context& context, const Tensor& in, IntList dims, Tensor& out) {
  View view = view_of(in);
  bool seen[kMaxDims] = {};
  for (const int64_t dim : dims) {
    int d = 0;
    if (!wrap_dim(context, dim, view.shape.rank, d)) return;
    if (seen[d]) {
      refuse(context, "flip: dimension %d stands twice", d);
      return;
    }
    seen[d] = true;
    if (view.shape.rank > 0) narrow(view, d, view.shape.size[d] - 1, view.shape.size[d], -1);
  }
  write_view(context, view, out);
}

// --- parts and repetitions --------------------------------------------------------------------

void expand_copy(Context& context, const Tensor& in, IntList sizes, bool, Tensor& out) {
  View view = view_of(in);
  const int added = static_cast<int>(sizes.size()) - view.shape.rank;
  if (added < 0 || sizes.size() > kMaxDims) {
    refuse(context, "expand_copy: from rank %d to %zu sizes", view.shape.rank, sizes.size());
    return;
  }
  Shape shape;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const int64_t own = d < added ? 1 : view.shape.size[d - added];
    const int64_t asked = sizes.data()[d];
    const int64_t size = asked == -1 && d >= added ? own : asked;
    if (size < 0 || (own != 1 && own != size)) {
      refuse(context, "expand_copy: size %lld cannot become %lld", static_cast<long long>(own),
             static_cast<long long>(asked));
      return;
    }
    shape.push(size);
  }
  expand(view, shape);
  write_view(context, view, out);
}

void select_copy(Context& context, const Tensor& in, int64_t dim, int64_t index, Tensor& out) {
  View view = view_of(in);
  int d = 0;
  if (view.shape.rank == 0) {
    refuse(context, "select_copy: of a tensor without dimensions");
    return;
  }
  if (!wrap_dim(context, dim, view.shape.rank, d)) return;
  const int64_t size = view.shape.size[d];
  if (index < -size || index >= size) {
    refuse(context, "select_copy: index %lld in size %lld", static_cast<long long>(index),
           static_cast<long long>(size));
    return;
  }
  select(view, d, index < 0 ? index + size : index);
  write_view(context, view, out);
}

void slice_copy(Context& context, const Tensor& in, int64_t dim, std::optional<int64_t> start,
                std::optional<int64_t> end, int64_t step, Tensor& out) {
  View view = view_of(in);
  int d = 0;
  if (view.shape.rank == 0) {
    refuse(context, "slice_copy: of a tensor without dimensions");
    return;
  }
  if (!wrap_dim(context, dim, view.shape.rank, d)) return;
  int64_t first = 0;
  int64_t length = 0;
  if (!slice_range(context, view.shape.size[d], start, end, step, first, length)) return;
  narrow(view, d, first, length, step);
  write_view(context, view, out);
}

void narrow_copy(Context& context, const Tensor& in, int64_t dim, int64_t start, int64_t length,
                 Tensor& out) {
  View view = view_of(in);
  int d = 0;
  if (view.shape.rank == 0) {
    refuse(context, "narrow_copy: of a tensor without dimensions");
    return;
  }
  if (!wrap_dim(context, dim, view.shape.rank, d)) return;
  const int64_t size = view.shape.size[d];
  const int64_t first = start < 0 ? start + size : start;
  if (first < 0 || first > size || length < 0 || length > size - first) {
    refuse(context, "narrow_copy: %lld elements from %lld on, of %lld",
           static_cast<long long>(length), static_cast<long long>(start),
           static_cast<long long>(size));
    return;
  }
  narrow(view, d, first, length);
  write_view(context, view, out);
}

void diagonal_copy(Context& context, const Tensor& in, int64_t offset, int64_t dim1, int64_t dim2,
                   Tensor& out) {
  View view = view_of(in);
  int a = 0;
  int b = 0;
  if (view.shape.rank < 2 || !wrap_dim(context, dim1, view.shape.rank, a) ||
      !wrap_dim(context, dim2, view.shape.rank, b) || a == b) {
    refuse(context, "diagonal_copy: needs two dimensions");
    return;
  }
  const int64_t rows = view.shape.size[a];
  const int64_t columns = view.shape.size[b];
  const int64_t row = offset < 0 ? (offset < -rows ? rows : -offset) : 0;
  const int64_t column = offset > 0 ? (offset > columns ? columns : offset) : 0;
  const int64_t length = std::min(rows - row, columns - column);
  const int64_t step = view.stride[a] + view.stride[b];
  if (length > 0) view.data += row * view.stride[a] + column * view.stride[b];
  select(view, std::max(a, b), 0);
  select(view, std::min(a, b), 0);
  unsqueeze(view, view.shape.rank);
  view.shape.size[view.shape.rank - 1] = length;
  view.stride[view.shape.rank - 1] = step;
  write_view(context, view, out);
}

void unfold_copy(Context& context, const Tensor& in, int64_t dim, int64_t size, int64_t step,
                 Tensor& out) {
  View view = view_of(in);
  int d = 0;
  if (view.shape.rank == 0 || view.shape.rank == kMaxDims ||
      !wrap_dim(context, dim, view.shape.rank, d) || size < 0 || size > view.shape.size[d] ||
      step <= 0) {
    refuse(context, "unfold_copy: windows of %lld every %lld", static_cast<long long>(size),
           static_cast<long long>(step));
    return;
  }
  const int64_t stride = view.stride[d];
  view.shape.size[d] = (view.shape.size[d] - size) / step + 1;
  view.stride[d] = stride * step;
  unsqueeze(view, view.shape.rank);
  view.shape.size[view.shape.rank - 1] = size;
  view.stride[view.shape.rank - 1] = stride;
  write_view(context, view, out);
}

void as_strided_copy(Context& context, const Tensor& in, IntList sizes, IntList strides,
                     std::optional<int64_t> offset, Tensor& out) {
  View view = view_of(in);
  const int64_t element = in.element_size();
  const int64_t first = offset.value_or(0);
  bool inside = sizes.size() == strides.size() && sizes.size() <= kMaxDims && first >= 0;
  bool empty = false;
  int64_t last = first;
  view.shape.rank = 0;
  for (size_t i = 0; inside && i < sizes.size(); ++i) {
    const int64_t size = sizes[i];
    const int64_t stride = strides[i];
    inside = size >= 0 && stride >= 0 && size <= INT32_MAX && stride <= INT32_MAX;
    empty = empty || size == 0;
    if (inside && size > 0) last += (size - 1) * stride;
    inside = inside && last >= 0;
    view.stride[view.shape.rank] = stride * element;
    view.shape.push(size);
  }
  if (!inside || (!empty && last >= in.numel())) {
    refuse(context, "as_strided_copy: reaches outside of the input");
    return;
  }
  if (!empty) view.data += first * element;
  write_view(context, view, out);
}

constexpr Operator kOperators[] = {
    {"aten::view_copy.out", &box<&view_copy>},
    {"aten::unsqueeze_copy.out", &box<&unsqueeze_copy>},
    {"aten::squeeze_copy.dim_out", &box<&squeeze_dim>},
    {"aten::squeeze_copy.dims_out", &box<&squeeze_dims>},
    {"aten::alias_copy.out", &box<&alias_copy>},
    {"aten::detach_copy.out", &box<&alias_copy>},
    {"aten::lift_fresh_copy.out", &box<&alias_copy>},
    {"aten::clone.out", &box<&clone>},
    {"aten::_to_copy.out", &box<&to_copy>},
    {"aten::copy.out", &box<&copy_out>},
    {"aten::copy_", &box<&copy_in_place>},
    {"dim_order_ops::_to_dim_order_copy.out", &box<&to_dim_order_copy>},
    {"dim_order_ops::_clone_dim_order.out", &box<&clone_dim_order>},
    {"aten::permute_copy.out", &box<&permute_copy>},
    {"aten::transpose_copy.int_out", &box<&transpose_copy>},
    {"aten::t_copy.out", &box<&t_copy>},
    {"aten::flip.out", &box<&flip>},
    {"aten::expand_copy.out", &box<&expand_copy>},
    {"aten::select_copy.int_out", &box<&select_copy>},
    {"aten::slice_copy.Tensor_out", &box<&slice_copy>},
    {"aten::narrow_copy.out", &box<&narrow_copy>},
    {"aten::diagonal_copy.out", &box<&diagonal_copy>},
    {"aten::unfold_copy.out", &box<&unfold_copy>},
    {"aten::as_strided_copy.out", &box<&as_strided_copy>},
};

}  // namespace

Operators copy_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
