// Pooling, resampling and padding of planes: operators on the last dimensions of an image.

#include <algorithm>
#include <cmath>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/nan.h"

namespace executorch::kernels {
namespace {

// The last two dimensions of a tensor of rank 3 or 4, as planes.
struct Planes {
  int64_t count = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t area() const { return height * width; }
};

bool planes_of(Context& context, const char* name, const Tensor& in, Planes& planes) {
  const Shape shape = shape_of(in);
  if (shape.rank != 3 && shape.rank != 4) {
    return refuse(context, "%s: input of rank %d", name, shape.rank);
  }
  planes.height = shape.size[shape.rank - 2];
  planes.width = shape.size[shape.rank - 1];
  planes.count = shape.rank == 3 ? shape.size[0] : shape.size[0] * shape.size[1];
  return true;
}

Shape with_planes(const Tensor& in, int64_t height, int64_t width) {
  Shape shape = shape_of(in);
  shape.size[shape.rank - 2] = height;
  shape.size[shape.rank - 1] = width;
  return shape;
}

// --- windows ----------------------------------------------------------------------------------

struct Window {
  int64_t in = 0;
  int64_t out = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
};

bool entry(IntList list, size_t i, int64_t least, int64_t& value) {
  if (list.size() != 1 && list.size() != 2) return false;
  value = list[list.size() == 1 ? 0 : i];
  return value >= least && value <= INT32_MAX;
}

bool read_window(Context& context, const char* name, size_t i, int64_t in, IntList kernel,
                 IntList stride, IntList padding, IntList dilation, bool ceil_mode,
                 Window& window) {
  window.in = in;
  const bool given = entry(kernel, i, 1, window.kernel) &&
                     entry(stride.empty() ? kernel : stride, i, 1, window.stride) &&
                     (padding.empty() || entry(padding, i, 0, window.padding)) &&
                     (dilation.empty() || entry(dilation, i, 1, window.dilation));
  if (!given || window.padding > window.kernel / 2) {
    return refuse(context, "%s: bad kernel, stride, padding or dilation", name);
  }
  const int64_t span = in + 2 * window.padding - window.dilation * (window.kernel - 1) - 1;
  window.out = span < 0 ? 0 : span / window.stride + 1;
  if (ceil_mode && span >= 0) {
    window.out = (span + window.stride - 1) / window.stride + 1;
    // The last window must begin inside of the input or its left padding.
    if ((window.out - 1) * window.stride >= in + window.padding) --window.out;
  }
  return window.out > 0 || refuse(context, "%s: the window is larger than the input", name);
}

void max_pool(Context& context, const Tensor& in, IntList kernel, IntList stride, IntList padding,
              IntList dilation, bool ceil_mode, Tensor& out, Tensor& indices) {
  constexpr const char* kName = "max_pool2d_with_indices";
  Planes planes;
  Window y;
  Window x;
  if (compute_of(in.scalar_type()) == Compute::kNone || in.scalar_type() != out.scalar_type() ||
      indices.scalar_type() != ScalarType::Long) {
    refuse(context, "%s: the types do not fit", kName);
    return;
  }
  if (!planes_of(context, kName, in, planes) ||
      !read_window(context, kName, 0, planes.height, kernel, stride, padding, dilation, ceil_mode,
                   y) ||
      !read_window(context, kName, 1, planes.width, kernel, stride, padding, dilation, ceil_mode,
                   x)) {
    return;
  }
  const Shape shape = with_planes(in, y.out, x.out);
  if (!same_dim_order(context, in, out) || !resize_out(context, out, shape) ||
      !resize_out(context, indices, shape)) {
    return;
  }
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    const C* from = dense_input<C>(context, view_of(in));
    DenseOutput<C> result(context, out);
    DenseOutput<int64_t> positions(context, indices);
    if (from == nullptr || !result.ok() || !positions.ok()) return;
    int64_t to = 0;
    for (int64_t p = 0; p < planes.count; ++p) {
      const C* plane = from + p * planes.area();
      for (int64_t oy = 0; oy < y.out; ++oy) {
        for (int64_t ox = 0; ox < x.out; ++ox, ++to) {
          C best{};
          int64_t position = -1;
          for (int64_t ky = 0; ky < y.kernel; ++ky) {
            const int64_t iy = oy * y.stride + ky * y.dilation - y.padding;
            if (iy < 0 || iy >= y.in) continue;
            for (int64_t kx = 0; kx < x.kernel; ++kx) {
              const int64_t ix = ox * x.stride + kx * x.dilation - x.padding;
              if (ix < 0 || ix >= x.in) continue;
              const C value = plane[iy * x.in + ix];
              if (position < 0 || value > best || is_nan(value)) {
                best = value;
                position = iy * x.in + ix;
              }
            }
          }
          result.data()[to] = best;
          positions.data()[to] = position;
        }
      }
    }
    result.finish();
    positions.finish();
  });
}

