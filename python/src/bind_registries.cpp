// What is registered with the runtime, and functions that existing callers expect.

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <set>

#include "python/src/backend_options.h"
#include "python/src/bindings.h"
#include "python/src/failure.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  LogScope log;
  for (std::size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
    names.emplace_back(log.take(runtime::get_backend_name(i), "Failed to get a backend's name"));
  }
  return names;
}

bool is_available(const std::string& name) {
  const runtime::BackendInterface* const backend = runtime::get_backend_class(name.c_str());
  return backend != nullptr && backend->is_available();
}

// A kernel may be there for several types; an operator has one name.
std::vector<std::string> operator_names() {
  std::set<std::string> names;
  for (const runtime::Kernel& kernel : runtime::get_registered_kernels()) {
    names.insert(kernel.name_);
  }
  return {names.begin(), names.end()};
}

void set_backend_options(const std::string& name, const nb::dict& options) {
  std::vector<runtime::BackendOption> copied = backend_options(options);
  LogScope log;
  log.check(runtime::set_option(name.c_str(), {copied.data(), copied.size()}),
            "Failed to set options of backend " + name);
}

}  // namespace

void bind_registries(nb::module_& module) {
  module.def("_get_registered_backend_names", &backend_names,
             "The names of all backends, in the order in which they were registered.");
  module.def("_is_available", &is_available, nb::arg("backend_name"),
             "Whether a backend is registered and can work on this machine.");
  module.def("_get_operator_names", &operator_names, "The names of all operators with a kernel.");
  module.def("_set_backend_options", &set_backend_options, nb::arg("backend_name"),
             nb::arg("options"),
             nb::sig("def _set_backend_options(backend_name: str, options: dict[str, bool | int | "
                     "str]) -> None"),
             "Hands options to a backend, for all methods. RuntimeError when it is not registered\n"
             "or refuses them.");

  module.def(
      "_create_profile_block", [](const std::string&) {}, nb::arg("name"),
      "Does nothing: this runtime has no profiler of its own.");
  module.def(
      "_dump_profile_results", [] { return nb::bytes("", 0); },
      "Empty: this runtime has no profiler of its own.");
  module.def(
      "_reset_profile_results", [] {}, "Does nothing: this runtime has no profiler of its own.");
  module.def(
      "_threadpool_get_thread_count", [] { return 1; },
      "1: a method's kernels run on the thread that calls it.");
  module.def(
      "_unsafe_reset_threadpool", [](int) {}, nb::arg("num_threads"),
      "Does nothing: a method's kernels run on the thread that calls it.");
}

}  // namespace executorch::python
