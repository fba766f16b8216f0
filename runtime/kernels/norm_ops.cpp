// Softmax and the normalisations.

#include <algorithm>
#include <cmath>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/lanes.h"
#include "runtime/kernels/math.h"

namespace executorch::kernels {
namespace {

// --- softmax ----------------------------------------------------------------------------------

template <class C>
void softmax_row(const C* in, C* out, int64_t n, bool logarithm) {
  const C largest = lane_max(in, n);
  for (int64_t i = 0; i < n; ++i) out[i] = fast_exp(in[i] - largest);
  const double sum = lane_sum(out, n);
  if (logarithm) {
    const C shift = static_cast<C>(std::log(sum));
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] - largest - shift;
  } else {
    const C factor = static_cast<C>(1.0 / sum);
    for (int64_t i = 0; i < n; ++i) out[i] *= factor;
  }
}

// Neighbouring columns at once: element i of column j stands at [i * stride + j].
template <class C>
void softmax_columns(const C* in, C* out, int64_t n, int64_t stride, int64_t columns,
                     bool logarithm) {
  constexpr int64_t kColumns = 32;
  C largest[kColumns];
  double sums[kColumns];
  C factors[kColumns];
  for (int64_t j = 0; j < columns; ++j) {
    largest[j] = -std::numeric_limits<C>::infinity();
    sums[j] = 0;
  }
  for (int64_t i = 0; i < n; ++i) {
    const C* row = in + i * stride;
    for (int64_t j = 0; j < columns; ++j) largest[j] = row[j] > largest[j] ? row[j] : largest[j];
  }
  for (int64_t i = 0; i < n; ++i) {
    const C* row = in + i * stride;
    C* to = out + i * stride;
    for (int64_t j = 0; j < columns; ++j) to[j] = fast_exp(row[j] - largest[j]);
    for (int64_t j = 0; j < columns; ++j) sums[j] += static_cast<double>(to[j]);
  }
  for (int64_t j = 0; j < columns; ++j) {
    factors[j] = static_cast<C>(logarithm ? std::log(sums[j]) : 1.0 / sums[j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    const C* row = in + i * stride;
    C* to = out + i * stride;
    for (int64_t j = 0; j < columns; ++j) {
      to[j] = logarithm ? row[j] - largest[j] - factors[j] : to[j] * factors[j];
    }
  }
}

template <bool kLogarithm>
void softmax(Context& context, const Tensor& in, int64_t dim, bool half_to_float, Tensor& out) {
  int d = 0;
  const ScalarType type = in.scalar_type();
  if (!wrap_dim(context, dim, rank_of(in), d)) return;
  const bool widens = half_to_float && type == ScalarType::Half;
  if (!is_floating(type) || out.scalar_type() != (widens ? ScalarType::Float : type) ||
      (half_to_float && !widens)) {
    refuse(context, "softmax: from %s to %s", name_of(type), name_of(out.scalar_type()));
    return;
  }
  if (!same_dim_order(context, in, out) || !resize_out(context, out, shape_of(in))) return;
  const Shape shape = shape_of(in);
  int64_t outer = 1;
  int64_t inner = 1;
  const int64_t n = shape.rank == 0 ? 1 : shape.size[d];
  for (int i = 0; i < shape.rank; ++i) (i < d ? outer : inner) *= i == d ? 1 : shape.size[i];
  if (in.numel() == 0) return;
  with_compute(compute_of(type), [&](auto zero) {
    using C = decltype(zero);
    if constexpr (!std::is_same_v<C, int64_t>) {
      const C* from = dense_input<C>(context, view_of(in));
      DenseOutput<C> result(context, out);
      if (from == nullptr || !result.ok()) return;
      for (int64_t o = 0; o < outer; ++o) {
        const C* source = from + o * n * inner;
        C* target = result.data() + o * n * inner;
        if (inner == 1) {
          softmax_row(source, target, n, kLogarithm);
          continue;
        }
        for (int64_t j = 0; j < inner; j += 32) {
          softmax_columns(source + j, target + j, n, inner, std::min<int64_t>(32, inner - j),
                          kLogarithm);
        }
      }
      result.finish();
    }
  });
}

// --- layer and group norm ---------------------------------------------------------------------

template <class C>
struct Normaliser {
  double mean;
  double rstd;
  Normaliser(const C* values, int64_t n, double eps) {
    mean = lane_sum(values, n) / static_cast<double>(n);
    const double variance = lane_squares(values, n, mean) / static_cast<double>(n);
    rstd = 1.0 / std::sqrt(variance + eps);
  }
};

// An optional factor or summand, as values or as nullptr. False after a failure.
template <class C>
bool parameter(Context& context, const Tensor* tensor, int64_t count, const C*& values) {
  values = nullptr;
  if (tensor == nullptr) return true;
  if (tensor->numel() != count || !is_floating(tensor->scalar_type())) {
    return refuse(context, "a weight or bias of %lld values where %lld are needed",
                  static_cast<long long>(tensor->numel()), static_cast<long long>(count));
  }
  values = dense_input<C>(context, view_of(*tensor));
  return values != nullptr;
}

bool real_types(Context& context, const char* name, const Tensor& in, const Tensor& out) {
  return (is_floating(in.scalar_type()) && in.scalar_type() == out.scalar_type()) ||
         refuse(context, "%s: from %s to %s", name, name_of(in.scalar_type()),
                name_of(out.scalar_type()));
}

// The dense data of a normalisation: input, parameters (or nullptr), output, and its statistics.
template <class C>
struct NormData {
  using Value = C;
  const C* from;
  const C* factors;
  const C* summands;
  C* to;
  C* means;
  C* rstds;
};

// Checks types, resizes the outputs (`mean_out` and `rstd_out` to the shape `statistics`), and
// calls `body` with the data; `weight` and `bias` have `parameters` values each.
template <class Body>
void normalise(Context& context, const char* name, const Tensor& in, const Tensor* weight,
               const Tensor* bias, int64_t parameters, const Shape& statistics, Tensor& out,
               Tensor& mean_out, Tensor& rstd_out, const Body& body) {
  if (!real_types(context, name, in, out) || !resize_out(context, out, shape_of(in)) ||
      !resize_out(context, mean_out, statistics) || !resize_out(context, rstd_out, statistics)) {
    return;
  }
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    if constexpr (!std::is_same_v<C, int64_t>) {
      const C* from = dense_input<C>(context, view_of(in));
      const C* factors = nullptr;
      const C* summands = nullptr;
      if (from == nullptr || !parameter(context, weight, parameters, factors) ||
          !parameter(context, bias, parameters, summands)) {
        return;
      }
      DenseOutput<C> result(context, out);
      DenseOutput<C> means(context, mean_out);
      DenseOutput<C> rstds(context, rstd_out);
      if (!result.ok() || !means.ok() || !rstds.ok()) return;
      body(NormData<C>{from, factors, summands, result.data(), means.data(), rstds.data()});
      result.finish();
      means.finish();
      rstds.finish();
    }
  });
}

void layer_norm(Context& context, const Tensor& in, IntList normalized, const Tensor* weight,
                const Tensor* bias, double eps, Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const Shape shape = shape_of(in);
  const int kept = shape.rank - static_cast<int>(normalized.size());
  bool fits = !normalized.empty() && kept >= 0;
  int64_t rows = 1;
  int64_t n = 1;
  Shape statistics;
  for (int d = 0; fits && d < shape.rank; ++d) {
    fits = d < kept || normalized.data()[d - kept] == shape.size[d];
    (d < kept ? rows : n) *= shape.size[d];
    statistics.push(d < kept ? shape.size[d] : 1);
  }
  if (!fits) {
    refuse(context, "native_layer_norm: the normalized shape is not the end of the input's");
    return;
  }
  normalise(context, "native_layer_norm", in, weight, bias, n, statistics, out, mean_out, rstd_out,
            [&](const auto& data) {
              using C = typename std::decay_t<decltype(data)>::Value;
              for (int64_t r = 0; r < rows; ++r) {
                const C* row = data.from + r * n;
                C* to = data.to + r * n;
                const Normaliser<C> normaliser(row, n, eps);
                const C mean = static_cast<C>(normaliser.mean);
                const C rstd = static_cast<C>(normaliser.rstd);
                data.means[r] = mean;
                data.rstds[r] = rstd;
                for (int64_t i = 0; i < n; ++i) to[i] = (row[i] - mean) * rstd;
                if (data.factors != nullptr) {
                  for (int64_t i = 0; i < n; ++i) to[i] *= data.factors[i];
                }
                if (data.summands != nullptr) {
                  for (int64_t i = 0; i < n; ++i) to[i] += data.summands[i];
                }
              }
            });
}

void group_norm(Context& context, const Tensor& in, const Tensor* weight, const Tensor* bias,
                int64_t batch, int64_t channels, int64_t area, int64_t groups, double eps,
                Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  if (groups <= 0 || channels < 0 || area < 0 || batch < 0 || channels % groups != 0 ||
      in.dim() < 2 || in.sizes().data()[0] != batch || in.sizes().data()[1] != channels ||
      batch * channels * area != in.numel()) {
    refuse(context, "native_group_norm: the sizes do not fit the input");
    return;
  }
  Shape statistics;
  statistics.push(batch);
  statistics.push(groups);
  normalise(context, "native_group_norm", in, weight, bias, channels, statistics, out, mean_out,
            rstd_out, [&](const auto& data) {
              using C = typename std::decay_t<decltype(data)>::Value;
              const int64_t each = channels / groups;
              for (int64_t g = 0; g < batch * groups; ++g) {
                const C* group = data.from + g * each * area;
                const Normaliser<C> normaliser(group, each * area, eps);
                data.means[g] = static_cast<C>(normaliser.mean);
                data.rstds[g] = static_cast<C>(normaliser.rstd);
                for (int64_t c = 0; c < each; ++c) {
                  const int64_t channel = g % groups * each + c;
                  const double factor =
                      normaliser.rstd *
                      (data.factors != nullptr ? static_cast<double>(data.factors[channel]) : 1.0);
                  const double shift =
                      data.summands != nullptr ? static_cast<double>(data.summands[channel]) : 0.0;
                  const C* row = group + c * area;
                  C* to = data.to + (row - data.from);
                  for (int64_t i = 0; i < area; ++i) {
                    to[i] = static_cast<C>(
                        (static_cast<double>(row[i]) - normaliser.mean) * factor + shift);
                  }
                }
              }
            });
}

// --- batch norm with the statistics of training -----------------------------------------------

void batch_norm_no_training(Context& context, const Tensor& in, const Tensor* weight,
                            const Tensor* bias, const Tensor& mean, const Tensor& variance, double,
                            double eps, Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const Shape shape = shape_of(in);
  if (shape.rank < 2) {
    refuse(context, "batch_norm: input of rank %d", shape.rank);
    return;
  }
  const int64_t channels = shape.size[1];
  Shape none;
  none.push(0);
  if (!real_types(context, "batch_norm", in, out) || !resize_out(context, out, shape) ||
      !resize_out(context, mean_out, none) || !resize_out(context, rstd_out, none)) {
    return;
  }
  with_compute(compute_of(in.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    if constexpr (!std::is_same_v<C, int64_t>) {
      const C* from = dense_input<C>(context, view_of(in));
      const C* factors = nullptr;
      const C* summands = nullptr;
      const C* means = nullptr;
      const C* variances = nullptr;
      if (from == nullptr || !parameter(context, weight, channels, factors) ||
          !parameter(context, bias, channels, summands) ||
          !parameter(context, &mean, channels, means) ||
          !parameter(context, &variance, channels, variances)) {
        return;
      }
      DenseOutput<C> result(context, out);
      if (!result.ok()) return;
      int64_t area = 1;
      for (int d = 2; d < shape.rank; ++d) area *= shape.size[d];
      for (int64_t row = 0; row < shape.size[0] * channels; ++row) {
        const int64_t c = row % channels;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): null only without channels
        const double rstd = 1.0 / std::sqrt(static_cast<double>(variances[c]) + eps);
        const double scale = rstd * (factors != nullptr ? static_cast<double>(factors[c]) : 1.0);
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        const double offset = (summands != nullptr ? static_cast<double>(summands[c]) : 0.0) -
                              static_cast<double>(means[c]) * scale;
        const C factor = static_cast<C>(scale);
        const C shift = static_cast<C>(offset);
        const C* source = from + row * area;
        C* to = result.data() + row * area;
        for (int64_t i = 0; i < area; ++i) to[i] = source[i] * factor + shift;
      }
      result.finish();
    }
  });
}

constexpr Operator kOperators[] = {
    {"aten::_softmax.out", &box<&softmax<false>>},
    {"aten::_log_softmax.out", &box<&softmax<true>>},
    {"aten::native_layer_norm.out", &box<&layer_norm>},
    {"aten::native_group_norm.out", &box<&group_norm>},
    {"aten::_native_batch_norm_legit_no_training.out", &box<&batch_norm_no_training>},
};

}  // namespace

Operators norm_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
