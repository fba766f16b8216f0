// Outputs of a method as Python's objects.

#pragma once

#include <cstdint>
#include <executorch/runtime/core/evalue.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <variant>
#include <vector>

#include "python/src/inputs.h"

namespace executorch::python {

/// A tensor that owns its memory, or keeps its owner alive.
struct TensorValue {
  aten::ScalarType type;
  aten::Device device;
  std::vector<std::size_t> sizes;
  std::vector<std::int64_t> strides;
  void* data;
  std::shared_ptr<void> owner;
};

/// A value that a method gave out, held without Python.
struct OutputValue {
  std::variant<std::monostate, std::int64_t, double, bool, std::string, TensorValue,
               std::vector<OutputValue>>
      value;
};

/// Memory that a method's output was given for one execution.
struct OutputMemory {
  std::shared_ptr<void> memory;
  std::size_t size = 0;
};

/// How the tensors of outputs get an owner.
struct Ownership {
  /// Null: they are copied. Else they refer to the method's memory, which this keeps alive.
  std::shared_ptr<void> method;
  /// Memory that nobody else uses any more: a tensor at its start takes it instead of a copy.
  std::vector<OutputMemory> handed_over;
};

/// What a value holds. Without the GIL. Throws std::runtime_error when a tensor has no data, or
/// can't be copied.
OutputValue read_output(const runtime::EValue& value, Ownership& ownership);

/// Python's object for a value: None, int, float, bool, str, a list, or an array of `kind`. numpy
/// doesn't have every type and no device; such tensors become torch's where torch is imported,
/// else objects with __dlpack__. Holds the GIL.
nanobind::object to_python(const OutputValue& value, ArrayKind kind);

}  // namespace executorch::python
