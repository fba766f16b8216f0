// Inputs, outputs and attributes of a method.

#include <algorithm>
#include <cmath>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>
#include <new>
#include <vector>

#include "runtime/executor/method_state.h"
#include "runtime/executor/tensor_place.h"
#include "runtime/program/verify.h"

namespace executorch::runtime::internal {

using etensor::Device;
using etensor::Tensor;
using etensor::TensorImpl;
using format::InstructionKind;
using format::Storage;
using format::TensorTable;
using format::ValueKind;
using format::ValueTable;

namespace {

bool is_planned(const TensorTable& table) {
  return table.allocation() || table.data_buffer_idx() != 0 || table.storage() != Storage::kNone;
}

// Elements that a tensor of the program may have at most; no limit when the bound overflows.
std::uint64_t bound_of(const TensorTable& table) {
  const auto size = format::tensor_size(table.sizes(), table.dim_order(), table.scalar_type());
  return size ? size->elements : ~std::uint64_t{0};
}

// Whether a number is the one that the program was exported with.
bool same_number(double traced, double given) {
  constexpr double kAbsolute = 1e-4;
  constexpr double kRelative = 1e-5;
  if (std::isnan(traced) || std::isnan(given)) return std::isnan(traced) && std::isnan(given);
  if (std::isinf(traced) || std::isinf(given)) return traced == given;
  return std::fabs(traced - given) <= kAbsolute + kRelative * std::fabs(traced);
}

// The tags that values of the kinds have which inputs are of.
Tag tag_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kTensor:
      return Tag::Tensor;
    case ValueKind::kInt:
      return Tag::Int;
    case ValueKind::kBool:
      return Tag::Bool;
    case ValueKind::kDouble:
      return Tag::Double;
    case ValueKind::kString:
      return Tag::String;
    default:
      return Tag::None;
  }
}

Error check_traced(const ValueTable& table, const EValue& given, std::size_t index) {
  bool same = true;
  switch (table.kind()) {
    case ValueKind::kInt:
      same = given.toInt() == table.int_value();
      break;
    case ValueKind::kBool:
      same = given.toBool() == table.bool_value();
      break;
    case ValueKind::kDouble:
      same = same_number(table.double_value(), given.toDouble());
      break;
    case ValueKind::kString: {
      ET_ASSIGN_OR_RETURN(text, given.tryToString());
      same = text == table.string_value().view();
      break;
    }
    default:
      break;
  }
  ET_CHECK_OR_RETURN_ERROR(same, InvalidArgument,
                           "Input %zu is not the %s that the program was exported with.", index,
                           tag_to_string(given.tag));
  return Error::Ok;
}

}  // namespace

// The tensors that moves and views replace during a run.
class MethodState::WrittenElsewhere {
 public:
  explicit WrittenElsewhere(const MethodState& state) {
    for (const View& view : state.views_) views_.push_back(view.impl);
    for (const Chain& chain : state.chains_) {
      for (const Step& step : std::span(chain.steps, chain.count)) {
        if (step.kind == InstructionKind::kMoveCall) targets_.push_back(step.target);
      }
    }
    std::ranges::sort(views_);
    std::ranges::sort(targets_);
  }

  bool contains(const EValue& value) const {
    // With a place in the method's memory there is nothing to be copied.
    if (!value.isTensor() || value.payload.as_tensor.const_data_ptr() != nullptr) return false;
    return std::ranges::binary_search(views_, value.payload.as_tensor.unsafeGetTensorImpl()) ||
           std::ranges::binary_search(targets_, &value);
  }

 private:
  std::vector<const TensorImpl*> views_;
  std::vector<const EValue*> targets_;
};

Error MethodState::list_interface() {
  const auto own_tensor = [](const EValue& value) {
    return value.isTensor() ? value.payload.as_tensor.unsafeGetTensorImpl() : nullptr;
  };
  Output* outputs = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(inputs_size(), &input_tensors_));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(inputs_size(), &input_is_set_));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(outputs_size(), &outputs));
  for (std::size_t i = 0; i < inputs_size(); ++i) {
    input_tensors_[i] = own_tensor(input(i));
    input_is_set_[i] = false;
  }
  inputs_missing_ = inputs_size();
  const WrittenElsewhere elsewhere(*this);
  for (std::size_t i = 0; i < outputs_size(); ++i) {
    const bool copied = elsewhere.contains(output(i));
    new (&outputs[i]) Output{own_tensor(output(i)), copied, nullptr, 0};
    has_copied_outputs_ = has_copied_outputs_ || copied;
  }
  outputs_ = {outputs, outputs_size()};
  return Error::Ok;
}

Error MethodState::set_input(const EValue& given, std::size_t index) {
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState, "%s",
                           "An input can't be set during an execution.");
  ET_CHECK_OR_RETURN_ERROR(index < inputs_size(), InvalidArgument, "Input %zu of %zu.", index,
                           inputs_size());
  const ValueTable table = plan_.values()[value_index(plan_.inputs()[index])];
  ET_CHECK_OR_RETURN_ERROR(given.tag == tag_of(table.kind()), InvalidArgument,
                           "Input %zu of method '%s' is %s, not %s.", index, plan_.name().data,
                           tag_to_string(tag_of(table.kind())), tag_to_string(given.tag));
  if (table.kind() == ValueKind::kTensor) {
    ET_CHECK_OK_OR_RETURN_ERROR(set_tensor_input(given.toTensor(), table.tensor(), index));
  } else {
    ET_CHECK_OK_OR_RETURN_ERROR(check_traced(table, given, index));
  }
  if (!input_is_set_[index]) {
    input_is_set_[index] = true;
    --inputs_missing_;
  }
  return Error::Ok;
}

