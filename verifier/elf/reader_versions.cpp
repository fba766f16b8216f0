// Version needs and definitions. Both are chains of records with relative links; ld.so follows
// the links and ignores the counts, and so does this reader: a count that was lowered hides
// nothing.
#include <algorithm>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {
namespace {

constexpr std::uint64_t kNeedSize = 16;
constexpr std::uint64_t kNeedAuxSize = 16;
constexpr std::uint64_t kDefinitionSize = 20;
constexpr std::uint64_t kDefinitionAuxSize = 8;
constexpr std::uint16_t kVersionMask = 0x7fff;
constexpr std::uint16_t kFlagBase = 1;
constexpr std::uint16_t kFlagWeak = 2;

}  // namespace

std::optional<Record> ElfReader::chain_record(std::string_view table, std::uint64_t offset,
                                              std::uint64_t size, std::uint64_t end) {
  if (end < size || offset > end - size) {
    fail(table, "a record runs past its segment", offset);
    return std::nullopt;
  }
  const auto bytes = fetch(table, offset, size, std::min(kChainWindow, end - offset));
  if (!bytes) return std::nullopt;
  return record(*bytes);
}

ElfReader::Step ElfReader::needed_versions() {
  constexpr std::string_view kTable = ".gnu.version_r";
  if (!is_done(Job::dynamic)) return Step::waiting;
  const auto address = tag_value(tag::kVerneed);
  if (!address) return Step::done;
  const auto start = locate_table(kTable, *address, kNeedSize);
  if (!start) return stop();
  const std::uint64_t end = start->offset + locate(*address)->size;
  const auto at = [&](std::uint64_t offset, std::uint64_t size) {
    return chain_record(kTable, offset, size, end);
  };

  needed_.clear();
  std::uint64_t files = 0;
  for (std::uint64_t file = start->offset;;) {
    const auto need = at(file, kNeedSize);
    if (!need) return stop();
    if (need->u16(0) != 1) {
      return fail(kTable, "a record has version " + std::to_string(need->u16(0)), file);
    }
    if (++files > budget_.versions) {
      return fail(kTable, "names more files than the reader allows", file);
    }
    const std::uint32_t first_aux = need->u32(8);
    for (std::uint64_t aux = file + first_aux;;) {
      const auto entry = at(aux, kNeedAuxSize);
      if (!entry) return stop();
      RawVersion version;
      version.record = aux;
      version.file = need->u32(4);
      version.flags = entry->u16(4);
      version.index = entry->u16(6) & kVersionMask;
      version.name = entry->u32(8);
      needed_.push_back(version);
      if (needed_.size() > budget_.versions) {
        return fail(kTable, "has more versions than the reader allows", aux);
      }
      const std::uint32_t next = entry->u32(12);
      if (next == 0) break;
      if (next < kNeedAuxSize) return fail(kTable, "its versions overlap", aux);
      aux += next;
    }
    const std::uint32_t next = need->u32(12);
    if (next == 0) break;
    if (next < kNeedSize) return fail(kTable, "its records overlap", file);
    file += next;
  }
  std::vector<std::uint64_t> records;
  for (const RawVersion& version : needed_) records.push_back(version.record);
  std::sort(records.begin(), records.end());
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i] - records[i - 1] < kNeedAuxSize) {
      return fail(kTable, "two of its files share versions", records[i]);
    }
  }
  if (const auto count = tag_value(tag::kVerneedCount); count && *count != files) {
    observe(".gnu.version_r has " + std::to_string(files) + " files, DT_VERNEEDNUM says " +
            std::to_string(*count) + "; the chain counts");
  }
  return Step::done;
}

ElfReader::Step ElfReader::defined_versions() {
  constexpr std::string_view kTable = ".gnu.version_d";
  if (!is_done(Job::dynamic)) return Step::waiting;
  const auto address = tag_value(tag::kVerdef);
  if (!address) return Step::done;
  const auto start = locate_table(kTable, *address, kDefinitionSize);
  if (!start) return stop();
  const std::uint64_t end = start->offset + locate(*address)->size;
  const auto at = [&](std::uint64_t offset, std::uint64_t size) {
    return chain_record(kTable, offset, size, end);
  };

  defined_.clear();
  for (std::uint64_t offset = start->offset;;) {
    const auto definition = at(offset, kDefinitionSize);
    if (!definition) return stop();
    if (definition->u16(0) != 1) {
      return fail(kTable, "a record has version " + std::to_string(definition->u16(0)), offset);
    }
    // The first auxiliary record is the name; the others name what it inherits from.
    const auto aux = at(offset + definition->u32(12), kDefinitionAuxSize);
    if (!aux) return stop();
    RawVersion version;
    version.record = offset;
    version.flags = definition->u16(2);
    version.index = definition->u16(4) & kVersionMask;
    version.name = aux->u32(0);
    version.defined = true;
    defined_.push_back(version);
    if (defined_.size() > budget_.versions) {
      return fail(kTable, "has more versions than the reader allows", offset);
    }
    const std::uint32_t next = definition->u32(16);
    if (next == 0) break;
    if (next < kDefinitionSize) return fail(kTable, "its records overlap", offset);
    offset += next;
  }
  if (const auto count = tag_value(tag::kVerdefCount); count && *count != defined_.size()) {
    observe(".gnu.version_d has " + std::to_string(defined_.size()) +
            " records, DT_VERDEFNUM says " + std::to_string(*count) + "; the chain counts");
  }
  return Step::done;
}

bool ElfReader::finish_versions() {
  facts_.versions.reserve(needed_.size() + defined_.size());
  // ld.so enters needs first and definitions over them.
  for (const auto* list : {&needed_, &defined_}) {
    for (const RawVersion& raw : *list) {
      const std::string_view table = raw.defined ? ".gnu.version_d" : ".gnu.version_r";
      auto name =
          copy_string(table, strings_, strings_extent_.offset, raw.name, "version", raw.index);
      if (!name) return false;
      ElfVersion version;
      version.name = *std::move(name);
      if (!raw.defined) {
        auto file = copy_string(table, strings_, strings_extent_.offset, raw.file,
                                "the file of version", raw.index);
        if (!file) return false;
        version.file = *std::move(file);
      }
      version.index = raw.index;
      version.weak = (raw.flags & kFlagWeak) != 0;
      version.base = raw.defined && (raw.flags & kFlagBase) != 0;
      version.defined = raw.defined;
      if (facts_.version_positions.size() <= raw.index) {
        facts_.version_positions.resize(std::size_t{raw.index} + 1, 0);
      }
      std::uint32_t& position = facts_.version_positions[raw.index];
      if (position != 0 && raw.index > 1) {
        observe("version index " + std::to_string(raw.index) + " stands for both " +
                facts_.versions[position - 1].name + " and " + version.name +
                "; the latter counts, as in ld.so");
      }
      facts_.versions.push_back(std::move(version));
      position = static_cast<std::uint32_t>(facts_.versions.size());
    }
  }
  return true;
}

}  // namespace wheelcheck::elf
