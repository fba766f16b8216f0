// ExecuTorchMethod, ExecuTorchProgram and ExecuTorchModule.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/bindings.h"
#include "python/src/failure.h"
#include "python/src/method.h"
#include "python/src/module_object.h"
#include "python/src/program_object.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

constexpr const char* kInputs =
    "Inputs are a flat sequence, or one tensor: torch tensors, numpy arrays, objects with\n"
    "__dlpack__ (contiguous, or 4-dimensional channels-last; on the CPU or on a CUDA device), "
    "None,\n"
    "bool, int, float and str; their number, types and shapes are the method's, and numbers and\n"
    "strings those that it was exported with. Memory is not copied where the program allows.\n\n"
    "Outputs are a list of None, bool, int, float, str and tensors, which are torch's, numpy's "
    "or,\n"
    "of another library, objects with __dlpack__, as the inputs are (torch's for a mixture; "
    "without\n"
    "a tensor among the inputs torch's when it is imported, else numpy's). They stay valid. With\n"
    "clone_outputs=False they refer to the method's memory where they lie in it, which is kept\n"
    "alive, and the next call overwrites.\n\n"
    "Other threads run meanwhile; calls of one method happen one after the other. Raises\n"
    "RuntimeError in the runtime's words.";

std::string with_inputs(const char* what) { return std::string(what) + "\n\n" + kInputs; }

void no_etdump(const nb::object&, const nb::object&) {
  throw std::runtime_error("No etdump found: this runtime does not write any yet.");
}

template <typename Class>
void add_etdump(nb::class_<Class>& type) {
  type.def(
          "has_etdump", [](const Class&) { return false; },
          "Whether there is a record of executions to write: not yet in this runtime.")
      .def(
          "write_etdump_result_to_file",
          [](const Class&, const nb::object& path, const nb::object& debug_buffer_path) {
            no_etdump(path, debug_buffer_path);
          },
          nb::arg("path"), nb::arg("debug_buffer_path") = nb::none(),
          nb::sig("def write_etdump_result_to_file(self, path: str, debug_buffer_path: str | None "
                  "= None) -> None"),
          "Raises RuntimeError: this runtime does not write etdumps yet.");
}

void bind_method(nb::module_& module) {
  static const std::string call_text =
      with_inputs("Executes the method on inputs, and returns the outputs.");
  nb::class_<LoadedMethod>(module, "ExecuTorchMethod",
                           "A method with its memory. Keeps the program alive.")
      .def("set_inputs", &LoadedMethod::set_inputs, nb::arg("inputs").none(),
           nb::sig("def set_inputs(self, inputs: object) -> None"),
           "Sets all inputs; see call(). They are kept until the next ones are set.")
      .def("execute", &LoadedMethod::execute,
           "Executes the method with the inputs that were set. RuntimeError when they weren't.")
      .def("get_outputs", &LoadedMethod::get_outputs, nb::arg("clone_outputs") = true,
           nb::sig("def get_outputs(self, clone_outputs: bool = True) -> list"),
           "The outputs of the last execution; see call(). RuntimeError when there was none with\n"
           "the inputs that are set.")
      .def("call", &LoadedMethod::call, nb::arg("inputs").none() = nb::tuple(),
           nb::arg("clone_outputs") = true,
           nb::sig("def call(self, inputs: object = (), clone_outputs: bool = True) -> list"),
           call_text.c_str())
      .def("__call__", &LoadedMethod::call, nb::arg("inputs").none() = nb::tuple(),
           nb::arg("clone_outputs") = true,
           nb::sig("def __call__(self, inputs: object = (), clone_outputs: bool = True) -> list"),
           "The same as call().")
      .def("get_attribute", &LoadedMethod::attribute, nb::arg("name"),
           "A copy of the tensor of that name, such as a mutable buffer. RuntimeError when the\n"
           "program has recorded no such name.")
      .def(
          "method_meta",
          [](const LoadedMethod& method) {
            return MethodDescription{method.program(), method.meta()};
          },
          "The method's description.");
}

