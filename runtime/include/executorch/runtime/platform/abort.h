#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

/// Ends the process through the platform's abort function.
ET_NORETURN ET_API void runtime_abort();

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::runtime_abort;
}  // namespace torch::executor
