#include <executorch/runtime/platform/log.h>
#include <utility>

#include "runtime/prim_ops/prim_ops.h"

namespace executorch::runtime::prim_ops {

bool has_arguments(KernelRuntimeContext& context, Span<EValue*> stack, std::size_t count) {
  if ET_LIKELY (stack.size() == count) return true;
  ET_LOG(Error, "%zu arguments where %zu are expected", stack.size(), count);
  context.fail(Error::InvalidProgram);
  return false;
}

void set_result(KernelRuntimeContext& context, EValue& slot, EValue result) {
  if ET_UNLIKELY (!slot.isScalar() && !slot.isNone()) {
    ET_LOG(Error, "a number written to a value that is %s", tag_to_string(slot.tag));
    context.fail(Error::InvalidType);
    return;
  }
  slot = std::move(result);
}

namespace {

bool register_all() {
  for (const auto kernels : {arithmetic_kernels(), tensor_kernels(), device_copy_kernels()}) {
    const Error error = register_kernels(Span<const Kernel>(kernels.data(), kernels.size()));
    ET_CHECK_MSG(error == Error::Ok, "the prim operators can't be registered: %s",
                 to_string(error));
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace executorch::runtime::prim_ops
