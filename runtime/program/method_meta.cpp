#include <cinttypes>
#include <cstring>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/program/schema.h"
#include "runtime/program/verify.h"

namespace executorch::runtime {

namespace internal {

/// Reads the verified plan behind a MethodMeta.
class MethodReader {
 public:
  static format::PlanTable plan(const MethodMeta& meta) {
    return format::PlanTable(static_cast<const std::uint8_t*>(meta.plan_));
  }

  static Tag tag(const format::ValueTable& value) {
    using format::ValueKind;
    switch (value.kind()) {
      case ValueKind::kNull:
        return Tag::None;
      case ValueKind::kInt:
        return Tag::Int;
      case ValueKind::kBool:
        return Tag::Bool;
      case ValueKind::kDouble:
        return Tag::Double;
      case ValueKind::kTensor:
        return Tag::Tensor;
      case ValueKind::kString:
        return Tag::String;
      case ValueKind::kIntList:
        return Tag::ListInt;
      case ValueKind::kDoubleList:
        return Tag::ListDouble;
      case ValueKind::kBoolList:
        return Tag::ListBool;
      case ValueKind::kTensorList:
        return Tag::ListTensor;
      case ValueKind::kOptionalTensorList:
        return Tag::ListOptionalTensor;
    }
    return Tag::None;
  }

  /// The value at `index` of the inputs or outputs.
  static Result<format::ValueTable> value(const MethodMeta& meta,
                                          std::span<const std::int32_t> indices, std::size_t index,
                                          const char* what) {
    ET_CHECK_OR_RETURN_ERROR(index < indices.size(), InvalidArgument, "%s %zu of %zu", what, index,
                             indices.size());
    return plan(meta).values()[static_cast<std::uint32_t>(indices[index])];
  }

  static Result<TensorInfo> tensor(const MethodMeta& meta, std::span<const std::int32_t> indices,
                                   std::size_t index, const char* what) {
    ET_ASSIGN_OR_RETURN(found, value(meta, indices, index, what));
    ET_CHECK_OR_RETURN_ERROR(found.kind() == format::ValueKind::kTensor, InvalidArgument,
                             "%s %zu is no tensor", what, index);
    return info(found.tensor());
  }

  static Result<TensorInfo> info(const format::TensorTable& tensor) {
    const auto sizes = tensor.sizes();
    const auto order = tensor.dim_order();
    const auto size = format::tensor_size(sizes, order, tensor.scalar_type());
    ET_CHECK_OR_RETURN_ERROR(size.has_value(), InvalidArgument, "%s",
                             "the size of the tensor overflows");
    return TensorInfo({sizes.data(), sizes.size()}, {order.data(), order.size()},
                      static_cast<etensor::ScalarType>(tensor.scalar_type()),
                      tensor.allocation() || tensor.data_buffer_idx() != 0, name(tensor).view(),
                      static_cast<std::size_t>(size->bytes));
  }

  static format::Text name(const format::TensorTable& tensor) {
    const format::ExtraTensorTable extra = tensor.extra();
    return extra ? extra.fully_qualified_name() : format::Text{};
  }

  /// The named tensor number `index`, or an absent one when there are fewer; counts those before
  /// it.
  static format::TensorTable attribute(const MethodMeta& meta, std::size_t index,
                                       std::size_t* count) {
    *count = 0;
    const auto values = plan(meta).values();
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (values[i].kind() != format::ValueKind::kTensor || !name(values[i].tensor())) continue;
      if ((*count)++ == index) return values[i].tensor();
    }
    return {};
  }
};

}  // namespace internal

using internal::MethodReader;

const char* MethodMeta::name() const { return MethodReader::plan(*this).name().data; }

size_t MethodMeta::num_inputs() const { return MethodReader::plan(*this).inputs().size(); }

Result<Tag> MethodMeta::input_tag(size_t index) const {
  const auto inputs = MethodReader::plan(*this).inputs();
  ET_ASSIGN_OR_RETURN(value, MethodReader::value(*this, inputs, index, "input"));
  return MethodReader::tag(value);
}

Result<TensorInfo> MethodMeta::input_tensor_meta(size_t index) const {
  return MethodReader::tensor(*this, MethodReader::plan(*this).inputs(), index, "input");
}

size_t MethodMeta::num_outputs() const { return MethodReader::plan(*this).outputs().size(); }

Result<Tag> MethodMeta::output_tag(size_t index) const {
  const auto outputs = MethodReader::plan(*this).outputs();
  ET_ASSIGN_OR_RETURN(value, MethodReader::value(*this, outputs, index, "output"));
  return MethodReader::tag(value);
}

Result<TensorInfo> MethodMeta::output_tensor_meta(size_t index) const {
  return MethodReader::tensor(*this, MethodReader::plan(*this).outputs(), index, "output");
}

size_t MethodMeta::num_attributes() const {
  std::size_t count = 0;
  MethodReader::attribute(*this, SIZE_MAX, &count);
  return count;
}

Result<TensorInfo> MethodMeta::attribute_tensor_meta(size_t index) const {
  std::size_t count = 0;
  const format::TensorTable tensor = MethodReader::attribute(*this, index, &count);
  ET_CHECK_OR_RETURN_ERROR(static_cast<bool>(tensor), InvalidArgument, "attribute %zu of %zu",
                           index, count);
  return MethodReader::info(tensor);
}

size_t MethodMeta::num_memory_planned_buffers() const {
  // The first entry is reserved.
  return MethodReader::plan(*this).buffer_sizes().size() - 1;
}

Result<int64_t> MethodMeta::memory_planned_buffer_size(size_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < num_memory_planned_buffers(), InvalidArgument,
                           "planned buffer %zu of %zu", index, num_memory_planned_buffers());
  return MethodReader::plan(*this).buffer_sizes()[index + 1];
}

Result<etensor::Device> MethodMeta::memory_planned_buffer_device(size_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < num_memory_planned_buffers(), InvalidArgument,
                           "planned buffer %zu of %zu", index, num_memory_planned_buffers());
  const auto devices = MethodReader::plan(*this).buffer_devices();
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    if (static_cast<std::size_t>(devices[i].buffer()) == index + 1) {
      return etensor::Device(static_cast<etensor::DeviceType>(devices[i].device_type()),
                             devices[i].device_index());
    }
  }
  return etensor::Device(etensor::DeviceType::CPU, 0);
}

bool MethodMeta::uses_backend(const char* backend_name) const {
  ET_CHECK_MSG(backend_name != nullptr, "%s", "no backend name");
  const auto delegates = MethodReader::plan(*this).delegates();
  for (std::uint32_t i = 0; i < delegates.size(); ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): verification requires it
    if (std::strcmp(delegates[i].id().data, backend_name) == 0) return true;
  }
  return false;
}

size_t MethodMeta::num_backends() const { return MethodReader::plan(*this).delegates().size(); }

Result<const char*> MethodMeta::get_backend_name(size_t index) const {
  const auto delegates = MethodReader::plan(*this).delegates();
  ET_CHECK_OR_RETURN_ERROR(index < delegates.size(), InvalidArgument, "backend %zu of %" PRIu32,
                           index, delegates.size());
  return delegates[index].id().data;
}

size_t MethodMeta::num_instructions() const {
  const auto chains = MethodReader::plan(*this).chains();
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < chains.size(); ++i) count += chains[i].instructions().size();
  return count;
}

}  // namespace executorch::runtime
