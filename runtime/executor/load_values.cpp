// Builds the values of a method: numbers, strings, lists, and tensors with their data.

#include <algorithm>
#include <cinttypes>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/platform/log.h>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "runtime/executor/method_state.h"
#include "runtime/executor/tensor_place.h"
#include "runtime/program/verify.h"

namespace executorch::runtime::internal {

using etensor::Device;
using etensor::DeviceType;
using etensor::Tensor;
using etensor::TensorImpl;
using format::Storage;
using format::TensorTable;
using format::ValueKind;
using format::ValueTable;

namespace {

// Hands out the entries of an array one after the other.
template <typename T>
class Pool {
 public:
  T** storage() { return &next_; }
  T* take(std::size_t count = 1) {
    T* const taken = next_;
    next_ += count;
    return taken;
  }

 private:
  T* next_ = nullptr;
};

// How much of everything the values of a method need, so that it can be allocated at once.
struct Counts {
  std::size_t tensors = 0, dimensions = 0, dynamic_dimensions = 0, external = 0;
  std::size_t strings = 0, double_lists = 0, bool_lists = 0;
  std::size_t int_lists = 0, int_items = 0;
  std::size_t tensor_lists = 0, tensor_items = 0;
  std::size_t optional_lists = 0, optional_items = 0;
};

Counts count(const format::Tables<ValueTable>& values) {
  Counts counts;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const ValueTable value = values[i];
    switch (value.kind()) {
      case ValueKind::kTensor: {
        const TensorTable tensor = value.tensor();
        const std::size_t rank = tensor.sizes().size();
        ++counts.tensors;
        counts.dimensions += rank;
        if (tensor.dynamism() != format::Dynamism::kStatic) counts.dynamic_dimensions += rank;
        if (tensor.storage() == Storage::kExternal) ++counts.external;
        break;
      }
      case ValueKind::kString:
        ++counts.strings;
        break;
      case ValueKind::kDoubleList:
        ++counts.double_lists;
        break;
      case ValueKind::kBoolList:
        ++counts.bool_lists;
        break;
      case ValueKind::kIntList:
        ++counts.int_lists;
        counts.int_items += value.int_items().size();
        break;
      case ValueKind::kTensorList:
        ++counts.tensor_lists;
        counts.tensor_items += value.tensor_items().size();
        break;
      case ValueKind::kOptionalTensorList:
        ++counts.optional_lists;
        counts.optional_items += value.tensor_items().size();
        break;
      case ValueKind::kNull:
      case ValueKind::kInt:
      case ValueKind::kBool:
      case ValueKind::kDouble:
        break;
    }
  }
  return counts;
}

bool same_device(const Device& wanted, const Device& given) {
  // Index -1 is the current device.
  return wanted.type() == given.type() && (wanted.is_cpu() || wanted.index() == given.index() ||
                                           wanted.index() < 0 || given.index() < 0);
}

}  // namespace

class ValueLoader {
 public:
  ValueLoader(MethodState& state, const NamedDataMap* external)
      : state_(state), values_(state.plan_.values()), external_(external) {}

  Error load() {
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(count(values_)));
    ET_CHECK_OK_OR_RETURN_ERROR(find_devices());
    // Lists refer to values before and behind them.
    for (std::uint32_t i = 0; i < values_.size(); ++i) new (&state_.values_[i]) EValue();
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(value(i, values_[i], state_.values_[i]),
                                  "value %" PRIu32 " of the method can't be made", i);
    }
    return Error::Ok;
  }

 private:
  using OptionalTensor = std::optional<Tensor>;

  Error allocate(const Counts& counts);
  Error find_devices();
  bool is_input(std::uint32_t value);
  Error value(std::uint32_t index, const ValueTable& table, EValue& value);
  Error tensor(std::uint32_t index, const TensorTable& table, EValue& value);
  Error data(const TensorTable& table, std::size_t size, void** data, Device* device);
  Error planned(const TensorTable& table, std::size_t size, void** data, Device* device);
  Error external_constant(const TensorTable& table, std::size_t size, void** data);
  Error check_external_layout(const TensorTable& table) const;
  Error load_state(const TensorTable& table, std::size_t size, void* data, Device device) const;
  template <typename T>
  BoxedEvalueList<T>* list(std::span<const std::int32_t> items, Pool<BoxedEvalueList<T>>& lists,
                           Pool<EValue*>& wrapped, Pool<T>& scratch);

  MethodState& state_;
  format::Tables<ValueTable> values_;
  const NamedDataMap* external_;
  // Of each planned buffer; empty when all are on the CPU.
  std::vector<Device> devices_;
  // By value; made when it is needed.
  std::vector<bool> is_input_;
  // External constants by name: several values may share one.
  std::unordered_map<std::string_view, const FreeableBuffer*> external_by_name_;
  std::size_t external_used_ = 0;

  Pool<TensorImpl> impls_;
  Pool<TensorImpl::SizesType> sizes_;
  Pool<TensorImpl::StridesType> strides_;
  Pool<ArrayRef<char>> strings_;
  Pool<ArrayRef<double>> double_lists_;
  Pool<ArrayRef<bool>> bool_lists_;
  Pool<EValue*> wrapped_;
  Pool<BoxedEvalueList<std::int64_t>> int_lists_;
  Pool<std::int64_t> ints_;
  Pool<BoxedEvalueList<Tensor>> tensor_lists_;
  Pool<Tensor> tensors_;
  Pool<BoxedEvalueList<OptionalTensor>> optional_lists_;
  Pool<OptionalTensor> optionals_;
};