template <class C>
C mean_of(const C* plane, int64_t width, int64_t y0, int64_t y1, int64_t x0, int64_t x1,
          double divisor) {
  double sum = 0;
  for (int64_t y = y0; y < y1; ++y) {
    for (int64_t x = x0; x < x1; ++x) sum += static_cast<double>(plane[y * width + x]);
  }
  return static_cast<C>(sum / divisor);
}

bool real_types(Context& context, const char* name, const Tensor& in, const Tensor& out) {
  return (is_floating(in.scalar_type()) && in.scalar_type() == out.scalar_type()) ||
         refuse(context, "%s: from %s to %s", name, name_of(in.scalar_type()),
                name_of(out.scalar_type()));
}

// Calls work(plane, output plane) for each plane, as float or double.
template <class F>
void for_each_plane(Context& context, const Tensor& in, Tensor& out, const Planes& planes,
                    int64_t out_area, F&& work) {
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    const C* from = dense_input<C>(context, view_of(in));
    DenseOutput<C> result(context, out);
    if (from == nullptr || !result.ok()) return;
    for (int64_t p = 0; p < planes.count; ++p) {
      work(from + p * planes.area(), result.data() + p * out_area);
    }
    result.finish();
  });
}

void avg_pool(Context& context, const Tensor& in, IntList kernel, IntList stride, IntList padding,
              bool ceil_mode, bool count_padding, std::optional<int64_t> divisor, Tensor& out) {
  constexpr const char* kName = "avg_pool2d";
  Planes planes;
  Window y;
  Window x;
  if (!real_types(context, kName, in, out) || !planes_of(context, kName, in, planes) ||
      !read_window(context, kName, 0, planes.height, kernel, stride, padding, {}, ceil_mode, y) ||
      !read_window(context, kName, 1, planes.width, kernel, stride, padding, {}, ceil_mode, x)) {
    return;
  }
  if (divisor.has_value() && *divisor == 0) {
    refuse(context, "avg_pool2d: the divisor is 0");
    return;
  }
  if (!same_dim_order(context, in, out) ||
      !resize_out(context, out, with_planes(in, y.out, x.out))) {
    return;
  }
  for_each_plane(context, in, out, planes, y.out * x.out, [&](const auto* plane, auto* to) {
    for (int64_t oy = 0; oy < y.out; ++oy) {
      for (int64_t ox = 0; ox < x.out; ++ox) {
        const int64_t y0 = oy * y.stride - y.padding;
        const int64_t x0 = ox * x.stride - x.padding;
        const int64_t y1 = std::min(y0 + y.kernel, y.in + y.padding);
        const int64_t x1 = std::min(x0 + x.kernel, x.in + x.padding);
        const int64_t padded = (y1 - y0) * (x1 - x0);
        const int64_t top = std::max<int64_t>(y0, 0);
        const int64_t left = std::max<int64_t>(x0, 0);
        const int64_t bottom = std::min(y1, y.in);
        const int64_t right = std::min(x1, x.in);
        const int64_t inside =
            std::max<int64_t>(bottom - top, 0) * std::max<int64_t>(right - left, 0);
        const int64_t count = divisor.has_value() ? *divisor : count_padding ? padded : inside;
        to[oy * x.out + ox] = inside == 0 ? 0
                                          : mean_of(plane, x.in, top, bottom, left, right,
                                                    static_cast<double>(count));
      }
    }
  });
}

void adaptive_avg_pool(Context& context, const Tensor& in, IntList size, Tensor& out) {
  Planes planes;
  int64_t height = 0;
  int64_t width = 0;
  if (!real_types(context, "_adaptive_avg_pool2d", in, out) ||
      !planes_of(context, "_adaptive_avg_pool2d", in, planes)) {
    return;
  }
  if (size.size() != 2 || !entry(size, 0, 0, height) || !entry(size, 1, 0, width) ||
      (planes.area() == 0 && height * width > 0)) {
    refuse(context, "_adaptive_avg_pool2d: bad output size");
    return;
  }
  if (!same_dim_order(context, in, out) ||
      !resize_out(context, out, with_planes(in, height, width))) {
    return;
  }
  for_each_plane(context, in, out, planes, height * width, [&](const auto* plane, auto* to) {
    for (int64_t oy = 0; oy < height; ++oy) {
      const int64_t y0 = oy * planes.height / height;
      const int64_t y1 = ((oy + 1) * planes.height + height - 1) / height;
      for (int64_t ox = 0; ox < width; ++ox) {
        const int64_t x0 = ox * planes.width / width;
        const int64_t x1 = ((ox + 1) * planes.width + width - 1) / width;
        to[oy * width + ox] = mean_of(plane, planes.width, y0, y1, x0, x1,
                                      static_cast<double>((y1 - y0) * (x1 - x0)));
      }
    }
  });
}

