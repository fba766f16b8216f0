#include "python/src/outputs.h"

#include <algorithm>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <functional>
#include <nanobind/ndarray.h>
#include <optional>
#include <stdexcept>
#include <utility>

#include "python/src/element_types.h"
#include "python/src/memory.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using runtime::EValue;
using runtime::Tag;

// Memory much larger than what came out isn't worth keeping.
constexpr std::size_t kMaxWaste = 4096;

std::shared_ptr<void> owner_of(const aten::Tensor& tensor, Ownership& ownership, void** data) {
  *data = tensor.mutable_data_ptr();
  for (OutputMemory& candidate : ownership.handed_over) {
    if (candidate.memory == nullptr || candidate.memory.get() != *data) continue;
    // Once: a second output at the same place is one of its own.
    if (candidate.size <= tensor.nbytes() * 2 + kMaxWaste) {
      return std::exchange(candidate.memory, nullptr);
    }
  }
  if (ownership.method != nullptr) return ownership.method;
  std::shared_ptr<void> copy = copy_of(*data, tensor.nbytes(), tensor.device());
  *data = copy.get();
  return copy;
}

TensorValue read_tensor(const aten::Tensor& tensor, Ownership& ownership) {
  if (tensor.nbytes() != 0 && tensor.const_data_ptr() == nullptr) {
    throw std::runtime_error("An output tensor of " + std::to_string(tensor.nbytes()) +
                             " bytes has no data.");
  }
  TensorValue result{tensor.scalar_type(), tensor.device(), {}, {}, nullptr, nullptr};
  for (const auto size : tensor.sizes()) result.sizes.push_back(static_cast<std::size_t>(size));
  result.strides.assign(tensor.strides().begin(), tensor.strides().end());
  result.owner = owner_of(tensor, ownership, &result.data);
  return result;
}

// `read` gives what is to be held of an element.
template <typename List, typename Read>
OutputValue read_list(const List& list, Read read) {
  OutputValue result;
  auto& values = result.value.emplace<std::vector<OutputValue>>(list.size());
  std::size_t i = 0;
  for (const auto& element : list) values[i++].value = read(element);
  return result;
}

nb::object to_array(const TensorValue& tensor, ArrayKind kind) {
  const auto type = dlpack_type_of(tensor.type);
  if (!type) {
    throw std::runtime_error(std::string("An output has elements of type ") +
                             runtime::toString(tensor.type) + ", which arrays don't have.");
  }
  if (kind == ArrayKind::kNumpy && (!numpy_has(tensor.type) || !tensor.device.is_cpu())) {
    kind = default_array_kind() == ArrayKind::kTorch ? ArrayKind::kTorch : ArrayKind::kDlpack;
  }
  auto owner = std::make_unique<std::shared_ptr<void>>(tensor.owner);
  const nb::capsule capsule(owner.get(), [](void* pointer) noexcept {
    delete static_cast<std::shared_ptr<void>*>(pointer);
  });
  (void)owner.release();  // the capsule's
  const int device_type = tensor.device.is_cpu() ? nb::device::cpu::value : nb::device::cuda::value;
  const auto make = [&](auto framework) {
    nb::ndarray<decltype(framework)> array(
        tensor.data, tensor.sizes.size(), tensor.sizes.data(), capsule, tensor.strides.data(),
        *type, device_type, tensor.device.is_cpu() ? 0 : std::max<int>(tensor.device.index(), 0));
    return nb::object(array.cast(nb::rv_policy::reference));
  };
  switch (kind) {
    case ArrayKind::kTorch:
      return make(nb::pytorch());
    case ArrayKind::kNumpy:
      return make(nb::numpy());
    case ArrayKind::kDlpack:
      break;
  }
  return make(nb::array_api());
}

}  // namespace

OutputValue read_output(const EValue& value, Ownership& ownership) {
  switch (value.tag) {
    case Tag::None:
      return {};
    case Tag::Int:
      return {value.toInt()};
    case Tag::Double:
      return {value.toDouble()};
    case Tag::Bool:
      return {value.toBool()};
    case Tag::String:
      return {std::string(value.toString())};
    case Tag::Tensor:
      return {read_tensor(value.toTensor(), ownership)};
    case Tag::ListInt:
      return read_list(value.toIntList(), std::identity());
    case Tag::ListDouble:
      return read_list(value.toDoubleList(), std::identity());
    case Tag::ListBool:
      return read_list(value.toBoolList(), std::identity());
    case Tag::ListTensor:
      return read_list(value.toTensorList(),
                       [&](const aten::Tensor& tensor) { return read_tensor(tensor, ownership); });
    case Tag::ListOptionalTensor:
      return read_list(value.toListOptionalTensor(),
                       [&](const std::optional<aten::Tensor>& tensor) {
                         OutputValue element;
                         if (tensor) element.value = read_tensor(*tensor, ownership);
                         return element.value;
                       });
    default:
      throw std::runtime_error(std::string("An output is ") + runtime::tag_to_string(value.tag) +
                               ", which Python has no value for.");
  }
}

nb::object to_python(const OutputValue& output, ArrayKind kind) {
  return std::visit(
      [kind](const auto& value) -> nb::object {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nb::none();
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return nb::str(value.data(), value.size());
        } else if constexpr (std::is_same_v<Value, TensorValue>) {
          return to_array(value, kind);
        } else if constexpr (std::is_same_v<Value, std::vector<OutputValue>>) {
          nb::list list;
          for (const OutputValue& element : value) list.append(to_python(element, kind));
          return list;
        } else {
          return nb::cast(value);
        }
      },
      output.value);
}

}  // namespace executorch::python
