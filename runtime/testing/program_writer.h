// Describes a program in a few lines and writes it as a .pte file. For tests.
//
//   ProgramSpec program;
//   program.plans.push_back(add_plan());
//   Bytes file = write_program(program);
//
// To write what does not hold together, change the tree: `edit` sees it before it becomes bytes.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/testing/flatbuffer_writer.h"

namespace executorch::runtime::testing {

/// Numbers of the format that tests name.
enum class ElementType : std::int8_t {
  kByte = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kHalf = 5,
  kFloat = 6,
  kDouble = 7,
  kBool = 11,
  kBFloat16 = 15,
};
enum class Shape : std::int8_t { kStatic = 0, kBound = 1, kUnbound = 2 };

struct Allocation {
  std::uint32_t memory_id = 1;
  std::uint64_t offset = 0;
};

struct ExtraInfo {
  std::optional<std::string> name = {};
  bool external = false;
  std::int8_t device_type = 0;
  std::int8_t device_index = 0;
};

struct TensorSpec {
  ElementType type = ElementType::kFloat;
  std::vector<std::int32_t> sizes = {};
  /// Default: outermost first.
  std::optional<std::vector<std::uint8_t>> dim_order = {};
  std::optional<Allocation> allocation = {};
  /// Index of a constant or, with `allocation`, of an initial state; 0: neither.
  std::uint32_t data = 0;
  Shape shape = Shape::kStatic;
  std::optional<ExtraInfo> extra = {};
};

// Values. Each yields an EValue table.
Node null_value();
Node int_value(std::int64_t value);
Node bool_value(bool value);
Node double_value(double value);
Node string_value(const std::string& value);
Node tensor_value(const TensorSpec& spec);
/// Items are indices of Int values.
Node int_list_value(const std::vector<std::int64_t>& items);
Node double_list_value(const std::vector<double>& items);
Node bool_list_value(const std::vector<std::uint8_t>& items);
Node tensor_list_value(const std::vector<std::int32_t>& items);
Node optional_tensor_list_value(const std::vector<std::int32_t>& items);

// Instructions. Each yields an Instruction table.
Node kernel_call(std::int32_t op, const std::vector<std::int32_t>& arguments);
Node delegate_call(std::int32_t delegate, const std::vector<std::int32_t>& arguments);
Node move_call(std::int32_t from, std::int32_t to);
Node jump_false_call(std::int32_t condition, std::int32_t destination);
Node free_call(std::int32_t value);

struct OperatorSpec {
  std::string name;
  std::string overload = "";
};

struct DelegateSpec {
  std::string id;
  /// The blob: in a segment of its own or, when `inlined`, in the tables.
  Bytes processed = {};
  bool inlined = false;
  std::vector<std::pair<std::string, std::string>> compile_specs = {};
};

struct BufferDevice {
  std::int32_t buffer = 1;
  std::int8_t type = 1;
  std::int8_t index = 0;
};

struct PlanSpec {
  std::string name = "forward";
  std::vector<Node> values = {};
  std::vector<std::int32_t> inputs = {};
  std::vector<std::int32_t> outputs = {};
  std::vector<OperatorSpec> operators = {};
  std::vector<DelegateSpec> delegates = {};
  std::vector<Node> instructions = {};
  /// Behind the reserved first entry.
  std::vector<std::int64_t> buffers = {};
  std::vector<BufferDevice> buffer_devices = {};
};

struct NamedBlob {
  std::string key;
  Bytes data;
};

enum class ExtendedHeader { kNone, kShort, kFull };

struct ProgramSpec {
  std::vector<PlanSpec> plans = {};
  /// Constants 1, 2, …; each at a multiple of 16 of the constant segment.
  std::vector<Bytes> constants = {};
  /// In the tables instead of a segment, as files were written until 2024.
  bool inline_constants = false;
  /// Initial states 1, 2, …, packed.
  std::vector<Bytes> states = {};
  std::vector<NamedBlob> named_data = {};
  /// kNone is for programs without data in segments.
  ExtendedHeader header = ExtendedHeader::kFull;
  std::uint64_t segment_alignment = 128;
  /// Changes the tree before it is written.
  std::function<void(Node& program)> edit = {};
};

/// The tree of a program with all its segments placed.
Bytes write_program(const ProgramSpec& spec);

/// A plan that adds two float tensors of `sizes` with aten::add.out into a planned output.
PlanSpec add_plan(const std::vector<std::int32_t>& sizes = {2, 2});

/// Bytes of numbers, for constants and blobs.
template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes;
  for (const T& value : values) append_number(bytes, value);
  return bytes;
}

/// Field numbers that tests of malformed programs name.
namespace program_field {
inline constexpr unsigned kPlans = 1, kInlineConstants = 2, kInlineDelegates = 3, kSegments = 4,
                          kConstants = 5, kMutableData = 6, kNamedData = 7;
}
namespace plan_field {
inline constexpr unsigned kName = 0, kContainer = 1, kValues = 2, kInputs = 3, kOutputs = 4,
                          kChains = 5, kOperators = 6, kDelegates = 7, kBufferSizes = 8,
                          kBufferDevices = 9;
}
namespace tensor_field {
inline constexpr unsigned kType = 0, kStorageOffset = 1, kSizes = 2, kDimOrder = 3, kData = 5,
                          kAllocation = 6, kLayout = 7, kDynamism = 8, kExtra = 9;
}

}  // namespace executorch::runtime::testing
