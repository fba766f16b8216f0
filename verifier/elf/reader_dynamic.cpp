// PT_DYNAMIC: what ld.so reads first, and the strings that it names.
#include <algorithm>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {

ElfReader::Step ElfReader::dynamic() {
  constexpr std::string_view kTable = "PT_DYNAMIC";
  if (!is_done(Job::segments)) return Step::waiting;
  const auto last = std::find_if(facts_.segments.rbegin(), facts_.segments.rend(),
                                 [](const ElfSegment& s) { return s.type == kSegmentDynamic; });
  if (last == facts_.segments.rend()) return Step::done;
  if (last->file_size == 0) {
    observe("PT_DYNAMIC has no bytes in the file, as in a file of debug information");
    return Step::done;
  }
  // ld.so goes by the address. Other tools go by the offset: where the two differ, they show
  // something that is never loaded.
  const auto extent = locate_table(kTable, last->address, last->file_size);
  if (!extent) return stop();
  const std::uint64_t size = facts_.is_64 ? 16 : 8;
  if (extent->size / size > budget_.dynamic_entries) {
    return fail(kTable,
                std::to_string(extent->size / size) + " entries are more than the reader allows",
                extent->offset);
  }
  keep_before_dynamic(extent->offset);
  const auto bytes = fetch(kTable, extent->offset, extent->size);
  if (!bytes) return stop();
  for (std::uint64_t at = 0;; at += size) {
    if (bytes->size() - at < size) {
      return fail(kTable, "has no DT_NULL at its end", extent->offset);
    }
    const Record entry = record(bytes->subspan(at, size));
    const DynamicEntry read{entry.word(0, 0), entry.word(4, 8)};
    if (read.tag == tag::kNull) break;
    dynamic_.push_back(read);
  }
  if (extent->offset != last->offset) {
    observe("PT_DYNAMIC: the address leads to offset " + std::to_string(extent->offset) +
            ", the segment says " + std::to_string(last->offset) + "; the address counts");
  }
  dynamic_extent_ = *extent;
  facts_.has_dynamic = true;
  facts_.dt_flags = tag_value(tag::kFlags).value_or(0);
  facts_.dt_flags_1 = tag_value(tag::kFlags1).value_or(0);
  facts_.has_relr = tag_value(tag::kRelr).has_value();
  constexpr std::uint64_t kFlagTextRel = 4;
  facts_.has_textrel =
      tag_value(tag::kTextRel).has_value() || (facts_.dt_flags & kFlagTextRel) != 0;
  return Step::done;
}

ElfReader::Step ElfReader::strings() {
  constexpr std::string_view kTable = "dynamic string table";
  if (!is_done(Job::dynamic)) return Step::waiting;
  if (!facts_.has_dynamic) return Step::done;
  const auto address = tag_value(tag::kStrtab);
  const auto size = tag_value(tag::kStrSize);
  if (!address || !size) {
    const bool named = std::any_of(dynamic_.begin(), dynamic_.end(), [](const DynamicEntry& e) {
      return e.tag == tag::kNeeded || e.tag == tag::kSoname || e.tag == tag::kRpath ||
             e.tag == tag::kRunpath || e.tag == tag::kSymtab || e.tag == tag::kVerneed ||
             e.tag == tag::kVerdef;
    });
    if (!named) return Step::done;
    return fail(kTable, address ? "has no DT_STRSZ" : "has no DT_STRTAB", dynamic_extent_.offset);
  }
  const auto extent = locate_table(kTable, *address, *size);
  if (!extent) return stop();
  const auto bytes = fetch(kTable, extent->offset, extent->size);
  if (!bytes) return stop();
  strings_extent_ = *extent;
  strings_ = *bytes;
  return Step::done;
}

bool ElfReader::finish_dynamic() {
  // One row a tag that names a string. `list`: every entry counts; otherwise the last one.
  struct Row {
    std::uint64_t tag;
    std::string_view name;
    std::vector<std::string>* list;
    std::optional<std::string>* single;
  };
  const Row rows[] = {
      {tag::kNeeded, "NEEDED", &facts_.needed, nullptr},
      {tag::kAuxiliary, "AUXILIARY", &facts_.auxiliary, nullptr},
      {tag::kFilter, "FILTER", &facts_.filter, nullptr},
      {tag::kSoname, "SONAME", nullptr, &facts_.soname},
      {tag::kRpath, "RPATH", nullptr, &facts_.rpath},
      {tag::kRunpath, "RUNPATH", nullptr, &facts_.runpath},
  };
  for (std::size_t i = 0; i < dynamic_.size(); ++i) {
    for (const Row& row : rows) {
      if (dynamic_[i].tag != row.tag) continue;
      auto text = copy_string("dynamic string table", strings_, strings_extent_.offset,
                              dynamic_[i].value, row.name, i);
      if (!text) return false;
      if (row.list != nullptr) {
        row.list->push_back(*std::move(text));
      } else {
        if (row.single->has_value() && **row.single != *text) {
          observe("PT_DYNAMIC has two entries for " + std::string(row.name) + ", '" + **row.single +
                  "' and '" + *text + "'; the last one counts");
        }
        *row.single = *std::move(text);
      }
    }
  }
  return true;
}

// Sections are for other tools: the loader never sees them. Tell where they would mislead.
void ElfReader::finish_observations() {
  const auto compare = [&](std::string_view name, std::string_view table, const Extent& extent,
                           bool sizes) {
    if (extent.size == 0) return;
    const ElfSection* section = facts_.section(name);
    if (section == nullptr || section->type == kSectionNoBits) return;
    if (section->offset != extent.offset || (sizes && section->size != extent.size)) {
      observe("section " + std::string(name) + " (" + std::to_string(section->size) + " bytes at " +
              std::to_string(section->offset) + ") is not the loader's " + std::string(table) +
              " (" + std::to_string(extent.size) + " bytes at " + std::to_string(extent.offset) +
              "), which counts");
    }
  };
  compare(".dynamic", "PT_DYNAMIC", dynamic_extent_, false);
  compare(".dynstr", "string table", strings_extent_, false);
  compare(".dynsym", "symbol table", symbols_extent_, true);
  compare(".gnu.version", "version table", versym_extent_, false);
  // Which table was read first depends on where the stream's windows lay; a report must not.
  // A step that waited for bytes says again what it has said.
  auto& all = facts_.observations;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace wheelcheck::elf
