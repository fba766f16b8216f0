// What a Method holds: its values, decoded instructions and delegates.
//
// Tables have been verified when the program was loaded (program/verify.h), so that indices are in
// range, lists hold values of their kind and planned tensors fit their arena. What a run can still
// change is kept within bounds here: memory of the caller's is never exceeded because the tensor
// that refers to it can't grow beyond it, and constants are no target of an instruction.

#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/platform_memory_allocator.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <span>
#include <string_view>

#include "runtime/program/program_state.h"
#include "runtime/program/schema.h"

namespace executorch::runtime::internal {

/// Instructions that one execution may run before it is taken for an endless loop.
inline constexpr std::uint64_t kMaxInstructions = 10'000'000;

/// What a method is loaded with besides the program; see Program::load_method().
struct LoadArguments {
  MemoryManager* memory = nullptr;
  EventTracer* tracer = nullptr;
  const NamedDataMap* external_data = nullptr;
  const LoadBackendOptionsMap* backend_options = nullptr;
  Span<const Kernel> kernels;
};

/// An instruction with everything looked up.
struct Step {
  format::InstructionKind kind;
  /// A kernel call with a tensor whose data may be missing when it is run.
  bool data_may_lack = false;
  std::uint32_t count = 0;  ///< arguments
  union {
    OpFunction op;           ///< kKernelCall
    std::uint32_t delegate;  ///< kDelegateCall
    EValue* value;           ///< kMoveCall: source; kJumpFalseCall: condition; kFreeCall: target
  };
  union {
    EValue** arguments;         ///< kKernelCall, kDelegateCall
    EValue* target;             ///< kMoveCall
    std::uint32_t destination;  ///< kJumpFalseCall
  };
};

class MethodState {
 public:
  /// Makes the method `plan` of `program` ready. The state lies in the method allocator and is
  /// ended by its destructor.
  static Result<MethodState*> load(const ProgramState& program, const format::PlanTable& plan,
                                   const LoadArguments& arguments);
  static MethodState& of(Method& method) { return *method.state_; }
  ~MethodState();
  MethodState(const MethodState&) = delete;
  MethodState& operator=(const MethodState&) = delete;

  // See Method.
  Error set_input(const EValue& given, std::size_t index);
  Error set_output_data_ptr(void* buffer, std::size_t size, std::size_t index);
  Error get_outputs(EValue* outputs, std::size_t length) const;
  Result<etensor::Tensor> get_attribute(std::string_view name) const;
  Error execute();
  Error step();
  bool in_progress() const { return chain_ != 0 || next_ != 0; }
  Error reset_execution();

  const format::PlanTable& plan() const { return plan_; }
  std::size_t inputs_size() const { return plan_.inputs().size(); }
  std::size_t outputs_size() const { return plan_.outputs().size(); }
  EValue& input(std::size_t index) { return values_[value_index(plan_.inputs()[index])]; }
  EValue& output(std::size_t index) { return values_[value_index(plan_.outputs()[index])]; }
  const EValue& output(std::size_t index) const {
    return values_[value_index(plan_.outputs()[index])];
  }
  EventTracer* tracer() const { return tracer_; }

  /// Replaces kMaxInstructions, for tests and fuzzing.
  void set_instruction_limit(std::uint64_t limit) { instruction_limit_ = limit; }

 private:
  friend class ValueLoader;
  friend class StepLoader;

  struct Chain {
    Step* steps;
    std::uint32_t count;
  };
  struct Delegate {
    BackendInterface* backend = nullptr;
    DelegateHandle* handle = nullptr;
    FreeableBuffer processed;
  };
  // A tensor that a prim op lets refer to another's data, with what it is at the start of a run.
  struct View {
    etensor::TensorImpl* impl;
    void* data;
    std::uint64_t capacity;
  };
  class WrittenElsewhere;
  struct Output {
    /// The tensor that belongs to the output, null for other kinds. A MoveCall may let the value
    /// refer to another one.
    etensor::TensorImpl* own;
    /// The output is written elsewhere first: it is the target of a move, or a view.
    bool copied;
    /// Then: where the caller wants it.
    void* buffer;
    std::size_t size;
  };

  MethodState(const ProgramState& program, const format::PlanTable& plan,
              const LoadArguments& arguments);

  static std::size_t value_index(std::int32_t index) { return static_cast<std::size_t>(index); }

  // Loading, in this order.
  Error load_values(const LoadArguments& arguments);
  Error load_delegates(const LoadArguments& arguments);
  Error load_delegate(const format::DelegateTable& table, const LoadArguments& arguments,
                      Delegate& delegate);
  Error load_steps(const LoadArguments& arguments);
  Error list_interface();
  /// Room in the method allocator, or MemoryAllocationFailed.
  template <typename T>
  Error allocate(std::size_t count, T** list);

  // Running.
  Error check_inputs() const;
  void begin();
  Error run_chain(const Chain& chain, std::uint64_t& budget);
  Error run(const Step& step, std::uint32_t* next);
  Error call_kernel(const Step& step);
  Error call_delegate(const Step& step);
  Error check_data(const Step& step) const;
  Error finish();
  Error copy_output(std::size_t index);
  void log_failure(const Step& step, Error error) const;

  Error set_tensor_input(const etensor::Tensor& given, const format::TensorTable& table,
                         std::size_t index);
  Error refer_to_input(const etensor::Tensor& given, const format::TensorTable& table,
                       etensor::TensorImpl& own);

  const ProgramState& program_;
  format::PlanTable plan_;
  MemoryManager& memory_;
  EventTracer* tracer_;
  MemoryAllocator* temporary_;
  PlatformMemoryAllocator platform_temporary_;

  EValue* values_ = nullptr;
  std::span<Chain> chains_;
  std::span<Delegate> delegates_;
  std::span<FreeableBuffer> external_constants_;
  std::span<View> views_;
  // As Output::own.
  etensor::TensorImpl** input_tensors_ = nullptr;
  std::span<Output> outputs_;
  bool* input_is_set_ = nullptr;
  std::size_t inputs_missing_ = 0;
  bool has_copied_outputs_ = false;

  std::uint64_t instruction_limit_ = kMaxInstructions;
  // Where a stepwise execution is.
  std::size_t chain_ = 0;
  std::uint32_t next_ = 0;
};

template <typename T>
Error MethodState::allocate(std::size_t count, T** list) {
  *list = count == 0 ? nullptr : memory_.method_allocator()->allocateList<T>(count);
  return count == 0 || *list != nullptr ? Error::Ok : Error::MemoryAllocationFailed;
}

}  // namespace executorch::runtime::internal
