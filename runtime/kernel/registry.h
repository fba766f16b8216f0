#pragma once

#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch::runtime::internal {

/// Logs that an operator of a program has no kernel, and what to do about it.
void log_missing_operator(const char* name);

}  // namespace executorch::runtime::internal
