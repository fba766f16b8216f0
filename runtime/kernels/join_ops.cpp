// Operators that put tensors together, take them apart, repeat or pad them.

#include <algorithm>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/view.h"

namespace executorch::kernels {
namespace {

// An empty 1-d tensor joins with anything, as torch has it.
bool is_skipped(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

void cat(Context& context, TensorList tensors, int64_t dim, Tensor& out) {
  const Tensor* model = nullptr;
  for (const Tensor& tensor : tensors) {
    if (!is_skipped(tensor)) {
      model = &tensor;
      break;
    }
  }
  if (model == nullptr) {
    if (tensors.empty()) {
      refuse(context, "cat: no tensors");
      return;
    }
    model = &tensors[0];
  }
  int d = 0;
  Shape shape = shape_of(*model);
  if (shape.rank == 0) {
    refuse(context, "cat: of tensors without dimensions");
    return;
  }
  if (!wrap_dim(context, dim, shape.rank, d)) return;
  shape.size[d] = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) continue;
    const Shape own = shape_of(tensor);
    bool fits = own.rank == shape.rank;
    for (int i = 0; fits && i < shape.rank; ++i) fits = i == d || own.size[i] == shape.size[i];
    if (!fits) {
      refuse(context, "cat: the shapes differ outside of dimension %d", d);
      return;
    }
    if (!can_cast(tensor.scalar_type(), out.scalar_type()) &&
        tensor.scalar_type() != out.scalar_type()) {
      refuse(context, "cat: %s does not fit into %s", name_of(tensor.scalar_type()),
             name_of(out.scalar_type()));
      return;
    }
    if (!same_dim_order(context, tensor, out)) return;
    shape.size[d] += own.size[d];
  }
  if (!resize_out(context, out, shape)) return;
  const View whole = view_of(out);
  int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) continue;
    View part = whole;
    const int64_t length = tensor.sizes().data()[d];
    narrow(part, d, start, length);
    if (!copy_view(context, part, view_of(tensor))) return;
    start += length;
  }
}

void stack(Context& context, TensorList tensors, int64_t dim, Tensor& out) {
  if (tensors.empty() || tensors[0].dim() >= kMaxDims) {
    refuse(context, "stack: %zu tensors", tensors.size());
    return;
  }
  const Shape own = shape_of(tensors[0]);
  int d = 0;
  if (!wrap_dim(context, dim, own.rank + 1, d)) return;
  Shape shape;
  for (int i = 0; i <= own.rank; ++i) {
    shape.push(i == d ? static_cast<int64_t>(tensors.size()) : own.size[i < d ? i : i - 1]);
  }
  for (const Tensor& tensor : tensors) {
    if (!(shape_of(tensor) == own)) {
      refuse(context, "stack: the shapes differ");
      return;
    }
    if (!can_cast(tensor.scalar_type(), out.scalar_type()) &&
        tensor.scalar_type() != out.scalar_type()) {
      refuse(context, "stack: %s does not fit into %s", name_of(tensor.scalar_type()),
             name_of(out.scalar_type()));
      return;
    }
  }
  if (!resize_out(context, out, shape)) return;
  for (size_t i = 0; i < tensors.size(); ++i) {
    View part = view_of(out);
    select(part, d, static_cast<int64_t>(i));
    if (!copy_view(context, part, view_of(tensors[i]))) return;
  }
}

// Writes in[.., start : start + length, ..] to one of several outputs.
bool write_part(Context& context, const Tensor& in, int dim, int64_t start, int64_t length,
                const Tensor& out) {
  View part = view_of(in);
  narrow(part, dim, start, length);
  Tensor target = out;
  write_view(context, part, target);
  return context.failure_state() == Error::Ok;
}

void split_copy(Context& context, const Tensor& in, int64_t length, int64_t dim, TensorList outs) {
  int d = 0;
  if (in.dim() == 0 || length < 0 || !wrap_dim(context, dim, rank_of(in), d)) {
    refuse(context, "split_copy: parts of %lld", static_cast<long long>(length));
    return;
  }
  const int64_t size = in.sizes().data()[d];
  const int64_t parts = length == 0 ? 1 : (size == 0 ? 1 : (size - 1) / length + 1);
  if ((length == 0 && size != 0) || static_cast<int64_t>(outs.size()) != parts) {
    refuse(context, "split_copy: %zu outputs for %lld parts", outs.size(),
           static_cast<long long>(parts));
    return;
  }
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t start = i * length;
    if (!write_part(context, in, d, start, std::min(length, size - start),
                    outs[static_cast<size_t>(i)])) {
      return;
    }
  }
}

