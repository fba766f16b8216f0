#include "runtime/program/verify_plan.h"

#include <algorithm>
#include <cinttypes>
#include <optional>

#include "runtime/program/tensor_checks.h"
#include "runtime/program/verify.h"

namespace executorch::runtime::format {

namespace {

constexpr Error kBad = Error::InvalidProgram;

// Negative numbers become too large ones.
template <typename Index>
bool below(Index index, std::size_t count) {
  return index >= 0 && static_cast<std::uint64_t>(index) < count;
}

class PlanVerifier {
 public:
  PlanVerifier(const PlanTable& plan, const ProgramData& data, Refusal& refusal)
      : data_(data), values_(plan.values()), plan_(plan), refusal_(refusal) {}

  bool run() {
    return buffers() && devices() && values() && interface() && operators() && delegates() &&
           chains();
  }

 private:
  bool buffers();
  bool devices();
  bool values();
  bool tensor(std::uint32_t index, const TensorTable& tensor);
  bool extra(std::uint32_t index, const ExtraTensorTable& extra);
  bool planned(std::uint32_t index, const TensorTable& tensor, const TensorSize& size);
  bool state(std::uint32_t index, const TensorTable& tensor, const TensorSize& size);
  bool constant(std::uint32_t index, const TensorTable& tensor, const TensorSize& size);
  bool within(std::uint32_t index, const SubsegmentsTable& parts, std::uint32_t part,
              const TensorSize& size, std::uint64_t alignment);
  bool list(std::uint32_t index, const ValueTable& value);
  bool interface();
  bool operators();
  bool delegates();
  bool chains();
  bool instruction(std::uint32_t index, const InstructionTable& instruction, std::uint32_t count);
  bool arguments(std::uint32_t index, const InstructionTable& instruction);
  bool result_is_constant(std::span<const std::int32_t> arguments) const;
  bool value_index(std::uint32_t index, std::int32_t value);
  bool oversized_is_input();

  ProgramData data_;
  Tables<ValueTable> values_;
  PlanTable plan_;
  Refusal& refusal_;
  // Tensors whose largest shape does not fit, so far, and how many of the plan's inputs are such.
  std::uint32_t oversized_ = 0;
  std::optional<std::uint32_t> oversized_inputs_;
};

bool PlanVerifier::buffers() {
  const auto sizes = plan_.buffer_sizes();
  if (sizes.empty()) return refusal_.because(kBad, "non_const_buffer_sizes is empty");
  std::int64_t total = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > kMaxPlannedBytes - total) {
      return refusal_.because(kBad, "planned buffer %zu: %" PRId64 " bytes after %" PRId64, i,
                              sizes[i], total);
    }
    total += sizes[i];
  }
  return true;
}

bool PlanVerifier::devices() {
  // Writers list buffers in ascending order; asking for it makes "each at most once" cheap to see.
  const Tables<BufferDeviceTable> entries = plan_.buffer_devices();
  std::int32_t last = 0;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const BufferDeviceTable entry = entries[i];
    if (!below(entry.buffer(), plan_.buffer_sizes().size()) || entry.buffer() <= last) {
      return refusal_.because(kBad,
                              "buffer device %" PRIu32 ": buffer %" PRId32 " of %zu after %" PRId32,
                              i, entry.buffer(), plan_.buffer_sizes().size(), last);
    }
    last = entry.buffer();
    const auto type = entry.device_type();
    if ((type != FileDevice::kCpu && type != FileDevice::kCuda) || entry.device_index() < -1) {
      return refusal_.because(kBad, "buffer device %" PRIu32 ": device %d:%d", i,
                              static_cast<int>(type), entry.device_index());
    }
  }
  return true;
}

