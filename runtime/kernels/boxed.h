#pragma once

// Turns a typed kernel into the boxed function that the registry holds. Every argument is checked
// here (kind, memory, device, rank), so that kernels see only what they can use.

#include <cstddef>
#include <executorch/runtime/kernel/operator_registry.h>
#include <tuple>
#include <utility>

#include "runtime/kernels/shape.h"

namespace executorch::kernels {

using runtime::EValue;
using runtime::Span;

namespace boxed {

bool accept_tensor(Context& context, const Tensor& tensor, bool written);
bool accept_count(Context& context, size_t given, size_t wanted);
bool wrong_kind(Context& context, size_t index, const char* wanted);

// Argument<T>: reads one EValue as the parameter type T.
template <class T>
struct Argument;

template <>
struct Argument<const Tensor&> {
  const Tensor* value = nullptr;
  bool read(Context& context, EValue& from, size_t index) {
    if (!from.isTensor()) return wrong_kind(context, index, "a tensor");
    value = &from.payload.as_tensor;
    return accept_tensor(context, *value, false);
  }
  const Tensor& get() const { return *value; }
};

template <>
struct Argument<Tensor&> {
  Tensor* value = nullptr;
  bool read(Context& context, EValue& from, size_t index) {
    if (!from.isTensor()) return wrong_kind(context, index, "a tensor");
    value = &from.payload.as_tensor;
    return accept_tensor(context, *value, true);
  }
  Tensor& get() const { return *value; }
};

template <class T>
struct Value {
  T value{};
  T get() const { return value; }
};

template <>
struct Argument<int64_t> : Value<int64_t> {
  bool read(Context& context, EValue& from, size_t index) {
    if (!from.isInt()) return wrong_kind(context, index, "an int");
    value = from.payload.copyable_union.as_int;
    return true;
  }
};

template <>
struct Argument<double> : Value<double> {
  bool read(Context& context, EValue& from, size_t index) {
    if (from.isDouble()) {
      value = from.payload.copyable_union.as_double;
    } else if (from.isInt()) {
      value = static_cast<double>(from.payload.copyable_union.as_int);
    } else {
      return wrong_kind(context, index, "a float");
    }
    return true;
  }
};

template <>
struct Argument<bool> : Value<bool> {
  bool read(Context& context, EValue& from, size_t index) {
    if (!from.isBool()) return wrong_kind(context, index, "a bool");
    value = from.payload.copyable_union.as_bool;
    return true;
  }
};

template <>
struct Argument<Scalar> : Value<Scalar> {
  bool read(Context& context, EValue& from, size_t index) {
    auto scalar = from.tryToScalar();
    if (!scalar.ok()) return wrong_kind(context, index, "a number");
    value = *scalar;
    return true;
  }
};

template <>
struct Argument<std::string_view> : Value<std::string_view> {
  bool read(Context& context, EValue& from, size_t index) {
    auto text = from.tryToString();
    if (!text.ok()) return wrong_kind(context, index, "a string");
    value = *text;
    return true;
  }
};

template <>
struct Argument<ScalarType> : Value<ScalarType> {
  bool read(Context& context, EValue& from, size_t index) {
    if (!from.isInt()) return wrong_kind(context, index, "a dtype");
    const int64_t number = from.payload.copyable_union.as_int;
    if (number < 0 || number >= static_cast<int64_t>(ScalarType::Undefined)) {
      return wrong_kind(context, index, "a dtype");
    }
    value = static_cast<ScalarType>(number);
    return true;
  }
};

template <>
struct Argument<IntList> : Value<IntList> {
  bool read(Context& context, EValue& from, size_t index) {
    auto list = from.tryToIntList();
    if (!list.ok()) return wrong_kind(context, index, "a list of ints");
    value = *list;
    return true;
  }
};

template <>
struct Argument<ArrayRef<double>> : Value<ArrayRef<double>> {
  bool read(Context& context, EValue& from, size_t index) {
    auto list = from.tryToDoubleList();
    if (!list.ok()) return wrong_kind(context, index, "a list of floats");
    value = *list;
    return true;
  }
};

template <>
struct Argument<TensorList> : Value<TensorList> {
  bool read(Context& context, EValue& from, size_t index) {
    auto list = from.tryToTensorList();
    if (!list.ok()) return wrong_kind(context, index, "a list of tensors");
    value = *list;
    for (const Tensor& tensor : value) {
      if (!accept_tensor(context, tensor, false)) return false;
    }
    return true;
  }
};

template <>
struct Argument<OptionalTensorList> : Value<OptionalTensorList> {
  bool read(Context& context, EValue& from, size_t index) {
    auto list = from.tryToListOptionalTensor();
    if (!list.ok()) return wrong_kind(context, index, "a list of optional tensors");
    value = *list;
    for (const auto& tensor : value) {
      if (tensor.has_value() && !accept_tensor(context, *tensor, false)) return false;
    }
    return true;
  }
};

/// None is allowed: nullptr.
template <>
struct Argument<const Tensor*> : Value<const Tensor*> {
  bool read(Context& context, EValue& from, size_t index) {
    if (from.isNone()) return true;
    if (!from.isTensor()) return wrong_kind(context, index, "a tensor or None");
    value = &from.payload.as_tensor;
    return accept_tensor(context, *value, false);
  }
};

template <class T>
struct Argument<std::optional<T>> : Value<std::optional<T>> {
  bool read(Context& context, EValue& from, size_t index) {
    if (from.isNone()) return true;
    Argument<T> inner;
    if (!inner.read(context, from, index)) return false;
    this->value = inner.get();
    return true;
  }
};

template <auto kKernel, class... Parameters, size_t... kIndices>
void call(Context& context, Span<EValue*> values, void (*)(Context&, Parameters...),
          std::index_sequence<kIndices...>) {
  if (!accept_count(context, values.size(), sizeof...(Parameters))) return;
  std::tuple<Argument<Parameters>...> arguments;
  const bool usable =
      (std::get<kIndices>(arguments).read(context, *values[kIndices], kIndices) && ...);
  if (usable) kKernel(context, std::get<kIndices>(arguments).get()...);
}

template <class... Parameters>
constexpr auto indices_of(void (*)(Context&, Parameters...)) {
  return std::index_sequence_for<Parameters...>{};
}

}  // namespace boxed

/// The boxed form of `kKernel`, a function void(Context&, arguments in the schema's order, outs).
template <auto kKernel>
void box(Context& context, Span<EValue*> values) {
  boxed::call<kKernel>(context, values, kKernel, boxed::indices_of(kKernel));
}

/// The operators of one family.
struct Operator {
  const char* name;
  runtime::OpFunction function;
};
using Operators = Span<const Operator>;

Operators elementwise_operators();
Operators unary_operators();
Operators select_operators();
Operators copy_operators();
Operators join_operators();
Operators create_operators();
Operators index_operators();
Operators reduce_operators();
Operators order_operators();
Operators norm_operators();
Operators matmul_operators();
Operators convolution_operators();
Operators pool_operators();

}  // namespace executorch::kernels
