// Registers every kernel when the library is loaded.

#include <executorch/runtime/platform/log.h>

#include "runtime/kernels/boxed.h"

namespace executorch::kernels {
namespace {

constexpr Operators (*kFamilies[])() = {
    &elementwise_operators, &unary_operators,  &select_operators, &copy_operators,
    &join_operators,        &create_operators, &index_operators,  &reduce_operators,
    &order_operators,       &norm_operators,   &matmul_operators, &convolution_operators,
    &pool_operators,
};

bool register_all() {
  bool registered = true;
  for (const auto family : kFamilies) {
    for (const Operator& entry : family()) {
      const runtime::Kernel kernel(entry.name, entry.function);
      const Error error = runtime::register_kernel(kernel);
      if (error != Error::Ok) {
        ET_LOG(Error, "kernel %s could not be registered: 0x%x", entry.name,
               static_cast<unsigned>(error));
        registered = false;
      }
    }
  }
  return registered;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace executorch::kernels
