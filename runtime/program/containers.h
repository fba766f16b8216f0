// The fixed-size heads of .pte and .ptd files: where the flatbuffer ends and the segments begin.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/program/refusal.h"

namespace executorch::runtime::format {

/// Bytes that have to be read to find everything else.
inline constexpr std::size_t kHeadBytes = 64;
/// Alignment of the first byte of a flatbuffer in memory, which its own alignments build on.
inline constexpr std::size_t kFileAlignment = 16;

/// Where the parts of a file lie, in bytes from its start. Every range is within the file.
struct Extents {
  std::uint64_t flatbuffer_size = 0;  ///< the flatbuffer is [0, flatbuffer_size)
  std::uint64_t segment_base = 0;     ///< 0: the file has no segments
  std::uint64_t segment_limit = 0;    ///< segments must end here or before
};

/// What the first bytes say about a file being a program, without judging the rest.
enum class HeadStatus : std::uint8_t { kCompatible, kOtherVersion, kNotPresent, kTooShort };
HeadStatus probe_program_head(std::span<const std::uint8_t> head);

/// Reads the head of a .pte file of `file_size` bytes. Files that are shorter than a head are
/// InvalidArgument, everything else that does not fit is InvalidProgram.
bool read_program_head(std::span<const std::uint8_t> head, std::uint64_t file_size,
                       Extents& extents, Refusal& refusal);

/// The header of a .ptd file as it stands there, with sums that do not wrap and parts in order.
struct TensorFileHeader {
  std::uint64_t flatbuffer_offset = 0;
  std::uint64_t flatbuffer_size = 0;
  std::uint64_t segment_base = 0;
  std::uint64_t segment_size = 0;
};

/// Reads the header alone. NotFound without one, InvalidArgument for too few bytes,
/// InvalidExternalData when its numbers do not fit together.
bool parse_tensor_file_header(std::span<const std::uint8_t> head, TensorFileHeader& header,
                              Refusal& refusal);

/// Reads the head of a .ptd file. Everything that does not fit is InvalidExternalData, but a file
/// that is shorter than a head is InvalidArgument.
bool read_tensor_file_head(std::span<const std::uint8_t> head, std::uint64_t file_size,
                           Extents& extents, Refusal& refusal);

}  // namespace executorch::runtime::format
