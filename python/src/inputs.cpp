#include "python/src/inputs.h"

#include <algorithm>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <limits>
#include <nanobind/ndarray.h>
#include <optional>
#include <span>
#include <stdexcept>

#include "python/src/element_types.h"
#include "python/src/layout.h"
#include "python/src/memory.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using runtime::EValue;
using runtime::MethodMeta;

[[noreturn]] void refuse(std::size_t index, const MethodMeta& meta, const std::string& why) {
  throw std::runtime_error("Input " + std::to_string(index) + " for method " + meta.name() + " " +
                           why);
}

[[noreturn]] void refuse_device(std::size_t index, const MethodMeta& meta,
                                const std::string& device) {
  refuse(index, meta, "is on device " + device + "; only CPU and CUDA tensors can be inputs.");
}

[[noreturn]] void refuse_type(nb::handle object) {
  throw std::runtime_error(
      "Unsupported python type " + std::string(nb::repr(object.type()).c_str()) +
      ". Ensure that inputs are passed as a flat list of tensors: torch tensors, numpy arrays, "
      "objects with __dlpack__, or None, bool, int, float and str.");
}

// A class of a module that is imported already; nothing is imported.
nb::object imported_class(const char* module_name, const char* class_name) {
  const nb::object name = nb::steal(PyUnicode_FromString(module_name));
  const nb::object module = nb::steal(PyImport_GetModule(name.ptr()));
  if (!module.is_valid()) {
    PyErr_Clear();
    return {};
  }
  nb::object result = nb::steal(PyObject_GetAttrString(module.ptr(), class_name));
  if (!result.is_valid()) PyErr_Clear();  // it is being imported
  return result;
}

bool is_instance(nb::handle object, const char* module_name, const char* class_name) {
  const nb::object type = imported_class(module_name, class_name);
  return type.is_valid() && PyObject_IsInstance(object.ptr(), type.ptr()) == 1;
}

bool is_array(nb::handle object) {
  return !PyBytes_Check(object.ptr()) && !PyByteArray_Check(object.ptr()) &&
         nb::ndarray_check(object);
}

std::optional<aten::Device> device_of(int device_type, int device_id) {
  if (device_type == nb::device::cpu::value || device_type == nb::device::cuda_host::value) {
    return aten::Device(aten::DeviceType::CPU);
  }
  if ((device_type == nb::device::cuda::value || device_type == nb::device::cuda_managed::value) &&
      device_id >= 0 && device_id <= std::numeric_limits<aten::DeviceIndex>::max()) {
    return aten::Device(aten::DeviceType::CUDA, static_cast<aten::DeviceIndex>(device_id));
  }
  return std::nullopt;
}

// What is needed of an array, whether it may be written to or not.
struct View {
  nb::dlpack::dtype type;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
  std::byte* data;
  int device_type;
  int device_id;
};

template <typename Array>
View view_of(const Array& array) {
  // An address, whether it may be written to or not; the caller knows.
  auto* const data = static_cast<std::byte*>(array.data_handle()) + array.byte_offset();
  return {array.dtype(),
          {array.shape_ptr(), array.ndim()},
          {array.stride_ptr(), array.ndim()},
          data,
          array.device_type(),
          array.device_id()};
}

}  // namespace

struct Inputs::Item {
  nb::object array;
  std::shared_ptr<void> copy;
  std::vector<aten::SizesType> sizes;
  std::vector<aten::StridesType> strides;
  std::vector<aten::DimOrderType> dim_order;
  std::optional<aten::TensorImpl> tensor;
  nb::ndarray<> writable;
  nb::ndarray<nb::ro> readable;
  std::string text;
  runtime::ArrayRef<char> text_view;
};

ArrayKind default_array_kind() {
  if (imported_class("torch", "Tensor").is_valid()) return ArrayKind::kTorch;
  if (imported_class("numpy", "ndarray").is_valid()) return ArrayKind::kNumpy;
  const nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
  if (numpy.is_valid()) return ArrayKind::kNumpy;
  PyErr_Clear();
  return ArrayKind::kDlpack;
}

