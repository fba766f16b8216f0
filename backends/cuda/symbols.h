#pragma once

#include <executorch/runtime/core/error.h>

#include "backends/cuda/image.h"

namespace executorch::backends::cuda {

/// Makes the shims and the CUDA runtime visible to every library of the process: compiled libraries
/// import their functions without naming them as needed, and Python, for one, loads its extensions
/// privately. Once per process.
[[nodiscard]] runtime::Error make_imports_visible();
/// Makes sure that libstdc++ is there, visible to all, before the first compiled library is loaded.
/// Each brings a copy of its own whose symbols others can take the place of, and some of which are
/// unique in a process: if all come from one libstdc++, they fit. Without it the second library
/// would share its locales' numbers, and nothing else, with the first, and crash.
void load_cpp_runtime();

/// Looks for everything that a library imports, so that a missing function is named before anything
/// runs, and not by the death of the process at its first call. NotFound names a library that can't
/// be had, NotSupported every symbol that is missing.
[[nodiscard]] runtime::Error check_imports(const Imports& imports, const char* name);

}  // namespace executorch::backends::cuda
