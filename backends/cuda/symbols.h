#pragma once

#include <executorch/runtime/core/error.h>

#include "backends/cuda/image.h"

namespace executorch::backends::cuda {

/// Makes the shims and the CUDA runtime visible to every library of the process: compiled libraries
/// import their functions without naming them as needed, and Python, for one, loads its extensions
/// privately. Once per process.
[[nodiscard]] runtime::Error make_imports_visible();
/// Makes sure that the process has a C++ runtime before the first compiled library is loaded. Each
/// brings one of its own, with symbols that are unique in a process: without an earlier one, the
/// second library would use half of the first's, and crash where their locales differ.
void load_cpp_runtime();

/// Looks for everything that a library imports, so that a missing function is named before anything
/// runs, and not by the death of the process at its first call. NotFound names a library that can't
/// be had, NotSupported every symbol that is missing.
[[nodiscard]] runtime::Error check_imports(const Imports& imports, const char* name);

}  // namespace executorch::backends::cuda