Error MethodState::set_tensor_input(const Tensor& given, const TensorTable& table,
                                    std::size_t index) {
  TensorImpl& own = *input_tensors_[index];
  ET_CHECK_OR_RETURN_ERROR(given.scalar_type() == own.scalar_type(), InvalidArgument,
                           "Input %zu has elements of type %s, not %s.", index,
                           toString(own.scalar_type()), toString(given.scalar_type()));
  const Tensor target(&own);
  if (!is_planned(table)) {
    ET_CHECK_OK_OR_RETURN_ERROR(refer_to_input(given, table, own), "Input %zu can't be set.",
                                index);
  } else {
    ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor(target, given.sizes()),
                                "Input %zu can't have these sizes.", index);
    ET_CHECK_OK_OR_RETURN_ERROR(copy_bytes(target.mutable_data_ptr(), target.device(),
                                           given.const_data_ptr(), given.device(), given.nbytes()),
                                "Input %zu can't be copied.", index);
  }
  // A move may have let the value refer to another tensor.
  input(index) = EValue(target);
  return Error::Ok;
}

// Lets an input refer to the caller's memory, as a tensor that can't grow beyond it.
Error MethodState::refer_to_input(const Tensor& given, const TensorTable& table, TensorImpl& own) {
  ET_CHECK_OR_RETURN_ERROR(given.const_data_ptr() != nullptr || given.nbytes() == 0,
                           InvalidArgument, "A tensor of %zu bytes has no data.", given.nbytes());
  ET_CHECK_OR_RETURN_ERROR(given.dim() == own.dim(), NotSupported,
                           "A tensor of rank %zd where one of rank %zd is expected.", given.dim(),
                           own.dim());
  const auto sizes = table.sizes();
  const auto elements = static_cast<std::uint64_t>(given.numel());
  const TensorFrame frame = frame_of(own);
  // Where the data is, as the caller knows it: the program's word may be wrong, or older.
  const Device device = given.device().is_cpu() ? own.device() : given.device();
  if (frame.dynamism == TensorShapeDynamism::STATIC) {
    ET_CHECK_OR_RETURN_ERROR(std::equal(sizes.begin(), sizes.end(), given.sizes().begin()),
                             NotSupported, "%s", "The sizes of a static tensor are fixed.");
    new (&own) TensorImpl(frame.type, static_cast<ssize_t>(frame.rank), frame.sizes,
                          given.mutable_data_ptr(), frame.dim_order, frame.strides, frame.dynamism,
                          device.type(), device.index());
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(elements <= bound_of(table), NotSupported,
                           "%zd elements where there are at most %llu.", given.numel(),
                           static_cast<unsigned long long>(bound_of(table)));
  make_bounded(&own, frame, elements, given.mutable_data_ptr(), device);
  return resize_tensor_impl(&own, given.sizes());
}

Error MethodState::set_output_data_ptr(void* buffer, std::size_t size, std::size_t index) {
  ET_CHECK_OR_RETURN_ERROR(index < outputs_size(), InvalidArgument, "Output %zu of %zu.", index,
                           outputs_size());
  Output& place = outputs_[index];
  TensorImpl* const own = place.own;
  ET_CHECK_OR_RETURN_ERROR(own != nullptr, InvalidArgument, "Output %zu is no tensor.", index);
  const TensorTable table = plan_.values()[value_index(plan_.outputs()[index])].tensor();
  ET_CHECK_OR_RETURN_ERROR(!is_planned(table), InvalidState,
                           "Output %zu has its place in the method's memory.", index);
  ET_CHECK_OR_RETURN_ERROR(size >= own->nbytes(), InvalidArgument,
                           "%zu bytes for output %zu, which has %zu.", size, index, own->nbytes());
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr || own->nbytes() == 0, InvalidArgument,
                           "No memory for output %zu.", index);
  if (place.copied) {
    place.buffer = buffer;
    place.size = size;
    return Error::Ok;
  }
  if (own->shape_dynamism() == TensorShapeDynamism::STATIC || own->dim() == 0) {
    own->set_data(buffer);
  } else {
    // Whatever sizes it takes, it stays within the caller's memory and the program's bound.
    TensorImpl::SizesType sizes[kTensorDimensionLimit];
    const auto rank = static_cast<std::size_t>(own->dim());
    std::copy_n(own->sizes().data(), rank, sizes);
    const std::uint64_t room = size / static_cast<std::size_t>(own->element_size());
    make_bounded(own, frame_of(*own), std::min(room, bound_of(table)), buffer, own->device());
    ET_CHECK_OK_OR_RETURN_ERROR(resize_tensor_impl(own, {sizes, rank}));
  }
  output(index) = EValue(Tensor(own));
  return Error::Ok;
}

Error MethodState::get_outputs(EValue* outputs, std::size_t length) const {
  ET_CHECK_OR_RETURN_ERROR(outputs != nullptr || length == 0, InvalidArgument, "%s",
                           "There is no array for the outputs.");
  ET_CHECK_OR_RETURN_ERROR(length >= outputs_size(), InvalidArgument,
                           "%zu outputs in an array of %zu.", outputs_size(), length);
  for (std::size_t i = 0; i < length; ++i) {
    outputs[i] = i < outputs_size() ? output(i) : EValue();
  }
  return Error::Ok;
}

Result<Tensor> MethodState::get_attribute(std::string_view name) const {
  const auto values = plan_.values();
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i].kind() != ValueKind::kTensor) continue;
    const format::ExtraTensorTable extra = values[i].tensor().extra();
    if (extra && extra.fully_qualified_name() && extra.fully_qualified_name().view() == name) {
      return values_[i].toTensor();
    }
  }
  return Error::NotFound;
}

}  // namespace executorch::runtime::internal
