#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"
#include "verifier/elf/facts.h"

namespace wheelcheck {

/// Limits that keep a hostile file from costing more than a real one does.
struct ElfBudget {
  std::uint64_t head_bytes = 8u << 20;    ///< kept from the start of the file
  std::uint64_t tail_bytes = 8u << 20;    ///< kept from before the section headers
  std::uint64_t table_bytes = 64u << 20;  ///< of all tables together
  std::uint32_t table_ranges = 512;       ///< places in the file that tables may be scattered over
  std::uint32_t sections = 65'536;
  std::uint32_t segments = 4'096;
  std::uint32_t dynamic_entries = 65'536;
  std::uint32_t symbols = 4'000'000;
  std::uint32_t versions = 65'536;
  std::uint32_t name_bytes = 65'536;            ///< longest single name
  std::uint64_t total_name_bytes = 256u << 20;  ///< lengths of all names added up
  std::uint64_t copied_bytes = 8u << 20;        ///< section, version, NEEDED names and notes
  std::uint64_t note_bytes = 16u << 20;         ///< of all notes together
  std::uint64_t symtab_bytes = 48u << 20;       ///< .symtab and its strings together
};

/// Reads ELF facts from a file that streams past once, in order, from its first byte.
///
/// What is kept, and until when: the first head_bytes, or what lies before the code where a segment
/// that is only read comes first, until PT_DYNAMIC has told where the tables are; up to tail_bytes
/// before the section headers until the sections have names (1 MiB of them when local symbols are
/// not wanted); 1 MiB before a PT_DYNAMIC that lies behind the head; and exactly each table that is
/// known to come. A file that was patched so that its hash and string tables lie at its end is read
/// in one pass, whatever its size.
///
/// One more pass is asked for when bytes that had passed turn out to be needed: tables before
/// PT_DYNAMIC that end behind what is kept (a string table of 18 MB, say), section names far before
/// the section headers, and .symtab, when wanted, further than tail_bytes before them.
class ElfCollector {
 public:
  enum class Next { done, again };

  /// `where` names the file in errors; `size` is its length in bytes.
  ElfCollector(std::string where, std::uint64_t size, ElfBudget budget, bool want_local_symbols);
  ~ElfCollector();
  ElfCollector(ElfCollector&&) noexcept;
  ElfCollector& operator=(ElfCollector&&) noexcept;

  void consume(Bytes chunk);
  /// After the last byte. `again`: feed the whole file once more, then call end_pass() again.
  [[nodiscard]] Next end_pass();
  /// After `done`. An error means that the file counts as unread.
  [[nodiscard]] Result<ElfFacts> take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Facts of a file that lies in memory as a whole. Same reader, same errors.
[[nodiscard]] Result<ElfFacts> read_elf(std::string where, Bytes file, const ElfBudget& budget = {},
                                        bool want_local_symbols = true);

}  // namespace wheelcheck
