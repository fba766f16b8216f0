#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::extension {

/// The header of a .ptd file: where its table and its data lie. Offsets count from the beginning
/// of the file.
struct ET_API FlatTensorHeader {
  /// Bytes that Parse() needs.
  static constexpr size_t kNumHeadBytes = 64;
  static constexpr size_t kHeaderOffset = 8;
  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize] = {'F', 'H', '0', '1'};
  /// Magic, length and four 64-bit numbers.
  static constexpr uint32_t kHeaderExpectedLength = 4 + 4 + 4 * 8;

  /// Reads the header from the beginning of a file. NotFound when there is none, InvalidArgument
  /// for too few bytes, InvalidExternalData when it can't be right.
  static runtime::Result<FlatTensorHeader> Parse(const void* data, size_t size);

  uint64_t flatbuffer_offset;
  uint64_t flatbuffer_size;
  uint64_t segment_base_offset;
  uint64_t segment_data_size;
};

}  // namespace executorch::extension
