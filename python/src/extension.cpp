// The extension module executorch.extension.pybindings._C.

#include "python/src/bindings.h"
#include "python/src/failure.h"

NB_MODULE(_C, module) {
  namespace python = executorch::python;
  module.doc() = "The runtime's classes and functions; executorch.runtime is the interface to use.";
  // Objects in the variables of a program that ends are no leak.
  nanobind::set_leak_warnings(false);
  python::install_log_receiver();
  python::bind_metadata(module);
  python::bind_methods(module);
  python::bind_loading(module);
  python::bind_registries(module);
}