Error ValueLoader::allocate(const Counts& counts) {
  FreeableBuffer* external = nullptr;
  const Error errors[] = {
      state_.allocate(values_.size(), &state_.values_),
      state_.allocate(counts.tensors, impls_.storage()),
      state_.allocate(counts.dynamic_dimensions, sizes_.storage()),
      state_.allocate(counts.dimensions, strides_.storage()),
      state_.allocate(counts.strings, strings_.storage()),
      state_.allocate(counts.double_lists, double_lists_.storage()),
      state_.allocate(counts.bool_lists, bool_lists_.storage()),
      state_.allocate(counts.int_items + counts.tensor_items + counts.optional_items,
                      wrapped_.storage()),
      state_.allocate(counts.int_lists, int_lists_.storage()),
      state_.allocate(counts.int_items, ints_.storage()),
      state_.allocate(counts.tensor_lists, tensor_lists_.storage()),
      state_.allocate(counts.tensor_items, tensors_.storage()),
      state_.allocate(counts.optional_lists, optional_lists_.storage()),
      state_.allocate(counts.optional_items, optionals_.storage()),
      state_.allocate(counts.external, &external),
  };
  for (const Error error : errors) ET_CHECK_OK_OR_RETURN_ERROR(error);
  for (std::size_t i = 0; i < counts.external; ++i) new (&external[i]) FreeableBuffer();
  state_.external_constants_ = {external, counts.external};
  return Error::Ok;
}

// The program says where each planned buffer is wanted, the caller may say where it is. When they
// differ, kernels would read memory of a device or copies would miss it.
Error ValueLoader::find_devices() {
  const auto entries = state_.plan_.buffer_devices();
  const auto given = state_.memory_.planned_buffer_devices();
  const std::size_t buffers = state_.plan_.buffer_sizes().size() - 1;
  if (entries.empty() && given.empty()) return Error::Ok;
  devices_.assign(buffers, Device(DeviceType::CPU));
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    devices_[static_cast<std::size_t>(entries[i].buffer()) - 1] =
        Device(static_cast<DeviceType>(entries[i].device_type()), entries[i].device_index());
  }
  for (std::size_t i = 0; i < std::min(buffers, given.size()); ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        same_device(devices_[i], given[i]), InvalidArgument,
        "Planned buffer %zu belongs on device %d:%d, but was given on %d:%d. PlannedArenas makes "
        "the memory that a method needs.",
        i, static_cast<int>(devices_[i].type()), devices_[i].index(),
        static_cast<int>(given[i].type()), given[i].index());
    devices_[i] = given[i];
  }
  return Error::Ok;
}

bool ValueLoader::is_input(std::uint32_t value) {
  if (is_input_.empty()) {
    is_input_.resize(values_.size());
    for (const std::int32_t input : state_.plan_.inputs()) {
      is_input_[static_cast<std::size_t>(input)] = true;
    }
  }
  return is_input_[value];
}