void split_with_sizes_copy(Context& context, const Tensor& in, IntList lengths, int64_t dim,
                           TensorList outs) {
  int d = 0;
  if (in.dim() == 0 || lengths.size() != outs.size() || !wrap_dim(context, dim, rank_of(in), d)) {
    refuse(context, "split_with_sizes_copy: %zu outputs for %zu parts", outs.size(),
           lengths.size());
    return;
  }
  int64_t rest = in.sizes().data()[d];
  for (const int64_t length : lengths) {
    if (length < 0 || length > rest) {
      refuse(context, "split_with_sizes_copy: the parts are longer than the dimension");
      return;
    }
    rest -= length;
  }
  if (rest != 0) {
    refuse(context, "split_with_sizes_copy: the parts leave %lld over",
           static_cast<long long>(rest));
    return;
  }
  int64_t start = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (!write_part(context, in, d, start, lengths[i], outs[i])) return;
    start += lengths[i];
  }
}

void unbind_copy(Context& context, const Tensor& in, int64_t dim, TensorList outs) {
  int d = 0;
  if (in.dim() == 0 || !wrap_dim(context, dim, rank_of(in), d) ||
      static_cast<int64_t>(outs.size()) != in.sizes().data()[d]) {
    refuse(context, "unbind_copy: %zu outputs", outs.size());
    return;
  }
  for (size_t i = 0; i < outs.size(); ++i) {
    View part = view_of(in);
    select(part, d, static_cast<int64_t>(i));
    Tensor target = outs[i];
    write_view(context, part, target);
    if (context.failure_state() != Error::Ok) return;
  }
}

void repeat(Context& context, const Tensor& in, IntList repeats, Tensor& out) {
  const int added = static_cast<int>(repeats.size()) - rank_of(in);
  if (added < 0 || repeats.size() > kMaxDims / 2) {
    refuse(context, "repeat: %zu counts for rank %d", repeats.size(), rank_of(in));
    return;
  }
  if (in.scalar_type() != out.scalar_type()) {
    refuse(context, "the output has another type than the input");
    return;
  }
  // Each dimension becomes (count, size); the output is written through the same split.
  Shape shape;
  View source = view_of(in);
  for (int d = 0; d < added; ++d) unsqueeze(source, 0);
  for (int d = 0; d < source.shape.rank; ++d) {
    const int64_t count = repeats.data()[d];
    if (count < 0 || (count > 0 && source.shape.size[d] > INT32_MAX / count)) {
      refuse(context, "repeat: %lld times", static_cast<long long>(count));
      return;
    }
    shape.push(source.shape.size[d] * count);
  }
  if (!resize_out(context, out, shape)) return;
  View target = view_of(out);
  const View old = source;
  const View old_target = target;
  source.shape.rank = target.shape.rank = 0;
  for (int d = 0; d < old.shape.rank; ++d) {
    const int i = source.shape.rank;
    source.stride[i] = 0;
    source.stride[i + 1] = old.stride[d];
    target.stride[i] = old_target.stride[d] * old.shape.size[d];
    target.stride[i + 1] = old_target.stride[d];
    for (View* view : {&source, &target}) {
      view->shape.push(repeats.data()[d]);
      view->shape.push(old.shape.size[d]);
    }
  }
  copy_view(context, target, source);
}

// `value` into every element of the view.
void fill_view(Context& context, const View& view, const Scalar& value) {
  const double real = as_double(value);
  const int64_t whole = as_int(value);
  View source = view;
  for (int d = 0; d < view.shape.rank; ++d) source.stride[d] = 0;
  const bool as_real = value.isFloatingPoint();
  source.data = const_cast<char*>(as_real ? reinterpret_cast<const char*>(&real)
                                          : reinterpret_cast<const char*>(&whole));
  source.type = as_real ? ScalarType::Double : ScalarType::Long;
  copy_view(context, view, source);
}

