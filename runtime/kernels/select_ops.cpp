// Operators that choose between values: where, clamp, masked_fill.

#include <initializer_list>

#include "runtime/kernels/block_io.h"
#include "runtime/kernels/boxed.h"
#include "runtime/kernels/nan.h"

namespace executorch::kernels {
namespace {

bool common_shape(Context& context, const char* name, std::initializer_list<const Tensor*> inputs,
                  const Tensor& out, Shape& shape) {
  for (const Tensor* input : inputs) {
    if (input == nullptr) continue;
    if (!broadcast(shape, shape_of(*input))) {
      return refuse(context, "%s: the shapes cannot be broadcast", name);
    }
    if (!same_dim_order(context, *input, out)) return false;
  }
  return true;
}

bool storable(Context& context, const char* name, ScalarType common, const Tensor& out) {
  return can_cast(common, out.scalar_type()) ||
         refuse(context, "%s: %s cannot be stored as %s", name, name_of(common),
                name_of(out.scalar_type()));
}

void where(Context& context, const Tensor& condition, const Tensor& a, const Tensor& b,
           Tensor& out) {
  ResultType result;
  result.add(a);
  result.add(b);
  const ScalarType common = result.get();
  Shape shape;
  if (condition.scalar_type() != ScalarType::Bool && condition.scalar_type() != ScalarType::Byte) {
    refuse(context, "where: a condition of %s", name_of(condition.scalar_type()));
    return;
  }
  if (!storable(context, "where", common, out) ||
      !common_shape(context, "where", {&condition, &a, &b}, out, shape) ||
      !resize_out(context, out, shape)) {
    return;
  }
  const Tensor* const inputs[] = {&condition, &a, &b};
  const Loop loop = elementwise_loop(out, inputs, 3);
  with_compute(compute_of(common), [&](auto zero) {
    using C = decltype(zero);
    Reader<C> readers[3] = {Reader<C>({&condition, nullptr}, kNative<C>),
                            Reader<C>({&a, nullptr}, common), Reader<C>({&b, nullptr}, common)};
    run_blocks<C>(loop, common, out.scalar_type(), readers,
                  [](C* to, const C* const* in, const bool* single, int64_t n) {
                    const C* flag = in[0];
                    const C* yes = in[1];
                    const C* no = in[2];
                    if (!single[0] && !single[1] && !single[2]) {
                      for (int64_t i = 0; i < n; ++i) to[i] = flag[i] != C{0} ? yes[i] : no[i];
                      return;
                    }
                    const int64_t s0 = single[0] ? 0 : 1;
                    const int64_t s1 = single[1] ? 0 : 1;
                    const int64_t s2 = single[2] ? 0 : 1;
                    for (int64_t i = 0; i < n; ++i) {
                      to[i] = flag[i * s0] != C{0} ? yes[i * s1] : no[i * s2];
                    }
                  });
  });
}

// NaN of the value stays; so does NaN of a bound.
template <class C>
C clamp_value(C value, const C* low, const C* high) {
  C result = value;
  if (low != nullptr) result = result < *low || is_nan(*low) ? *low : result;
  if (high != nullptr) result = result > *high || is_nan(*high) ? *high : result;
  return is_nan(value) ? value : result;
}

void clamp(Context& context, const Tensor& in, std::optional<Scalar> low,
           std::optional<Scalar> high, Tensor& out) {
  if (!low.has_value() && !high.has_value()) {
    refuse(context, "clamp: without a bound");
    return;
  }
  ResultType result;
  result.add(in);
  if (low.has_value()) result.add(*low);
  if (high.has_value()) result.add(*high);
  const ScalarType common = result.get();
  if (!storable(context, "clamp", common, out) || !same_dim_order(context, in, out) ||
      !resize_out(context, out, shape_of(in))) {
    return;
  }
  const Tensor* const inputs[] = {&in};
  const Loop loop = elementwise_loop(out, inputs, 1);
  with_compute(compute_of(common), [&](auto zero) {
    using C = decltype(zero);
    const C least = low.has_value() ? scalar_as<C>(*low) : C{0};
    const C most = high.has_value() ? scalar_as<C>(*high) : C{0};
    const C* from = low.has_value() ? &least : nullptr;
    const C* to_bound = high.has_value() ? &most : nullptr;
    Reader<C> readers[1] = {Reader<C>({&in, nullptr}, common)};
    run_blocks<C>(loop, common, out.scalar_type(), readers,
                  [&](C* to, const C* const* values, const bool* single, int64_t n) {
                    const int64_t step = single[0] ? 0 : 1;
                    for (int64_t i = 0; i < n; ++i) {
                      to[i] = clamp_value<C>(values[0][i * step], from, to_bound);
                    }
                  });
  });
}
void hardtanh(Context& context, const Tensor& in, Scalar low, Scalar high, Tensor& out) {
  clamp(context, in, low, high, out);
}

void clamp_tensor(Context& context, const Tensor& in, const Tensor* low, const Tensor* high,
                  Tensor& out) {
  if (low == nullptr && high == nullptr) {
    refuse(context, "clamp: without a bound");
    return;
  }
  ResultType result;
  result.add(in);
  if (low != nullptr) result.add(*low);
  if (high != nullptr) result.add(*high);
  const ScalarType common = result.get();
  Shape shape;
  if (!storable(context, "clamp", common, out) ||
      !common_shape(context, "clamp", {&in, low, high}, out, shape) ||
      !resize_out(context, out, shape)) {
    return;
  }
  // An absent bound reads the other one and is not looked at.
  const Tensor* const inputs[] = {&in, low != nullptr ? low : high, high != nullptr ? high : low};
  const Loop loop = elementwise_loop(out, inputs, 3);
  with_compute(compute_of(common), [&](auto zero) {
    using C = decltype(zero);
    Reader<C> readers[3] = {Reader<C>({inputs[0], nullptr}, common),
                            Reader<C>({inputs[1], nullptr}, common),
                            Reader<C>({inputs[2], nullptr}, common)};
    run_blocks<C>(loop, common, out.scalar_type(), readers,
                  [&](C* to, const C* const* values, const bool* single, int64_t n) {
                    for (int64_t i = 0; i < n; ++i) {
                      to[i] =
                          clamp_value<C>(values[0][single[0] ? 0 : i],
                                         low != nullptr ? &values[1][single[1] ? 0 : i] : nullptr,
                                         high != nullptr ? &values[2][single[2] ? 0 : i] : nullptr);
                    }
                  });
  });
}

void masked_fill(Context& context, const Tensor& in, const Tensor& mask, Scalar value,
                 Tensor& out) {
  const ScalarType type = in.scalar_type();
  Shape shape;
  if (mask.scalar_type() != ScalarType::Bool || type != out.scalar_type() ||
      compute_of(type) == Compute::kNone || (value.isFloatingPoint() && !is_floating(type))) {
    refuse(context, "masked_fill: the types do not fit");
    return;
  }
  if (!common_shape(context, "masked_fill", {&in, &mask}, out, shape) ||
      !resize_out(context, out, shape)) {
    return;
  }
  const Tensor* const inputs[] = {&in, &mask};
  const Loop loop = elementwise_loop(out, inputs, 2);
  with_compute(compute_of(type), [&](auto zero) {
    using C = decltype(zero);
    const C filler = scalar_as<C>(value);
    Reader<C> readers[2] = {Reader<C>({&in, nullptr}, type),
                            Reader<C>({&mask, nullptr}, kNative<C>)};
    run_blocks<C>(loop, type, type, readers,
                  [&](C* to, const C* const* values, const bool* single, int64_t n) {
                    const int64_t s0 = single[0] ? 0 : 1;
                    const int64_t s1 = single[1] ? 0 : 1;
                    for (int64_t i = 0; i < n; ++i) {
                      to[i] = values[1][i * s1] != C{0} ? filler : values[0][i * s0];
                    }
                  });
  });
}

constexpr Operator kOperators[] = {
    {"aten::where.self_out", &box<&where>},
    {"aten::clamp.out", &box<&clamp>},
    {"aten::clamp.Tensor_out", &box<&clamp_tensor>},
    {"aten::hardtanh.out", &box<&hardtanh>},
    {"aten::masked_fill.Scalar_out", &box<&masked_fill>},
};

}  // namespace

Operators select_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
