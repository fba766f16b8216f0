// A loaded method: its memory, its inputs while it refers to them, one execution at a time.

#pragma once

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

#include "python/src/backend_options.h"
#include "python/src/inputs.h"
#include "python/src/outputs.h"
#include "python/src/program.h"

namespace executorch::python {

/// Used from several threads, its calls happen one after the other. All functions are called with
/// the GIL held and give it up while the runtime works; they throw std::runtime_error in the
/// runtime's words.
class LoadedMethod : public std::enable_shared_from_this<LoadedMethod> {
 public:
  /// Loads a method, on the devices that the program names.
  static std::shared_ptr<LoadedMethod> load(std::shared_ptr<LoadedProgram> program,
                                            const std::string& name,
                                            std::shared_ptr<const BackendOptionsCopy> options);
  ~LoadedMethod();

  /// Sets all inputs, executes and reads the outputs, without another call between.
  nanobind::list call(nanobind::handle inputs, bool clone_outputs);

  /// Sets all inputs. They are referred to until the next ones are set.
  void set_inputs(nanobind::handle inputs);
  /// Executes with the inputs that were set; again, when it has been executed with them before.
  void execute();
  /// The outputs of the last execution.
  nanobind::list get_outputs(bool clone_outputs);
  /// execute() and get_outputs(), without another call between.
  nanobind::list execute_and_get(bool clone_outputs);

  /// A copy of a tensor of the method by its fully qualified name, as the exporter recorded it.
  nanobind::object attribute(const std::string& name);

  runtime::MethodMeta meta() const { return method_->method_meta(); }
  const std::shared_ptr<LoadedProgram>& program() const { return program_; }

 private:
  class Running;
  struct Place {
    std::size_t output;
    std::size_t size;
    aten::Device device;
  };

  LoadedMethod(std::shared_ptr<LoadedProgram> program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  // Without the GIL, while the method is locked.
  void find_places();
  void set();
  void run();
  std::vector<OutputValue> read(bool clone, bool hand_over);
  [[noreturn]] void refuse(const char* why) const;

  nanobind::list to_list(const std::vector<OutputValue>& outputs, ArrayKind kind) const;

  // In the order in which they depend on each other.
  std::shared_ptr<LoadedProgram> program_;
  std::string name_;
  std::shared_ptr<std::mutex> lock_;
  std::unique_ptr<extension::PlannedArenas> arenas_;
  extension::MallocMemoryAllocator memory_;
  extension::MallocMemoryAllocator temporary_;
  std::shared_ptr<const BackendOptionsCopy> options_;
  std::shared_ptr<Inputs> inputs_;
  std::vector<OutputMemory> output_memory_;
  std::optional<runtime::MemoryManager> manager_;
  std::optional<runtime::Method> method_;
  std::vector<Place> places_;
  // What the values of the method are: kSet is for one execution, which may use the inputs' places.
  enum class State { kIncomplete, kSet, kExecuted, kFailed } state_ = State::kIncomplete;
};

}  // namespace executorch::python
