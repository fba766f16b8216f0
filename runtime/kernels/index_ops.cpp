// Operators that read or write at positions given by index tensors along one dimension.

#include <cstring>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/loop.h"

namespace executorch::kernels {
namespace {

// Index tensors hold int64 or int32; they are read as dense int64.
const int64_t* indices_of(Context& context, const char* name, const Tensor& indices) {
  const ScalarType type = indices.scalar_type();
  if (type != ScalarType::Long && type != ScalarType::Int) {
    refuse(context, "%s: indices of %s", name, name_of(type));
    return nullptr;
  }
  return dense_input<int64_t>(context, view_of(indices));
}

bool same_type(Context& context, const char* name, const Tensor& in, const Tensor& out) {
  return in.scalar_type() == out.scalar_type() ||
         refuse(context, "%s: from %s to %s", name, name_of(in.scalar_type()),
                name_of(out.scalar_type()));
}

// `index` in [-size, size) to [0, size).
bool wrap_index(Context& context, const char* name, int64_t index, int64_t size, int64_t& wrapped) {
  if (index < -size || index >= size) {
    return refuse(context, "%s: index %lld is out of range for size %lld", name,
                  static_cast<long long>(index), static_cast<long long>(size));
  }
  wrapped = index < 0 ? index + size : index;
  return true;
}

// Slices of `in` along `dim`, at `indices`, one after the other along `dim` of the result.
void gather_slices(Context& context, const char* name, const Tensor& in, int dim,
                   const int64_t* indices, int64_t count, Tensor& out, const View& target,
                   bool allow_negative) {
  const View source = view_of(in);
  const int64_t size = source.shape.size[dim];
  int64_t outer = 1;
  int64_t slice = in.element_size();
  for (int d = 0; d < dim; ++d) outer *= source.shape.size[d];
  for (int d = dim + 1; d < source.shape.rank; ++d) slice *= source.shape.size[d];
  const bool dense = is_dense(source) && is_dense(view_of(out));
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = 0;
    if (!wrap_index(context, name, indices[i], size, from)) return;
    if (!allow_negative && indices[i] < 0) {
      refuse(context, "%s: index %lld is negative", name, static_cast<long long>(indices[i]));
      return;
    }
    if (dense) {
      const char* read = source.data + from * slice;
      char* write = target.data + i * slice;
      for (int64_t o = 0; o < outer && slice > 0; ++o) {
        std::memcpy(write + o * count * slice, read + o * size * slice, static_cast<size_t>(slice));
      }
      continue;
    }
    View part = source;
    View hole = target;
    select(part, dim, from);
    select(hole, dim, i);
    if (!copy_view(context, hole, part)) return;
  }
}

void embedding(Context& context, const Tensor& weight, const Tensor& indices, int64_t, bool, bool,
               Tensor& out) {
  if (weight.dim() != 2 || indices.dim() >= kMaxDims) {
    refuse(context, "embedding: a table of rank %d", rank_of(weight));
    return;
  }
  Shape shape = shape_of(indices);
  shape.push(weight.sizes().data()[1]);
  if (!same_type(context, "embedding", weight, out) || !resize_out(context, out, shape)) return;
  const int64_t* rows = indices_of(context, "embedding", indices);
  if (rows == nullptr) return;
  if (!is_row_major(out)) {
    refuse(context, "embedding: the output must be row-major");
    return;
  }
  View flat = view_of(out);
  flat.shape.rank = 0;
  flat.shape.push(indices.numel());
  flat.shape.push(shape.size[shape.rank - 1]);
  dense_strides(flat.shape, out.element_size(), flat.stride);
  gather_slices(context, "embedding", weight, 0, rows, indices.numel(), out, flat, false);
}

void index_select(Context& context, const Tensor& in, int64_t dim, const Tensor& indices,
                  Tensor& out) {
  int d = 0;
  if (!wrap_dim(context, dim, rank_of(in), d) || !same_type(context, "index_select", in, out)) {
    return;
  }
  if (indices.dim() > 1) {
    refuse(context, "index_select: indices of rank %d", rank_of(indices));
    return;
  }
  const int64_t* positions = indices_of(context, "index_select", indices);
  if (positions == nullptr) return;
  Shape shape = shape_of(in);
  if (shape.rank == 0) {
    int64_t position = 0;
    if (indices.numel() != 1 || !wrap_index(context, "index_select", *positions, 1, position)) {
      refuse(context, "index_select: one index is needed");
      return;
    }
    write_view(context, view_of(in), out);
    return;
  }
  shape.size[d] = indices.numel();
  if (!resize_out(context, out, shape)) return;
  gather_slices(context, "index_select", in, d, positions, indices.numel(), out, view_of(out),
                false);
}

// Walks over `index` (dense, of `shape`) and calls visit(position in index, byte offset in a tensor
// of `along` strides where the coordinate in `dim` is replaced by the index).
template <class F>
bool for_each_position(Context& context, const char* name, const Shape& shape, const int64_t* index,
                       int dim, const View& along, F&& visit) {
  const int64_t count = shape.numel();
  const int64_t size = along.shape.rank == 0 ? 1 : along.shape.size[dim];
  int64_t coordinate[kMaxDims] = {};
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    if (!wrap_index(context, name, index[i], size, position)) return false;
    if (index[i] < 0) {
      return refuse(context, "%s: index %lld is negative", name, static_cast<long long>(index[i]));
    }
    int64_t offset = 0;
    for (int d = 0; d < shape.rank; ++d) {
      offset += (d == dim ? position : coordinate[d]) * along.stride[d];
    }
    visit(coordinate, offset);
    for (int d = shape.rank - 1; d >= 0; --d) {
      if (++coordinate[d] < shape.size[d]) break;
      coordinate[d] = 0;
    }
  }
  return true;
}

