#include "verifier/scan/read_only.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace wheelcheck {

namespace {

constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kExecute = 1;
constexpr std::uint32_t kWrite = 2;

struct Segment {
  std::uint32_t flags = 0;
  ByteRange range;
};

/// The LOAD segments, or nothing when the head does not hold them all.
std::optional<std::vector<Segment>> load_segments(Bytes head) {
  const auto elf_class = read_at<std::uint8_t>(head, 4);
  const auto data = read_at<std::uint8_t>(head, 5);
  if (!elf_class || !data) return std::nullopt;
  const bool wide = *elf_class == 2;
  const Endian endian = *data == 2 ? Endian::big : Endian::little;
  const auto word = [&](std::uint64_t at) -> std::optional<std::uint64_t> {
    if (wide) return read_at<std::uint64_t>(head, at, endian);
    const auto narrow = read_at<std::uint32_t>(head, at, endian);
    return narrow ? std::optional<std::uint64_t>(*narrow) : std::nullopt;
  };
  const auto table = word(wide ? 32 : 28);
  const auto entry_size = read_at<std::uint16_t>(head, wide ? 54 : 42, endian);
  const auto count = read_at<std::uint16_t>(head, wide ? 56 : 44, endian);
  if (!table || !entry_size || !count || *table > head.size()) return std::nullopt;
  std::vector<Segment> segments;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t at = *table + i * *entry_size;
    const auto type = read_at<std::uint32_t>(head, at, endian);
    const auto flags = read_at<std::uint32_t>(head, at + (wide ? 4 : 24), endian);
    const auto offset = word(at + (wide ? 8 : 4));
    const auto size = word(at + (wide ? 32 : 16));
    if (!type || !flags || !offset || !size) return std::nullopt;
    if (*type != kLoad || *size == 0) continue;
    const std::uint64_t end =
        *size > ~*offset ? std::numeric_limits<std::uint64_t>::max() : *offset + *size;
    segments.push_back({*flags, {*offset, end}});
  }
  return segments;
}

}  // namespace

std::vector<ByteRange> read_only_ranges(Bytes head) {
  const std::optional<std::vector<Segment>> segments = load_segments(head);
  if (!segments) return {{0, std::numeric_limits<std::uint64_t>::max()}};
  std::vector<ByteRange> ranges;
  for (const std::uint32_t unwanted : {kWrite | kExecute, kWrite}) {
    for (const Segment& segment : *segments) {
      if ((segment.flags & unwanted) == 0) ranges.push_back(segment.range);
    }
    if (!ranges.empty()) break;
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  // Ranges may overlap in a hostile file; each byte is looked at once.
  std::vector<ByteRange> merged;
  for (const ByteRange& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

}  // namespace wheelcheck
