// The functions that load programs.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "python/src/module_object.h"
#include "python/src/program_object.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using Verification = Program::Verification;

// A path as the system has it, from str, bytes or an object with __fspath__.
std::string path_of(nb::handle object) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(object.ptr(), &bytes) == 0) nb::raise_python_error();
  const nb::object owner = nb::steal(bytes);
  return PyBytes_AS_STRING(bytes);
}

std::optional<Source> file_if_given(nb::handle path) {
  if (path.is_none()) return std::nullopt;
  std::string text = path_of(path);
  return text.empty() ? std::nullopt : std::optional(Source::file(std::move(text)));
}

std::optional<Source> buffer_if_given(nb::handle buffer) {
  return buffer.is_none() ? std::nullopt : std::optional(Source::buffer(buffer));
}

std::shared_ptr<const BackendOptionsCopy> options_of(nb::handle options) {
  if (options.is_none()) return std::make_shared<BackendOptionsCopy>();
  if (!PyDict_Check(options.ptr())) throw nb::type_error("backend_options is a dict of dicts");
  return std::make_shared<BackendOptionsCopy>(nb::borrow<nb::dict>(options));
}

void check_etdump(bool enable_etdump) {
  if (enable_etdump &&
      PyErr_WarnEx(PyExc_RuntimeWarning,
                   "enable_etdump has no effect: this runtime does not write etdumps yet",
                   1) != 0) {
    nb::raise_python_error();
  }
}

// Modules don't share memory between methods, programs do, and modules read their data with the
// first method, as callers know it from both.
std::shared_ptr<LoadedModule> load_module(Source source, std::optional<Source> data,
                                          bool enable_etdump, Verification verification,
                                          nb::handle options) {
  check_etdump(enable_etdump);
  auto copied = options_of(options);
  return std::make_shared<LoadedModule>(
      LoadedProgram::load(std::move(source), std::move(data), verification, SharedState::kNo),
      std::move(copied));
}

ProgramObject load_program(Source source, nb::handle data_path, bool enable_etdump,
                           Verification verification, nb::handle options) {
  check_etdump(enable_etdump);
  auto copied = options_of(options);
  auto loaded = LoadedProgram::load(std::move(source), file_if_given(data_path), verification,
                                    SharedState::kYes);
  (void)loaded->data_map();  // what is wrong with it is said now
  return {std::move(loaded), std::move(copied)};
}

[[noreturn]] void no_bundles() {
  throw std::runtime_error("This runtime does not load bundled programs yet.");
}

struct BundledModule {};

constexpr const char* kOptions =
    "data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options\n"
    "is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.\n"
    "debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in\n"
    "the runtime's words.";

// Read when a function is bound, which keeps its text.
std::string from_file() {
  return std::string("Loads a program from a file, which is mapped and must not change.\n") +
         kOptions;
}
std::string from_buffer() {
  return std::string(
             "Loads a program from bytes, which are kept, or from another buffer, which is "
             "copied.\n") +
         kOptions;
}
std::string from_loader() {
  return std::string(
             "Loads a program from an object that is asked for its parts: size() is the number of\n"
             "bytes, and load(offset, size) gives that many of them, as bytes. They are "
             "copied.\n") +
         kOptions;
}