int64_t offset_at(const View& view, const int64_t* coordinate) {
  int64_t offset = 0;
  for (int d = 0; d < view.shape.rank; ++d) offset += coordinate[d] * view.stride[d];
  return offset;
}

// `index` may be smaller than `in` everywhere but in `dim`.
bool index_fits(Context& context, const char* name, const Tensor& in, const Tensor& index,
                int dim) {
  const Shape own = shape_of(index);
  const Shape shape = shape_of(in);
  bool fits = own.rank == shape.rank || (own.rank <= 1 && shape.rank <= 1);
  for (int d = 0; fits && d < own.rank && d < shape.rank; ++d) {
    fits = d == dim || own.size[d] <= shape.size[d];
  }
  return fits || refuse(context, "%s: the index is larger than the tensor", name);
}

void gather(Context& context, const Tensor& in, int64_t dim, const Tensor& index, bool,
            Tensor& out) {
  int d = 0;
  if (!wrap_dim(context, dim, rank_of(in), d) || !same_type(context, "gather", in, out) ||
      (index.numel() > 0 && !index_fits(context, "gather", in, index, d))) {
    return;
  }
  const Shape shape = shape_of(index);
  if (!resize_out(context, out, shape)) return;
  const int64_t* positions = indices_of(context, "gather", index);
  if (positions == nullptr) return;
  const View source = view_of(in);
  const View target = view_of(out);
  const auto size = static_cast<size_t>(in.element_size());
  for_each_position(context, "gather", shape, positions, d, source,
                    [&](const int64_t* coordinate, int64_t offset) {
                      std::memcpy(target.data + offset_at(target, coordinate), source.data + offset,
                                  size);
                    });
}

// --- scatter ----------------------------------------------------------------------------------

// Starts from a copy of `in`; then `write(to, coordinate)` for each index.
template <class F>
void scatter(Context& context, const char* name, const Tensor& in, int64_t dim, const Tensor& index,
             Tensor& out, F&& write) {
  int d = 0;
  if (!wrap_dim(context, dim, rank_of(in), d) || !same_type(context, name, in, out) ||
      (index.numel() > 0 && !index_fits(context, name, in, index, d))) {
    return;
  }
  if (!resize_out(context, out, shape_of(in))) return;
  const int64_t* positions = indices_of(context, name, index);
  if (positions == nullptr) return;
  const View target = view_of(out);
  if (in.const_data_ptr() != out.const_data_ptr() && !copy_view(context, target, view_of(in))) {
    return;
  }
  for_each_position(
      context, name, shape_of(index), positions, d, target,
      [&](const int64_t* coordinate, int64_t offset) { write(target.data + offset, coordinate); });
}