void constant_pad_nd(Context& context, const Tensor& in, IntList pads, Scalar value, Tensor& out) {
  const int rank = rank_of(in);
  if (pads.size() % 2 != 0 || static_cast<int>(pads.size() / 2) > rank) {
    refuse(context, "constant_pad_nd: %zu paddings for rank %d", pads.size(), rank);
    return;
  }
  if (in.scalar_type() != out.scalar_type() || !same_dim_order(context, in, out)) {
    refuse(context, "the output has another type than the input");
    return;
  }
  Shape shape = shape_of(in);
  View source = view_of(in);
  int64_t offset[kMaxDims] = {};
  for (int i = 0; i < static_cast<int>(pads.size() / 2); ++i) {
    const int d = rank - 1 - i;
    const int64_t before = pads.data()[int64_t{2} * i];
    const int64_t after = pads.data()[2 * i + 1];
    const int64_t size = shape.size[d];
    // Negative paddings cut off.
    const int64_t cut_before = before < 0 ? -before : 0;
    const int64_t cut_after = after < 0 ? -after : 0;
    if (before > INT32_MAX || after > INT32_MAX || cut_before > size ||
        cut_after > size - cut_before) {
      refuse(context, "constant_pad_nd: paddings %lld and %lld of size %lld",
             static_cast<long long>(before), static_cast<long long>(after),
             static_cast<long long>(size));
      return;
    }
    shape.size[d] = size + before + after;
    offset[d] = before > 0 ? before : 0;
    narrow(source, d, cut_before, size - cut_before - cut_after);
  }
  if (!resize_out(context, out, shape)) return;
  View target = view_of(out);
  if (!(source.shape == shape)) fill_view(context, target, value);
  for (int d = 0; d < rank; ++d) narrow(target, d, offset[d], source.shape.size[d]);
  copy_view(context, target, source);
}

// in with `part` written over out[view].
void write_over(Context& context, const Tensor& in, const Tensor& part, Tensor& out, int dim,
                int64_t first, int64_t length, int64_t step, bool selects) {
  if (in.scalar_type() != out.scalar_type() || !resize_out(context, out, shape_of(in))) {
    refuse(context, "the output does not fit the input");
    return;
  }
  View target = view_of(out);
  View hole = target;
  if (selects) {
    select(hole, dim, first);
  } else {
    narrow(hole, dim, first, length, step);
  }
  if (!(hole.shape == shape_of(part))) {
    refuse(context, "the part's shape is not that of the hole");
    return;
  }
  if (!copy_view(context, target, view_of(in))) return;
  copy_view(context, hole, view_of(part));
}

void slice_scatter(Context& context, const Tensor& in, const Tensor& part, int64_t dim,
                   std::optional<int64_t> start, std::optional<int64_t> end, int64_t step,
                   Tensor& out) {
  int d = 0;
  int64_t first = 0;
  int64_t length = 0;
  if (in.dim() == 0) {
    refuse(context, "slice_scatter: of a tensor without dimensions");
    return;
  }
  if (!wrap_dim(context, dim, rank_of(in), d) ||
      !slice_range(context, in.sizes().data()[d], start, end, step, first, length)) {
    return;
  }
  write_over(context, in, part, out, d, first, length, step, false);
}

void select_scatter(Context& context, const Tensor& in, const Tensor& part, int64_t dim,
                    int64_t index, Tensor& out) {
  int d = 0;
  if (in.dim() == 0 || !wrap_dim(context, dim, rank_of(in), d) || index < -in.sizes().data()[d] ||
      index >= in.sizes().data()[d]) {
    refuse(context, "select_scatter: index %lld", static_cast<long long>(index));
    return;
  }
  write_over(context, in, part, out, d, index < 0 ? index + in.sizes().data()[d] : index, 1, 1,
             true);
}

void roll(Context& context, const Tensor& in, IntList shifts, IntList dims, Tensor& out) {
  const int rank = rank_of(in);
  if (in.scalar_type() != out.scalar_type() || !resize_out(context, out, shape_of(in))) {
    refuse(context, "the output does not fit the input");
    return;
  }
  if (in.numel() == 0) return;
  View source = view_of(in);
  View target = view_of(out);
  int64_t shift[kMaxDims] = {};
  if (dims.empty()) {
    // Without dimensions the elements are shifted in row-major order.
    if (shifts.size() != 1 || !is_row_major(in) || !is_row_major(out)) {
      refuse(context, "roll: one shift of row-major memory is needed");
      return;
    }
    source.shape.rank = target.shape.rank = 0;
    source.stride[0] = target.stride[0] = in.element_size();
    source.shape.push(in.numel());
    target.shape.push(in.numel());
    shift[0] = shifts[0] % in.numel();
  } else {
    if (shifts.size() != dims.size()) {
      refuse(context, "roll: %zu shifts for %zu dimensions", shifts.size(), dims.size());
      return;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      int d = 0;
      if (!wrap_dim(context, dims[i], rank, d)) return;
      if (rank > 0) shift[d] = (shift[d] + shifts[i] % source.shape.size[d]) % source.shape.size[d];
    }
  }
  // Each rolled dimension is copied in two pieces; all combinations of pieces cover the output.
  int rolled[kMaxDims];
  int count = 0;
  for (int d = 0; d < source.shape.rank; ++d) {
    if (shift[d] < 0) shift[d] += source.shape.size[d];
    if (shift[d] != 0) rolled[count++] = d;
  }
  for (int piece = 0; piece < (1 << count); ++piece) {
    View from = source;
    View to = target;
    for (int i = 0; i < count; ++i) {
      const int d = rolled[i];
      const int64_t size = source.shape.size[d];
      const int64_t moved = size - shift[d];
      if ((piece >> i & 1) == 0) {
        narrow(from, d, 0, moved);
        narrow(to, d, shift[d], moved);
      } else {
        narrow(from, d, moved, shift[d]);
        narrow(to, d, 0, shift[d]);
      }
    }
    if (!copy_view(context, to, from)) return;
  }
}

