// The parts of the extension module; each adds its classes and functions.

#pragma once

#include <executorch/runtime/executor/method_meta.h>
#include <memory>
#include <nanobind/nanobind.h>

#include "python/src/program.h"

namespace executorch::python {

/// What a program says of a method, with the program that says it.
struct MethodDescription {
  std::shared_ptr<LoadedProgram> program;
  runtime::MethodMeta meta;
};

void bind_metadata(nanobind::module_& module);
void bind_methods(nanobind::module_& module);
void bind_loading(nanobind::module_& module);
void bind_registries(nanobind::module_& module);

}  // namespace executorch::python