// --- resampling -------------------------------------------------------------------------------

struct Scale {
  int64_t in = 0;
  int64_t out = 0;
  double step = 1;  // input positions for one output position
};

// The output's size comes from `sizes` or from `factors`; the step from the factor if there is one.
bool read_scale(Context& context, const Tensor& in, const std::optional<IntList>& sizes,
                const std::optional<ArrayRef<double>>& factors, bool align_corners, Scale& y,
                Scale& x) {
  const Shape shape = shape_of(in);
  if (shape.rank != 4 || sizes.has_value() == factors.has_value() ||
      (sizes.has_value() && sizes->size() != 2) || (factors.has_value() && factors->size() != 2)) {
    return refuse(context, "upsample: an image of rank 4 and either a size or factors are needed");
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    Scale& scale = i == 0 ? y : x;
    scale.in = shape.size[2 + static_cast<int>(i)];
    const double factor = factors.has_value() ? (*factors)[i] : 0.0;
    const double size = factors.has_value() ? std::floor(static_cast<double>(scale.in) * factor)
                                            : static_cast<double>((*sizes)[i]);
    if (!(size >= 1 && size <= INT32_MAX) || scale.in == 0) {
      return refuse(context, "upsample: bad output size");
    }
    scale.out = static_cast<int64_t>(size);
    if (align_corners) {
      scale.step = scale.out > 1
                       ? static_cast<double>(scale.in - 1) / static_cast<double>(scale.out - 1)
                       : 0.0;
    } else {
      scale.step = factors.has_value()
                       ? 1.0 / factor
                       : static_cast<double>(scale.in) / static_cast<double>(scale.out);
    }
  }
  return true;
}

void upsample_nearest(Context& context, const Tensor& in, std::optional<IntList> sizes,
                      std::optional<ArrayRef<double>> factors, Tensor& out) {
  Scale y;
  Scale x;
  if (!real_types(context, "upsample_nearest2d", in, out) ||
      !read_scale(context, in, sizes, factors, false, y, x) || !same_dim_order(context, in, out) ||
      !resize_out(context, out, with_planes(in, y.out, x.out))) {
    return;
  }
  const Planes planes{int64_t{in.sizes()[0]} * in.sizes()[1], y.in, x.in};
  const auto nearest = [](const Scale& scale, int64_t position) {
    // torch computes the position in float.
    const float at = std::floor(static_cast<float>(position) * static_cast<float>(scale.step));
    return std::min(static_cast<int64_t>(at), scale.in - 1);
  };
  for_each_plane(context, in, out, planes, y.out * x.out, [&](const auto* plane, auto* to) {
    for (int64_t oy = 0; oy < y.out; ++oy) {
      const auto* row = plane + nearest(y, oy) * x.in;
      for (int64_t ox = 0; ox < x.out; ++ox) *to++ = row[nearest(x, ox)];
    }
  });
}

struct Blend {
  int64_t low;
  int64_t high;
  double weight;  // of high
};
Blend blend(const Scale& scale, int64_t position, bool align_corners) {
  double at = align_corners ? scale.step * static_cast<double>(position)
                            : scale.step * (static_cast<double>(position) + 0.5) - 0.5;
  at = std::max(at, 0.0);
  const int64_t low = std::min(static_cast<int64_t>(at), scale.in - 1);
  return {low, std::min(low + 1, scale.in - 1), std::min(at - static_cast<double>(low), 1.0)};
}

