// Method and Program::load_method: the public side of MethodState.

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/log.h>
#include <new>

#include "runtime/executor/method_state.h"
#include "runtime/program/loading.h"
#include "runtime/program/verify.h"

namespace executorch::runtime {

namespace internal {

MethodState::MethodState(const ProgramState& program, const format::PlanTable& plan,
                         const LoadArguments& arguments)
    : program_(program),
      plan_(plan),
      memory_(*arguments.memory),
      tracer_(arguments.tracer),
      temporary_(memory_.temp_allocator() != nullptr ? memory_.temp_allocator()
                                                     : &platform_temporary_) {}

MethodState::~MethodState() {
  for (const Delegate& delegate : delegates_) {
    if (delegate.backend != nullptr) delegate.backend->destroy(delegate.handle);
  }
  for (Delegate& delegate : delegates_) delegate.~Delegate();
  for (FreeableBuffer& buffer : external_constants_) buffer.~FreeableBuffer();
}

Result<MethodState*> MethodState::load(const ProgramState& program, const format::PlanTable& plan,
                                       const LoadArguments& arguments) {
  ET_CHECK_OR_RETURN_ERROR(
      arguments.memory != nullptr && arguments.memory->method_allocator() != nullptr,
      InvalidArgument, "%s", "A method needs a memory manager with a method allocator.");
  event_tracer_create_event_block(arguments.tracer, "Default");
  const EventTracerProfileMethodScope scope(arguments.tracer, "Method::init");
  format::Refusal refusal;
  if (!format::check_supported(plan, refusal)) return format::logged(refusal, "method");
  void* const place = arguments.memory->method_allocator()->allocateInstance<MethodState>();
  if (place == nullptr) return Error::MemoryAllocationFailed;
  auto* const state = new (place) MethodState(program, plan, arguments);
  Error error = state->load_values(arguments);
  if (error == Error::Ok) error = state->load_delegates(arguments);
  if (error == Error::Ok) error = state->load_steps(arguments);
  if (error == Error::Ok) error = state->list_interface();
  if (error != Error::Ok) {
    state->~MethodState();
    return error;
  }
  return state;
}

}  // namespace internal

Result<Method> Program::load_method(const char* method_name, MemoryManager* memory_manager,
                                    EventTracer* event_tracer, const NamedDataMap* named_data_map,
                                    const LoadBackendOptionsMap* backend_options,
                                    Span<const Kernel> kernel_registry) const {
  ET_ASSIGN_OR_RETURN(plan, state_->plan(method_name));
  ET_ASSIGN_OR_RETURN(method,
                      internal::MethodState::load(*state_, plan,
                                                  {memory_manager, event_tracer, named_data_map,
                                                   backend_options, kernel_registry}));
  return Method(method);
}

Method::~Method() {
  if (state_ != nullptr) state_->~MethodState();
}

Error Method::set_input(const EValue& input_evalue, size_t input_idx) {
  return state_->set_input(input_evalue, input_idx);
}

Error Method::set_inputs(const ArrayRef<EValue>& input_evalues) {
  ET_CHECK_OR_RETURN_ERROR(input_evalues.size() == inputs_size(), InvalidArgument,
                           "%zu inputs where %zu are expected.", input_evalues.size(),
                           inputs_size());
  for (size_t i = 0; i < input_evalues.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(state_->set_input(input_evalues[i], i));
  }
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* buffer, size_t size, size_t output_idx) {
  return state_->set_output_data_ptr(buffer, size, output_idx);
}

Error Method::get_outputs(EValue* output_evalues, size_t length) {
  return state_->get_outputs(output_evalues, length);
}

Error Method::get_inputs(EValue* input_evalues, size_t length) {
  ET_CHECK_OR_RETURN_ERROR(length >= inputs_size() && (input_evalues != nullptr || length == 0),
                           InvalidArgument, "%zu inputs in an array of %zu.", inputs_size(),
                           length);
  for (size_t i = 0; i < length; ++i) {
    input_evalues[i] = i < inputs_size() ? state_->input(i) : EValue();
  }
  return Error::Ok;
}

Result<etensor::Tensor> Method::get_attribute(std::string_view name) {
  return state_->get_attribute(name);
}

Error Method::execute() { return state_->execute(); }
Error Method::step() { return state_->step(); }
Error Method::experimental_step() { return state_->step(); }
bool Method::in_progress() const { return state_->in_progress(); }
Error Method::reset_execution() { return state_->reset_execution(); }
Error Method::experimental_reset_execution() { return state_->reset_execution(); }

MethodMeta Method::method_meta() const { return MethodMeta(state_->plan().address()); }
size_t Method::inputs_size() const { return state_->inputs_size(); }
size_t Method::outputs_size() const { return state_->outputs_size(); }
EventTracer* Method::get_event_tracer() { return state_->tracer(); }

const EValue& Method::get_output(size_t i) const {
  ET_CHECK_MSG(i < outputs_size(), "output %zu of %zu", i, outputs_size());
  return state_->output(i);
}
EValue& Method::mutable_output(size_t i) {
  ET_CHECK_MSG(i < outputs_size(), "output %zu of %zu", i, outputs_size());
  return state_->output(i);
}
const EValue& Method::get_input(size_t i) const {
  ET_CHECK_MSG(i < inputs_size(), "input %zu of %zu", i, inputs_size());
  return state_->input(i);
}
EValue& Method::mutable_input(size_t i) {
  ET_CHECK_MSG(i < inputs_size(), "input %zu of %zu", i, inputs_size());
  return state_->input(i);
}

}  // namespace executorch::runtime
