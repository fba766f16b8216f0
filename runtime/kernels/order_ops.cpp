// Operators that depend on the order or position of elements: extrema with their index, topk,
// running sums, triangles, and selections whose size depends on the data.

#include <algorithm>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/nan.h"

namespace executorch::kernels {
namespace {

// A dense tensor seen as outer x n x inner around one dimension.
struct Lines {
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;
};

Lines lines_of(const Shape& shape, int dim) {
  Lines lines;
  for (int d = 0; d < shape.rank; ++d) {
    (d < dim ? lines.outer : d > dim ? lines.inner : lines.n) *= shape.size[d];
  }
  return lines;
}

// NaN counts as the largest and as the smallest: it is always found.
template <class C>
bool precedes(C candidate, C best, bool largest) {
  if (is_nan(best)) return false;
  return is_nan(candidate) || (largest ? candidate > best : candidate < best);
}

// Index of the first extremum of each line; `values` may be null.
template <class C>
void find_extrema(const C* in, const Lines& lines, bool largest, C* values, int64_t* indices) {
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      const C* line = in + o * lines.n * lines.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < lines.n; ++k) {
        if (precedes(line[k * lines.inner], line[best * lines.inner], largest)) best = k;
      }
      indices[o * lines.inner + i] = best;
      if (values != nullptr) values[o * lines.inner + i] = line[best * lines.inner];
    }
  }
}

Shape without(Shape shape, int dim, bool keepdim) {
  if (shape.rank == 0) return shape;
  if (keepdim) {
    shape.size[dim] = 1;
    return shape;
  }
  for (int d = dim + 1; d < shape.rank; ++d) shape.size[d - 1] = shape.size[d];
  --shape.rank;
  return shape;
}

void extremum(Context& context, const Tensor& in, std::optional<int64_t> dim, bool keepdim,
              bool largest, Tensor* values, Tensor& indices) {
  int d = 0;
  Shape shape = shape_of(in);
  Shape result = shape;
  Lines lines;
  if (compute_of(in.scalar_type()) == Compute::kNone || indices.scalar_type() != ScalarType::Long ||
      (values != nullptr && values->scalar_type() != in.scalar_type())) {
    refuse(context, "max/min: the types do not fit");
    return;
  }
  if (dim.has_value()) {
    if (!wrap_dim(context, *dim, shape.rank, d)) return;
    lines = lines_of(shape, d);
    result = without(shape, d, keepdim);
  } else {
    lines.n = shape.numel();
    for (int i = 0; i < shape.rank; ++i) result.size[i] = 1;
    if (!keepdim) result.rank = 0;
  }
  if (lines.n == 0 && lines.outer * lines.inner > 0) {
    refuse(context, "max/min: there is no extremum of nothing");
    return;
  }
  if ((values != nullptr && !resize_out(context, *values, result)) ||
      !resize_out(context, indices, result)) {
    return;
  }
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    const C* from = dense_input<C>(context, view_of(in));
    DenseOutput<int64_t> positions(context, indices);
    if (from == nullptr || !positions.ok()) return;
    if (values == nullptr) {
      find_extrema<C>(from, lines, largest, nullptr, positions.data());
    } else {
      DenseOutput<C> best(context, *values);
      if (!best.ok()) return;
      find_extrema<C>(from, lines, largest, best.data(), positions.data());
      best.finish();
    }
    positions.finish();
  });
}
template <bool kLargest>
void arg_extremum(Context& context, const Tensor& in, std::optional<int64_t> dim, bool keepdim,
                  Tensor& out) {
  extremum(context, in, dim, keepdim, kLargest, nullptr, out);
}
template <bool kLargest>
void extremum_dim(Context& context, const Tensor& in, int64_t dim, bool keepdim, Tensor& values,
                  Tensor& indices) {
  extremum(context, in, dim, keepdim, kLargest, &values, indices);
}

