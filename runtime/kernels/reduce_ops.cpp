// Sums, means, products, variances, extrema and truth values over dimensions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/lanes.h"
#include "runtime/kernels/nan.h"
#include "runtime/kernels/reduce.h"

namespace executorch::kernels {
namespace {

// Real sums are kept in double: the error is then that of the final rounding.
template <class C>
using Wide = std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, double>;

template <class C>
Wide<C> block_sum(const C* values, int64_t n) {
  if constexpr (std::is_same_v<C, int64_t>) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<uint64_t>(values[i]);
    return sum;
  } else {
    return lane_sum(values, n);
  }
}

template <class C>
struct Sum {
  using Value = C;
  using State = Wide<C>;
  double divisor = 1;  // mean: the number of elements
  void begin(State& state) const { state = 0; }
  void row(State& state, const C* values, int64_t n) const { state += block_sum(values, n); }
  void column(State* states, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) states[i] += static_cast<State>(values[i]);
  }
  C end(const State& state) const {
    if constexpr (std::is_same_v<C, int64_t>) {
      return static_cast<C>(state);
    } else {
      return static_cast<C>(state / divisor);
    }
  }
};

template <class C>
struct Product {
  using Value = C;
  using State = Wide<C>;
  void begin(State& state) const { state = 1; }
  void row(State& state, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) state *= static_cast<State>(values[i]);
  }
  void column(State* states, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) states[i] *= static_cast<State>(values[i]);
  }
  C end(const State& state) const { return static_cast<C>(state); }
};

template <class C>
struct Any {
  using Value = C;
  using State = bool;
  void begin(State& state) const { state = false; }
  void row(State& state, const C* values, int64_t n) const {
    bool found = state;
    for (int64_t i = 0; i < n; ++i) found |= values[i] != C{0};
    state = found;
  }
  void column(State* states, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) states[i] |= values[i] != C{0};
  }
  C end(const State& state) const { return static_cast<C>(state); }
};

// NaN, once met, stays.
template <class C, bool kLargest>
struct Extremum {
  using Value = C;
  using State = C;
  static C pick(C best, C value) {
    const bool better = kLargest ? value > best : value < best;
    return better || is_nan(value) ? value : best;
  }
  void begin(State& state) const {
    using Limits = std::numeric_limits<C>;
    if constexpr (std::is_same_v<C, int64_t>) {
      state = kLargest ? Limits::min() : Limits::max();
    } else {
      state = kLargest ? -Limits::infinity() : Limits::infinity();
    }
  }
  void row(State& state, const C* values, int64_t n) const {
    C best = state;
    for (int64_t i = 0; i < n; ++i) {
      if (is_nan(best)) break;
      best = pick(best, values[i]);
    }
    state = best;
  }
  void column(State* states, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      states[i] = is_nan(states[i]) ? states[i] : pick(states[i], values[i]);
    }
  }
  C end(const State& state) const { return state; }
};

// Mean and sum of squared deviations, merged block by block.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;
  void add(double value) {
    count += 1;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
};

template <class C>
struct Variance {
  using Value = C;
  using State = Moments;
  double correction = 1;
  bool mean_only = false;
  void begin(State& state) const { state = {}; }
  void row(State& state, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) state.add(static_cast<double>(values[i]));
  }
  void column(State* states, const C* values, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) states[i].add(static_cast<double>(values[i]));
  }
  C end(const State& state) const {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    if (mean_only) return static_cast<C>(state.count > 0 ? state.mean : kNan);
    const double divisor = std::max(0.0, state.count - correction);
    return static_cast<C>(state.count > 0 ? state.squares / divisor : kNan);
  }
};

bool numbers(Context& context, const char* name, ScalarType type) {
  return compute_of(type) != Compute::kNone ||
         refuse(context, "%s: not for %s", name, name_of(type));
}

