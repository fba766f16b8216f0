#include "runtime/program/containers.h"

#include <cinttypes>
#include <cstring>

#include "runtime/program/wire.h"

namespace executorch::runtime::format {

namespace {

constexpr std::size_t kIdentifierAt = 4;
constexpr std::size_t kExtensionAt = 8;
constexpr std::uint64_t kFlatbufferAtLeast = 8;

bool has_tag(std::span<const std::uint8_t> head, std::size_t at, const char (&tag)[5]) {
  return std::memcmp(head.data() + at, tag, 4) == 0;
}

bool add(std::uint64_t a, std::uint64_t b, std::uint64_t* sum) {
  return !__builtin_add_overflow(a, b, sum);
}

bool long_enough(std::span<const std::uint8_t> head, std::uint64_t file_size, Refusal& refusal) {
  return (head.size() >= kHeadBytes && file_size >= kHeadBytes) ||
         refusal.because(Error::InvalidArgument, "a file of %" PRIu64 " bytes is too short",
                         file_size);
}

// Sets the limit of the segments from what the head says of their total, 0 meaning that it does
// not.
bool place_segments(std::uint64_t file_size, std::uint64_t total, const Extents& extents,
                    Refusal& refusal) {
  constexpr Error kBad = Error::InvalidProgram;
  std::uint64_t end = 0;
  if (!add(extents.segment_base, total, &end) || end > file_size ||
      extents.segment_base > file_size) {
    return refusal.because(kBad,
                           "%" PRIu64 " bytes of segments at %" PRIu64 " in a file of %" PRIu64,
                           total, extents.segment_base, file_size);
  }
  if (extents.segment_base != 0 && extents.segment_base < extents.flatbuffer_size) {
    return refusal.because(kBad,
                           "segments at %" PRIu64 " lie within the %" PRIu64 " bytes of tables",
                           extents.segment_base, extents.flatbuffer_size);
  }
  return true;
}

}  // namespace

HeadStatus probe_program_head(std::span<const std::uint8_t> head) {
  if (head.size() < kHeadBytes) return HeadStatus::kTooShort;
  if (has_tag(head, kIdentifierAt, "ET12")) return HeadStatus::kCompatible;
  const auto digit = [&head](std::size_t at) { return head[at] >= '0' && head[at] <= '9'; };
  const bool other = head[kIdentifierAt] == 'E' && head[kIdentifierAt + 1] == 'T' &&
                     digit(kIdentifierAt + 2) && digit(kIdentifierAt + 3);
  return other ? HeadStatus::kOtherVersion : HeadStatus::kNotPresent;
}

bool read_program_head(std::span<const std::uint8_t> head, std::uint64_t file_size,
                       Extents& extents, Refusal& refusal) {
  constexpr std::uint32_t kLengthWithoutTotal = 24;
  constexpr std::uint32_t kLengthWithTotal = 32;
  if (!long_enough(head, file_size, refusal)) return false;
  switch (probe_program_head(head)) {
    case HeadStatus::kCompatible:
      break;
    case HeadStatus::kOtherVersion:
      return refusal.because(Error::InvalidProgram, "program version %.4s is not ET12",
                             reinterpret_cast<const char*>(head.data()) + kIdentifierAt);
    case HeadStatus::kNotPresent:
    case HeadStatus::kTooShort:
      return refusal.because(Error::InvalidProgram, "this is not a program file (no ET12)");
  }
  extents = {};
  if (!has_tag(head, kExtensionAt, "eh00")) {
    extents.flatbuffer_size = file_size;
    return true;
  }
  const std::uint8_t* extension = head.data() + kExtensionAt;
  const auto length = load_number<std::uint32_t>(extension + 4);
  if (length < kLengthWithoutTotal) {
    return refusal.because(Error::InvalidProgram, "an extended header of %" PRIu32 " bytes",
                           length);
  }
  extents.flatbuffer_size = load_number<std::uint64_t>(extension + 8);
  extents.segment_base = load_number<std::uint64_t>(extension + 16);
  const std::uint64_t total =
      length >= kLengthWithTotal ? load_number<std::uint64_t>(extension + 24) : 0;
  if (extents.flatbuffer_size > file_size || extents.flatbuffer_size < kFlatbufferAtLeast) {
    return refusal.because(Error::InvalidProgram,
                           "%" PRIu64 " bytes of program in a file of %" PRIu64,
                           extents.flatbuffer_size, file_size);
  }
  if (!place_segments(file_size, total, extents, refusal)) return false;
  // Older writers give no total: the end of the file is all there is to go by.
  extents.segment_limit = extents.segment_base == 0 ? 0 : file_size;
  return true;
}

bool parse_tensor_file_header(std::span<const std::uint8_t> head, TensorFileHeader& header,
                              Refusal& refusal) {
  constexpr std::uint32_t kLength = 40;
  if (head.size() < kHeadBytes) {
    return refusal.because(Error::InvalidArgument, "%zu bytes are no head", head.size());
  }
  if (!has_tag(head, kExtensionAt, "FH01")) {
    return refusal.because(Error::NotFound, "there is no tensor file header (FH01)");
  }
  const std::uint8_t* extension = head.data() + kExtensionAt;
  const auto length = load_number<std::uint32_t>(extension + 4);
  if (length < kLength) {
    return refusal.because(Error::InvalidExternalData, "a tensor file header of %" PRIu32 " bytes",
                           length);
  }
  header.flatbuffer_offset = load_number<std::uint64_t>(extension + 8);
  header.flatbuffer_size = load_number<std::uint64_t>(extension + 16);
  header.segment_base = load_number<std::uint64_t>(extension + 24);
  header.segment_size = load_number<std::uint64_t>(extension + 32);
  std::uint64_t end = 0;
  if (!add(header.flatbuffer_offset, header.flatbuffer_size, &end) || end > header.segment_base ||
      !add(header.segment_base, header.segment_size, &end)) {
    return refusal.because(
        Error::InvalidExternalData,
        "%" PRIu64 " bytes of tables at %" PRIu64 ", %" PRIu64 " of segments at %" PRIu64,
        header.flatbuffer_size, header.flatbuffer_offset, header.segment_size, header.segment_base);
  }
  return true;
}

bool read_tensor_file_head(std::span<const std::uint8_t> head, std::uint64_t file_size,
                           Extents& extents, Refusal& refusal) {
  constexpr Error kBad = Error::InvalidExternalData;
  if (!long_enough(head, file_size, refusal)) return false;
  if (!has_tag(head, kIdentifierAt, "FT01") || !has_tag(head, kExtensionAt, "FH01")) {
    return refusal.because(kBad, "this is not a tensor file (no FT01 with FH01)");
  }
  TensorFileHeader header;
  if (!parse_tensor_file_header(head, header, refusal)) return false;
  extents.flatbuffer_size = header.flatbuffer_offset + header.flatbuffer_size;
  extents.segment_base = header.segment_base;
  extents.segment_limit = header.segment_base + header.segment_size;
  if (extents.segment_limit > file_size || extents.flatbuffer_size < kFlatbufferAtLeast) {
    return refusal.because(
        kBad, "%" PRIu64 " bytes of tables and segments up to %" PRIu64 " in a file of %" PRIu64,
        extents.flatbuffer_size, extents.segment_limit, file_size);
  }
  return true;
}

}  // namespace executorch::runtime::format
