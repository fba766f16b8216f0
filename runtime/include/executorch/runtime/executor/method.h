#pragma once

#include <cstddef>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>
#include <string_view>

namespace executorch::runtime {

class Program;

namespace internal {
class MethodState;
}  // namespace internal

/// A method of a program, ready to be executed. Made by Program::load_method(). Move-only; used by
/// one thread at a time. The program and the memory manager have to outlive it.
class ET_API Method final {
 public:
  Method(Method&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  Method& operator=(Method&&) = delete;
  /// Ends the delegates and gives the method's own memory back.
  ~Method();

  /// Sets input `input_idx`. A tensor is copied when the input has its place in the method's
  /// memory, else referred to; either way a dynamic input takes its sizes. A number or string has
  /// to be what the program was exported with. InvalidArgument for an index, kind, type or value
  /// that doesn't fit, NotSupported for sizes that don't, InvalidState during an execution.
  ET_NODISCARD Error set_input(const EValue& input_evalue, size_t input_idx);
  /// All inputs at once.
  ET_NODISCARD Error set_inputs(const ArrayRef<EValue>& input_evalues);

  /// Says where an output tensor without a place in the method's memory is written.
  /// InvalidState when it has one, InvalidArgument when it is no tensor or the buffer is too small.
  ET_NODISCARD Error set_output_data_ptr(void* buffer, size_t size, size_t output_idx);

  /// Copies the outputs, and nothing into the rest, to an array of `length` values. They refer to
  /// the method's memory until the next execution.
  ET_NODISCARD Error get_outputs(EValue* output_evalues, size_t length);
  ET_DEPRECATED ET_NODISCARD Error get_inputs(EValue* input_evalues, size_t length);

  /// A tensor of the method by its fully qualified name; NotFound without one.
  ET_NODISCARD Result<etensor::Tensor> get_attribute(std::string_view name);

  /// Runs the method. InvalidArgument when an input was never set. After an error the method can
  /// be executed again.
  ET_NODISCARD Error execute();

  /// Runs one instruction. EndOfMethod after the last one; reset_execution() starts over.
  ET_EXPERIMENTAL ET_NODISCARD Error step();
  ET_DEPRECATED ET_NODISCARD Error experimental_step();
  /// Whether a stepwise execution has begun and isn't reset.
  ET_EXPERIMENTAL ET_NODISCARD bool in_progress() const;
  /// Ends a stepwise execution after its last instruction; InvalidState before.
  ET_EXPERIMENTAL ET_NODISCARD Error reset_execution();
  ET_DEPRECATED ET_NODISCARD Error experimental_reset_execution();

  MethodMeta method_meta() const;
  size_t inputs_size() const;
  size_t outputs_size() const;
  /// Output `i`, below outputs_size(); checked.
  const EValue& get_output(size_t i) const;
  EventTracer* get_event_tracer();

  ET_DEPRECATED const EValue& get_input(size_t i) const;
  ET_DEPRECATED EValue& mutable_input(size_t i);
  ET_DEPRECATED EValue& mutable_output(size_t i);

 private:
  friend class Program;
  friend class internal::MethodState;

  explicit Method(internal::MethodState* state) : state_(state) {}

  internal::MethodState* state_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Method;
}  // namespace torch::executor
