// How many symbols the dynamic symbol table has. The file does not say: the hash tables tell, and
// where they do not (a GNU hash table of a file that exports nothing counts only what it skips),
// the section headers, then what lies next to the table, then the relocations.
#include <algorithm>
#include <limits>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {

ElfReader::Step ElfReader::symbol_count() {
  constexpr std::string_view kTable = "dynamic symbol table";
  if (!is_done(Job::dynamic)) return Step::waiting;
  if (!facts_.has_dynamic) return Step::done;
  const auto address = tag_value(tag::kSymtab);
  if (!address) {
    observe("PT_DYNAMIC has no DT_SYMTAB: no dynamic symbols");
    return Step::done;
  }
  if (const auto size = tag_value(tag::kSymEntry); size && *size != symbol_size()) {
    return fail(kTable, "has entries of " + std::to_string(*size) + " bytes",
                dynamic_extent_.offset);
  }
  const auto extent = locate_table(kTable, *address, symbol_size());
  if (!extent) return stop();
  symbols_extent_.offset = extent->offset;

  if (facts_.machine == kMachineMips) {
    if (const auto count = tag_value(tag::kMipsSymbolCount)) return set_symbol_count(*count);
  }
  if (kept_windows_.empty()) {
    // The hash tables may lie far behind the symbols that they count (patched files), and the
    // start of the file is forgotten soon: keep what can be the tables of symbols at most.
    for (const auto table : {address, tag_value(tag::kVersym)}) {
      const auto left = table ? locate(*table) : std::nullopt;
      if (!left) continue;
      kept_windows_.push_back(
          image_.keep(left->offset, std::min({next_table_after(*table) - *table, left->size,
                                              std::max<std::uint64_t>(budget_.head_bytes, 1)})));
    }
  }
  const Count gnu = count_by_gnu_hash();
  if (gnu.step != Step::done) return gnu.step;
  const Count hash = count_by_hash();
  if (hash.step != Step::done) return hash.step;
  if (gnu.symbols || hash.symbols) {
    if (gnu.symbols && hash.symbols && *gnu.symbols != *hash.symbols) {
      observe("DT_GNU_HASH counts " + std::to_string(*gnu.symbols) + " symbols, DT_HASH " +
              std::to_string(*hash.symbols) + "; the larger number counts");
      return set_symbol_count(std::max(*gnu.symbols, *hash.symbols));
    }
    return set_symbol_count(gnu.symbols ? *gnu.symbols : *hash.symbols);
  }
  const Count sections = count_by_sections();
  if (sections.step != Step::done) return sections.step;
  if (sections.symbols) return set_symbol_count(*sections.symbols);
  const Count neighbours = count_by_neighbours();
  if (neighbours.symbols) {
    observe(
        "no hash table and no section counts the dynamic symbols; what lies next to them "
        "tells: " +
        std::to_string(*neighbours.symbols));
    return set_symbol_count(*neighbours.symbols);
  }
  const Count relocations = count_by_relocations();
  if (relocations.step != Step::done) return relocations.step;
  const std::uint64_t count = std::max(relocations.symbols.value_or(1), gnu_hash_first_);
  observe(
      "no hash table and no section counts the dynamic symbols; those that relocations name "
      "were read: " +
      std::to_string(count));
  return set_symbol_count(count);
}

ElfReader::Step ElfReader::set_symbol_count(std::uint64_t count) {
  if (count > budget_.symbols) {
    return fail("dynamic symbol table",
                std::to_string(count) + " symbols are more than the reader allows",
                symbols_extent_.offset);
  }
  symbol_count_ = count;
  return Step::done;
}

ElfReader::Count ElfReader::count_by_hash() {
  constexpr std::string_view kTable = "DT_HASH";
  const auto address = tag_value(tag::kHash);
  if (!address) return {Step::done, std::nullopt};
  // Two 64-bit targets chose 64-bit words.
  const bool wide =
      facts_.is_64 && (facts_.machine == kMachineAlpha || facts_.machine == kMachineS390);
  const std::uint64_t word = wide ? 8 : 4;
  const auto extent = locate_table(kTable, *address, 2 * word);
  if (!extent) return {stop(), std::nullopt};
  const auto bytes = fetch(kTable, extent->offset, extent->size);
  if (!bytes) return {stop(), std::nullopt};
  const Record header = record(*bytes);
  return {Step::done, wide ? header.u64(8) : header.u32(4)};
}

