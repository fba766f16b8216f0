// What is kept before anything has asked for it, since tables lie before what leads to them.
#include <algorithm>
#include <utility>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {
namespace {

/// Real files have a handful of gaps. More are not worth keeping apart.
constexpr std::size_t kGaps = 16;
/// Of .shstrtab, where local symbols are not wanted.
constexpr std::uint64_t kNamesBeforeSections = 1u << 20;
/// Patching tools move the hash table together with PT_DYNAMIC, to right before it.
constexpr std::uint64_t kBeforeDynamic = 1u << 20;

bool is_loaded(const ElfSegment& segment) {
  return segment.type == kSegmentLoad && segment.file_size != 0;
}

bool is_code(const ElfSegment& segment) {
  return is_loaded(segment) && (segment.flags & kExecutable) != 0;
}

/// Linkers that keep code apart put the tables that the loader reads into the first segment, which
/// is only read. A first segment that is written was put there later, by a tool, before the one
/// that has the tables.
bool keeps_code_apart(const std::vector<ElfSegment>& segments) {
  const auto first = std::find_if(segments.begin(), segments.end(), is_loaded);
  return first != segments.end() && first->offset == 0 && first->flags == kReadable;
}

}  // namespace

// Tables of ordinary files lie before PT_DYNAMIC, which names them: the start is kept until then.
void ElfReader::keep_head() {
  head_size_ = budget_.head_bytes;
  head_ = image_.keep(0, head_size_);
}

// .shstrtab and, in small files, .symtab usually end where the section headers start.
std::uint64_t ElfReader::tail_begin() const {
  const std::uint64_t kept =
      want_local_symbols_ ? budget_.tail_bytes : std::min(budget_.tail_bytes, kNamesBeforeSections);
  return section_offset_ - std::min(section_offset_, kept);
}

void ElfReader::keep_tail() {
  const std::uint64_t begin = tail_begin();
  if (begin != 0) tail_.push_back(image_.keep(begin, section_offset_ - begin));
}

void ElfReader::keep_before_dynamic(std::uint64_t offset) {
  if (!before_dynamic_.empty() || offset <= head_size_) return;
  const std::uint64_t begin = offset - std::min(offset, kBeforeDynamic);
  const auto gaps =
      keeps_code_apart(facts_.segments) ? outside(begin, offset, is_code) : std::nullopt;
  for (const Extent& part : gaps.value_or(std::vector<Extent>{{begin, offset - begin}})) {
    before_dynamic_.push_back(image_.keep(part.offset, part.size));
  }
}

// Once the segments are known: megabytes of code need not be kept, and what only section headers
// lead to lies in no segment.
void ElfReader::forget_code() {
  if (!keeps_code_apart(facts_.segments)) return;
  if (section_offset_ != 0 && !is_done(Job::section_names)) {
    const auto gaps = outside(tail_begin(), section_offset_, is_loaded);
    if (!gaps) return;
    Windows parts;  // filled from what is kept already, which goes afterwards
    for (const Extent& gap : *gaps) parts.push_back(image_.keep(gap.offset, gap.size));
    release(tail_);
    tail_ = std::move(parts);
  }
  for (const ElfSegment& segment : facts_.segments) {
    if (is_code(segment)) head_size_ = std::min(head_size_, segment.offset);
  }
  image_.cut(head_, head_size_);
}

// Once every table that PT_DYNAMIC names has been asked for, the start has served.
void ElfReader::release_head() {
  if (head_released_ || !is_done(Job::dynamic) || !facts_.has_dynamic) return;
  if (image_.size() <= budget_.head_bytes) return;  // a small file stays as a whole
  image_.drop(head_);
  release(before_dynamic_);
  head_released_ = true;
}

void ElfReader::release(Windows& windows) {
  for (const ElfImage::Kept window : windows) image_.drop(window);
  windows.clear();
}

// Nothing where there are too many parts.
std::optional<std::vector<ElfReader::Extent>> ElfReader::outside(
    std::uint64_t begin, std::uint64_t end, bool (*taken)(const ElfSegment&)) const {
  std::vector<Extent> segments;
  for (const ElfSegment& segment : facts_.segments) {
    if (taken(segment)) segments.push_back({segment.offset, segment.file_size});
  }
  std::sort(segments.begin(), segments.end(),
            [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  std::vector<Extent> parts;
  const auto add = [&](std::uint64_t until) {
    if (begin < until) parts.push_back({begin, until - begin});
  };
  for (const Extent& segment : segments) {
    add(std::min(segment.offset, end));
    begin = std::max(begin, segment.end());
  }
  add(end);
  if (parts.size() > kGaps) return std::nullopt;
  return parts;
}

}  // namespace wheelcheck::elf