Error ValueLoader::value(std::uint32_t index, const ValueTable& table, EValue& value) {
  switch (table.kind()) {
    case ValueKind::kNull:
      break;
    case ValueKind::kInt:
      value = EValue(table.int_value());
      break;
    case ValueKind::kBool:
      value = EValue(table.bool_value());
      break;
    case ValueKind::kDouble:
      value = EValue(table.double_value());
      break;
    case ValueKind::kTensor:
      return tensor(index, table.tensor(), value);
    case ValueKind::kString: {
      const format::Text text = table.string_value();
      value = EValue(new (strings_.take()) ArrayRef<char>(text.data, text.size));
      break;
    }
    case ValueKind::kDoubleList: {
      const auto items = table.double_items();
      value = EValue(new (double_lists_.take()) ArrayRef<double>(items.data(), items.size()));
      break;
    }
    case ValueKind::kBoolList: {
      static_assert(sizeof(bool) == 1);
      const auto items = table.bool_items();
      value = EValue(new (bool_lists_.take())
                         ArrayRef<bool>(reinterpret_cast<const bool*>(items.data()), items.size()));
      break;
    }
    case ValueKind::kIntList: {
      // Empty lists need room too: a BoxedEvalueList without is an error.
      const auto items = table.int_items();
      if (items.empty()) {
        value = EValue(new (int_lists_.take()) BoxedEvalueList<std::int64_t>());
        break;
      }
      EValue** const wrapped = wrapped_.take(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) wrapped[i] = &state_.values_[items[i]];
      value = EValue(new (int_lists_.take()) BoxedEvalueList<std::int64_t>(
          wrapped, ints_.take(items.size()), static_cast<int>(items.size())));
      break;
    }
    case ValueKind::kTensorList:
      value = EValue(list(table.tensor_items(), tensor_lists_, wrapped_, tensors_));
      break;
    case ValueKind::kOptionalTensorList:
      value = EValue(list(table.tensor_items(), optional_lists_, wrapped_, optionals_));
      break;
  }
  return Error::Ok;
}

template <typename T>
BoxedEvalueList<T>* ValueLoader::list(std::span<const std::int32_t> items,
                                      Pool<BoxedEvalueList<T>>& lists, Pool<EValue*>& wrapped,
                                      Pool<T>& scratch) {
  if (items.empty()) return new (lists.take()) BoxedEvalueList<T>();
  EValue** const places = wrapped.take(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Only lists of optionals have negative items: nothing.
    places[i] = items[i] < 0 ? nullptr : &state_.values_[items[i]];
  }
  return new (lists.take())
      BoxedEvalueList<T>(places, scratch.take(items.size()), static_cast<int>(items.size()));
}

Error ValueLoader::tensor(std::uint32_t index, const TensorTable& table, EValue& value) {
  const auto sizes = table.sizes();
  const auto order = table.dim_order();
  const auto type = static_cast<etensor::ScalarType>(table.scalar_type());
  const auto dynamism = static_cast<TensorShapeDynamism>(table.dynamism());
  // Neither the order nor the sizes of a static tensor are ever written to.
  auto* const dim_order = const_cast<TensorImpl::DimOrderType*>(order.data());
  auto* const static_sizes = const_cast<TensorImpl::SizesType*>(sizes.data());
  const bool is_static = dynamism == TensorShapeDynamism::STATIC;
  TensorFrame frame{type,
                    sizes.size(),
                    is_static ? static_sizes : sizes_.take(sizes.size()),
                    dim_order,
                    strides_.take(sizes.size()),
                    dynamism};
  TensorImpl* const impl = impls_.take();

  const auto size = format::tensor_size(sizes, order, table.scalar_type());
  void* data = nullptr;
  Device device(DeviceType::CPU);
  ET_CHECK_OK_OR_RETURN_ERROR(
      this->data(table, size ? static_cast<std::size_t>(size->bytes) : 0, &data, &device));
  if (!size) {
    // The program's bound is more than there can be: a dynamic input that takes what it is given.
    ET_CHECK_OR_RETURN_ERROR(is_input(index), InvalidProgram, "%s",
                             "The bound of a tensor that is no input overflows.");
    make_bounded(impl, frame, ~std::uint64_t{0}, data, device);
  } else {
    if (!is_static) std::copy(sizes.begin(), sizes.end(), frame.sizes);
    dim_order_to_stride_nocheck(frame.sizes, frame.dim_order, frame.rank, frame.strides);
    new (impl) TensorImpl(type, static_cast<ssize_t>(frame.rank), frame.sizes, data,
                          frame.dim_order, frame.strides, dynamism, device.type(), device.index());
  }
  value = EValue(Tensor(impl));
  return Error::Ok;
}

Error ValueLoader::data(const TensorTable& table, std::size_t size, void** data, Device* device) {
  switch (table.storage()) {
    case Storage::kNone: {
      // Nobody knows yet where the caller's memory will be: the program's word has to do.
      const format::ExtraTensorTable extra = table.extra();
      if (extra) {
        *device = Device(static_cast<DeviceType>(extra.device_type()), extra.device_index());
      }
      return Error::Ok;
    }
    case Storage::kConstant:
      *data = const_cast<void*>(state_.program_.constant(table));
      return Error::Ok;
    case Storage::kExternal:
      return external_constant(table, size, data);
    case Storage::kPlanned:
      return planned(table, size, data, device);
    case Storage::kPlannedWithState:
    case Storage::kPlannedExternal:
      ET_CHECK_OK_OR_RETURN_ERROR(planned(table, size, data, device));
      return size == 0 ? Error::Ok : load_state(table, size, *data, *device);
  }
  return Error::InvalidProgram;
}