bool source_fits(Context& context, const char* name, const Tensor& index, const Tensor& source,
                 const Tensor& in) {
  bool fits = source.scalar_type() == in.scalar_type() && index.dim() == source.dim();
  for (int d = 0; fits && d < rank_of(index); ++d) {
    fits = index.sizes().data()[d] <= source.sizes().data()[d];
  }
  return fits || index.numel() == 0 ||
         refuse(context, "%s: the source does not cover the index", name);
}

void scatter_source(Context& context, const Tensor& in, int64_t dim, const Tensor& index,
                    const Tensor& source, Tensor& out) {
  if (!source_fits(context, "scatter", index, source, in)) return;
  const View from = view_of(source);
  const auto size = static_cast<size_t>(in.element_size());
  scatter(context, "scatter", in, dim, index, out, [&](char* to, const int64_t* coordinate) {
    std::memcpy(to, from.data + offset_at(from, coordinate), size);
  });
}

void scatter_value(Context& context, const Tensor& in, int64_t dim, const Tensor& index,
                   Scalar value, Tensor& out) {
  const auto store = storer<double>(in.scalar_type());
  const auto store_int = storer<int64_t>(in.scalar_type());
  if (store == nullptr) {
    refuse(context, "scatter: unsupported type");
    return;
  }
  char bytes[8] = {};
  if (value.isFloatingPoint()) {
    const double real = as_double(value);
    store(bytes, 8, &real, 1);
  } else {
    const int64_t whole = as_int(value);
    store_int(bytes, 8, &whole, 1);
  }
  const auto size = static_cast<size_t>(in.element_size());
  scatter(context, "scatter", in, dim, index, out,
          [&](char* to, const int64_t*) { std::memcpy(to, bytes, size); });
}

// Adds the value at `from` to the one at `to`.

template <class C>
void add_at(ScalarType type, char* to, const char* from) {
  C values[2];
  loader<C>(type)(&values[0], to, 0, 1);
  loader<C>(type)(&values[1], from, 0, 1);
  if constexpr (std::is_same_v<C, int64_t>) {
    values[0] = static_cast<C>(static_cast<uint64_t>(values[0]) + static_cast<uint64_t>(values[1]));
  } else {
    values[0] += values[1];
  }
  storer<C>(type)(to, 8, values, 1);
}

void add_element(ScalarType type, char* to, const char* from) {
  with_compute(compute_of(type), [&](auto zero) { add_at<decltype(zero)>(type, to, from); });
}

void scatter_add(Context& context, const Tensor& in, int64_t dim, const Tensor& index,
                 const Tensor& source, Tensor& out) {
  if (!source_fits(context, "scatter_add", index, source, in)) return;
  const ScalarType type = in.scalar_type();
  if (compute_of(type) == Compute::kNone) {
    refuse(context, "scatter_add: unsupported type");
    return;
  }
  const View from = view_of(source);
  scatter(context, "scatter_add", in, dim, index, out, [&](char* to, const int64_t* coordinate) {
    add_element(type, to, from.data + offset_at(from, coordinate));
  });
}

// --- advanced indexing ------------------------------------------------------------------------

// x[i, :, j]: the index tensors, broadcast together, replace their dimensions; the result's index
// dimensions stand where the first one was if they are adjacent, else in front.
struct Indexing {
  Shape shape;                      // of the result
  Shape index_shape;                // the broadcast indices
  int first = 0;                    // where the index dimensions stand in the result
  int dims[kMaxDims];               // the indexed dimensions of the tensor
  const int64_t* values[kMaxDims];  // dense, of own shape
  Shape own[kMaxDims];
  int count = 0;
  int kept[kMaxDims];  // the other dimensions of the tensor
  int kept_count = 0;
};

