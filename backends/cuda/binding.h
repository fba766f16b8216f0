#pragma once

#include <executorch/runtime/core/error.h>

namespace executorch::backends::cuda {

/// Lets a loaded library use the shims of this process's delegate. The loader binds to whatever
/// defines a name first, and in a program that is linked with PyTorch that is PyTorch, whose
/// tensors are not ours. Nothing is done where the loader found the right ones. `handle` is
/// dlopen()'s, and no function of the library may run meanwhile.
[[nodiscard]] runtime::Error bind_to_shims(void* handle, const char* name);

}  // namespace executorch::backends::cuda