Error ValueLoader::planned(const TensorTable& table, std::size_t size, void** data,
                           Device* device) {
  HierarchicalAllocator* const arenas = state_.memory_.planned_memory();
  ET_CHECK_OR_RETURN_ERROR(arenas != nullptr, InvalidArgument, "%s",
                           "The method needs planned memory, and the memory manager has none.");
  const format::AllocationTable place = table.allocation();
  const std::uint32_t buffer = place.memory_id() - 1;
  // Where the tensor really is, not where it is said to be: older exports say CUDA of tensors in
  // buffers on the CPU.
  if (!devices_.empty()) *device = devices_[buffer];
  auto address = arenas->get_offset_address(buffer, static_cast<std::size_t>(place.offset()), size);
  ET_CHECK_OK_OR_RETURN_ERROR(address.error());
  *data = *address;
  return Error::Ok;
}

Error ValueLoader::check_external_layout(const TensorTable& table) const {
  const std::string_view name = table.extra().fully_qualified_name().view();
  ET_CHECK_OR_RETURN_ERROR(external_ != nullptr, InvalidExternalData,
                           "The data of tensor '%s' is in a data file, and none was given.",
                           name.data());
  const auto layout = external_->get_tensor_layout(name);
  ET_CHECK_OR_RETURN_ERROR(layout.ok(), InvalidExternalData,
                           "The data files have no tensor '%s': %s", name.data(),
                           to_string(layout.error()));
  const bool same =
      static_cast<std::int8_t>(layout->scalar_type()) == table.scalar_type() &&
      std::ranges::equal(std::span(layout->sizes().data(), layout->sizes().size()),
                         table.sizes()) &&
      std::ranges::equal(std::span(layout->dim_order().data(), layout->dim_order().size()),
                         table.dim_order());
  ET_CHECK_OR_RETURN_ERROR(same, InvalidExternalData,
                           "Tensor '%s' has another type or shape in the data file than in the "
                           "program.",
                           name.data());
  return Error::Ok;
}

Error ValueLoader::external_constant(const TensorTable& table, std::size_t size, void** data) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_external_layout(table));
  const std::string_view name = table.extra().fully_qualified_name().view();
  const auto [known, is_new] = external_by_name_.try_emplace(name, nullptr);
  if (is_new) {
    auto loaded = external_->get_data(name);
    ET_CHECK_OK_OR_RETURN_ERROR(loaded.error(), "The data of tensor '%s' can't be loaded",
                                name.data());
    FreeableBuffer* const place = &state_.external_constants_[external_used_++];
    place->~FreeableBuffer();
    known->second = new (place) FreeableBuffer(std::move(*loaded));
  }
  const auto bytes = known->second->data_safe();
  ET_CHECK_OK_OR_RETURN_ERROR(bytes.error());
  ET_CHECK_OR_RETURN_ERROR(known->second->size() >= size, InvalidExternalData,
                           "Tensor '%s' of %zu bytes has %zu in the data file.", name.data(), size,
                           known->second->size());
  *data = const_cast<void*>(*bytes);
  return Error::Ok;
}

// The value that a planned tensor has before the first run.
Error ValueLoader::load_state(const TensorTable& table, std::size_t size, void* data,
                              Device device) const {
  const bool external = table.storage() == Storage::kPlannedExternal;
  if (external) ET_CHECK_OK_OR_RETURN_ERROR(check_external_layout(table));
  const auto load_to = [&](void* destination) {
    return external ? external_->load_data_into(table.extra().fully_qualified_name().view(),
                                                destination, size)
                    : state_.program_.load_state(table, size, destination);
  };
  ET_CHECK_OR_RETURN_ERROR(data != nullptr, InvalidArgument, "%s",
                           "A buffer of the planned memory is null.");
  if (device.is_cpu()) return load_to(data);
  const std::unique_ptr<std::uint8_t[]> between(new (std::nothrow) std::uint8_t[size]);
  ET_CHECK_OR_RETURN_ERROR(between != nullptr, MemoryAllocationFailed, "%zu bytes for a copy.",
                           size);
  ET_CHECK_OK_OR_RETURN_ERROR(load_to(between.get()));
  return copy_bytes(data, device, between.get(), Device(DeviceType::CPU), size);
}

Error MethodState::load_values(const LoadArguments& arguments) {
  return ValueLoader(*this, arguments.external_data).load();
}

}  // namespace executorch::runtime::internal