// A mask is an index for each of its dimensions: the positions of its true elements.
bool add_mask(Context& context, const Tensor& mask, const Shape& shape, int& dim,
              Indexing& indexing) {
  const Shape own = shape_of(mask);
  for (int d = 0; d < own.rank; ++d) {
    if (dim + d >= shape.rank || own.size[d] != shape.size[dim + d]) {
      return refuse(context, "index: the mask's shape is not the tensor's");
    }
  }
  const int64_t* flags = dense_input<int64_t>(context, view_of(mask));
  if (flags == nullptr) return false;
  const int64_t count = own.numel();
  int64_t chosen = 0;
  for (int64_t i = 0; i < count; ++i) chosen += flags[i] != 0;
  int64_t* positions = allocate_temp<int64_t>(context, (chosen > 0 ? chosen : 1) * own.rank);
  if (positions == nullptr) return false;
  int64_t next = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (flags[i] == 0) continue;
    int64_t rest = i;
    for (int d = own.rank - 1; d >= 0; --d) {
      positions[d * chosen + next] = rest % own.size[d];
      rest /= own.size[d];
    }
    ++next;
  }
  for (int d = 0; d < own.rank; ++d) {
    indexing.dims[indexing.count] = dim++;
    indexing.values[indexing.count] = positions + d * chosen;
    indexing.own[indexing.count].push(chosen);
    ++indexing.count;
  }
  return true;
}

bool plan_indexing(Context& context, const Tensor& in, OptionalTensorList indices,
                   Indexing& indexing) {
  const Shape shape = shape_of(in);
  int dim = 0;
  for (const auto& index : indices) {
    if (!index.has_value()) {
      ++dim;
      continue;
    }
    const ScalarType type = index->scalar_type();
    if ((type == ScalarType::Bool || type == ScalarType::Byte) && index->dim() > 0) {
      if (!add_mask(context, *index, shape, dim, indexing)) return false;
      continue;
    }
    if (dim >= shape.rank) return refuse(context, "index: more indices than dimensions");
    const int64_t* values = indices_of(context, "index", *index);
    if (values == nullptr) return false;
    indexing.dims[indexing.count] = dim++;
    indexing.values[indexing.count] = values;
    indexing.own[indexing.count] = shape_of(*index);
    ++indexing.count;
  }
  if (dim > shape.rank || indexing.count == 0) {
    return refuse(context, "index: the indices do not fit a tensor of rank %d", shape.rank);
  }
  for (int i = 0; i < indexing.count; ++i) {
    if (!broadcast(indexing.index_shape, indexing.own[i])) {
      return refuse(context, "index: the indices cannot be broadcast");
    }
  }
  bool adjacent = true;
  for (int i = 1; i < indexing.count; ++i) {
    adjacent = adjacent && indexing.dims[i] == indexing.dims[i - 1] + 1;
  }
  indexing.first = adjacent ? indexing.dims[0] : 0;
  int next = 0;
  for (int d = 0; d < shape.rank; ++d) {
    if (next < indexing.count && indexing.dims[next] == d) {
      ++next;
    } else {
      indexing.kept[indexing.kept_count++] = d;
    }
  }
  if (indexing.kept_count + indexing.index_shape.rank > kMaxDims) {
    return refuse(context, "index: the result's rank is too large");
  }
  for (int k = 0; k <= indexing.kept_count; ++k) {
    if (k == indexing.first) {
      for (int d = 0; d < indexing.index_shape.rank; ++d) {
        indexing.shape.push(indexing.index_shape.size[d]);
      }
    }
    if (k < indexing.kept_count) indexing.shape.push(shape.size[indexing.kept[k]]);
  }
  return true;
}