// Runs Reducer<C> with C the type of computation.
template <template <class> class Reducer, class Setup>
void run(Context& context, Compute compute, const Tensor& in, const Reduction& plan, Tensor& out,
         Setup&& setup) {
  if (!resize_out(context, out, plan.out) || !same_dim_order(context, in, out)) return;
  const ReductionLoops loops = reduction_loops(in, out, plan);
  with_compute(compute, [&](auto zero) {
    using C = decltype(zero);
    Reducer<C> reducer;
    setup(reducer);
    reduce(reducer, loops, in.scalar_type(), out.scalar_type());
  });
}
constexpr auto kNoSetup = [](auto&) {};

// The type in which torch sums: the asked one, else int64 for integers.
ScalarType sum_type(const Tensor& in, std::optional<ScalarType> dtype) {
  if (dtype.has_value()) return *dtype;
  return is_integral(in.scalar_type(), true) ? ScalarType::Long : in.scalar_type();
}

void sum(Context& context, const Tensor& in, std::optional<IntList> dims, bool keepdim,
         std::optional<ScalarType> dtype, Tensor& out) {
  Reduction plan;
  const ScalarType type = sum_type(in, dtype);
  if (!numbers(context, "sum", in.scalar_type()) || !numbers(context, "sum", type) ||
      !plan_reduction(context, in, dims, keepdim, plan)) {
    return;
  }
  if (!can_cast(type, out.scalar_type())) {
    refuse(context, "sum: %s cannot be stored as %s", name_of(type), name_of(out.scalar_type()));
    return;
  }
  run<Sum>(context, compute_of(type), in, plan, out, kNoSetup);
}

void mean(Context& context, const Tensor& in, std::optional<IntList> dims, bool keepdim,
          std::optional<ScalarType> dtype, Tensor& out) {
  Reduction plan;
  const ScalarType type = dtype.value_or(in.scalar_type());
  if (!is_floating(type) || !is_floating(out.scalar_type()) ||
      !numbers(context, "mean", in.scalar_type())) {
    refuse(context, "mean: %s as %s", name_of(type), name_of(out.scalar_type()));
    return;
  }
  if (!plan_reduction(context, in, dims, keepdim, plan)) return;
  run<Sum>(context, compute_of(type), in, plan, out,
           [&](auto& reducer) { reducer.divisor = static_cast<double>(plan.count); });
}
void mean_all(Context& context, const Tensor& in, std::optional<ScalarType> dtype, Tensor& out) {
  mean(context, in, std::nullopt, false, dtype, out);
}

void prod(Context& context, const Tensor& in, const std::optional<IntList>& dims, bool keepdim,
          std::optional<ScalarType> dtype, Tensor& out) {
  Reduction plan;
  const ScalarType type = sum_type(in, dtype);
  if (!numbers(context, "prod", in.scalar_type()) || !numbers(context, "prod", type) ||
      !plan_reduction(context, in, dims, keepdim, plan)) {
    return;
  }
  if (!can_cast(type, out.scalar_type())) {
    refuse(context, "prod: %s cannot be stored as %s", name_of(type), name_of(out.scalar_type()));
    return;
  }
  run<Product>(context, compute_of(type), in, plan, out, kNoSetup);
}
void prod_all(Context& context, const Tensor& in, std::optional<ScalarType> dtype, Tensor& out) {
  prod(context, in, std::nullopt, false, dtype, out);
}
void prod_dim(Context& context, const Tensor& in, int64_t dim, bool keepdim,
              std::optional<ScalarType> dtype, Tensor& out) {
  prod(context, in, IntList(&dim, 1), keepdim, dtype, out);
}

void any_dims(Context& context, const Tensor& in, std::optional<IntList> dims, bool keepdim,
              Tensor& out) {
  Reduction plan;
  if (!numbers(context, "any", in.scalar_type()) || !numbers(context, "any", out.scalar_type())) {
    return;
  }
  // An empty list reduces nothing here, unlike in a sum.
  const bool nothing = dims.has_value() && dims->empty();
  if (!plan_reduction(context, in, dims, keepdim, plan)) return;
  if (nothing) {
    plan = {};
    plan.out = shape_of(in);
    plan.kept_count = plan.out.numel();
  }
  run<Any>(context, compute_of(in.scalar_type()), in, plan, out, kNoSetup);
}
void any_dim(Context& context, const Tensor& in, int64_t dim, bool keepdim, Tensor& out) {
  any_dims(context, in, IntList(&dim, 1), keepdim, out);
}
void any_all(Context& context, const Tensor& in, Tensor& out) {
  any_dims(context, in, std::nullopt, false, out);
}

