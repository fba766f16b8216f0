#include "runtime/kernels/view.h"

#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include "runtime/kernels/block_io.h"

namespace executorch::kernels {

View view_of(const Tensor& tensor) {
  View view;
  view.shape = shape_of(tensor);
  byte_strides(tensor, view.stride);
  view.data = static_cast<char*>(tensor.mutable_data_ptr());
  view.type = tensor.scalar_type();
  return view;
}

void permute(View& view, const int* order) {
  const View old = view;
  for (int d = 0; d < view.shape.rank; ++d) {
    view.shape.size[d] = old.shape.size[order[d]];
    view.stride[d] = old.stride[order[d]];
  }
}

void narrow(View& view, int dim, int64_t start, int64_t length, int64_t step) {
  if (length > 0) view.data += start * view.stride[dim];
  view.shape.size[dim] = length;
  view.stride[dim] *= step;
}

void select(View& view, int dim, int64_t index) {
  view.data += index * view.stride[dim];
  for (int d = dim + 1; d < view.shape.rank; ++d) {
    view.shape.size[d - 1] = view.shape.size[d];
    view.stride[d - 1] = view.stride[d];
  }
  --view.shape.rank;
}

void unsqueeze(View& view, int dim) {
  for (int d = view.shape.rank; d > dim; --d) {
    view.shape.size[d] = view.shape.size[d - 1];
    view.stride[d] = view.stride[d - 1];
  }
  view.shape.size[dim] = 1;
  view.stride[dim] = 0;
  ++view.shape.rank;
}

void expand(View& view, const Shape& shape) {
  const View old = view;
  view.shape = shape;
  for (int i = 1; i <= shape.rank; ++i) {
    const int from = old.shape.rank - i;
    view.stride[shape.rank - i] = from < 0 || old.shape.size[from] == 1 ? 0 : old.stride[from];
  }
}

namespace {

// Four by four values of 32 bits, the shape that most transposed weights are copied in.
using Lanes = uint32_t __attribute__((vector_size(16)));

Lanes load_lanes(const char* from) {
  Lanes lanes;
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): null only without elements
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}
void store_lanes(char* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

void transpose_4x4(char* to, int64_t to_row, const char* from, int64_t from_row) {
  const Lanes a = load_lanes(from);
  const Lanes b = load_lanes(from + from_row);
  const Lanes c = load_lanes(from + 2 * from_row);
  const Lanes d = load_lanes(from + 3 * from_row);
  const Lanes ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Lanes ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Lanes cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Lanes cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_lanes(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_lanes(to + to_row, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_lanes(to + 2 * to_row, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_lanes(to + 3 * to_row, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

template <class T>
void copy_run(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
  constexpr int64_t kSize = sizeof(T);
  if (to_stride == kSize && from_stride == 0) {
    const T value = *reinterpret_cast<const T*>(from);
    T* target = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) target[i] = value;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): null only without elements
    *reinterpret_cast<T*>(to + i * to_stride) = *reinterpret_cast<const T*>(from + i * from_stride);
  }
}

// Columns of `from` are rows of `to`: in tiles, so that both stay in the cache.
template <class T>
void transpose(char* to, int64_t to_row, const char* from, int64_t from_row, int64_t rows,
               int64_t columns) {
  constexpr int64_t kTile = 16;
  constexpr int64_t kSize = sizeof(T);
  for (int64_t r = 0; r < rows; r += kTile) {
    const int64_t last_r = r + kTile < rows ? r + kTile : rows;
    for (int64_t c = 0; c < columns; c += kTile) {
      const int64_t last_c = c + kTile < columns ? c + kTile : columns;
      int64_t i = r;
      if constexpr (kSize == 4) {
        for (; i + 4 <= last_r; i += 4) {
          int64_t j = c;
          for (; j + 4 <= last_c; j += 4) {
            transpose_4x4(to + i * to_row + j * kSize, to_row, from + j * from_row + i * kSize,
                          from_row);
          }
          for (int64_t k = i; k < i + 4; ++k) {
            copy_run<T>(to + k * to_row + j * kSize, kSize, from + j * from_row + k * kSize,
                        from_row, last_c - j);
          }
        }
      }
      for (; i < last_r; ++i) {
        copy_run<T>(to + i * to_row + c * kSize, kSize, from + c * from_row + i * kSize, from_row,
                    last_c - c);
      }
    }
  }
}

template <class T>
void copy_loop(const Loop& loop) {
  constexpr int64_t kSize = sizeof(T);
  const int64_t to_stride = loop.stride[0][0];
  const int64_t from_stride = loop.stride[1][0];
  if (to_stride == kSize && from_stride == kSize) {
    for_each_run(loop, [](char* const* data, int64_t count) {
      // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): null only without elements
      std::memmove(data[0], data[1], static_cast<size_t>(count) * sizeof(T));
    });
    return;
  }
  // A dimension that is contiguous in the source becomes the second one of a transposition.
  int across = 1;
  while (across < loop.rank && loop.stride[1][across] != kSize) ++across;
  if (to_stride == kSize && from_stride != 0 && across < loop.rank) {
    Loop outer = loop;
    int kept = 0;
    outer.size[kept++] = 1;
    for (int d = 1; d < loop.rank; ++d) {
      if (d == across) continue;
      outer.size[kept] = loop.size[d];
      for (int k = 0; k < 2; ++k) outer.stride[k][kept] = loop.stride[k][d];
      ++kept;
    }
    outer.rank = kept;
    for_each_run(outer, [&](char* const* data, int64_t) {
      transpose<T>(data[0], loop.stride[0][across], data[1], from_stride, loop.size[across],
                   loop.size[0]);
    });
    return;
  }
  for_each_run(loop, [&](char* const* data, int64_t count) {
    copy_run<T>(data[0], to_stride, data[1], from_stride, count);
  });
}

bool convert(Context& context, const Loop& loop, ScalarType to, ScalarType from) {
  // uint64 beyond the range of int64 keeps its value on the way to a real number.
  const Compute compute =
      from == ScalarType::UInt64 && is_floating(to) ? Compute::kDouble : compute_of(from);
  if (compute == Compute::kNone || compute_of(to) == Compute::kNone) {
    return refuse(context, "no conversion from %s to %s", name_of(from), name_of(to));
  }
  with_compute(compute, [&](auto zero) {
    using C = decltype(zero);
    const auto load = loader<C>(from);
    const auto store = storer<C>(to);
    const int64_t to_stride = loop.stride[0][0];
    const int64_t from_stride = loop.stride[1][0];
    for_each_run(loop, [&](char* const* data, int64_t count) {
      C buffer[kBlock];
      for (int64_t begin = 0; begin < count; begin += kBlock) {
        const int64_t n = count - begin < kBlock ? count - begin : kBlock;
        load(buffer, data[1] + begin * from_stride, from_stride, n);
        store(data[0] + begin * to_stride, to_stride, buffer, n);
      }
    });
  });
  return true;
}

}  // namespace

bool copy_view(Context& context, const View& to, const View& from) {
  Loop loop(to.shape);
  loop.add(to.data, to.stride);
  loop.add(from.data, from.stride);
  loop.finish();
  if (loop.count == 0) return true;
  if (to.type != from.type) return convert(context, loop, to.type, from.type);
  switch (runtime::elementSize(to.type)) {
    case 1:
      copy_loop<uint8_t>(loop);
      return true;
    case 2:
      copy_loop<uint16_t>(loop);
      return true;
    case 4:
      copy_loop<uint32_t>(loop);
      return true;
    case 8:
      copy_loop<uint64_t>(loop);
      return true;
    default:
      return refuse(context, "elements of this type cannot be copied");
  }
}

void write_view(Context& context, const View& from, Tensor& out) {
  if (out.scalar_type() != from.type) {
    refuse(context, "the output has another type than the input");
    return;
  }
  if (!resize_out(context, out, from.shape)) return;
  copy_view(context, view_of(out), from);
}

}  // namespace executorch::kernels