// (.., c * r * r, h, w) <-> (.., c, h * r, w * r)
void pixel(Context& context, const Tensor& in, int64_t factor, Tensor& out, bool shuffles) {
  const int rank = rank_of(in);
  Shape shape = shape_of(in);
  if (rank < 3 || rank + 2 > kMaxDims || factor <= 0 || factor > 32767 ||
      in.scalar_type() != out.scalar_type()) {
    refuse(context, "pixel_shuffle: rank %d, factor %lld", rank, static_cast<long long>(factor));
    return;
  }
  int64_t& channels = shape.size[rank - 3];
  int64_t& height = shape.size[rank - 2];
  int64_t& width = shape.size[rank - 1];
  if (shuffles ? channels % (factor * factor) != 0 : height % factor != 0 || width % factor != 0) {
    refuse(context, "pixel_shuffle: the sizes are not multiples of %lld",
           static_cast<long long>(factor));
    return;
  }
  if (shuffles) {
    channels /= factor * factor;
    height *= factor;
    width *= factor;
  } else {
    channels *= factor * factor;
    height /= factor;
    width /= factor;
  }
  if (!resize_out(context, out, shape)) return;
  // Both sides as (.., c, r, r, h, w).
  const auto split = [rank, factor](View view, bool packed) {
    const View old = view;
    view.shape.rank = rank - 3;
    const int64_t c = old.shape.size[rank - 3];
    const int64_t h = old.shape.size[rank - 2];
    const int64_t w = old.shape.size[rank - 1];
    const int64_t* stride = old.stride + rank - 3;
    const int64_t sizes[] = {packed ? c / (factor * factor) : c, factor, factor,
                             packed ? h : h / factor, packed ? w : w / factor};
    const int64_t strides[] = {
        packed ? stride[0] * factor * factor : stride[0], packed ? stride[0] * factor : stride[1],
        packed ? stride[0] : stride[2], packed ? stride[1] : stride[1] * factor,
        packed ? stride[2] : stride[2] * factor};
    for (int i = 0; i < 5; ++i) {
      view.stride[view.shape.rank] = strides[i];
      view.shape.push(sizes[i]);
    }
    return view;
  };
  copy_view(context, split(view_of(out), !shuffles), split(view_of(in), shuffles));
}
void pixel_shuffle(Context& context, const Tensor& in, int64_t factor, Tensor& out) {
  pixel(context, in, factor, out, true);
}
void pixel_unshuffle(Context& context, const Tensor& in, int64_t factor, Tensor& out) {
  pixel(context, in, factor, out, false);
}

constexpr Operator kOperators[] = {
    {"aten::cat.out", &box<&cat>},
    {"aten::stack.out", &box<&stack>},
    {"aten::split_copy.Tensor_out", &box<&split_copy>},
    {"aten::split_with_sizes_copy.out", &box<&split_with_sizes_copy>},
    {"aten::unbind_copy.int_out", &box<&unbind_copy>},
    {"aten::repeat.out", &box<&repeat>},
    {"aten::constant_pad_nd.out", &box<&constant_pad_nd>},
    {"aten::slice_scatter.out", &box<&slice_scatter>},
    {"aten::select_scatter.out", &box<&select_scatter>},
    {"aten::roll.out", &box<&roll>},
    {"aten::pixel_shuffle.out", &box<&pixel_shuffle>},
    {"aten::pixel_unshuffle.out", &box<&pixel_unshuffle>},
};

}  // namespace

Operators join_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