ElfReader::Count ElfReader::count_by_gnu_hash() {
  constexpr std::string_view kTable = "DT_GNU_HASH";
  const auto address = tag_value(tag::kGnuHash);
  if (!address) return {Step::done, std::nullopt};
  const auto head = locate_table(kTable, *address, 16);
  if (!head) return {stop(), std::nullopt};
  const auto head_bytes = fetch(kTable, head->offset, head->size);
  if (!head_bytes) return {stop(), std::nullopt};
  const Record header = record(*head_bytes);
  const std::uint64_t buckets = header.u32(0);
  const std::uint64_t first = header.u32(4);
  const std::uint64_t bloom_bytes = std::uint64_t{header.u32(8)} * (facts_.is_64 ? 8 : 4);
  gnu_hash_first_ = first;

  const std::uint64_t before_chains = 16 + bloom_bytes + buckets * 4;
  const auto table = locate_table(kTable, *address, before_chains);
  if (!table) return {stop(), std::nullopt};
  const auto bucket_bytes = fetch(kTable, table->offset + 16 + bloom_bytes, buckets * 4);
  if (!bucket_bytes) return {stop(), std::nullopt};
  const Record bucket_words = record(*bucket_bytes);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    last = std::max<std::uint64_t>(last, bucket_words.u32(i * 4));
  }
  if (last == 0) {
    gnu_hash_empty_ = true;
    return {Step::done, std::nullopt};
  }
  if (last < first) {
    fail(kTable,
         "a bucket starts at symbol " + std::to_string(last) + ", before the first hashed symbol " +
             std::to_string(first),
         table->offset);
    return {Step::failed, std::nullopt};
  }
  // The last chain ends with the last symbol: its word has the lowest bit set.
  const std::uint64_t segment_left = locate(*address)->size;
  for (std::uint64_t symbol = last;; ++symbol) {
    if (symbol > budget_.symbols) {
      fail(kTable, "a chain has more symbols than the reader allows", table->offset);
      return {Step::failed, std::nullopt};
    }
    const std::uint64_t at = before_chains + (symbol - first) * 4;
    if (segment_left < 4 || at > segment_left - 4) {
      fail(kTable, "the chain of symbol " + std::to_string(last) + " runs past its segment",
           table->offset + at);
      return {Step::failed, std::nullopt};
    }
    const auto word =
        fetch(kTable, table->offset + at, 4, std::min(kChainWindow, segment_left - at));
    if (!word) return {stop(), std::nullopt};
    if ((record(*word).u32(0) & 1) != 0) return {Step::done, symbol + 1};
  }
}

ElfReader::Count ElfReader::count_by_sections() {
  if (!is_done(Job::section_headers)) return {Step::waiting, std::nullopt};
  const ElfSection* section = section_at(kSectionDynsym, symbols_extent_.offset);
  if (section == nullptr || section->size % symbol_size() != 0) return {Step::done, std::nullopt};
  return {Step::done, section->size / symbol_size()};
}

// The lowest address above `address` that PT_DYNAMIC gives to a table.
std::uint64_t ElfReader::next_table_after(std::uint64_t address) const {
  static constexpr std::uint64_t kTables[] = {
      tag::kPltGot,    tag::kHash,         tag::kStrtab, tag::kSymtab,  tag::kRela,
      tag::kInit,      tag::kFini,         tag::kRel,    tag::kJmpRel,  tag::kInitArray,
      tag::kFiniArray, tag::kPreinitArray, tag::kRelr,   tag::kGnuHash, tag::kVersym,
      tag::kVerdef,    tag::kVerneed};
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  for (const DynamicEntry& entry : dynamic_) {
    if (entry.value > address &&
        std::find(std::begin(kTables), std::end(kTables), entry.tag) != std::end(kTables)) {
      next = std::min(next, entry.value);
    }
  }
  return next;
}

// Linkers put the string or version table right behind the symbols. Believed only where that is
// so, or where the version table, which has two bytes a symbol, gives the same number.
ElfReader::Count ElfReader::count_by_neighbours() {
  const std::uint64_t address = tag_value(tag::kSymtab).value_or(0);
  const auto extent = locate(address);
  if (!extent) return {Step::done, std::nullopt};
  const std::uint64_t next = next_table_after(address);
  const std::uint64_t gap = std::min(next - address, extent->size);
  const std::uint64_t count = gap / symbol_size();
  if (count == 0) return {Step::done, std::nullopt};
  if (next == tag_value(tag::kStrtab)) return {Step::done, count};
  if (const auto versym = tag_value(tag::kVersym)) {
    const std::uint64_t versions = (next_table_after(*versym) - *versym) / 2;
    if (count <= versions && versions - count <= 4) return {Step::done, count};
  }
  return {Step::done, std::nullopt};
}

ElfReader::Count ElfReader::count_by_relocations() {
  struct Table {
    std::string_view name;
    std::optional<std::uint64_t> address;
    std::optional<std::uint64_t> size;
    bool addends;
  };
  const Table tables[] = {
      {"DT_RELA", tag_value(tag::kRela), tag_value(tag::kRelaSize), true},
      {"DT_REL", tag_value(tag::kRel), tag_value(tag::kRelSize), false},
      {"DT_JMPREL", tag_value(tag::kJmpRel), tag_value(tag::kPltRelSize),
       tag_value(tag::kPltRel) == tag::kRela},
  };
  std::uint64_t last = 0;
  for (const Table& table : tables) {
    if (!table.address || !table.size || *table.size == 0) continue;
    const std::uint64_t word = facts_.is_64 ? 8 : 4;
    const std::uint64_t entry = word * (table.addends ? 3 : 2);
    const auto extent = locate_table(table.name, *table.address, *table.size);
    if (!extent) return {stop(), std::nullopt};
    const auto bytes = fetch(table.name, extent->offset, extent->size);
    if (!bytes) return {stop(), std::nullopt};
    const Record records = record(*bytes);
    for (std::uint64_t at = 0; at + entry <= bytes->size(); at += entry) {
      const std::uint64_t info = facts_.is_64 ? records.u64(at + 8) : records.u32(at + 4);
      last = std::max(last, facts_.is_64 ? info >> 32 : info >> 8);
    }
  }
  return {Step::done, last + 1};
}

}  // namespace wheelcheck::elf
