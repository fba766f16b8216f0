// The tables of a tensor file (.ptd) as views, and their verification.

#pragma once

#include <cstdint>
#include <span>

#include "runtime/program/containers.h"
#include "runtime/program/refusal.h"
#include "runtime/program/schema.h"

namespace executorch::runtime::format {

struct LayoutTable : Table {
  using Table::Table;
  std::int8_t scalar_type() const { return number<std::int8_t>(0); }
  std::span<const std::int32_t> sizes() const { return numbers<std::int32_t>(1); }
  std::span<const std::uint8_t> dim_order() const { return numbers<std::uint8_t>(2); }
};

struct TensorDataTable : Table {
  using Table::Table;
  Text key() const { return text(0); }
  std::uint32_t segment() const { return number<std::uint32_t>(1); }
  /// Absent for a blob that is no tensor.
  LayoutTable layout() const { return table<LayoutTable>(2); }
};

struct TensorFileTable : Table {
  using Table::Table;
  Tables<SegmentTable> segments() const { return tables<SegmentTable>(1); }
  Tables<TensorDataTable> named_data() const { return tables<TensorDataTable>(2); }
};

/// Verifies the flatbuffer `bytes` of a tensor file whose parts lie as `extents` says; its first
/// byte has an address that is a multiple of kFileAlignment. What is accepted names existing
/// segments that lie within the file, and tensors that fit the segment that they name. Errors are
/// InvalidExternalData.
TensorFileTable verify_tensor_file(std::span<const std::uint8_t> bytes, const Extents& extents,
                                   Refusal& refusal);

}  // namespace executorch::runtime::format
