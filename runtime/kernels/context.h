#pragma once

// The names that every kernel uses, and how a kernel says that it refuses a call.

#include <cstdint>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <optional>
#include <string_view>

namespace executorch::kernels {

using aten::ArrayRef;
using aten::Scalar;
using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using Context = runtime::KernelRuntimeContext;
using IntList = ArrayRef<int64_t>;
using TensorList = ArrayRef<Tensor>;
using OptionalTensorList = ArrayRef<std::optional<Tensor>>;

/// Marks the call as failed with `error`, logs why, and returns false.
[[gnu::format(printf, 3, 4)]] bool refuse_with(Context& context, Error error, const char* format,
                                               ...);

/// As refuse_with, with Error::InvalidArgument: the arguments do not fit the operator.
[[gnu::format(printf, 2, 3)]] bool refuse(Context& context, const char* format, ...);

/// Memory for `count` values that lives until the kernel returns; nullptr after a failure that is
/// recorded in `context`.
template <class T>
T* allocate_temp(Context& context, int64_t count) {
  if (count < 0 || count > INT64_MAX / static_cast<int64_t>(sizeof(T))) {
    refuse(context, "temporary memory for %lld values is too large", static_cast<long long>(count));
    return nullptr;
  }
  auto memory = context.allocate_temp(static_cast<size_t>(count) * sizeof(T), 64);
  if (!memory.ok()) {
    refuse_with(context, memory.error(), "no temporary memory for %lld bytes",
                static_cast<long long>(count) * static_cast<long long>(sizeof(T)));
    return nullptr;
  }
  return static_cast<T*>(*memory);
}

}  // namespace executorch::kernels
