#include "runtime/program/flat_tensor.h"

#include <algorithm>
#include <cinttypes>

#include "runtime/program/spec.h"
#include "runtime/program/tensor_checks.h"
#include "runtime/program/verify.h"

namespace executorch::runtime::format {

namespace {

using namespace spec;

constexpr Error kBad = Error::InvalidExternalData;

constexpr FieldSpec kLayoutFields[] = {scalar("scalar_type", 1), numbers("sizes", 4, kRequired),
                                       numbers("dim_order", 1, kRequired)};
constexpr TableSpec kLayout{"TensorLayout", std::span(kLayoutFields)};
constexpr const TableSpec* kLayoutOf[] = {&kLayout};
constexpr FieldSpec kSegmentFields[] = {scalar("offset", 8), scalar("size", 8)};
constexpr TableSpec kSegment{"DataSegment", std::span(kSegmentFields)};
constexpr const TableSpec* kSegmentOf[] = {&kSegment};
constexpr FieldSpec kNamedFields[] = {string("key", kRequired), scalar("segment_index", 4),
                                      table("tensor_layout", kLayoutOf)};
constexpr TableSpec kNamed{"NamedData", std::span(kNamedFields)};
constexpr const TableSpec* kNamedOf[] = {&kNamed};
constexpr FieldSpec kFileFields[] = {scalar("version", 4),
                                     tables("segments", kSegmentOf, kRequired),
                                     tables("named_data", kNamedOf, kRequired)};
constexpr TableSpec kFile{"FlatTensor", std::span(kFileFields)};

bool verify_segment(const SegmentTable& segment, std::uint32_t index, const Extents& extents,
                    Refusal& refusal) {
  // The total is the measure, not the file: what follows the segments is not theirs.
  const std::uint64_t total = extents.segment_limit - extents.segment_base;
  return segment.size() == 0 ||
         (segment.offset() <= total && segment.size() <= total - segment.offset()) ||
         refusal.because(kBad, "segment %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64,
                         index, segment.size(), segment.offset(), total);
}

bool verify_named(const TensorFileTable& file, std::uint32_t index, const Extents& extents,
                  Refusal& refusal) {
  const TensorDataTable named = file.named_data()[index];
  if (named.segment() >= file.segments().size()) {
    return refusal.because(kBad, "named data %" PRIu32 ": segment %" PRIu32 " of %" PRIu32, index,
                           named.segment(), file.segments().size());
  }
  const LayoutTable layout = named.layout();
  if (!layout) return true;
  if (!check_layout(layout.scalar_type(), layout.sizes(), layout.dim_order(), kBad, "named data",
                    index, refusal)) {
    return false;
  }
  const auto size = tensor_size(layout.sizes(), layout.dim_order(), layout.scalar_type());
  const SegmentTable segment = file.segments()[named.segment()];
  if (!size || size->bytes > segment.size()) {
    return refusal.because(kBad, "named data %" PRIu32 ": a tensor in a segment of %" PRIu64, index,
                           segment.size());
  }
  constexpr std::uint64_t kWidest = 8;
  const auto alignment = std::min<std::uint64_t>(kWidest, element_size(layout.scalar_type()));
  return size->bytes == 0 || (extents.segment_base + segment.offset()) % alignment == 0 ||
         refusal.because(kBad, "named data %" PRIu32 ": the segment is not aligned", index);
}

}  // namespace

TensorFileTable verify_tensor_file(std::span<const std::uint8_t> bytes, const Extents& extents,
                                   Refusal& refusal) {
  constexpr bool kDeep = true;
  if (!StructureVerifier(bytes, kDeep, kBad, refusal).walk<kFile>()) return {};
  const TensorFileTable file(bytes.data() + load_number<std::uint32_t>(bytes.data()));
  for (std::uint32_t i = 0; i < file.segments().size(); ++i) {
    if (!verify_segment(file.segments()[i], i, extents, refusal)) return {};
  }
  for (std::uint32_t i = 0; i < file.named_data().size(); ++i) {
    if (!verify_named(file, i, extents, refusal)) return {};
  }
  return file;
}

}  // namespace executorch::runtime::format
