// TensorInfo and MethodMeta.

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "python/src/failure.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using runtime::MethodMeta;
using runtime::Result;

struct TensorDescription {
  std::shared_ptr<LoadedProgram> program;
  runtime::TensorInfo info;
};

std::string text_of(const runtime::TensorInfo& info) {
  std::string text = "TensorInfo(sizes=[";
  const auto sizes = info.sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return text + "], dtype=" + runtime::toString(info.scalar_type()) +
         ", is_memory_planned=" + (info.is_memory_planned() ? "True" : "False") +
         ", nbytes=" + std::to_string(info.nbytes()) + ")";
}

using GetTag = Result<runtime::Tag> (MethodMeta::*)(std::size_t) const;
using GetInfo = Result<runtime::TensorInfo> (MethodMeta::*)(std::size_t) const;

std::string list_text(const MethodMeta& meta, std::size_t count, GetTag tag, GetInfo info) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    const runtime::Tag kind = *(meta.*tag)(i);
    text += "'" +
            (kind == runtime::Tag::Tensor ? text_of(*(meta.*info)(i))
                                          : std::string(runtime::tag_to_string(kind))) +
            "'";
  }
  return text + "]";
}

std::string text_of(const MethodMeta& meta) {
  return std::string("MethodMeta(name='") + meta.name() +
         "', num_inputs=" + std::to_string(meta.num_inputs()) + ", input_tensor_meta=" +
         list_text(meta, meta.num_inputs(), &MethodMeta::input_tag,
                   &MethodMeta::input_tensor_meta) +
         ", num_outputs=" + std::to_string(meta.num_outputs()) + ", output_tensor_meta=" +
         list_text(meta, meta.num_outputs(), &MethodMeta::output_tag,
                   &MethodMeta::output_tensor_meta) +
         ")";
}

// A getter of descriptions, whose failure is an IndexError in the runtime's words.
auto tensor_getter(GetInfo get, const char* kind) {
  return [get, kind](const MethodDescription& method, std::size_t index) {
    try {
      LogScope log;
      return TensorDescription{
          method.program,
          log.take((method.meta.*get)(index),
                   std::string("Cannot get ") + kind + " tensor meta at " + std::to_string(index))};
    } catch (const std::runtime_error& error) {
      throw nb::index_error(error.what());
    }
  };
}

}  // namespace

void bind_metadata(nb::module_& module) {
  nb::class_<TensorDescription>(module, "TensorInfo",
                                "What a program says of a tensor. Keeps the program alive.")
      .def(
          "sizes",
          [](const TensorDescription& tensor) {
            nb::list sizes;
            for (const auto size : tensor.info.sizes()) sizes.append(size);
            return nb::tuple(sizes);
          },
          nb::sig("def sizes(self) -> tuple[int, ...]"),
          "Elements per dimension; the largest ones where they vary.")
      .def(
          "dtype",
          [](const TensorDescription& tensor) {
            return static_cast<int>(tensor.info.scalar_type());
          },
          "Type of the elements, as PyTorch numbers them: 6 is float32, 4 is int64.")
      .def(
          "is_memory_planned",
          [](const TensorDescription& tensor) { return tensor.info.is_memory_planned(); },
          "Whether the tensor has its place in the method's memory. Otherwise an input refers to\n"
          "the caller's memory, and an output is memory of its own.")
      .def(
          "nbytes", [](const TensorDescription& tensor) { return tensor.info.nbytes(); },
          "Bytes of all elements.")
      .def("__repr__", [](const TensorDescription& tensor) { return text_of(tensor.info); });

  nb::class_<MethodDescription>(module, "MethodMeta",
                                "What a program says of a method. Keeps the program alive.")
      .def(
          "name", [](const MethodDescription& method) { return std::string(method.meta.name()); },
          "The method's name, such as 'forward'.")
      .def(
          "num_inputs", [](const MethodDescription& method) { return method.meta.num_inputs(); },
          "Inputs that a call is given.")
      .def(
          "num_outputs", [](const MethodDescription& method) { return method.meta.num_outputs(); },
          "Outputs of a call.")
      .def(
          "num_attributes",
          [](const MethodDescription& method) { return method.meta.num_attributes(); },
          "Tensors of the method that have a name, such as mutable buffers.")
      .def("input_tensor_meta", tensor_getter(&MethodMeta::input_tensor_meta, "input"),
           nb::arg("index"),
           "The description of input `index`, from 0. IndexError when there is no such input, or\n"
           "it is no tensor.")
      .def(
          "output_tensor_meta", tensor_getter(&MethodMeta::output_tensor_meta, "output"),
          nb::arg("index"),
          "The description of output `index`, from 0. IndexError when there is no such output, or\n"
          "it is no tensor.")
      .def("attribute_tensor_meta", tensor_getter(&MethodMeta::attribute_tensor_meta, "attribute"),
           nb::arg("index"),
           "The description of attribute `index`, from 0. IndexError when there is no such one.")
      .def("__repr__", [](const MethodDescription& method) { return text_of(method.meta); });
}

}  // namespace executorch::python