// Calls visit(part of the tensor, part of the value) for each position of the broadcast indices;
// `value` has the result's shape.
template <class F>
bool for_each_indexed(Context& context, const Indexing& indexing, const View& tensor,
                      const View& value, F&& visit) {
  const int64_t count = indexing.index_shape.numel();
  const int rank = indexing.index_shape.rank;
  int64_t coordinate[kMaxDims] = {};
  for (int64_t i = 0; i < count; ++i) {
    View part = tensor;
    part.shape.rank = indexing.kept_count;
    for (int k = 0; k < indexing.kept_count; ++k) {
      part.shape.size[k] = tensor.shape.size[indexing.kept[k]];
      part.stride[k] = tensor.stride[indexing.kept[k]];
    }
    for (int n = 0; n < indexing.count; ++n) {
      const Shape& own = indexing.own[n];
      int64_t offset = 0;
      for (int d = 0; d < own.rank; ++d) {
        const int64_t at = own.size[d] == 1 ? 0 : coordinate[rank - own.rank + d];
        offset = offset * own.size[d] + at;
      }
      int64_t position = 0;
      if (!wrap_index(context, "index", indexing.values[n][offset],
                      tensor.shape.size[indexing.dims[n]], position)) {
        return false;
      }
      part.data += position * tensor.stride[indexing.dims[n]];
    }
    View slot = value;
    slot.shape = part.shape;
    for (int k = 0; k < indexing.kept_count; ++k) {
      slot.stride[k] = value.stride[k < indexing.first ? k : k + rank];
    }
    for (int d = 0; d < rank; ++d) slot.data += coordinate[d] * value.stride[indexing.first + d];
    if (!visit(part, slot)) return false;
    for (int d = rank - 1; d >= 0; --d) {
      if (++coordinate[d] < indexing.index_shape.size[d]) break;
      coordinate[d] = 0;
    }
  }
  return true;
}

void index_tensor(Context& context, const Tensor& in, OptionalTensorList indices, Tensor& out) {
  Indexing indexing;
  if (!same_type(context, "index", in, out) || !plan_indexing(context, in, indices, indexing) ||
      !resize_out(context, out, indexing.shape)) {
    return;
  }
  if (in.numel() == 0 && out.numel() > 0) {
    refuse(context, "index: of an empty tensor");
    return;
  }
  if (out.numel() == 0) return;
  for_each_indexed(
      context, indexing, view_of(in), view_of(out),
      [&](const View& part, const View& slot) { return copy_view(context, slot, part); });
}

void index_put(Context& context, const Tensor& in, OptionalTensorList indices, const Tensor& values,
               bool accumulate, Tensor& out) {
  Indexing indexing;
  if (!same_type(context, "index_put", in, out) || !same_type(context, "index_put", values, in) ||
      !plan_indexing(context, in, indices, indexing) || !resize_out(context, out, shape_of(in))) {
    return;
  }
  Shape wide = indexing.shape;
  if (!broadcast(wide, shape_of(values)) || !(wide == indexing.shape)) {
    refuse(context, "index_put: the values do not broadcast to the indexed shape");
    return;
  }
  const View target = view_of(out);
  if (in.const_data_ptr() != out.const_data_ptr() && !copy_view(context, target, view_of(in))) {
    return;
  }
  if (indexing.shape.numel() == 0) return;
  if (in.numel() == 0) {
    refuse(context, "index_put: into an empty tensor");
    return;
  }
  View source = view_of(values);
  expand(source, indexing.shape);
  const ScalarType type = in.scalar_type();
  for_each_indexed(context, indexing, target, source, [&](const View& part, const View& slot) {
    if (!accumulate) return copy_view(context, part, slot);
    Loop loop(part.shape);
    loop.add(part.data, part.stride);
    loop.add(slot.data, slot.stride);
    loop.finish();
    for_each_run(loop, [&](char* const* data, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        add_element(type, data[0] + i * loop.stride[0][0], data[1] + i * loop.stride[1][0]);
      }
    });
    return true;
  });
}
void index_put_in_place(Context& context, Tensor& self, OptionalTensorList indices,
                        const Tensor& values, bool accumulate) {
  index_put(context, self, indices, values, accumulate, self);
}

constexpr Operator kOperators[] = {
    {"aten::embedding.out", &box<&embedding>},
    {"aten::index_select.out", &box<&index_select>},
    {"aten::gather.out", &box<&gather>},
    {"aten::scatter.src_out", &box<&scatter_source>},
    {"aten::scatter.value_out", &box<&scatter_value>},
    {"aten::scatter_add.out", &box<&scatter_add>},
    {"aten::index.Tensor_out", &box<&index_tensor>},
    {"aten::index_put.out", &box<&index_put>},
    {"aten::index_put_", &box<&index_put_in_place>},
};

}  // namespace

Operators index_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
