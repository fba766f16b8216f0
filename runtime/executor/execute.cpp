// Runs the instructions of a method.

#include <algorithm>
#include <cinttypes>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/log.h>
#include <new>

#include "runtime/executor/method_state.h"
#include "runtime/executor/tensor_place.h"

namespace executorch::runtime::internal {

using etensor::Tensor;
using etensor::TensorImpl;
using format::InstructionKind;

namespace {

bool lacks_data(const Tensor& tensor) {
  return tensor.const_data_ptr() == nullptr && tensor.numel() != 0;
}

// What a JumpFalseCall looks at: a Bool, or a tensor of them that is false when any element is.
Error read_condition(const EValue& value, bool* condition) {
  if (value.isBool()) {
    *condition = value.toBool();
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(value.isTensor(), InvalidProgram, "a condition that is %s",
                           tag_to_string(value.tag));
  const Tensor& tensor = value.toTensor();
  ET_CHECK_OR_RETURN_ERROR(tensor.scalar_type() == etensor::ScalarType::Bool, InvalidProgram,
                           "a condition of element type %d",
                           static_cast<int>(tensor.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(tensor.const_data_ptr() != nullptr, InvalidState, "%s",
                           "a condition without data");
  // Bytes of a device can't be looked at, and those of a caller need not be 0 or 1.
  ET_CHECK_OR_RETURN_ERROR(tensor.device().is_cpu(), NotSupported, "%s", "a condition on a device");
  const auto* const elements = static_cast<const std::uint8_t*>(tensor.const_data_ptr());
  *condition =
      std::find(elements, elements + tensor.numel(), std::uint8_t{0}) == elements + tensor.numel();
  return Error::Ok;
}

// A tensor without data must not be resized to have any.
void free_data(TensorImpl* tensor) {
  if (tensor->shape_dynamism() == TensorShapeDynamism::STATIC) {
    tensor->set_data(nullptr);
  } else {
    make_bounded(tensor, frame_of(*tensor), 0, nullptr, tensor->device());
  }
}

}  // namespace

Error MethodState::check_inputs() const {
  if ET_LIKELY (inputs_missing_ == 0) return Error::Ok;
  const std::size_t first = static_cast<std::size_t>(
      std::find(input_is_set_, input_is_set_ + inputs_size(), false) - input_is_set_);
  ET_LOG(Error, "Input %zu of method '%s' was never set (%zu of %zu weren't).", first,
         plan_.name().data, inputs_missing_, inputs_size());
  return Error::InvalidArgument;
}

void MethodState::begin() {
  // A view of the run before may refer to memory that the caller has taken back since.
  for (const View& view : views_) {
    if (view.data == nullptr || view.impl->shape_dynamism() == TensorShapeDynamism::STATIC) {
      view.impl->set_data(view.data);
    } else {
      make_bounded(view.impl, frame_of(*view.impl), view.capacity, view.data, view.impl->device());
    }
  }
}

Error MethodState::execute() {
  ET_CHECK_OK_OR_RETURN_ERROR(check_inputs());
  event_tracer_create_event_block(tracer_, "Execute");
  const EventTracerProfileMethodScope scope(tracer_, "Method::execute");
  chain_ = 0;
  next_ = 0;
  begin();
  std::uint64_t budget = instruction_limit_;
  for (const Chain& chain : chains_) {
    const Error error = run_chain(chain, budget);
    next_ = 0;
    if ET_UNLIKELY (error != Error::Ok) {
      chain_ = 0;
      return error;
    }
    ++chain_;
  }
  chain_ = 0;
  return finish();
}

Error MethodState::run_chain(const Chain& chain, std::uint64_t& budget) {
  while (next_ < chain.count) {
    ET_CHECK_OR_RETURN_ERROR(budget-- != 0, InvalidProgram,
                             "Method '%s' has run %" PRIu64
                             " instructions: this looks like an endless loop.",
                             plan_.name().data, instruction_limit_);
    const Error error = run(chain.steps[next_], &next_);
    if ET_UNLIKELY (error != Error::Ok) return error;
  }
  return Error::Ok;
}

Error MethodState::step() {
  if (!in_progress()) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_inputs());
    event_tracer_create_event_block(tracer_, "Execute");
    begin();
  }
  const EventTracerProfileMethodScope scope(tracer_, "Method::step");
  while (chain_ < chains_.size() && next_ == chains_[chain_].count) {
    ++chain_;
    next_ = 0;
  }
  if (chain_ == chains_.size()) return Error::EndOfMethod;
  const Error error = run(chains_[chain_].steps[next_], &next_);
  if (error != Error::Ok) {
    chain_ = 0;
    next_ = 0;
    return error;
  }
  while (chain_ < chains_.size() && next_ == chains_[chain_].count) {
    ++chain_;
    next_ = 0;
  }
  return chain_ == chains_.size() ? finish() : Error::Ok;
}

Error MethodState::reset_execution() {
  ET_CHECK_OR_RETURN_ERROR(chain_ == chains_.size(), InvalidState, "%s",
                           "The execution can be reset after its last instruction.");
  chain_ = 0;
  next_ = 0;
  return Error::Ok;
}

// Runs one instruction; `next` is its number, and becomes that of the one after it.
inline Error MethodState::run(const Step& step, std::uint32_t* next) {
  const EventTracerProfileInstructionScope scope(tracer_, static_cast<ChainID>(chain_), *next);
  Error error = Error::Ok;
  switch (step.kind) {
    case InstructionKind::kKernelCall:
      error = call_kernel(step);
      break;
    case InstructionKind::kDelegateCall:
      error = call_delegate(step);
      break;
    case InstructionKind::kMoveCall:
      *step.target = *step.value;
      break;
    case InstructionKind::kJumpFalseCall: {
      bool condition = false;
      error = read_condition(*step.value, &condition);
      if (error == Error::Ok && !condition) {
        *next = step.destination;
        return Error::Ok;
      }
      break;
    }
    case InstructionKind::kFreeCall:
      free_data(step.value->payload.as_tensor.unsafeGetTensorImpl());
      break;
  }
  if ET_UNLIKELY (error != Error::Ok) {
    log_failure(step, error);
    return error;
  }
  ++*next;
  return Error::Ok;
}

inline Error MethodState::call_kernel(const Step& step) {
  if ET_UNLIKELY (step.data_may_lack) ET_CHECK_OK_OR_RETURN_ERROR(check_data(step));
  const EventTracerProfileOpScope scope(tracer_, "OPERATOR_CALL");
  KernelRuntimeContext context(tracer_, temporary_);
  step.op(context, Span<EValue*>(step.arguments, step.count));
  temporary_->reset();
  return context.failure_state();
}

inline Error MethodState::call_delegate(const Step& step) {
  const EventTracerProfileOpScope scope(tracer_, "DELEGATE_CALL");
  const Delegate& delegate = delegates_[step.delegate];
  BackendExecutionContext context(tracer_, temporary_, plan_.name().data);
  const Error error = delegate.backend->execute(context, delegate.handle,
                                                Span<EValue*>(step.arguments, step.count));
  temporary_->reset();
  if (tracer_ != nullptr && error == Error::Ok) {
    for (std::uint32_t i = 0; i < step.count; ++i) {
      event_tracer_log_evalue(tracer_, *step.arguments[i]);
    }
  }
  return error;
}

// Kernels don't expect a tensor without data.
Error MethodState::check_data(const Step& step) const {
  for (std::uint32_t i = 0; i < step.count; ++i) {
    EValue& value = *step.arguments[i];
    bool lacks = value.isTensor() && lacks_data(value.toTensor());
    if (value.isTensorList()) {
      ET_ASSIGN_OR_RETURN(items, value.tryToTensorList());
      lacks = std::any_of(items.begin(), items.end(), lacks_data);
    } else if (value.isListOptionalTensor()) {
      ET_ASSIGN_OR_RETURN(items, value.tryToListOptionalTensor());
      lacks = std::any_of(items.begin(), items.end(), [](const std::optional<Tensor>& item) {
        return item.has_value() && lacks_data(*item);
      });
    }
    ET_CHECK_OR_RETURN_ERROR(!lacks, InvalidState,
                             "Argument %" PRIu32
                             " has no data: an output without a place in the method's memory "
                             "needs set_output_data_ptr().",
                             i);
  }
  return Error::Ok;
}

void MethodState::log_failure(const Step& step, Error error) const {
  if (chain_ >= chains_.size()) return;
  const auto number = static_cast<std::uint32_t>(&step - chains_[chain_].steps);
  const format::InstructionTable table =
      plan_.chains()[static_cast<std::uint32_t>(chain_)].instructions()[number];
  const char* what = "control flow";
  const char* overload = "";
  if (step.kind == InstructionKind::kKernelCall) {
    const auto op = plan_.operators()[static_cast<std::uint32_t>(table.first())];
    what = op.name().data;
    overload = op.overload().view().data();
  } else if (step.kind == InstructionKind::kDelegateCall) {
    what = plan_.delegates()[step.delegate].id().data;
  }
  ET_LOG(Error, "Instruction %" PRIu32 " of method '%s' (%s%s%s) failed: %s", number,
         plan_.name().data, what, *overload == '\0' ? "" : ".", overload, to_string(error));
}

Error MethodState::finish() {
  if ET_UNLIKELY (has_copied_outputs_) {
    for (std::size_t i = 0; i < outputs_size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(copy_output(i), "Output %zu can't be copied to its place.", i);
    }
  }
  if (tracer_ != nullptr) {
    for (std::size_t i = 0; i < outputs_size(); ++i) {
      event_tracer_log_evalue_output(tracer_, output(i));
    }
  }
  return Error::Ok;
}

// Where a move or a view made an output refer to other memory than the caller asked for.
Error MethodState::copy_output(std::size_t index) {
  const Output& place = outputs_[index];
  EValue& value = output(index);
  if (!place.copied || place.buffer == nullptr || !value.isTensor()) return Error::Ok;
  const Tensor from = value.toTensor();
  ET_CHECK_OR_RETURN_ERROR(from.nbytes() <= place.size, NotSupported,
                           "%zu bytes, the caller's memory has %zu.", from.nbytes(), place.size);
  const Tensor to(place.own);
  ET_CHECK_OK_OR_RETURN_ERROR(
      copy_bytes(place.buffer, to.device(), from.const_data_ptr(), from.device(), from.nbytes()));
  if (to.unsafeGetTensorImpl() != from.unsafeGetTensorImpl()) {
    if (to.shape_dynamism() != TensorShapeDynamism::STATIC) {
      make_bounded(place.own, frame_of(*place.own), static_cast<std::uint64_t>(from.numel()),
                   nullptr, to.device());
    }
    ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor(to, from.sizes()));
    value = EValue(to);
  }
  place.own->set_data(place.buffer);
  return Error::Ok;
}

}  // namespace executorch::runtime::internal