Inputs::~Inputs() = default;
Inputs::Inputs(Inputs&&) noexcept = default;
Inputs& Inputs::operator=(Inputs&&) noexcept = default;

Inputs::Inputs(nb::handle inputs, const MethodMeta& meta) : kind_(ArrayKind::kDlpack) {
  const bool is_list = PyList_Check(inputs.ptr()) || PyTuple_Check(inputs.ptr());
  if (!is_list && is_array(inputs)) {
    values_.push_back(convert(inputs, 0, meta));
  } else {
    if (!is_list && (PyUnicode_Check(inputs.ptr()) || PyBytes_Check(inputs.ptr()) ||
                     PySequence_Check(inputs.ptr()) == 0)) {
      throw nb::type_error("the inputs of a method are a sequence, or one tensor");
    }
    const nb::object fast = nb::steal(PySequence_Fast(inputs.ptr(), "the inputs are no sequence"));
    if (!fast.is_valid()) nb::raise_python_error();
    const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
    for (std::size_t i = 0; i < count; ++i) {
      // Converting runs code of the array's, which might change the list.
      if (i >= static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr()))) break;
      const nb::object object =
          nb::borrow(PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i)));
      values_.push_back(convert(object, i, meta));
    }
  }
  if (!has_arrays_) kind_ = default_array_kind();
}

Inputs::Item& Inputs::keep() {
  items_.push_back(std::make_unique<Item>());
  return *items_.back();
}

