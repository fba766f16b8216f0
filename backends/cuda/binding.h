#pragma once

#include <executorch/runtime/core/error.h>

namespace executorch::backends::cuda {

/// Lets what a loaded library imports be ours, before any function of it runs; `handle` is
/// dlopen()'s.
///   - The shims: the loader binds to whatever defines a name first, and in a program that is
///   linked
///     with PyTorch that is PyTorch, whose tensors are not ours. Left alone where the loader found
///     the right ones.
///   - The driver's cuModuleLoadData(): see modules.h.
[[nodiscard]] runtime::Error bind_imports(void* handle, const char* name);

}  // namespace executorch::backends::cuda