void topk(Context& context, const Tensor& in, int64_t k, int64_t dim, bool largest, bool,
          Tensor& values, Tensor& indices) {
  int d = 0;
  Shape shape = shape_of(in);
  if (!wrap_dim(context, dim, shape.rank, d)) return;
  const Lines lines = lines_of(shape, d);
  if (k < 0 || k > lines.n || compute_of(in.scalar_type()) == Compute::kNone ||
      values.scalar_type() != in.scalar_type() || indices.scalar_type() != ScalarType::Long) {
    refuse(context, "topk: %lld of %lld", static_cast<long long>(k),
           static_cast<long long>(lines.n));
    return;
  }
  if (shape.rank > 0) shape.size[d] = k;
  if (!resize_out(context, values, shape) || !resize_out(context, indices, shape)) return;
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    const C* from = dense_input<C>(context, view_of(in));
    DenseOutput<C> best(context, values);
    DenseOutput<int64_t> positions(context, indices);
    int64_t* order = allocate_temp<int64_t>(context, lines.n > 0 ? lines.n : 1);
    if (from == nullptr || !best.ok() || !positions.ok() || order == nullptr) return;
    for (int64_t o = 0; o < lines.outer; ++o) {
      for (int64_t i = 0; i < lines.inner; ++i) {
        const C* line = from + o * lines.n * lines.inner + i;
        for (int64_t n = 0; n < lines.n; ++n) order[n] = n;
        // NaN is larger than everything; equal values keep their order.
        const auto before = [&](int64_t a, int64_t b) {
          const C x = line[a * lines.inner];
          const C y = line[b * lines.inner];
          const bool x_nan = is_nan(x);
          const bool y_nan = is_nan(y);
          if (x_nan != y_nan) return largest ? x_nan : y_nan;
          if (x != y && !x_nan) return largest ? x > y : x < y;
          return a < b;
        };
        std::partial_sort(order, order + k, order + lines.n, before);
        for (int64_t n = 0; n < k; ++n) {
          const int64_t to = (o * k + n) * lines.inner + i;
          best.data()[to] = line[order[n] * lines.inner];
          positions.data()[to] = order[n];
        }
      }
    }
    best.finish();
    positions.finish();
  });
}

void cumsum(Context& context, const Tensor& in, int64_t dim, std::optional<ScalarType> dtype,
            Tensor& out) {
  int d = 0;
  const Shape shape = shape_of(in);
  const ScalarType type =
      dtype.value_or(is_integral(in.scalar_type(), true) ? ScalarType::Long : in.scalar_type());
  if (!wrap_dim(context, dim, shape.rank, d)) return;
  if (compute_of(in.scalar_type()) == Compute::kNone || !can_cast(type, out.scalar_type())) {
    refuse(context, "cumsum: from %s to %s", name_of(in.scalar_type()), name_of(out.scalar_type()));
    return;
  }
  if (!resize_out(context, out, shape)) return;
  const Lines lines = lines_of(shape, d);
  with_compute(compute_of(type), [&](auto zero) {
    using C = decltype(zero);
    using Running = std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, double>;
    const C* from = dense_input<C>(context, view_of(in));
    DenseOutput<C> result(context, out);
    if (from == nullptr || !result.ok()) return;
    for (int64_t o = 0; o < lines.outer; ++o) {
      for (int64_t i = 0; i < lines.inner; ++i) {
        const int64_t first = o * lines.n * lines.inner + i;
        Running sum = 0;
        for (int64_t n = 0; n < lines.n; ++n) {
          sum += static_cast<Running>(from[first + n * lines.inner]);
          result.data()[first + n * lines.inner] = static_cast<C>(sum);
        }
      }
    }
    result.finish();
  });
}

void tril(Context& context, const Tensor& in, int64_t diagonal, Tensor& out) {
  const Shape shape = shape_of(in);
  if (shape.rank < 2 || in.scalar_type() != out.scalar_type()) {
    refuse(context, "tril: of rank %d", shape.rank);
    return;
  }
  if (!resize_out(context, out, shape)) return;
  if (!same_dim_order(context, in, out) || !copy_view(context, view_of(out), view_of(in))) return;
  const char zero[16] = {};
  const int64_t rows = shape.size[shape.rank - 2];
  const int64_t columns = shape.size[shape.rank - 1];
  for (int64_t r = 0; r < rows; ++r) {
    // The first column that is cleared; far diagonals do not overflow.
    const int64_t kept = diagonal >= columns ? columns : diagonal <= -rows ? 0 : r + diagonal + 1;
    const int64_t first = kept < 0 ? 0 : (kept > columns ? columns : kept);
    View cleared = view_of(out);
    narrow(cleared, shape.rank - 2, r, 1);
    narrow(cleared, shape.rank - 1, first, columns - first);
    View source = cleared;
    for (int d = 0; d < shape.rank; ++d) source.stride[d] = 0;
    source.data = const_cast<char*>(zero);
    if (!copy_view(context, cleared, source)) return;
  }
}

// --- results whose size depends on the data ---------------------------------------------------

void nonzero(Context& context, const Tensor& in, Tensor& out) {
  const Shape shape = shape_of(in);
  if (out.scalar_type() != ScalarType::Long || compute_of(in.scalar_type()) == Compute::kNone) {
    refuse(context, "nonzero: from %s to %s", name_of(in.scalar_type()),
           name_of(out.scalar_type()));
    return;
  }
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    const C* values = dense_input<C>(context, view_of(in));
    if (values == nullptr) return;
    const int64_t count = shape.numel();
    Shape result;
    result.push(std::count_if(values, values + count, [](C value) { return value != C{0}; }));
    result.push(shape.rank);
    if (!resize_out(context, out, result)) return;
    DenseOutput<int64_t> positions(context, out);
    if (!positions.ok()) return;
    int64_t* to = positions.data();
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] == C{0}) continue;
      int64_t rest = i;
      for (int d = shape.rank - 1; d >= 0; --d) {
        to[d] = rest % shape.size[d];
        rest /= shape.size[d];
      }
      to += shape.rank;
    }
    positions.finish();
  });
}

