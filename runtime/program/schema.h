// The tables of a program file as views: one accessor a field. Valid only for verified bytes
// (wire.h says why). Names are the format's; numbers in the accessors are field numbers.

#pragma once

#include <cstdint>
#include <span>

#include "runtime/program/structure.h"
#include "runtime/program/wire.h"

namespace executorch::runtime::format {

/// What a value is: the union's discriminant in the file.
enum class ValueKind : std::uint8_t {
  kNull = 1,
  kInt,
  kBool,
  kDouble,
  kTensor,
  kString,
  kIntList,
  kDoubleList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
};

/// What an instruction does: the union's discriminant in the file.
enum class InstructionKind : std::uint8_t {
  kKernelCall = 1,
  kDelegateCall,
  kMoveCall,
  kJumpFalseCall,
  kFreeCall,
};

enum class TensorLocation : std::int8_t { kSegment = 0, kExternal = 1 };
enum class DataLocation : std::int8_t { kInline = 0, kSegment = 1 };
enum class Dynamism : std::int8_t { kStatic = 0, kBound = 1, kUnbound = 2 };
enum class FileDevice : std::int8_t { kCpu = 0, kCuda = 1 };

struct AllocationTable : Table {
  using Table::Table;
  /// 1-based: planned buffer `memory_id() - 1`.
  std::uint32_t memory_id() const { return number<std::uint32_t>(0); }
  std::uint64_t offset() const {
    return number<std::uint32_t>(1) | (std::uint64_t{number<std::uint32_t>(2)} << 32);
  }
};

struct ExtraTensorTable : Table {
  using Table::Table;
  Text fully_qualified_name() const { return text(1); }
  TensorLocation location() const { return TensorLocation{number<std::int8_t>(2)}; }
  FileDevice device_type() const { return FileDevice{number<std::int8_t>(3)}; }
  std::int8_t device_index() const { return number<std::int8_t>(4); }
};

/// Where the bytes of a tensor are before the first run.
enum class Storage : std::uint8_t {
  kNone,              ///< nowhere: an input, output or branch result that is pointed at later
  kPlanned,           ///< in a planned buffer, without a value
  kPlannedWithState,  ///< in a planned buffer, copied from the mutable data segment at load
  kPlannedExternal,   ///< in a planned buffer, copied from the external data map at load
  kConstant,          ///< in the constant data, by `data_buffer_idx()`
  kExternal,          ///< in the external data map, by name
};

struct TensorTable : Table {
  using Table::Table;
  std::int8_t scalar_type() const { return number<std::int8_t>(0); }
  std::int32_t storage_offset() const { return number<std::int32_t>(1); }
  std::span<const std::int32_t> sizes() const { return numbers<std::int32_t>(2); }
  std::span<const std::uint8_t> dim_order() const { return numbers<std::uint8_t>(3); }
  std::uint32_t data_buffer_idx() const { return number<std::uint32_t>(5); }
  AllocationTable allocation() const { return table<AllocationTable>(6); }
  std::int8_t layout() const { return number<std::int8_t>(7); }
  Dynamism dynamism() const { return Dynamism{number<std::int8_t>(8)}; }
  ExtraTensorTable extra() const { return table<ExtraTensorTable>(9); }

  Storage storage() const;
};

inline Storage TensorTable::storage() const {
  const bool planned = field(6) != nullptr;
  const ExtraTensorTable more = extra();
  if (more && more.location() == TensorLocation::kExternal) {
    return planned ? Storage::kPlannedExternal : Storage::kExternal;
  }
  if (data_buffer_idx() == 0) return planned ? Storage::kPlanned : Storage::kNone;
  return planned ? Storage::kPlannedWithState : Storage::kConstant;
}

struct ValueTable : Table {
  using Table::Table;
  ValueKind kind() const { return ValueKind{number<std::uint8_t>(0)}; }
  // Each of these holds for its kind only.
  std::int64_t int_value() const { return content().number<std::int64_t>(0); }
  bool bool_value() const { return content().number<std::uint8_t>(0) != 0; }
  double double_value() const { return content().number<double>(0); }
  Text string_value() const { return content().text(0); }
  TensorTable tensor() const { return table<TensorTable>(1); }
  /// kIntList: indices of Int values.
  std::span<const std::int64_t> int_items() const { return content().numbers<std::int64_t>(0); }
  std::span<const double> double_items() const { return content().numbers<double>(0); }
  /// kBoolList: every byte is 0 or 1.
  std::span<const std::uint8_t> bool_items() const { return content().numbers<std::uint8_t>(0); }
  /// kTensorList: indices of Tensor values. kOptionalTensorList: also -1 and indices of Null
  /// values.
  std::span<const std::int32_t> tensor_items() const { return content().numbers<std::int32_t>(0); }