EValue Inputs::convert(nb::handle object, std::size_t index, const MethodMeta& meta) {
  PyObject* const raw = object.ptr();
  if (raw == Py_None) return EValue();
  if (PyBool_Check(raw)) return EValue(raw == Py_True);
  if (PyLong_Check(raw)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(raw, &overflow);
    if (overflow != 0) refuse(index, meta, "is an int of more than 64 bits.");
    if (value == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
    return EValue(static_cast<std::int64_t>(value));
  }
  if (PyFloat_Check(raw)) return EValue(PyFloat_AS_DOUBLE(raw));
  if (PyUnicode_Check(raw)) {
    Py_ssize_t length = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(raw, &length);
    if (text == nullptr) nb::raise_python_error();
    Item& item = keep();
    item.text.assign(text, static_cast<std::size_t>(length));
    item.text_view = {item.text.data(), item.text.size()};
    return EValue(&item.text_view);
  }
  if (!is_array(object)) refuse_type(object);
  return convert_array(object, index, meta);
}

EValue Inputs::convert_array(nb::handle object, std::size_t index, const MethodMeta& meta) {
  Item& item = keep();
  item.array = nb::borrow(object);
  ArrayKind kind = ArrayKind::kDlpack;
  if (is_instance(object, "torch", "Tensor")) {
    kind = ArrayKind::kTorch;
    // A device that DLPack has no name for, or torch no export from.
    const nb::object torch_device = item.array.attr("device");
    const std::string device = nb::str(nb::handle(torch_device)).c_str();
    if (!device.starts_with("cpu") && !device.starts_with("cuda")) {
      if (nb::cast<std::size_t>(item.array.attr("numel")()) != 0)
        refuse_device(index, meta, device);
      item.array =
          item.array.attr("new_empty")(item.array.attr("shape"), nb::arg("device") = "cpu");
    }
    // Views whose elements are not what lies in memory, which DLPack can't say.
    item.array = item.array.attr("detach")().attr("resolve_conj")().attr("resolve_neg")();
  } else if (is_instance(object, "numpy", "ndarray") || is_instance(object, "numpy", "generic")) {
    kind = ArrayKind::kNumpy;
  }
  kind_ = has_arrays_ ? std::min(kind_, kind) : kind;
  has_arrays_ = true;

  const bool is_writable = nb::try_cast(item.array, item.writable, false);
  if (!is_writable && !nb::try_cast(item.array, item.readable, false)) refuse_type(object);
  const View view = is_writable ? view_of(item.writable) : view_of(item.readable);

  const auto type = scalar_type_of(view.type);
  if (!type) refuse(index, meta, "has a type of elements that programs don't have.");
  const std::size_t rank = view.sizes.size();
  if (rank > runtime::kTensorDimensionLimit) {
    refuse(index, meta, "has " + std::to_string(rank) + " dimensions, more than programs have.");
  }
  std::size_t bytes = runtime::elementSize(*type);
  const bool empty = std::ranges::find(view.sizes, 0) != view.sizes.end();
  for (const std::int64_t size : view.sizes) {
    // A size of 0 counts as 1: strides are to fit as well.
    if (size < 0 || size > std::numeric_limits<aten::SizesType>::max() ||
        __builtin_mul_overflow(bytes, static_cast<std::size_t>(std::max<std::int64_t>(size, 1)),
                               &bytes) ||
        bytes > std::numeric_limits<std::int64_t>::max()) {
      refuse(index, meta, "has more elements than programs can have.");
    }
  }
  if (empty) bytes = 0;
  auto device = device_of(view.device_type, view.device_id);
  if (!device && empty) device = aten::Device(aten::DeviceType::CPU);
  if (!device) {
    refuse_device(index, meta,
                  "(" + std::to_string(view.device_type) + ", " + std::to_string(view.device_id) +
                      ") of DLPack");
  }
  if (bytes != 0 && view.data == nullptr) refuse(index, meta, "has elements and no memory.");

  // The order in which the program has the input's elements.
  std::vector<std::uint8_t> wanted = contiguous_order(rank);
  bool refers = true;
  if (index < meta.num_inputs() && *meta.input_tag(index) == runtime::Tag::Tensor) {
    const runtime::TensorInfo info = *meta.input_tensor_meta(index);
    const auto order = info.dim_order();
    if (order.size() == rank) wanted.assign(order.begin(), order.end());
    refers = !info.is_memory_planned();
  }
  const bool fits = has_layout(view.sizes, view.strides, wanted);
  if (!fits) {
    static constexpr std::uint8_t kChannelsLast[] = {0, 2, 3, 1};
    const bool dense = has_layout(view.sizes, view.strides, contiguous_order(rank)) ||
                       (rank == 4 && has_layout(view.sizes, view.strides, kChannelsLast));
    if (!dense) refuse(index, meta, "should be contiguous or channels-last.");
    if (!device->is_cpu()) {
      refuse(index, meta,
             "has its elements in another order than the program, and is on a device: bring it "
             "into the memory format with which the program was exported.");
    }
  }
  const std::vector<std::int64_t> dense = dense_strides(view.sizes, wanted);
  std::byte* data = view.data;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) %
                           std::min<std::size_t>(runtime::elementSize(*type), 8) ==
                       0;
  // A program may write to an input that it refers to.
  if (device->is_cpu() && bytes != 0 && (!fits || !aligned || (refers && !is_writable))) {
    item.copy = host_memory(bytes);
    data = static_cast<std::byte*>(item.copy.get());
    copy_elements(data, dense, view.data, view.strides, view.sizes, runtime::elementSize(*type));
  }
  item.sizes.assign(view.sizes.begin(), view.sizes.end());
  for (const std::int64_t stride : dense) {
    if (stride > std::numeric_limits<aten::StridesType>::max()) {
      refuse(index, meta, "has strides of more than 31 bits.");
    }
    item.strides.push_back(static_cast<aten::StridesType>(stride));
  }
  item.dim_order = std::move(wanted);
  item.tensor.emplace(*type, static_cast<ssize_t>(rank), item.sizes.data(), data,
                      item.dim_order.data(), item.strides.data(), aten::TensorShapeDynamism::STATIC,
                      device->type(), device->index());
  return EValue(aten::Tensor(&*item.tensor));
}

}  // namespace executorch::python
