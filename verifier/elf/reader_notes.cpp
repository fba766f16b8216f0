// Notes: build id, GNU properties, and the texts by which a file says what it will dlopen.
#include <algorithm>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {
namespace {

constexpr std::uint64_t kNoteHeader = 12;
constexpr std::uint32_t kBuildId = 3;
constexpr std::uint32_t kProperties = 5;
constexpr std::uint32_t kDlopen = 0x407c0c0a;
constexpr std::uint32_t kPropertyX86Features = 0xc0000002;
constexpr std::uint32_t kPropertyX86IsaNeeded = 0xc0008002;
constexpr std::uint32_t kPropertyAarch64Features = 0xc0000000;

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

// Whether notes fill the bytes to the end when their parts are aligned this way.
bool notes_fit(const Record& notes, std::uint64_t size, std::uint64_t align) {
  std::uint64_t at = 0;
  while (size - at >= kNoteHeader) {
    const std::uint64_t description = align_up(kNoteHeader + notes.u32(at), align);
    const std::uint64_t length = description + notes.u32(at + 4);
    if (length > size - at) return false;
    at += std::min(align_up(length, align), size - at);
  }
  return true;
}

}  // namespace

ElfReader::Step ElfReader::segment_notes() {
  if (!is_done(Job::segments)) return Step::waiting;
  if (facts_.type == kTypeCore) return Step::done;
  std::vector<std::pair<const ElfSegment*, Bytes>> found;
  std::uint64_t total = 0;
  bool missing = false;
  for (const ElfSegment& segment : facts_.segments) {
    if (segment.type != kSegmentNote || segment.file_size == 0) continue;
    total += segment.file_size;
    if (segment.file_size > budget_.note_bytes || total > budget_.note_bytes) {
      return fail("PT_NOTE", "its notes are larger than the reader allows", segment.offset);
    }
    const auto bytes = fetch("PT_NOTE", segment.offset, segment.file_size);
    if (!bytes) {
      missing = true;
    } else {
      found.emplace_back(&segment, *bytes);
    }
  }
  if (missing) return stop();
  for (const auto& [segment, bytes] : found) {
    if (!read_notes(bytes, segment->align, segment->offset)) return stop();
  }
  note_bytes_ += total;
  return Step::done;
}

// Relocatable files have notes in sections only; linked files may keep some outside PT_NOTE.
ElfReader::Step ElfReader::section_notes() {
  if (!is_done(Job::segments) || !is_done(Job::section_names)) return Step::waiting;
  if (facts_.type == kTypeCore) return Step::done;
  std::vector<std::pair<const ElfSection*, Bytes>> found;
  std::uint64_t total = note_bytes_;
  bool missing = false;
  for (const ElfSection& section : facts_.sections) {
    if (section.type != kSectionNote || section.size == 0) continue;
    if (section.name != ".note.gnu.build-id" && section.name != ".note.gnu.property" &&
        section.name != ".note.dlopen") {
      continue;
    }
    const bool covered =
        std::any_of(facts_.segments.begin(), facts_.segments.end(), [&](const ElfSegment& s) {
          return s.type == kSegmentNote && s.offset <= section.offset &&
                 section.offset - s.offset < s.file_size;
        });
    if (covered) continue;
    total += section.size;
    if (section.size > budget_.note_bytes || total > budget_.note_bytes) {
      return fail(section.name, "its notes are larger than the reader allows", section.offset);
    }
    const auto bytes = fetch(section.name, section.offset, section.size);
    if (!bytes) {
      missing = true;
    } else {
      found.emplace_back(&section, *bytes);
    }
  }
  // Fetched first, since the stream goes by once; read last, since the first build id counts.
  if (missing || !is_done(Job::segment_notes)) return stop();
  for (const auto& [section, bytes] : found) {
    const bool wide = facts_.is_64 && section->name == ".note.gnu.property";
    if (!read_notes(bytes, wide ? 8 : 4, section->offset)) return stop();
  }
  return Step::done;
}

bool ElfReader::read_notes(Bytes bytes, std::uint64_t align, std::uint64_t offset) {
  const Record notes = record(bytes);
  // Linkers have put 8-aligned property notes into 4-aligned segments and the other way round:
  // take the alignment that the segment claims, else the one that fits.
  align = align == 8 ? 8 : 4;
  if (!notes_fit(notes, bytes.size(), align)) align = 12 - align;
  if (!notes_fit(notes, bytes.size(), align)) {
    fail("PT_NOTE", "a note runs past the end of the notes", offset);
    return false;
  }
  for (std::uint64_t at = 0; bytes.size() - at >= kNoteHeader;) {
    const std::uint64_t name_size = notes.u32(at);
    const std::uint64_t size = notes.u32(at + 4);
    const std::uint64_t start = align_up(kNoteHeader + name_size, align);
    const auto name = slice(bytes, at + kNoteHeader, name_size);
    const auto description = slice(bytes, at + start, size);
    if (!name || !description) return true;  // notes_fit() has seen to it
    std::string_view owner = as_text(*name);
    owner = owner.substr(0, owner.find('\0'));
    if (!read_note(owner, notes.u32(at + 8), *description)) return false;
    at += std::min<std::uint64_t>(align_up(start + size, align), bytes.size() - at);
  }
  return true;
}

bool ElfReader::read_note(std::string_view owner, std::uint32_t type, Bytes description) {
  if (owner == "GNU" && type == kBuildId && facts_.build_id.empty()) {
    if (!charge_copy("build id", description.size() * 2)) return false;
    static constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::byte byte : description) {
      const auto value = std::to_integer<unsigned>(byte);
      facts_.build_id += kDigits[value >> 4];
      facts_.build_id += kDigits[value & 15];
    }
  } else if (owner == "GNU" && type == kProperties) {
    read_properties(description);
  } else if (owner == "FDO" && type == kDlopen) {
    if (!charge_copy(".note.dlopen", description.size())) return false;
    const std::string_view text = as_text(description);
    facts_.dlopen_notes.emplace_back(text.substr(0, text.find('\0')));
  }
  return true;
}

void ElfReader::read_properties(Bytes bytes) {
  const Record properties = record(bytes);
  const std::uint64_t align = facts_.is_64 ? 8 : 4;
  for (std::uint64_t at = 0; bytes.size() - at >= 8;) {
    const std::uint32_t type = properties.u32(at);
    const std::uint64_t size = properties.u32(at + 4);
    if (size > bytes.size() - at - 8) {
      observe("a GNU property runs past the end of its note; it and those behind it are unread");
      return;
    }
    if (size == 4) {
      const std::uint32_t value = properties.u32(at + 8);
      const bool x86 = facts_.machine == kMachine386 || facts_.machine == kMachineX86_64;
      if (x86 && type == kPropertyX86IsaNeeded) facts_.x86_isa_needed = value;
      if (x86 && type == kPropertyX86Features) facts_.x86_features = value;
      if (facts_.machine == kMachineAarch64 && type == kPropertyAarch64Features) {
        facts_.aarch64_features = value;
      }
    }
    at += std::min<std::uint64_t>(8 + align_up(size, align), bytes.size() - at);
  }
}

}  // namespace wheelcheck::elf
