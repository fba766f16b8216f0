// The ELF header and the program headers.
#include "verifier/elf/reader.h"

namespace wheelcheck::elf {
namespace {

constexpr std::uint64_t kIdentSize = 16;
constexpr std::string_view kMagic(
    "\x7f"
    "ELF",
    4);

bool extent_is_read(std::uint32_t type) {
  return type == kSegmentLoad || type == kSegmentDynamic || type == kSegmentInterpreter ||
         type == kSegmentNote || type == kSegmentTls || type == kSegmentProperty;
}

}  // namespace

ElfReader::Step ElfReader::header() {
  constexpr std::string_view kTable = "ELF header";
  const auto ident = fetch(kTable, 0, kIdentSize);
  if (!ident) return stop();
  if (as_text(ident->first(4)) != kMagic) return fail(kTable, "not an ELF file", 0);
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>((*ident)[at]); };
  const std::uint8_t file_class = byte(4);
  const std::uint8_t order = byte(5);
  if (file_class != 1 && file_class != 2) {
    return fail(kTable, "unknown ELF class " + std::to_string(file_class), 4);
  }
  if (order != 1 && order != 2) {
    return fail(kTable, "unknown byte order " + std::to_string(order), 5);
  }
  if (byte(6) != 1) return fail(kTable, "unknown ELF version " + std::to_string(byte(6)), 6);
  facts_.is_64 = file_class == 2;
  facts_.endian = order == 1 ? Endian::little : Endian::big;
  facts_.os_abi = byte(7);

  const std::uint64_t size = facts_.is_64 ? 64 : 52;
  const auto bytes = fetch(kTable, 0, size);
  if (!bytes) return stop();
  const Record ehdr = record(*bytes);
  facts_.type = ehdr.u16(16);
  facts_.machine = ehdr.u16(18);
  segment_offset_ = ehdr.word(28, 32);
  section_offset_ = ehdr.word(32, 40);
  const std::uint64_t tail = facts_.is_64 ? 48 : 36;
  facts_.flags = ehdr.u32(tail);
  const std::uint16_t segment_size = ehdr.u16(tail + 6);
  segment_count_ = ehdr.u16(tail + 8);
  const std::uint16_t section_size = ehdr.u16(tail + 10);
  section_count_ = ehdr.u16(tail + 12);
  section_names_index_ = ehdr.u16(tail + 14);

  if (segment_count_ != 0 && segment_size != (facts_.is_64 ? 56 : 32)) {
    return fail("program headers", "have a size of " + std::to_string(segment_size) + " bytes",
                tail + 6);
  }
  if (section_offset_ == 0) {
    if (section_count_ != 0) {
      return fail("section headers", "are counted, but have no offset", tail + 12);
    }
    if (segment_count_ == kManySegments) {
      return fail("program headers", "are counted in section header 0, which is absent", tail + 8);
    }
    return Step::done;
  }
  const std::uint64_t section_header_size = facts_.is_64 ? 64 : 40;
  if (section_count_ == 0 && segment_count_ != kManySegments && section_offset_ >= image_.size()) {
    // Strippers that drop the table but leave its offset: a count of zero with nothing behind it.
    return fail("section headers", "lie beyond the end of the file", section_offset_);
  }
  if (section_size != section_header_size) {
    return fail("section headers", "have a size of " + std::to_string(section_size) + " bytes",
                tail + 10);
  }
  keep_tail();

  const bool extended = section_count_ == 0 || segment_count_ == kManySegments ||
                        section_names_index_ == kManySectionsIndex;
  if (!extended) return Step::done;
  const auto first_bytes = fetch("section header 0", section_offset_, section_header_size);
  if (!first_bytes) {
    release(tail_);  // kept again next time
    return stop();
  }
  const Record first = record(*first_bytes);
  if (section_count_ == 0) section_count_ = first.word(20, 32);
  if (section_names_index_ == kManySectionsIndex)
    section_names_index_ = first.u32(facts_.is_64 ? 40 : 24);
  if (segment_count_ == kManySegments) segment_count_ = first.u32(facts_.is_64 ? 44 : 28);
  return Step::done;
}

ElfReader::Step ElfReader::segments() {
  constexpr std::string_view kTable = "program headers";
  if (!is_done(Job::header)) return Step::waiting;
  if (segment_count_ > budget_.segments) {
    return fail(kTable,
                std::to_string(segment_count_) + " segments are more than the reader allows",
                segment_offset_);
  }
  const std::uint64_t size = facts_.is_64 ? 56 : 32;
  const auto bytes = fetch(kTable, segment_offset_, segment_count_ * size);
  if (!bytes) return stop();
  for (std::uint64_t i = 0; i < segment_count_; ++i) {
    const Record phdr = record(bytes->subspan(i * size, size));
    ElfSegment segment;
    segment.type = phdr.u32(0);
    segment.flags = phdr.u32(facts_.is_64 ? 4 : 24);
    segment.offset = phdr.word(4, 8);
    segment.address = phdr.word(8, 16);
    segment.file_size = phdr.word(16, 32);
    segment.memory_size = phdr.word(20, 40);
    segment.align = phdr.word(28, 48);
    if (extent_is_read(segment.type) && segment.file_size != 0 &&
        (segment.offset > image_.size() || image_.size() - segment.offset < segment.file_size)) {
      return fail(kTable,
                  "segment " + std::to_string(i) + " (type " + std::to_string(segment.type) + ", " +
                      std::to_string(segment.file_size) + " bytes at " +
                      std::to_string(segment.offset) +
                      ") lies beyond the end of the file, which has " +
                      std::to_string(image_.size()) + " bytes",
                  segment_offset_ + i * size);
    }
    // Of several, the loader keeps the last.
    if (segment.type == kSegmentStack) facts_.stack_flags = segment.flags;
    if (segment.type == kSegmentTls) facts_.tls_size = segment.memory_size;
    facts_.segments.push_back(segment);
  }
  forget_code();
  return Step::done;
}

ElfReader::Step ElfReader::interpreter() {
  constexpr std::string_view kTable = "PT_INTERP";
  if (!is_done(Job::segments)) return Step::waiting;
  for (const ElfSegment& segment : facts_.segments) {
    if (segment.type != kSegmentInterpreter) continue;
    if (segment.file_size == 0) {
      observe("PT_INTERP has no bytes in the file, as in a file of debug information");
      continue;
    }
    if (segment.file_size > budget_.name_bytes) {
      return fail(
          kTable,
          "is longer than the reader allows (" + std::to_string(segment.file_size) + " bytes)",
          segment.offset);
    }
    const auto bytes = fetch(kTable, segment.offset, segment.file_size);
    if (!bytes) return stop();
    const std::string_view text = as_text(*bytes);
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) {
      return fail(kTable, "has no terminator", segment.offset);
    }
    facts_.interpreter = std::string(text.substr(0, end));
    return Step::done;  // the kernel uses the first
  }
  return Step::done;
}

}  // namespace wheelcheck::elf
