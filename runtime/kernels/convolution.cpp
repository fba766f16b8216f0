// Convolution over one or two spatial dimensions, forward and transposed. Every case is brought to
// two dimensions and row-major float or double; the products go through gemm.

#include <algorithm>
#include <cstring>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/gemm.h"

namespace executorch::kernels {
namespace {

// One spatial dimension.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
};

struct Geometry {
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t in_channels = 0;   // of one group
  int64_t out_channels = 0;  // of one group
  Axis y;
  Axis x;
  bool transposed = false;
  int64_t taps() const { return y.kernel * x.kernel; }
  int64_t in_area() const { return y.in * x.in; }
  int64_t out_area() const { return y.out * x.out; }
};

// Reads entry `i` of a list that has one value for each axis or one for all.
bool entry(IntList list, int axes, int i, int64_t& value) {
  const size_t count = list.size();
  if (count != 1 && count != static_cast<size_t>(axes)) return false;
  value = list[count == 1 ? 0 : static_cast<size_t>(i)];
  return value >= 0 && value <= INT32_MAX;
}

bool read_geometry(Context& context, const Tensor& in, const Tensor& weight, const Tensor* bias,
                   IntList stride, IntList padding, IntList dilation, bool transposed,
                   IntList output_padding, int64_t groups, Geometry& geometry, Shape& out) {
  const Shape shape = shape_of(in);
  const Shape kernel = shape_of(weight);
  const int axes = shape.rank - 2;
  if ((axes != 1 && axes != 2) || kernel.rank != shape.rank || groups <= 0) {
    return refuse(context, "convolution: input of rank %d, weight of rank %d", shape.rank,
                  kernel.rank);
  }
  geometry.batch = shape.size[0];
  geometry.groups = groups;
  geometry.transposed = transposed;
  const int64_t in_channels = shape.size[1];
  const int64_t out_channels = transposed ? kernel.size[1] * groups : kernel.size[0];
  const bool channels_fit =
      transposed ? kernel.size[0] == in_channels : kernel.size[1] * groups == in_channels;
  if (!channels_fit || in_channels % groups != 0 || out_channels % groups != 0 ||
      (bias != nullptr && bias->numel() != out_channels)) {
    return refuse(context, "convolution: the channels do not fit");
  }
  geometry.in_channels = in_channels / groups;
  geometry.out_channels = out_channels / groups;
  out.push(geometry.batch);
  out.push(out_channels);
  for (int i = 0; i < axes; ++i) {
    Axis& axis = axes == 2 && i == 0 ? geometry.y : geometry.x;
    axis.in = shape.size[2 + i];
    axis.kernel = kernel.size[2 + i];
    int64_t extra = 0;
    if (!entry(stride, axes, i, axis.stride) || !entry(padding, axes, i, axis.padding) ||
        !entry(dilation, axes, i, axis.dilation) || axis.stride == 0 || axis.dilation == 0 ||
        axis.kernel == 0 ||
        (transposed && !output_padding.empty() && !entry(output_padding, axes, i, extra))) {
      return refuse(context, "convolution: bad stride, padding or dilation");
    }
    const int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
    axis.out = transposed ? (axis.in - 1) * axis.stride - 2 * axis.padding + reach + extra
                          : (axis.in + 2 * axis.padding - reach) / axis.stride + 1;
    if (axis.in + 2 * axis.padding < reach && !transposed) axis.out = 0;
    if (axis.out <= 0 || axis.out > INT32_MAX) {
      return refuse(context, "convolution: the kernel is larger than the input");
    }
    out.push(axis.out);
  }
  return true;
}

// Row (channel, ky, kx) of `columns` holds, for each output position, the input under that tap.
template <class C>
void gather_columns(const Geometry& g, const C* image, C* columns) {
  const int64_t area = g.out_area();
  for (int64_t channel = 0; channel < g.in_channels; ++channel) {
    const C* plane = image + channel * g.in_area();
    for (int64_t ky = 0; ky < g.y.kernel; ++ky) {
      for (int64_t kx = 0; kx < g.x.kernel; ++kx) {
        C* row = columns + ((channel * g.y.kernel + ky) * g.x.kernel + kx) * area;
        const int64_t x_shift = kx * g.x.dilation - g.x.padding;
        // Outputs [first, last) lie inside of the input.
        const int64_t first =
            std::min(g.x.out, x_shift >= 0 ? 0 : (-x_shift + g.x.stride - 1) / g.x.stride);
        const int64_t room = g.x.in - x_shift;
        const int64_t last =
            std::max(first, std::min(g.x.out, room > 0 ? (room - 1) / g.x.stride + 1 : int64_t{0}));
        for (int64_t oy = 0; oy < g.y.out; ++oy, row += g.x.out) {
          const int64_t iy = oy * g.y.stride + ky * g.y.dilation - g.y.padding;
          if (iy < 0 || iy >= g.y.in) {
            std::memset(row, 0, static_cast<size_t>(g.x.out) * sizeof(C));
            continue;
          }
          const C* source = plane + iy * g.x.in + x_shift;
          for (int64_t ox = 0; ox < first; ++ox) row[ox] = C{0};
          if (g.x.stride == 1) {
            std::memcpy(row + first, source + first, static_cast<size_t>(last - first) * sizeof(C));
          } else {
            for (int64_t ox = first; ox < last; ++ox) row[ox] = source[ox * g.x.stride];
          }
          for (int64_t ox = last; ox < g.x.out; ++ox) row[ox] = C{0};
        }
      }
    }
  }
}

// The transposed case: adds row (channel, ky, kx), one value for each input position, to the output
// positions under that tap.
template <class C>
void scatter_columns(const Geometry& g, const C* columns, C* image) {
  const int64_t area = g.in_area();
  for (int64_t channel = 0; channel < g.out_channels; ++channel) {
    C* plane = image + channel * g.out_area();
    for (int64_t ky = 0; ky < g.y.kernel; ++ky) {
      for (int64_t kx = 0; kx < g.x.kernel; ++kx) {
        const C* row = columns + ((channel * g.y.kernel + ky) * g.x.kernel + kx) * area;
        for (int64_t iy = 0; iy < g.y.in; ++iy, row += g.x.in) {
          const int64_t oy = iy * g.y.stride + ky * g.y.dilation - g.y.padding;
          if (oy < 0 || oy >= g.y.out) continue;
          for (int64_t ix = 0; ix < g.x.in; ++ix) {
            const int64_t ox = ix * g.x.stride + kx * g.x.dilation - g.x.padding;
            if (ox >= 0 && ox < g.x.out) plane[oy * g.x.out + ox] += row[ix];
          }
        }
      }
    }
  }
}

// One channel in, one out: a product for each tap is cheaper than gathering columns.
template <class C>
void depthwise(const Geometry& g, const C* image, const C* weight, C* out) {
  for (int64_t ky = 0; ky < g.y.kernel; ++ky) {
    for (int64_t kx = 0; kx < g.x.kernel; ++kx) {
      const C factor = weight[ky * g.x.kernel + kx];
      const int64_t x_shift = kx * g.x.dilation - g.x.padding;
      for (int64_t oy = 0; oy < g.y.out; ++oy) {
        const int64_t iy = oy * g.y.stride + ky * g.y.dilation - g.y.padding;
        if (iy < 0 || iy >= g.y.in) continue;
        const C* source = image + iy * g.x.in;
        C* row = out + oy * g.x.out;
        for (int64_t ox = 0; ox < g.x.out; ++ox) {
          const int64_t ix = ox * g.x.stride + x_shift;
          if (ix >= 0 && ix < g.x.in) row[ox] += factor * source[ix];
        }
      }
    }
  }
}

template <class C>
void run(Context& context, const Geometry& g, const C* in, const C* weight, const C* bias, C* out) {
  const int64_t weights = g.in_channels * g.out_channels * g.taps();
  const bool one_tap = g.taps() == 1 && g.y.stride == 1 && g.x.stride == 1 && g.y.padding == 0 &&
                       g.x.padding == 0 && g.in_area() == g.out_area();
  const bool by_channel = !g.transposed && g.in_channels == 1 && g.out_channels == 1;
  C* columns = nullptr;
  if (!one_tap && !by_channel) {
    const int64_t count = g.transposed ? g.out_channels * g.taps() * g.in_area()
                                       : g.in_channels * g.taps() * g.out_area();
    columns = allocate_temp<C>(context, std::max<int64_t>(count, 1));
    if (columns == nullptr) return;
  }
  for (int64_t unit = 0; unit < g.batch * g.groups; ++unit) {
    const int64_t group = unit % g.groups;
    const C* image = in + unit * g.in_channels * g.in_area();
    const C* factors = weight + group * weights;
    C* result = out + unit * g.out_channels * g.out_area();
    for (int64_t c = 0; c < g.out_channels; ++c) {
      std::fill_n(result + c * g.out_area(), g.out_area(),
                  bias != nullptr ? bias[group * g.out_channels + c] : C{0});
    }
    if (by_channel) {
      depthwise(g, image, factors, result);
    } else if (g.transposed) {
      // weight: in_channels x (out_channels * taps)
      const int64_t rows = g.out_channels * g.taps();
      C* target = one_tap ? result : columns;
      gemm<C>(rows, g.in_area(), g.in_channels, C{1}, {factors, 1, rows}, {image, g.in_area(), 1},
              one_tap ? C{1} : C{0}, target, g.in_area());
      if (!one_tap) scatter_columns(g, columns, result);
    } else {
      const int64_t depth = g.in_channels * g.taps();
      if (!one_tap) gather_columns(g, image, columns);
      gemm<C>(g.out_channels, g.out_area(), depth, C{1}, {factors, depth, 1},
              {one_tap ? image : columns, g.out_area(), 1}, C{1}, result, g.out_area());
    }
  }
}

void convolution(Context& context, const Tensor& in, const Tensor& weight, const Tensor* bias,
                 IntList stride, IntList padding, IntList dilation, bool transposed,
                 IntList output_padding, int64_t groups, Tensor& out) {
  Geometry geometry;
  Shape shape;
  const ScalarType type = in.scalar_type();
  if (!is_floating(type) || weight.scalar_type() != type || out.scalar_type() != type ||
      (bias != nullptr && bias->scalar_type() != type)) {
    refuse(context, "convolution: input, weight, bias and output must have one real type");
    return;
  }
  if (!read_geometry(context, in, weight, bias, stride, padding, dilation, transposed,
                     output_padding, groups, geometry, shape) ||
      !same_dim_order(context, in, out) || !resize_out(context, out, shape)) {
    return;
  }
  with_compute(compute_of(type), [&](auto zero) {
    using C = decltype(zero);
    if constexpr (!std::is_same_v<C, int64_t>) {
      const C* image = dense_input<C>(context, view_of(in));
      const C* factors = dense_input<C>(context, view_of(weight));
      const C* summands = bias != nullptr ? dense_input<C>(context, view_of(*bias)) : nullptr;
      DenseOutput<C> result(context, out);
      if (image == nullptr || factors == nullptr || !result.ok() ||
          (bias != nullptr && summands == nullptr)) {
        return;
      }
      run<C>(context, geometry, image, factors, summands, result.data());
      if (context.failure_state() == Error::Ok) result.finish();
    }
  });
}

constexpr Operator kOperators[] = {{"aten::convolution.out", &box<&convolution>}};

}  // namespace

Operators convolution_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