// The mask as dense flags of the broadcast shape.
const int64_t* mask_of(Context& context, const Tensor& mask, const Shape& shape) {
  if (mask.scalar_type() != ScalarType::Bool && mask.scalar_type() != ScalarType::Byte) {
    refuse(context, "a mask of %s", name_of(mask.scalar_type()));
    return nullptr;
  }
  View view = view_of(mask);
  expand(view, shape);
  return dense_input<int64_t>(context, view);
}

// Position `index` of row-major order in the view.
char* element(const View& view, int64_t index) {
  char* data = view.data;
  for (int d = view.shape.rank - 1; d >= 0; --d) {
    data += index % view.shape.size[d] * view.stride[d];
    index /= view.shape.size[d];
  }
  return data;
}

void masked_select(Context& context, const Tensor& in, const Tensor& mask, Tensor& out) {
  Shape shape = shape_of(in);
  if (!broadcast(shape, shape_of(mask)) || in.scalar_type() != out.scalar_type()) {
    refuse(context, "masked_select: the arguments do not fit");
    return;
  }
  const int64_t* flags = mask_of(context, mask, shape);
  if (flags == nullptr) return;
  const int64_t count = shape.numel();
  Shape result;
  result.push(std::count_if(flags, flags + count, [](int64_t flag) { return flag != 0; }));
  if (!resize_out(context, out, result)) return;
  View source = view_of(in);
  expand(source, shape);
  const int64_t size = in.element_size();
  char* to = static_cast<char*>(out.mutable_data_ptr());
  for (int64_t i = 0; i < count; ++i) {
    if (flags[i] == 0) continue;
    std::copy_n(element(source, i), size, to);
    to += size;
  }
}

void masked_scatter(Context& context, const Tensor& in, const Tensor& mask, const Tensor& source,
                    Tensor& out) {
  Shape shape = shape_of(in);
  if (!broadcast(shape, shape_of(mask)) || in.scalar_type() != out.scalar_type() ||
      source.scalar_type() != in.scalar_type()) {
    refuse(context, "masked_scatter: the arguments do not fit");
    return;
  }
  const int64_t* flags = mask_of(context, mask, shape);
  if (flags == nullptr || !resize_out(context, out, shape)) return;
  const int64_t count = shape.numel();
  const View values = view_of(source);
  View base = view_of(in);
  expand(base, shape);
  const View target = view_of(out);
  if (!copy_view(context, target, base)) return;
  int64_t next = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (flags[i] == 0) continue;
    if (next == source.numel()) {
      refuse(context, "masked_scatter: the source has too few elements");
      return;
    }
    std::copy_n(element(values, next++), in.element_size(), element(target, i));
  }
}

void repeat_interleave(Context& context, const Tensor& repeats, std::optional<int64_t> size,
                       Tensor& out) {
  const ScalarType type = repeats.scalar_type();
  if (repeats.dim() != 1 || (type != ScalarType::Long && type != ScalarType::Int) ||
      out.scalar_type() != type) {
    refuse(context, "repeat_interleave: repeats must be one row of integers");
    return;
  }
  const int64_t* counts = dense_input<int64_t>(context, view_of(repeats));
  if (counts == nullptr) return;
  int64_t total = 0;
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    if (counts[i] < 0 || counts[i] > INT32_MAX || total > INT32_MAX) {
      refuse(context, "repeat_interleave: %lld times", static_cast<long long>(counts[i]));
      return;
    }
    total += counts[i];
  }
  if (size.has_value() && *size != total) {
    refuse(context, "repeat_interleave: %lld elements instead of %lld",
           static_cast<long long>(total), static_cast<long long>(*size));
    return;
  }
  Shape shape;
  shape.push(total);
  if (!resize_out(context, out, shape)) return;
  DenseOutput<int64_t> result(context, out);
  if (!result.ok()) return;
  int64_t* to = result.data();
  for (int64_t i = 0; i < repeats.numel(); ++i) to = std::fill_n(to, counts[i], i);
  result.finish();
}

constexpr Operator kOperators[] = {
    {"aten::argmax.out", &box<&arg_extremum<true>>},
    {"aten::argmin.out", &box<&arg_extremum<false>>},
    {"aten::max.dim_max", &box<&extremum_dim<true>>},
    {"aten::min.dim_min", &box<&extremum_dim<false>>},
    {"aten::topk.values", &box<&topk>},
    {"aten::cumsum.out", &box<&cumsum>},
    {"aten::tril.out", &box<&tril>},
    {"aten::nonzero.out", &box<&nonzero>},
    {"aten::masked_select.out", &box<&masked_select>},
    {"aten::masked_scatter.out", &box<&masked_scatter>},
    {"aten::repeat_interleave.Tensor_out", &box<&repeat_interleave>},
};

}  // namespace

Operators order_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