void bind_modules(nb::module_& module) {
  module.def(
      "_load_for_executorch",
      [](nb::handle program_path, nb::handle data_path, bool enable_etdump, std::size_t,
         Verification verification, nb::handle options) {
        return load_module(Source::file(path_of(program_path)), file_if_given(data_path),
                           enable_etdump, verification, options);
      },
      nb::arg("program_path"), nb::arg("data_path") = nb::none(), nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::InternalConsistency, nb::kw_only(),
      nb::arg("backend_options") = nb::none(),
      nb::sig("def _load_for_executorch(program_path: str | os.PathLike[str], data_path: str | "
              "os.PathLike[str] | None = None, enable_etdump: bool = False, debug_buffer_size: int "
              "= 0, program_verification: Verification = ..., *, backend_options: dict[str, "
              "dict[str, bool | int | str]] | None = None) -> ExecuTorchModule"),
      from_file().c_str());
  module.def(
      "_load_for_executorch_from_buffer",
      [](nb::handle buffer, nb::handle data_map_buffer, bool enable_etdump, std::size_t,
         Verification verification, nb::handle options) {
        return load_module(Source::buffer(buffer), buffer_if_given(data_map_buffer), enable_etdump,
                           verification, options);
      },
      nb::arg("buffer"), nb::arg("data_map_buffer") = nb::none(), nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::InternalConsistency, nb::kw_only(),
      nb::arg("backend_options") = nb::none(),
      nb::sig("def _load_for_executorch_from_buffer(buffer: bytes | bytearray | memoryview, "
              "data_map_buffer: bytes | bytearray | memoryview | None = None, enable_etdump: bool "
              "= False, debug_buffer_size: int = 0, program_verification: Verification = ..., *, "
              "backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> "
              "ExecuTorchModule"),
      from_buffer().c_str());
  module.def(
      "_load_for_executorch_from_data_loader",
      [](nb::handle loader, nb::handle data_path, bool enable_etdump, std::size_t,
         Verification verification, nb::handle options) {
        return load_module(Source::loader(loader), file_if_given(data_path), enable_etdump,
                           verification, options);
      },
      nb::arg("loader"), nb::arg("data_path") = nb::none(), nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::InternalConsistency, nb::kw_only(),
      nb::arg("backend_options") = nb::none(),
      nb::sig("def _load_for_executorch_from_data_loader(loader: object, data_path: str | "
              "os.PathLike[str] | None = None, enable_etdump: bool = False, debug_buffer_size: int "
              "= 0, program_verification: Verification = ..., *, backend_options: dict[str, "
              "dict[str, bool | int | str]] | None = None) -> ExecuTorchModule"),
      from_loader().c_str());
}

void bind_programs(nb::module_& module) {
  module.def(
      "_load_program",
      [](nb::handle path, bool enable_etdump, std::size_t, Verification verification,
         nb::handle data_path, nb::handle options) {
        return load_program(Source::file(path_of(path)), data_path, enable_etdump, verification,
                            options);
      },
      nb::arg("path"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = nb::none(),
      nb::kw_only(), nb::arg("backend_options") = nb::none(),
      nb::sig("def _load_program(path: str | os.PathLike[str], enable_etdump: bool = False, "
              "debug_buffer_size: int = 0, program_verification: Verification = ..., data_path: "
              "str | os.PathLike[str] | None = None, *, backend_options: dict[str, dict[str, bool "
              "| int | str]] | None = None) -> ExecuTorchProgram"),
      from_file().c_str());
  module.def(
      "_load_program_from_buffer",
      [](nb::handle buffer, bool enable_etdump, std::size_t, Verification verification,
         nb::handle data_path, nb::handle options) {
        return load_program(Source::buffer(buffer), data_path, enable_etdump, verification,
                            options);
      },
      nb::arg("buffer"), nb::arg("enable_etdump") = false, nb::arg("debug_buffer_size") = 0,
      nb::arg("program_verification") = Verification::Minimal, nb::arg("data_path") = nb::none(),
      nb::kw_only(), nb::arg("backend_options") = nb::none(),
      nb::sig(
          "def _load_program_from_buffer(buffer: bytes | bytearray | memoryview, enable_etdump: "
          "bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., "
          "data_path: str | os.PathLike[str] | None = None, *, backend_options: dict[str, "
          "dict[str, bool | int | str]] | None = None) -> ExecuTorchProgram"),
      from_buffer().c_str());
}

void bind_bundles(nb::module_& module) {
  // NOLINTNEXTLINE(bugprone-unused-raii): making it registers the class
  nb::class_<BundledModule>(module, "BundledModule",
                            "A program with inputs and expected outputs; not made yet.");
  module.def(
      "_load_bundled_program_from_buffer",
      [](nb::handle, std::size_t) -> BundledModule { no_bundles(); }, nb::arg("buffer"),
      nb::arg("non_const_pool_size") = 16 * 1024, "Raises RuntimeError: not supported yet.");
  module.def(
      "_load_for_executorch_from_bundled_program",
      [](nb::handle, nb::handle, bool, std::size_t) -> std::shared_ptr<LoadedModule> {
        no_bundles();
      },
      nb::arg("module"), nb::arg("data_map_buffer") = nb::none(), nb::arg("enable_etdump") = false,
      nb::arg("debug_buffer_size") = 0, "Raises RuntimeError: not supported yet.");
}

}  // namespace

void bind_loading(nb::module_& module) {
  nb::enum_<Verification>(module, "Verification",
                          "How much of a program is checked when it is loaded.")
      .value("Minimal", Verification::Minimal,
             "Header and size; what isn't checked then is checked where it is used.")
      .value("InternalConsistency", Verification::InternalConsistency,
             "Every table, string and vector too.");
  bind_modules(module);
  bind_programs(module);
  bind_bundles(module);
}

}  // namespace executorch::python