void upsample_bilinear(Context& context, const Tensor& in, std::optional<IntList> sizes,
                       bool align_corners, std::optional<ArrayRef<double>> factors, Tensor& out) {
  Scale y;
  Scale x;
  if (!real_types(context, "upsample_bilinear2d", in, out) ||
      !read_scale(context, in, sizes, factors, align_corners, y, x) ||
      !same_dim_order(context, in, out) ||
      !resize_out(context, out, with_planes(in, y.out, x.out))) {
    return;
  }
  const Planes planes{int64_t{in.sizes()[0]} * in.sizes()[1], y.in, x.in};
  for_each_plane(context, in, out, planes, y.out * x.out, [&](const auto* plane, auto* to) {
    using C = std::remove_reference_t<decltype(*to)>;
    for (int64_t oy = 0; oy < y.out; ++oy) {
      const Blend rows = blend(y, oy, align_corners);
      for (int64_t ox = 0; ox < x.out; ++ox) {
        const Blend columns = blend(x, ox, align_corners);
        const auto across = [&](int64_t row) {
          const double low = static_cast<double>(plane[row * x.in + columns.low]);
          const double high = static_cast<double>(plane[row * x.in + columns.high]);
          return low * (1 - columns.weight) + high * columns.weight;
        };
        *to++ =
            static_cast<C>(across(rows.low) * (1 - rows.weight) + across(rows.high) * rows.weight);
      }
    }
  });
}

// --- padding from the plane itself ------------------------------------------------------------

// Output position to input position.
using Fold = int64_t (*)(int64_t position, int64_t size);
int64_t reflect(int64_t position, int64_t size) {
  if (position < 0) return -position;
  return position >= size ? 2 * (size - 1) - position : position;
}
int64_t replicate(int64_t position, int64_t size) {
  return position < 0 ? 0 : (position >= size ? size - 1 : position);
}

template <Fold kFold, int kAxes>
void pad(Context& context, const Tensor& in, IntList pads, Tensor& out) {
  const Shape shape = shape_of(in);
  Shape result = shape;
  if ((shape.rank != kAxes + 1 && shape.rank != kAxes + 2) || pads.size() != size_t{2} * kAxes ||
      in.scalar_type() != out.scalar_type()) {
    refuse(context, "pad: %zu paddings for rank %d", pads.size(), shape.rank);
    return;
  }
  int64_t before[kMaxDims] = {};
  for (int i = 0; i < kAxes; ++i) {
    const int d = shape.rank - 1 - i;
    const int64_t size = shape.size[d];
    const int64_t limit = kFold == &reflect ? size - 1 : INT32_MAX;
    const int64_t low = pads.data()[int64_t{2} * i];
    const int64_t high = pads.data()[2 * i + 1];
    if (low > limit || high > limit || low < -size || high < -size || size + low + high < 1 ||
        size < 1) {
      refuse(context, "pad: %lld and %lld of size %lld", static_cast<long long>(low),
             static_cast<long long>(high), static_cast<long long>(size));
      return;
    }
    before[d] = low;
    result.size[d] = size + low + high;
  }
  if (!same_dim_order(context, in, out) || !resize_out(context, out, result)) return;
  const View source = view_of(in);
  const View target = view_of(out);
  const int64_t count = result.numel();
  const int64_t size = in.element_size();
  int64_t coordinate[kMaxDims] = {};
  for (int64_t i = 0; i < count; ++i) {
    const char* from = source.data;
    char* to = target.data;
    for (int d = 0; d < shape.rank; ++d) {
      from += kFold(coordinate[d] - before[d], shape.size[d]) * source.stride[d];
      to += coordinate[d] * target.stride[d];
    }
    std::copy_n(from, size, to);
    for (int d = shape.rank - 1; d >= 0; --d) {
      if (++coordinate[d] < result.size[d]) break;
      coordinate[d] = 0;
    }
  }
}

constexpr Operator kOperators[] = {
    {"aten::max_pool2d_with_indices.out", &box<&max_pool>},
    {"aten::avg_pool2d.out", &box<&avg_pool>},
    {"aten::_adaptive_avg_pool2d.out", &box<&adaptive_avg_pool>},
    {"aten::upsample_nearest2d.vec_out", &box<&upsample_nearest>},
    {"aten::upsample_bilinear2d.vec_out", &box<&upsample_bilinear>},
    {"aten::reflection_pad1d.out", &box<&pad<&reflect, 1>>},
    {"aten::reflection_pad2d.out", &box<&pad<&reflect, 2>>},
    {"aten::reflection_pad3d.out", &box<&pad<&reflect, 3>>},
    {"aten::replication_pad1d.out", &box<&pad<&replicate, 1>>},
    {"aten::replication_pad2d.out", &box<&pad<&replicate, 2>>},
    {"aten::replication_pad3d.out", &box<&pad<&replicate, 3>>},
};

}  // namespace

Operators pool_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