void bind_program(nb::module_& module) {
  nb::class_<ProgramObject> type(module, "ExecuTorchProgram", "A program, verified.");
  type.def(
          "num_methods",
          [](const ProgramObject& object) { return object.program->program().num_methods(); },
          "Methods of the program.")
      .def(
          "get_method_name",
          [](const ProgramObject& object, std::size_t index) {
            LogScope log;
            return std::string(log.take(object.program->program().get_method_name(index),
                                        "Failed get method name"));
          },
          nb::arg("method_index"),
          "The name of method `method_index`, from 0. RuntimeError when there is no such method.")
      .def(
          "load_method",
          [](const ProgramObject& object, const std::string& name) {
            return LoadedMethod::load(object.program, name, object.options);
          },
          nb::arg("method_name"),
          "Loads a method: its memory, on devices where the program says so, its delegates and\n"
          "kernels. RuntimeError in the runtime's words when one of them is missing.")
      .def(
          "method_meta",
          [](const ProgramObject& object, const std::string& name) {
            return MethodDescription{object.program, object.program->method_meta(name)};
          },
          nb::arg("method_name"),
          "The description of a method. RuntimeError when there is no such method.");
  add_etdump(type);
}

void bind_module(nb::module_& module) {
  static const std::string forward_text = with_inputs("Executes the method 'forward'.");
  static const std::string run_text = with_inputs("Executes a method.");
  nb::class_<LoadedModule> type(module, "ExecuTorchModule",
                                "A program, verified, whose methods are loaded when they are first "
                                "called.");
  const auto forward = [](LoadedModule& object, nb::handle inputs, bool clone_outputs) {
    return object.method("forward")->call(inputs, clone_outputs);
  };
  type.def("forward", forward, nb::arg("inputs").none() = nb::tuple(),
           nb::arg("clone_outputs") = true,
           nb::sig("def forward(self, inputs: object = (), clone_outputs: bool = True) -> list"),
           forward_text.c_str())
      .def("__call__", forward, nb::arg("inputs").none() = nb::tuple(),
           nb::arg("clone_outputs") = true,
           nb::sig("def __call__(self, inputs: object = (), clone_outputs: bool = True) -> list"),
           "The same as forward().")
      .def(
          "run_method",
          [](LoadedModule& object, const std::string& name, nb::handle inputs, bool clone_outputs) {
            return object.method(name)->call(inputs, clone_outputs);
          },
          nb::arg("method_name"), nb::arg("inputs").none() = nb::tuple(),
          nb::arg("clone_outputs") = true,
          nb::sig("def run_method(self, method_name: str, inputs: object = (), clone_outputs: bool "
                  "= True) -> list"),
          run_text.c_str())
      .def(
          "plan_execute",
          [](LoadedModule& object, const std::string& name, bool clone_outputs) {
            return object.method(name)->execute_and_get(clone_outputs);
          },
          nb::arg("method_name"), nb::arg("clone_outputs") = true,
          nb::sig("def plan_execute(self, method_name: str, clone_outputs: bool = True) -> list"),
          "Executes a method with the inputs of its last call. RuntimeError when it has inputs "
          "and\n"
          "was never called.")
      .def(
          "method_meta",
          [](const LoadedModule& object, const std::string& name) {
            return MethodDescription{object.program(), object.program()->method_meta(name)};
          },
          nb::arg("method_name"),
          "The description of a method. RuntimeError when there is no such method.")
      .def(
          "method_names",
          [](const LoadedModule& object) { return object.program()->method_names(); },
          "The names of the program's methods.");
  add_etdump(type);
}

}  // namespace

void bind_methods(nb::module_& module) {
  bind_method(module);
  bind_program(module);
  bind_module(module);
}

}  // namespace executorch::python
