#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/compiler.h>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace executorch::extension {

using runtime::Kernel;
using runtime::LoadBackendOptionsMap;
using runtime::Method;
using runtime::MethodMeta;
using runtime::NamedDataMap;
using runtime::Program;

namespace internal {
/// The memory and the method of a name; what Module keeps of a loaded method.
class LoadedMethod;
}  // namespace internal

namespace module {

/// A program with its data files, loaded when it is needed: the simple way to run a model. It
/// makes the memory of each method, arenas on devices included. Used by one thread at a time.
class ET_API Module {
 public:
  /// How a file is read.
  enum class LoadMode {
    /// Copied into memory.
    File,
    /// Mapped; pages are read when they are touched.
    Mmap,
    /// Mapped and kept in memory.
    MmapUseMlock,
    /// The same, and a failure to keep it is ignored.
    MmapUseMlockIgnoreErrors,
    /// Mapped, and the system is asked to read it soon.
    MmapUseMadvise,
  };

  /// A program in a file. Nothing is read before it is needed. `memory_allocator` holds what
  /// methods need for themselves and `temp_allocator` what kernels need during a call; by default
  /// both use malloc(). With `share_memory_arenas` all methods use the same first two arenas, so
  /// that they share mutable buffers and a call ends the outputs of the one before.
  explicit Module(const std::string& file_path, LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);
  /// The same with a data file (.ptd).
  explicit Module(const std::string& file_path, const std::string& data_map_path,
                  LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);
  /// The same with any number of data files.
  explicit Module(const std::string& file_path, std::vector<std::string> data_files,
                  LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);
  /// A program, and data, from anywhere.
  explicit Module(std::unique_ptr<runtime::DataLoader> data_loader,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);
  /// A program that is loaded already, shared with other modules.
  explicit Module(std::shared_ptr<Program> program,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);

  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) = delete;
  Module& operator=(Module&&) = delete;
  virtual ~Module();

  /// Loads the program and the data files, if they aren't yet.
  ET_NODISCARD virtual runtime::Error load(
      Program::Verification verification = Program::Verification::Minimal);
  /// The same, and keeps a copy of the options for the backends of methods that are loaded later.
  ET_NODISCARD virtual runtime::Error load(
      const LoadBackendOptionsMap& backend_options,
      Program::Verification verification = Program::Verification::Minimal);
  const LoadBackendOptionsMap& backend_options() const { return backend_options_; }
  virtual bool is_loaded() const { return program_ != nullptr; }
  /// The program; null when it isn't loaded.
  std::shared_ptr<Program> program() const { return program_; }

  // All of the following load the program when it isn't yet.
  runtime::Result<size_t> num_methods();
  runtime::Result<std::unordered_set<std::string>> method_names();
  runtime::Result<MethodMeta> method_meta(const std::string& method_name);

  /// Makes a method ready, if it isn't yet. `planned_memory` takes the place of the arenas that
  /// the module would make, `event_tracer` that of the module's, `backend_options` that of those
  /// given to load(); all three have to outlive the method. Kernels of `kernel_registry` are
  /// preferred to those of the process.
  ET_NODISCARD runtime::Error load_method(const std::string& method_name,
                                          runtime::HierarchicalAllocator* planned_memory = nullptr,
                                          runtime::EventTracer* event_tracer = nullptr,
                                          const LoadBackendOptionsMap* backend_options = nullptr,
                                          std::vector<Kernel> kernel_registry = {});
  ET_DEPRECATED ET_NODISCARD runtime::Error load_method(const std::string& method_name,
                                                        runtime::EventTracer* event_tracer) {
    return load_method(method_name, nullptr, event_tracer, nullptr);
  }
  /// Gives a method's memory back; outputs of it end. False when it wasn't loaded.
  bool unload_method(const std::string& method_name);
  bool is_method_loaded(const std::string& method_name) const;
  ET_DEPRECATED ET_NODISCARD runtime::Result<Method*> method(const std::string& method_name);

