// Describes a tensor file in a few lines and writes it as a .ptd file. For tests.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/testing/flatbuffer_writer.h"
#include "runtime/testing/program_writer.h"

namespace executorch::runtime::testing {

struct TensorFileLayout {
  ElementType type = ElementType::kFloat;
  std::vector<std::int32_t> sizes = {};
  /// Default: outermost first.
  std::optional<std::vector<std::uint8_t>> dim_order = {};
};

struct TensorFileEntry {
  std::string key;
  Bytes data = {};
  /// Absent: a blob that is no tensor.
  std::optional<TensorFileLayout> layout = {};
};

struct TensorFileSpec {
  /// Each in a segment of its own.
  std::vector<TensorFileEntry> entries = {};
  std::uint64_t segment_alignment = 128;
  /// Changes the tree before it is written.
  std::function<void(Node& file)> edit = {};
};

Bytes write_tensor_file(const TensorFileSpec& spec);

}  // namespace executorch::runtime::testing
