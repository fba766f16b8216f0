#pragma once

// Custom operators. A function with C++ arguments becomes a kernel by
//
//   Tensor& my_add_out(KernelRuntimeContext& context, const Tensor& a, const Tensor& b,
//                      Tensor& out);
//   EXECUTORCH_LIBRARY(mine, "add.out", my_add_out);
//
// Arguments, in the operator's order: Tensor, int64_t, double, bool, Scalar, ScalarType,
// MemoryFormat, Layout, Device, std::string_view, ArrayRef of Tensor, int64_t, double, bool or
// std::optional<Tensor>, and std::optional of any of them; the output last, as Tensor&. The
// context may be left out.

#include <cstddef>
#include <executorch/extension/kernel_util/meta_programming.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <optional>
#include <type_traits>
#include <utility>

namespace executorch::extension {
namespace kernel_util_internal {

// A value as an argument of type T, and whether it can be one.
template <typename T>
struct Argument {
  using Value = runtime::Result<T>;
  static Value read(runtime::EValue& value) { return value.tryTo<T>(); }
  static bool ok(const Value& value) { return value.ok(); }
  static T&& get(Value& value) { return std::move(*value); }
};
// Tensors are passed on by reference, without a copy.
struct TensorArgument {
  using Value = runtime::EValue*;
  static Value read(runtime::EValue& value) { return &value; }
  static bool ok(Value value) { return value->isTensor(); }
  static aten::Tensor& get(Value value) { return value->toTensor(); }
};
template <>
struct Argument<aten::Tensor> : TensorArgument {};

template <typename T>
using argument_t = Argument<std::decay_t<T>>;

template <typename Function>
struct Signature;
template <typename Return, typename... Args>
struct Signature<Return(runtime::KernelRuntimeContext&, Args...)> {
  static constexpr bool kTakesContext = true;
  static constexpr size_t kArgs = sizeof...(Args);
  template <template <typename...> class Template>
  using apply = Template<Args...>;
};
template <typename Return, typename... Args>
struct Signature<Return(Args...)> {
  static constexpr bool kTakesContext = false;
  static constexpr size_t kArgs = sizeof...(Args);
  template <template <typename...> class Template>
  using apply = Template<Args...>;
};

template <typename... Args>
struct Caller {
  static constexpr size_t kOutputs = (size_t{std::is_same_v<Args, aten::Tensor&>} + ... + 0);
  static_assert(kOutputs == 1, "a kernel function takes one output, as Tensor&");

  template <typename Functor, bool takes_context, size_t... i>
  static void call(runtime::KernelRuntimeContext& context, runtime::Span<runtime::EValue*> stack,
                   std::index_sequence<i...>) {
    if (stack.size() < sizeof...(Args)) {
      ET_LOG(Error, "%s: %zu arguments where %zu are expected.", Functor::func_name_, stack.size(),
             sizeof...(Args));
      context.fail(runtime::Error::InvalidArgument);
      return;
    }
    call_with<Functor, takes_context>(context, stack, std::index_sequence<i...>(),
                                      argument_t<Args>::read(*stack[i])...);
  }

 private:
  template <typename Functor, bool takes_context, size_t... i>
  static void call_with(runtime::KernelRuntimeContext& context,
                        runtime::Span<runtime::EValue*> stack, std::index_sequence<i...>,
                        typename argument_t<Args>::Value... values) {
    size_t bad = sizeof...(Args);
    ((void)(argument_t<Args>::ok(values) || (bad == sizeof...(Args) && (bad = i, true))), ...);
    if (bad != sizeof...(Args)) {
      ET_LOG(Error, "%s: argument %zu is of the wrong kind: %s.", Functor::func_name_, bad,
             runtime::tag_to_string(stack[bad]->tag));
      context.fail(runtime::Error::InvalidType);
      return;
    }
    runtime::internal::EventTracerProfileOpScope scope(context.internal_event_tracer(),
                                                       Functor::func_name_);
    if constexpr (takes_context) {
      (*Functor::func_ptr())(context, argument_t<Args>::get(values)...);
    } else {
      (*Functor::func_ptr())(argument_t<Args>::get(values)...);
    }
    runtime::internal::event_tracer_log_evalue(context.internal_event_tracer(),
                                               *stack[sizeof...(Args) - 1]);
  }
};

}  // namespace kernel_util_internal

/// A kernel that calls the function of an EXECUTORCH_FN. Arguments that don't fit fail the call.
template <typename FuncType>
struct WrapUnboxedIntoFunctor {
  static void call(runtime::KernelRuntimeContext& context, runtime::Span<runtime::EValue*> stack) {
    using Signature = kernel_util_internal::Signature<typename FuncType::FuncType>;
    using Caller = typename Signature::template apply<kernel_util_internal::Caller>;
    Caller::template call<FuncType, Signature::kTakesContext>(
        context, stack, std::make_index_sequence<Signature::kArgs>());
  }
};

/// The same as an entry of the registry.
template <typename FuncType>
runtime::Kernel make_boxed_kernel(const char* name, FuncType) {
  return runtime::Kernel(name, &WrapUnboxedIntoFunctor<FuncType>::call);
}

}  // namespace executorch::extension

/// Registers the function `func` for the operator "ns::op_name" when the library is loaded. A
/// name that is taken ends the process.
#define EXECUTORCH_LIBRARY(ns, op_name, func) ET_INTERNAL_LIBRARY(ns, op_name, func, __COUNTER__)
#define ET_INTERNAL_LIBRARY(ns, op_name, func, id) ET_INTERNAL_LIBRARY_(ns, op_name, func, id)
#define ET_INTERNAL_LIBRARY_(ns, op_name, func, id)                                      \
  static constexpr char et_op_name_##id[] = #ns "::" op_name;                            \
  [[maybe_unused]] static const auto et_op_##ns##_##id =                                 \
      ::executorch::runtime::register_kernel(::executorch::extension::make_boxed_kernel( \
          et_op_name_##id, EXECUTORCH_FN(func, et_op_name_##id)))

namespace torch::executor {
using ::executorch::extension::make_boxed_kernel;
using ::executorch::extension::WrapUnboxedIntoFunctor;
}  // namespace torch::executor
