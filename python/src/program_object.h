// A program as Python holds it.

#pragma once

#include <memory>

#include "python/src/backend_options.h"
#include "python/src/program.h"

namespace executorch::python {

/// A program, and the options with which its methods are loaded.
struct ProgramObject {
  std::shared_ptr<LoadedProgram> program;
  std::shared_ptr<const BackendOptionsCopy> options;
};

}  // namespace executorch::python