  /// Sets the first inputs of a method, loading it when it isn't yet, and runs it. The rest of the
  /// inputs must have been set before. The outputs refer to the method's memory, until it is run
  /// again or unloaded.
  ET_NODISCARD virtual runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const runtime::EValue& input_value) {
    return execute(method_name, std::vector<runtime::EValue>{input_value});
  }
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name) {
    return execute(method_name, std::vector<runtime::EValue>{});
  }

  /// The first output of execute(); InvalidArgument when there is none.
  ET_NODISCARD runtime::Result<runtime::EValue> get(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values) {
    auto outputs = execute(method_name, input_values);
    if (!outputs.ok()) {
      return outputs.error();
    }
    if (outputs->empty()) {
      return runtime::Error::InvalidArgument;
    }
    return outputs->front();
  }
  ET_NODISCARD runtime::Result<runtime::EValue> get(const std::string& method_name,
                                                    const runtime::EValue& input_value) {
    return get(method_name, std::vector<runtime::EValue>{input_value});
  }
  ET_NODISCARD runtime::Result<runtime::EValue> get(const std::string& method_name) {
    return get(method_name, std::vector<runtime::EValue>{});
  }

  /// Sets an input for the calls to come.
  ET_NODISCARD runtime::Error set_input(const std::string& method_name,
                                        const runtime::EValue& input_value, size_t input_index);
  /// Sets all inputs for the calls to come.
  ET_NODISCARD runtime::Error set_inputs(const std::string& method_name,
                                         const std::vector<runtime::EValue>& input_values);
  /// Says which tensor's memory an output is written to; see Method::set_output_data_ptr().
  ET_NODISCARD runtime::Error set_output(const std::string& method_name,
                                         runtime::EValue output_value, size_t output_index = 0);
  ET_NODISCARD runtime::Error set_outputs(const std::string& method_name,
                                          const std::vector<runtime::EValue>& output_values);
  /// The outputs of the last call.
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> get_outputs(
      const std::string& method_name);
  ET_NODISCARD runtime::Result<runtime::EValue> get_output(const std::string& method_name,
                                                           size_t output_index = 0);

  // The same for the method "forward".
  ET_NODISCARD runtime::Error load_forward(runtime::HierarchicalAllocator* planned_memory = nullptr,
                                           runtime::EventTracer* event_tracer = nullptr,
                                           const LoadBackendOptionsMap* backend_options = nullptr,
                                           std::vector<Kernel> kernel_registry = {}) {
    return load_method("forward", planned_memory, event_tracer, backend_options,
                       std::move(kernel_registry));
  }
  ET_DEPRECATED ET_NODISCARD runtime::Error load_forward(runtime::EventTracer* event_tracer) {
    return load_forward(nullptr, event_tracer, nullptr);
  }
  bool unload_forward() { return unload_method("forward"); }
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward(
      const std::vector<runtime::EValue>& input_values) {
    return execute("forward", input_values);
  }
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward(
      const runtime::EValue& input_value) {
    return execute("forward", input_value);
  }
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward() {
    return execute("forward");
  }
  ET_NODISCARD runtime::Error set_input(const runtime::EValue& input_value, size_t input_index) {
    return set_input("forward", input_value, input_index);
  }
  ET_NODISCARD runtime::Error set_inputs(const std::vector<runtime::EValue>& input_values) {
    return set_inputs("forward", input_values);
  }
  ET_NODISCARD runtime::Error set_output(runtime::EValue output_value, size_t output_index = 0) {
    return set_output("forward", std::move(output_value), output_index);
  }
  ET_NODISCARD runtime::Error set_outputs(const std::vector<runtime::EValue>& output_values) {
    return set_outputs("forward", output_values);
  }
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> get_outputs() {
    return get_outputs("forward");
  }
  ET_NODISCARD runtime::Result<runtime::EValue> get_output(size_t output_index = 0) {
    return get_output("forward", output_index);
  }

  /// The module's tracer; may be null.
  runtime::EventTracer* event_tracer() const { return event_tracer_.get(); }
  /// Of older releases: the module has none.
  ET_DEPRECATED ET_NODISCARD runtime::Span<uint8_t> debug_buffer() { return {}; }

 private:
  runtime::Error load_data_files();
  runtime::Error make_shared_arenas();
  runtime::Result<internal::LoadedMethod*> loaded_method(const std::string& method_name);

  std::string file_path_;
  std::vector<std::string> data_files_;
  LoadMode load_mode_ = LoadMode::File;
  bool share_memory_arenas_ = false;

  // In the order in which they depend on each other.
  std::unique_ptr<runtime::DataLoader> data_loader_;
  std::shared_ptr<Program> program_;
  std::vector<std::unique_ptr<runtime::DataLoader>> data_map_loaders_;
  std::vector<std::unique_ptr<NamedDataMap>> data_maps_;
  std::unique_ptr<NamedDataMap> merged_data_map_;
  const NamedDataMap* data_map_ = nullptr;
  std::unique_ptr<runtime::MemoryAllocator> memory_allocator_;
  std::unique_ptr<runtime::MemoryAllocator> temp_allocator_;
  std::unique_ptr<runtime::EventTracer> event_tracer_;
  std::unique_ptr<PlannedArenas> shared_arenas_;
  std::vector<std::vector<runtime::BackendOption>> backend_options_storage_;
  LoadBackendOptionsMap backend_options_;
  std::unordered_map<std::string, std::unique_ptr<internal::LoadedMethod>> methods_;
};

}  // namespace module

using module::Module;

}  // namespace executorch::extension

namespace torch::executor {
using ::executorch::extension::module::Module;
}  // namespace torch::executor
