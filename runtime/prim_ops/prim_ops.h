// The operators that belong to the runtime itself: arithmetic on the numbers by which shapes and
// control flow are computed, views, and copies to and from devices. Kernels that compute with
// tensors are in libraries of their own.

#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <span>

namespace executorch::runtime::prim_ops {

/// Numbers in, one number out. The result's value is replaced, whatever number it was.
std::span<const Kernel> arithmetic_kernels();
/// Sizes and elements of tensors, views, and copies into a slice.
std::span<const Kernel> tensor_kernels();

/// From host memory to a device and back, tensors of one type, shape and dim order.
std::span<const Kernel> device_copy_kernels();

/// Whether there are `count` arguments; fails the call otherwise.
bool has_arguments(KernelRuntimeContext& context, Span<EValue*> stack, std::size_t count);
/// Writes the result, unless its value holds something other than a number: the call fails then.
void set_result(KernelRuntimeContext& context, EValue& slot, EValue result);

}  // namespace executorch::runtime::prim_ops