bool PlanVerifier::values() {
  for (std::uint32_t i = 0; i < values_.size(); ++i) {
    const ValueTable value = values_[i];
    switch (value.kind()) {
      case ValueKind::kTensor:
        if (!tensor(i, value.tensor())) return false;
        break;
      case ValueKind::kIntList:
      case ValueKind::kTensorList:
      case ValueKind::kOptionalTensorList:
        if (!list(i, value)) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

bool PlanVerifier::tensor(std::uint32_t index, const TensorTable& tensor) {
  if (!check_layout(tensor.scalar_type(), tensor.sizes(), tensor.dim_order(), kBad, "value", index,
                    refusal_)) {
    return false;
  }
  if (tensor.dynamism() < Dynamism::kStatic || tensor.dynamism() > Dynamism::kUnbound) {
    return refusal_.because(kBad, "value %" PRIu32 ": shape dynamism %d", index,
                            static_cast<int>(tensor.dynamism()));
  }
  if (const ExtraTensorTable more = tensor.extra(); more && !extra(index, more)) return false;
  const Storage storage = tensor.storage();
  const auto size = tensor_size(tensor.sizes(), tensor.dim_order(), tensor.scalar_type());
  if (!size) {
    if (storage == Storage::kNone && tensor.dynamism() != Dynamism::kStatic &&
        oversized_is_input()) {
      return true;
    }
    return refusal_.because(kBad, "value %" PRIu32 ": the size of the tensor overflows", index);
  }
  switch (storage) {
    case Storage::kNone:
    case Storage::kExternal:
      return true;
    case Storage::kPlanned:
    case Storage::kPlannedExternal:
      return planned(index, tensor, *size);
    case Storage::kPlannedWithState:
      return planned(index, tensor, *size) && state(index, tensor, *size);
    case Storage::kConstant:
      return constant(index, tensor, *size);
  }
  return false;
}

// An input may have a bound that no machine could hold: it is only ever resized to what the caller
// brings. Whether a value is an input is told by counting, since there is no memory for a mark.
bool PlanVerifier::oversized_is_input() {
  if (!oversized_inputs_) {
    std::uint32_t count = 0;
    for (const std::int32_t input : plan_.inputs()) {
      if (!below(input, values_.size())) continue;
      const ValueTable value = values_[static_cast<std::uint32_t>(input)];
      if (value.kind() != ValueKind::kTensor) continue;
      const TensorTable tensor = value.tensor();
      Refusal ignored;
      const bool sound = check_layout(tensor.scalar_type(), tensor.sizes(), tensor.dim_order(),
                                      kBad, "value", 0, ignored);
      if (sound && !tensor_size(tensor.sizes(), tensor.dim_order(), tensor.scalar_type())) ++count;
    }
    oversized_inputs_ = count;
  }
  return ++oversized_ <= *oversized_inputs_;
}

bool PlanVerifier::extra(std::uint32_t index, const ExtraTensorTable& extra) {
  const auto location = extra.location();
  if (location != TensorLocation::kSegment && location != TensorLocation::kExternal) {
    return refusal_.because(kBad, "value %" PRIu32 ": data location %d", index,
                            static_cast<int>(location));
  }
  const auto device = extra.device_type();
  if ((device != FileDevice::kCpu && device != FileDevice::kCuda) || extra.device_index() < -1) {
    return refusal_.because(kBad, "value %" PRIu32 ": device %d:%d", index,
                            static_cast<int>(device), extra.device_index());
  }
  if (location == TensorLocation::kExternal && !extra.fully_qualified_name()) {
    return refusal_.because(Error::InvalidExternalData,
                            "value %" PRIu32 ": external data without a name", index);
  }
  return true;
}

bool PlanVerifier::planned(std::uint32_t index, const TensorTable& tensor, const TensorSize& size) {
  const auto buffer_sizes = plan_.buffer_sizes();
  const AllocationTable place = tensor.allocation();
  const std::uint32_t id = place.memory_id();
  if (id == 0 || id >= buffer_sizes.size()) {
    return refusal_.because(kBad, "value %" PRIu32 ": planned buffer %" PRIu32 " of %zu", index, id,
                            buffer_sizes.size() - 1);
  }
  const auto room = static_cast<std::uint64_t>(buffer_sizes[id]);
  if (place.offset() > room || size.bytes > room - place.offset()) {
    return refusal_.because(
        kBad, "value %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64 " of a planned buffer of %" PRIu64,
        index, size.bytes, place.offset(), room);
  }
  if (place.offset() % element_size(tensor.scalar_type()) != 0) {
    return refusal_.because(kBad, "value %" PRIu32 ": planned at %" PRIu64 ", which is not aligned",
                            index, place.offset());
  }
  return true;
}

bool PlanVerifier::within(std::uint32_t index, const SubsegmentsTable& parts, std::uint32_t part,
                          const TensorSize& size, std::uint64_t alignment) {
  const auto offsets = parts.offsets();
  if (part >= offsets.size()) {
    return refusal_.because(kBad, "value %" PRIu32 ": data %" PRIu32 " of %zu", index, part,
                            offsets.size());
  }
  const SegmentTable segment = data_.program.segments()[parts.segment()];
  const std::uint64_t offset = offsets[part];
  if (offset > segment.size() || size.bytes > segment.size() - offset) {
    return refusal_.because(
        kBad, "value %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64 " of a segment of %" PRIu64, index,
        size.bytes, offset, segment.size());
  }
  // Aligned both in the file, which is mapped, and in the segment, which is read to an aligned
  // place.
  const std::uint64_t in_file = data_.segment_base + segment.offset() + offset;
  if (size.bytes != 0 && (offset % alignment != 0 || in_file % alignment != 0)) {
    return refusal_.because(kBad, "value %" PRIu32 ": data at %" PRIu64 " is not aligned", index,
                            in_file);
  }
  return true;
}

bool PlanVerifier::state(std::uint32_t index, const TensorTable& tensor, const TensorSize& size) {
  const Tables<SubsegmentsTable> states = data_.program.mutable_data();
  if (states.empty()) {
    return refusal_.because(kBad, "value %" PRIu32 ": the program has no mutable data", index);
  }
  constexpr std::uint64_t kCopied = 1;
  return within(index, states[0], tensor.data_buffer_idx(), size, kCopied);
}

bool PlanVerifier::constant(std::uint32_t index, const TensorTable& tensor,
                            const TensorSize& size) {
  constexpr std::uint64_t kWidest = 8;  // a complex number is two that stand side by side
  const std::uint64_t alignment =
      std::min<std::uint64_t>(kWidest, element_size(tensor.scalar_type()));
  const SubsegmentsTable constants = data_.program.constants();
  if (constants && constants.offsets().size() > 1) {
    return within(index, constants, tensor.data_buffer_idx(), size, alignment);
  }
  const Tables<InlineDataTable> inline_constants = data_.program.inline_constants();
  if (tensor.data_buffer_idx() >= inline_constants.size()) {
    return refusal_.because(kBad, "value %" PRIu32 ": constant %" PRIu32 " of %" PRIu32, index,
                            tensor.data_buffer_idx(), inline_constants.size());
  }
  const auto bytes = inline_constants[tensor.data_buffer_idx()].bytes();
  if (size.bytes > bytes.size()) {
    return refusal_.because(kBad, "value %" PRIu32 ": %" PRIu64 " bytes of a constant of %zu",
                            index, size.bytes, bytes.size());
  }
  if (size.bytes != 0 &&
      static_cast<std::uint64_t>(bytes.data() - data_.file_start) % alignment != 0) {
    return refusal_.because(kBad, "value %" PRIu32 ": the constant is not aligned", index);
  }
  return true;
}

bool PlanVerifier::list(std::uint32_t index, const ValueTable& value) {
  const bool optional = value.kind() == ValueKind::kOptionalTensorList;
  const auto check = [&](std::int64_t item, ValueKind wanted) {
    if (optional && item == -1) return true;
    if (!below(item, values_.size())) {
      return refusal_.because(kBad, "value %" PRIu32 ": list item %" PRId64 " of %" PRIu32, index,
                              item, values_.size());
    }
    const ValueKind kind = values_[static_cast<std::uint64_t>(item)].kind();
    if (kind == wanted || (optional && kind == ValueKind::kNull)) return true;
    return refusal_.because(kBad, "value %" PRIu32 ": list item %" PRId64 " is of kind %d", index,
                            item, static_cast<int>(kind));
  };
  if (value.kind() == ValueKind::kIntList) {
    return std::ranges::all_of(value.int_items(),
                               [&](std::int64_t item) { return check(item, ValueKind::kInt); });
  }
  return std::ranges::all_of(value.tensor_items(),
                             [&](std::int32_t item) { return check(item, ValueKind::kTensor); });
}

bool PlanVerifier::value_index(std::uint32_t index, std::int32_t value) {
  return below(value, values_.size()) ||
         refusal_.because(kBad, "instruction %" PRIu32 ": value %" PRId32 " of %" PRIu32, index,
                          value, values_.size());
}

bool PlanVerifier::interface() {
  for (const std::int32_t input : plan_.inputs()) {
    if (!below(input, values_.size())) {
      return refusal_.because(kBad, "input: value %" PRId32 " of %" PRIu32, input, values_.size());
    }
    const ValueTable value = values_[static_cast<std::uint32_t>(input)];
    switch (value.kind()) {
      case ValueKind::kTensor: {
        // The caller's data would be written over it.
        const Storage storage = value.tensor().storage();
        if (storage == Storage::kConstant || storage == Storage::kExternal) {
          return refusal_.because(kBad, "input: value %" PRId32 " is a constant", input);
        }
        break;
      }
      case ValueKind::kNull:
      case ValueKind::kInt:
      case ValueKind::kBool:
      case ValueKind::kDouble:
      case ValueKind::kString:
        break;
      default:
        return refusal_.because(kBad, "input: value %" PRId32 " is of kind %d", input,
                                static_cast<int>(value.kind()));
    }
  }
  for (const std::int32_t output : plan_.outputs()) {
    if (!below(output, values_.size())) {
      return refusal_.because(kBad, "output: value %" PRId32 " of %" PRIu32, output,
                              values_.size());
    }
  }
  return true;
}

bool PlanVerifier::operators() {
  const Tables<OperatorTable> operators = plan_.operators();
  for (std::uint32_t i = 0; i < operators.size(); ++i) {
    const std::uint64_t dot = operators[i].overload().size == 0 ? 0 : 1;
    const std::uint64_t length = operators[i].name().size + dot + operators[i].overload().size;
    if (length >= kMaxOperatorName) {
      return refusal_.because(kBad, "operator %" PRIu32 ": a name of %" PRIu64 " characters", i,
                              length);
    }
  }
  return true;
}

bool PlanVerifier::delegates() {
  const Tables<DelegateTable> delegates = plan_.delegates();
  for (std::uint32_t i = 0; i < delegates.size(); ++i) {
    const DelegateDataTable data = delegates[i].processed();
    std::uint32_t count = 0;
    switch (data.location()) {
      case DataLocation::kInline:
        count = data_.program.inline_delegates().size();
        break;
      case DataLocation::kSegment:
        count = data_.program.segments().size();
        break;
      default:
        return refusal_.because(kBad, "delegate %" PRIu32 ": data location %d", i,
                                static_cast<int>(data.location()));
    }
    if (data.index() >= count) {
      return refusal_.because(kBad, "delegate %" PRIu32 ": data %" PRIu32 " of %" PRIu32, i,
                              data.index(), count);
    }
  }
  return true;
}

bool PlanVerifier::chains() {
  const Tables<ChainTable> chains = plan_.chains();
  if (chains.empty()) return refusal_.because(kBad, "the method has no chain");
  for (std::uint32_t i = 0; i < chains.size(); ++i) {
    const Tables<InstructionTable> instructions = chains[i].instructions();
    for (std::uint32_t k = 0; k < instructions.size(); ++k) {
      if (!instruction(k, instructions[k], instructions.size())) return false;
    }
  }
  return true;
}

bool PlanVerifier::instruction(std::uint32_t index, const InstructionTable& instruction,
                               std::uint32_t count) {
  const std::int32_t first = instruction.first();
  // Only of kinds that have it: a field that a table's kind does not know has not been verified.
  std::int32_t second = 0;
  switch (instruction.kind()) {
    case InstructionKind::kKernelCall:
      if (!below(first, plan_.operators().size())) {
        return refusal_.because(kBad, "instruction %" PRIu32 ": operator %" PRId32 " of %" PRIu32,
                                index, first, plan_.operators().size());
      }
      if (!arguments(index, instruction)) return false;
      return !result_is_constant(instruction.arguments()) ||
             refusal_.because(kBad, "instruction %" PRIu32 " writes to a constant", index);
    case InstructionKind::kDelegateCall:
      if (!below(first, plan_.delegates().size())) {
        return refusal_.because(kBad, "instruction %" PRIu32 ": delegate %" PRId32 " of %" PRIu32,
                                index, first, plan_.delegates().size());
      }
      return arguments(index, instruction);
    case InstructionKind::kMoveCall: {
      second = instruction.second();
      if (!value_index(index, first) || !value_index(index, second)) return false;
      const ValueKind from = values_[static_cast<std::uint32_t>(first)].kind();
      const ValueKind to = values_[static_cast<std::uint32_t>(second)].kind();
      // Lists and kernels count on a value keeping its kind.
      return from == to || refusal_.because(kBad,
                                            "instruction %" PRIu32
                                            " moves a value of kind %d to "
                                            "one of kind %d",
                                            index, static_cast<int>(from), static_cast<int>(to));
    }
    case InstructionKind::kJumpFalseCall:
      second = instruction.second();
      if (!value_index(index, first)) return false;
      return below(second, std::size_t{count} + 1) ||
             refusal_.because(kBad, "instruction %" PRIu32 " jumps to %" PRId32 " of %" PRIu32,
                              index, second, count);
    case InstructionKind::kFreeCall:
      if (!value_index(index, first)) return false;
      return values_[static_cast<std::uint32_t>(first)].kind() == ValueKind::kTensor ||
             refusal_.because(kBad,
                              "instruction %" PRIu32 " frees value %" PRId32 ", which is no tensor",
                              index, first);
  }
  return false;
}

bool PlanVerifier::arguments(std::uint32_t index, const InstructionTable& instruction) {
  return std::ranges::all_of(instruction.arguments(),
                             [&](std::int32_t argument) { return value_index(index, argument); });
}

// A call names its result last, again: an argument that it writes to. Constants may be mapped
// read-only, so a program that writes to one would end the process.
bool PlanVerifier::result_is_constant(std::span<const std::int32_t> arguments) const {
  if (arguments.size() < 2) return false;
  const std::int32_t result = arguments.back();
  const auto others = arguments.first(arguments.size() - 1);
  const ValueTable value = values_[static_cast<std::uint32_t>(result)];
  if (value.kind() != ValueKind::kTensor) return false;
  const Storage storage = value.tensor().storage();
  return (storage == Storage::kConstant || storage == Storage::kExternal) &&
         std::ranges::find(others, result) != others.end();
}

}  // namespace

bool verify_plan(const PlanTable& plan, const ProgramData& data, Refusal& refusal) {
  return PlanVerifier(plan, data, refusal).run();
}

}  // namespace executorch::runtime::format
