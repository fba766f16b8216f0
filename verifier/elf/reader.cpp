#include "verifier/elf/reader.h"

#include <algorithm>
#include <iterator>

namespace wheelcheck::elf {

ElfReader::ElfReader(std::string where, ElfImage& image, const ElfBudget& budget,
                     bool want_local_symbols)
    : where_(std::move(where)),
      image_(image),
      budget_(budget),
      want_local_symbols_(want_local_symbols) {
  keep_head();
}

ElfReader::Step ElfReader::advance() {
  static constexpr Method kMethods[] = {
      &ElfReader::header,           &ElfReader::section_headers, &ElfReader::section_names,
      &ElfReader::segments,         &ElfReader::interpreter,     &ElfReader::segment_notes,
      &ElfReader::dynamic,          &ElfReader::relocations,     &ElfReader::strings,
      &ElfReader::symbol_count,     &ElfReader::symbol_table,    &ElfReader::needed_versions,
      &ElfReader::defined_versions, &ElfReader::section_notes,   &ElfReader::local_symbols,
  };
  static_assert(std::size(kMethods) == static_cast<std::size_t>(Job::count_));

  // A job may unblock one that stands before it, so go round until nothing moves.
  bool waiting = true;
  for (bool progress = true; progress && waiting && !error_;) {
    progress = waiting = false;
    for (std::size_t i = 0; i < std::size(kMethods) && !error_; ++i) {
      if (done_[i]) continue;
      // A copy: with the element in the call itself, GCC 12's bounds sanitizer checks an index that
      // it has not computed yet.
      const Method method = kMethods[i];
      if ((this->*method)() == Step::done) {
        done_[i] = progress = true;
      } else {
        waiting = true;
      }
    }
  }
  if (error_) return Step::failed;
  release_head();
  return waiting ? Step::waiting : Step::done;
}

Result<ElfFacts> ElfReader::take() {
  if (!error_ && finish_dynamic() && finish_versions() && finish_symbols()) finish_observations();
  if (error_) return *std::move(error_);
  return std::move(facts_);
}

ElfReader::Step ElfReader::fail(std::string_view table, std::string what,
                                std::optional<std::uint64_t> offset) {
  if (!error_) {
    error_ =
        Error{where_ + (table.empty() ? "" : ": ") + std::string(table), std::move(what), offset};
  }
  return Step::failed;
}

std::optional<Bytes> ElfReader::fetch(std::string_view table, std::uint64_t offset,
                                      std::uint64_t size, std::uint64_t window) {
  if (error_) return std::nullopt;
  if (offset > image_.size() || image_.size() - offset < size) {
    fail(table,
         "lies beyond the end of the file (" + std::to_string(size) + " bytes at " +
             std::to_string(offset) + ", the file has " + std::to_string(image_.size()) + ")",
         offset);
    return std::nullopt;
  }
  if (size > budget_.table_bytes) {
    fail(table, "is larger than the reader allows (" + std::to_string(size) + " bytes)", offset);
    return std::nullopt;
  }
  const auto found = image_.fetch(offset, size, window);
  if (image_.wanted_bytes() > budget_.table_bytes ||
      image_.wanted_ranges() > budget_.table_ranges) {
    fail(table,
         "brings all tables over what the reader allows (" + std::to_string(image_.wanted_bytes()) +
             " bytes in " + std::to_string(image_.wanted_ranges()) + " places)",
         offset);
    return std::nullopt;
  }
  return found;
}

std::optional<ElfReader::Extent> ElfReader::locate(std::uint64_t address) const {
  std::optional<Extent> found;
  for (const ElfSegment& segment : facts_.segments) {
    if (segment.type != kSegmentLoad || address < segment.address) continue;
    const std::uint64_t at = address - segment.address;
    if (at < segment.file_size) found = Extent{segment.offset + at, segment.file_size - at};
  }
  return found;
}

std::optional<ElfReader::Extent> ElfReader::locate_table(std::string_view table,
                                                         std::uint64_t address,
                                                         std::uint64_t size) {
  auto found = locate(address);
  if (!found) {
    fail(table, "its address " + std::to_string(address) + " lies in no PT_LOAD's file part");
    return std::nullopt;
  }
  if (found->size < size) {
    fail(table,
         "runs past the file part of its segment (" + std::to_string(size) + " bytes, " +
             std::to_string(found->size) + " are left)",
         found->offset);
    return std::nullopt;
  }
  found->size = size;
  return found;
}

std::optional<std::uint64_t> ElfReader::tag_value(std::uint64_t wanted) const {
  for (auto entry = dynamic_.rbegin(); entry != dynamic_.rend(); ++entry) {
    if (entry->tag == wanted) return entry->value;
  }
  return std::nullopt;
}

const ElfSection* ElfReader::section_at(std::uint32_t type, std::uint64_t offset) const {
  for (const ElfSection& section : facts_.sections) {
    if (section.type == type && section.offset == offset) return &section;
  }
  return nullptr;
}

}  // namespace wheelcheck::elf