template <class C>
using Largest = Extremum<C, true>;
template <class C>
using Smallest = Extremum<C, false>;

template <template <class> class Reducer>
void extremum(Context& context, const Tensor& in, std::optional<IntList> dims, bool keepdim,
              Tensor& out) {
  Reduction plan;
  if (!numbers(context, "amax/amin", in.scalar_type())) return;
  if (in.scalar_type() != out.scalar_type()) {
    refuse(context, "amax/amin: the output has another type than the input");
    return;
  }
  if (!plan_reduction(context, in, dims, keepdim, plan)) return;
  if (plan.count == 0 && plan.kept_count > 0) {
    refuse(context, "amax/amin: there is no extremum of nothing");
    return;
  }
  run<Reducer>(context, compute_of(in.scalar_type()), in, plan, out, kNoSetup);
}
template <template <class> class Reducer>
void extremum_dims(Context& context, const Tensor& in, IntList dims, bool keepdim, Tensor& out) {
  extremum<Reducer>(context, in, dims, keepdim, out);
}
template <template <class> class Reducer>
void extremum_all(Context& context, const Tensor& in, Tensor& out) {
  extremum<Reducer>(context, in, std::nullopt, false, out);
}

bool real_numbers(Context& context, const Tensor& in, const Tensor& out) {
  return (is_floating(in.scalar_type()) && is_floating(out.scalar_type())) ||
         refuse(context, "var: %s as %s", name_of(in.scalar_type()), name_of(out.scalar_type()));
}

void variance(Context& context, const Tensor& in, const std::optional<IntList>& dims,
              double correction, bool keepdim, bool mean_only, Tensor& out) {
  Reduction plan;
  if (!real_numbers(context, in, out) || !plan_reduction(context, in, dims, keepdim, plan)) return;
  run<Variance>(context, compute_of(in.scalar_type()), in, plan, out, [&](auto& reducer) {
    reducer.correction = correction;
    reducer.mean_only = mean_only;
  });
}
void var(Context& context, const Tensor& in, std::optional<IntList> dims, bool unbiased,
         bool keepdim, Tensor& out) {
  variance(context, in, dims, unbiased ? 1 : 0, keepdim, false, out);
}
void var_correction(Context& context, const Tensor& in, std::optional<IntList> dims,
                    std::optional<Scalar> correction, bool keepdim, Tensor& out) {
  const double value = correction.has_value() ? as_double(*correction) : 1.0;
  variance(context, in, dims, value, keepdim, false, out);
}
void var_mean_correction(Context& context, const Tensor& in, std::optional<IntList> dims,
                         std::optional<Scalar> correction, bool keepdim, Tensor& out,
                         Tensor& mean_out) {
  var_correction(context, in, dims, correction, keepdim, out);
  if (context.failure_state() != Error::Ok) return;
  variance(context, in, dims, 0, keepdim, true, mean_out);
}

constexpr Operator kOperators[] = {
    {"aten::sum.IntList_out", &box<&sum>},
    {"aten::mean.out", &box<&mean>},
    {"aten::mean.dtype_out", &box<&mean_all>},
    {"aten::prod.out", &box<&prod_all>},
    {"aten::prod.int_out", &box<&prod_dim>},
    {"aten::any.out", &box<&any_dim>},
    {"aten::any.dims_out", &box<&any_dims>},
    {"aten::any.all_out", &box<&any_all>},
    {"aten::amax.out", &box<&extremum_dims<Largest>>},
    {"aten::amin.out", &box<&extremum_dims<Smallest>>},
    {"aten::max.unary_out", &box<&extremum_all<Largest>>},
    {"aten::min.unary_out", &box<&extremum_all<Smallest>>},
    {"aten::var.out", &box<&var>},
    {"aten::var.correction_out", &box<&var_correction>},
    {"aten::var_mean.correction_out", &box<&var_mean_correction>},
};

}  // namespace

Operators reduce_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
