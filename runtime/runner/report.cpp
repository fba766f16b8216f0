#include "runtime/runner/report.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch::runner {

using aten::ScalarType;
using runtime::EValue;

namespace {

template <typename T>
T element(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof value);
  return value;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string describe_element(ScalarType type, const void* data, std::size_t i) {
  switch (type) {
    case ScalarType::Float:
      return number(element<float>(data, i));
    case ScalarType::Double:
      return number(element<double>(data, i));
    case ScalarType::Half:
      return number(static_cast<float>(element<aten::Half>(data, i)));
    case ScalarType::BFloat16:
      return number(static_cast<float>(element<aten::BFloat16>(data, i)));
    case ScalarType::Long:
      return std::to_string(element<std::int64_t>(data, i));
    case ScalarType::Int:
      return std::to_string(element<std::int32_t>(data, i));
    case ScalarType::Short:
      return std::to_string(element<std::int16_t>(data, i));
    case ScalarType::Char:
      return std::to_string(element<std::int8_t>(data, i));
    case ScalarType::Byte:
      return std::to_string(element<std::uint8_t>(data, i));
    case ScalarType::Bool:
      return element<std::uint8_t>(data, i) != 0 ? "true" : "false";
    default:
      return "?";
  }
}

std::string describe_tensor(const aten::Tensor& tensor, std::size_t elements) {
  std::string text = std::string(runtime::toString(tensor.scalar_type())) + " [";
  for (ssize_t d = 0; d < tensor.dim(); ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(tensor.size(d));
  }
  text += "]";
  if (!tensor.device().is_cpu()) return text + " on a device";
  if (tensor.const_data_ptr() == nullptr) return text + (tensor.numel() == 0 ? "" : " no data");
  const auto count = static_cast<std::size_t>(tensor.numel());
  for (std::size_t i = 0; i < std::min(count, elements); ++i) {
    text += " " + describe_element(tensor.scalar_type(), tensor.const_data_ptr(), i);
  }
  return text + (count > elements ? " ..." : "");
}

}  // namespace

std::string describe(const EValue& value, std::size_t elements) {
  switch (value.tag) {
    case runtime::Tag::None:
      return "None";
    case runtime::Tag::Int:
      return "Int " + std::to_string(value.toInt());
    case runtime::Tag::Double:
      return "Double " + number(value.toDouble());
    case runtime::Tag::Bool:
      return value.toBool() ? "Bool true" : "Bool false";
    case runtime::Tag::String:
      return "String '" + std::string(value.toString()) + "'";
    case runtime::Tag::Tensor:
      return describe_tensor(value.toTensor(), elements);
    default:
      return runtime::tag_to_string(value.tag);
  }
}

std::string describe_backends(const runtime::MethodMeta& method) {
  std::string text = "backends needed:";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < method.num_backends(); ++i) {
    const auto name = method.get_backend_name(i);
    if (name.ok() && std::find(names.begin(), names.end(), *name) == names.end()) {
      names.emplace_back(*name);
      text += std::string(" ") + *name;
    }
  }
  text += names.empty() ? " none; registered:" : "; registered:";
  const std::size_t registered = runtime::get_num_registered_backends();
  for (std::size_t i = 0; i < registered; ++i) {
    const auto name = runtime::get_backend_name(i);
    if (name.ok()) text += std::string(" ") + *name;
  }
  return registered == 0 ? text + " none" : text;
}

std::string describe_times(std::vector<double> nanoseconds) {
  std::sort(nanoseconds.begin(), nanoseconds.end());
  char text[160];
  std::snprintf(text, sizeof text,
                "%zu execution%s: smallest %.3f us, median %.3f us, largest %.3f us",
                nanoseconds.size(), nanoseconds.size() == 1 ? "" : "s", nanoseconds.front() / 1e3,
                nanoseconds[nanoseconds.size() / 2] / 1e3, nanoseconds.back() / 1e3);
  return text;
}

}  // namespace executorch::runner
