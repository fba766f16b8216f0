#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"
#include "verifier/elf/collector.h"
#include "verifier/elf/facts.h"
#include "verifier/elf/image.h"
#include "verifier/elf/layout.h"

namespace wheelcheck::elf {

/// Parses one ELF file out of an image whose bytes may arrive over time. The work is cut into
/// jobs, one a table; each is tried until the bytes that it needs are there, and done once.
///
/// Where segments and sections disagree, the segments are believed, as ld.so does: it never looks
/// at a section. Section headers are used where only they can tell (names, .symtab), to count
/// symbols that no hash table counts, and for observations about the disagreement.
class ElfReader {
 public:
  enum class Step { done, waiting, failed };

  ElfReader(std::string where, ElfImage& image, const ElfBudget& budget, bool want_local_symbols);

  /// Tries every job that is not done. `waiting`: the image now knows which bytes are missing.
  Step advance();
  /// After `done` or `failed`.
  [[nodiscard]] Result<ElfFacts> take();
  /// Counts the file as unread for a reason of the caller's.
  Step fail(std::string_view table, std::string what,
            std::optional<std::uint64_t> offset = std::nullopt);

 private:
  enum class Job : std::uint8_t {
    header,
    section_headers,
    section_names,
    segments,
    interpreter,
    segment_notes,
    dynamic,
    relocations,
    strings,
    symbol_count,
    symbol_table,
    needed_versions,
    defined_versions,
    section_notes,
    local_symbols,
    count_
  };
  using Method = Step (ElfReader::*)();

  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    [[nodiscard]] std::uint64_t end() const { return offset + size; }
  };
  using Windows = std::vector<ElfImage::Kept>;
  struct DynamicEntry {
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
  };
  struct RawVersion {  // names are offsets into the dynamic string table
    std::uint64_t record = 0;
    std::uint32_t name = 0;
    std::uint32_t file = 0;
    std::uint16_t index = 0;
    std::uint16_t flags = 0;
    bool defined = false;
  };
  struct RawSection {
    std::uint32_t name = 0;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::uint64_t entry_size = 0;
  };

  // One file each of reader_*.cpp.
  Step header();
  Step segments();
  Step interpreter();
  Step section_headers();
  Step section_names();
  Step segment_notes();
  Step section_notes();
  Step dynamic();
  Step relocations();
  Step strings();
  Step symbol_count();
  Step symbol_table();
  Step needed_versions();
  Step defined_versions();
  Step local_symbols();
  bool finish_dynamic();
  bool finish_versions();
  bool finish_symbols();
  void finish_observations();

  [[nodiscard]] bool is_done(Job job) const { return done_[static_cast<std::size_t>(job)]; }
  /// The bytes of a table, or nothing: then stop() says whether to wait or to give up.
  [[nodiscard]] std::optional<Bytes> fetch(std::string_view table, std::uint64_t offset,
                                           std::uint64_t size, std::uint64_t window = 0);
  /// A record of a chain that must end by `end`, where its segment does; or nothing, as fetch().
  /// Captured in windows, so that a chain of small records does not become a range each.
  [[nodiscard]] std::optional<Record> chain_record(std::string_view table, std::uint64_t offset,
                                                   std::uint64_t size, std::uint64_t end);
  [[nodiscard]] Step stop() const { return error_ ? Step::failed : Step::waiting; }
  [[nodiscard]] Record record(Bytes bytes) const { return {bytes, facts_.endian, facts_.is_64}; }
  void observe(std::string what) { facts_.observations.push_back(std::move(what)); }

  /// Where the loader would find an address: its file offset and the bytes that follow it in
  /// the file part of its segment. Of overlapping segments the last one is mapped on top.
  [[nodiscard]] std::optional<Extent> locate(std::uint64_t address) const;
  /// The same for a table of a known size; reports a table that does not fit.
  [[nodiscard]] std::optional<Extent> locate_table(std::string_view table, std::uint64_t address,
                                                   std::uint64_t size);
  /// The value of a dynamic tag. Of repeated tags the last counts, as in ld.so.
  [[nodiscard]] std::optional<std::uint64_t> tag_value(std::uint64_t tag) const;
  /// Notes which symbols a table of relocations names. False: not all of it is here.
  /// Of what kind the relocations of a symbol are.
  enum Use : std::uint8_t { kNow = 1, kAtFirstCall = 2, kCopy = 4 };
  [[nodiscard]] bool read_references(std::uint64_t address, std::uint64_t size, bool with_addend,
                                     Use use);
  [[nodiscard]] std::uint64_t symbol_size() const { return facts_.is_64 ? 24 : 16; }
  [[nodiscard]] const ElfSection* section_at(std::uint32_t type, std::uint64_t offset) const;

