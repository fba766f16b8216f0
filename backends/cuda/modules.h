#pragma once

namespace executorch::backends::cuda {

/// Takes the place of the driver's cuModuleLoadData() in compiled libraries. They load the code of
/// their kernels for each instance of a model and never give it back, so that every load of a
/// program would leave some of it behind; here each piece of code is loaded once in a context, and
/// instances share it. The code is part of a library, which stays in the process.
///
/// `real` is the driver's function, `current_context` its cuCtxGetCurrent(), or null.
void use_driver(void* real, void* current_context);
/// As cuModuleLoadData().
int load_module_once(void** module, const void* image);

}  // namespace executorch::backends::cuda
