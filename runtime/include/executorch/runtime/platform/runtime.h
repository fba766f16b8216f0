#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

/// Prepares the platform. Has to be called before the rest of the runtime is used; may be called
/// any number of times, from any thread. Module does it.
ET_API void runtime_init();

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::runtime_init;
}  // namespace torch::executor