  // Bytes kept in advance, see reader_windows.cpp.
  void keep_head();
  [[nodiscard]] std::uint64_t tail_begin() const;
  void keep_tail();
  void keep_before_dynamic(std::uint64_t offset);
  void forget_code();
  void release_head();
  void release(Windows& windows);
  /// The parts of [begin, end) that lie in no segment of that kind.
  [[nodiscard]] std::optional<std::vector<Extent>> outside(std::uint64_t begin, std::uint64_t end,
                                                           bool (*taken)(const ElfSegment&)) const;

  // Symbol counts, see reader_symbol_count.cpp.
  struct Count {
    Step step = Step::waiting;
    std::optional<std::uint64_t> symbols;
  };
  Count count_by_hash();
  Count count_by_gnu_hash();
  Count count_by_sections();
  Count count_by_neighbours();
  Count count_by_relocations();
  [[nodiscard]] std::uint64_t next_table_after(std::uint64_t address) const;
  Step set_symbol_count(std::uint64_t count);

  // Strings, see reader_strings.cpp.
  /// Length of a string of a table, or nothing after fail().
  [[nodiscard]] std::optional<std::uint32_t> string_length(std::string_view table, Bytes strings,
                                                           std::uint64_t table_offset,
                                                           std::uint64_t name,
                                                           std::string_view owner,
                                                           std::uint64_t owner_index);
  [[nodiscard]] std::optional<std::string> copy_string(std::string_view table, Bytes strings,
                                                       std::uint64_t table_offset,
                                                       std::uint64_t name, std::string_view owner,
                                                       std::uint64_t owner_index);
  [[nodiscard]] bool charge_copy(std::string_view table, std::uint64_t size);

  // Notes, see reader_notes.cpp.
  [[nodiscard]] bool read_notes(Bytes notes, std::uint64_t align, std::uint64_t offset);
  [[nodiscard]] bool read_note(std::string_view owner, std::uint32_t type, Bytes description);
  void read_properties(Bytes properties);

  static constexpr std::uint64_t kChainWindow = 64u << 10;

  std::string where_;
  ElfImage& image_;
  const ElfBudget budget_;
  const bool want_local_symbols_;
  ElfFacts facts_;
  std::optional<Error> error_;
  std::array<bool, static_cast<std::size_t>(Job::count_)> done_{};

  // ELF header
  std::uint64_t section_offset_ = 0;
  std::uint64_t section_count_ = 0;
  std::uint32_t section_names_index_ = 0;
  std::uint64_t segment_offset_ = 0;
  std::uint64_t segment_count_ = 0;
  std::uint64_t head_size_ = 0;  ///< bytes kept from the start until PT_DYNAMIC is read
  bool head_released_ = false;
  ElfImage::Kept head_{};
  Windows tail_;
  Windows before_dynamic_;

  std::vector<RawSection> raw_sections_;
  Extent dynamic_extent_;
  std::vector<DynamicEntry> dynamic_;
  bool gnu_hash_empty_ = false;
  std::uint64_t gnu_hash_first_ = 0;
  std::optional<std::uint64_t> symbol_count_;
  /// By symbol index, of what kinds (Use) its relocations are; those behind its end have none.
  std::vector<std::uint8_t> uses_;
  Windows kept_windows_;  ///< until symbols are counted
  Extent strings_extent_;
  Extent symbols_extent_;
  Extent versym_extent_;
  Bytes strings_;
  Bytes symbols_;
  Bytes versym_;
  std::vector<RawVersion> needed_;
  std::vector<RawVersion> defined_;
  std::uint64_t total_name_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
  std::uint64_t note_bytes_ = 0;
};

}  // namespace wheelcheck::elf