 private:
  Table content() const { return table(1); }
};

struct OperatorTable : Table {
  using Table::Table;
  Text name() const { return text(0); }
  Text overload() const { return text(1); }
};

struct InstructionTable : Table {
  using Table::Table;
  InstructionKind kind() const { return InstructionKind{number<std::uint8_t>(0)}; }
  /// kKernelCall: operator; kDelegateCall: delegate; kMoveCall: source; kJumpFalseCall: condition;
  /// kFreeCall: value.
  std::int32_t first() const { return table(1).number<std::int32_t>(0); }
  /// kMoveCall: target value; kJumpFalseCall: destination instruction.
  std::int32_t second() const { return table(1).number<std::int32_t>(1); }
  /// kKernelCall, kDelegateCall: value indices.
  std::span<const std::int32_t> arguments() const { return table(1).numbers<std::int32_t>(1); }
};

struct ChainTable : Table {
  using Table::Table;
  Tables<InstructionTable> instructions() const { return tables<InstructionTable>(2); }
};

struct DelegateDataTable : Table {
  using Table::Table;
  DataLocation location() const { return DataLocation{number<std::int8_t>(0)}; }
  std::uint32_t index() const { return number<std::uint32_t>(1); }
};

struct CompileSpecTable : Table {
  using Table::Table;
  Text key() const { return text(0); }
  std::span<const std::uint8_t> value() const { return numbers<std::uint8_t>(1); }
};

struct DelegateTable : Table {
  using Table::Table;
  Text id() const { return text(0); }
  DelegateDataTable processed() const { return table<DelegateDataTable>(1); }
  Tables<CompileSpecTable> compile_specs() const { return tables<CompileSpecTable>(2); }
};

struct ContainerTable : Table {
  using Table::Table;
  Text inputs() const { return text(0); }
  Text outputs() const { return text(1); }
};

struct BufferDeviceTable : Table {
  using Table::Table;
  /// Index into `buffer_sizes()`, so planned buffer `buffer() - 1`.
  std::int32_t buffer() const { return number<std::int32_t>(0); }
  FileDevice device_type() const { return FileDevice{number<std::int8_t>(1)}; }
  std::int8_t device_index() const { return number<std::int8_t>(2); }
};

struct PlanTable : Table {
  using Table::Table;
  Text name() const { return text(0); }
  ContainerTable container() const { return table<ContainerTable>(1); }
  Tables<ValueTable> values() const { return tables<ValueTable>(2); }
  std::span<const std::int32_t> inputs() const { return numbers<std::int32_t>(3); }
  std::span<const std::int32_t> outputs() const { return numbers<std::int32_t>(4); }
  Tables<ChainTable> chains() const { return tables<ChainTable>(5); }
  Tables<OperatorTable> operators() const { return tables<OperatorTable>(6); }
  Tables<DelegateTable> delegates() const { return tables<DelegateTable>(7); }
  /// Entry 0 is reserved; planned buffer i has entry i + 1.
  std::span<const std::int64_t> buffer_sizes() const { return numbers<std::int64_t>(8); }
  Tables<BufferDeviceTable> buffer_devices() const { return tables<BufferDeviceTable>(9); }
};

/// An inline constant or an inline delegate blob.
struct InlineDataTable : Table {
  using Table::Table;
  std::span<const std::uint8_t> bytes() const { return numbers<std::uint8_t>(0); }
};

struct SegmentTable : Table {
  using Table::Table;
  /// From the segment base.
  std::uint64_t offset() const { return number<std::uint64_t>(0); }
  std::uint64_t size() const { return number<std::uint64_t>(1); }
};

struct SubsegmentsTable : Table {
  using Table::Table;
  std::uint32_t segment() const { return number<std::uint32_t>(0); }
  std::span<const std::uint64_t> offsets() const { return numbers<std::uint64_t>(1); }
};

struct NamedDataTable : Table {
  using Table::Table;
  Text key() const { return text(0); }
  std::uint32_t segment() const { return number<std::uint32_t>(1); }
};

struct ProgramTable : Table {
  using Table::Table;
  std::uint32_t version() const { return number<std::uint32_t>(0); }
  Tables<PlanTable> plans() const { return tables<PlanTable>(1); }
  Tables<InlineDataTable> inline_constants() const { return tables<InlineDataTable>(2); }
  Tables<InlineDataTable> inline_delegates() const { return tables<InlineDataTable>(3); }
  Tables<SegmentTable> segments() const { return tables<SegmentTable>(4); }
  SubsegmentsTable constants() const { return table<SubsegmentsTable>(5); }
  Tables<SubsegmentsTable> mutable_data() const { return tables<SubsegmentsTable>(6); }
  Tables<NamedDataTable> named_data() const { return tables<NamedDataTable>(7); }
};

/// Walks a whole program by the description of these tables.
bool walk_program(StructureVerifier& verifier);

}  // namespace executorch::runtime::format
