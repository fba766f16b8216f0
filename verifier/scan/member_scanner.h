#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/cuda/collector.h"
#include "verifier/elf/collector.h"
#include "verifier/scan/build_paths.h"
#include "verifier/scan/read_only.h"
#include "verifier/scan/scan.h"
#include "verifier/scan/sibling_names.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Gathers the facts of one file that streams past, into a MemberFacts whose `entry` is set.
/// consume() all of it; while end_pass() asks for it, consume_again() all of it; then finish().
/// If the stream failed, discard() instead: facts of bytes that cannot be trusted are worse than
/// none.
class MemberScanner {
 public:
  /// `facts`, `options` and `siblings` must outlive this. `keep_text`: as keeps_text() says;
  /// `siblings`: names that are looked for in read-only data of ELF files, null for none.
  MemberScanner(MemberFacts& facts, const ScanOptions& options, bool keep_text,
                const LibraryNames* siblings = nullptr);

  void consume(Bytes chunk);
  /// True: the file is wanted once more.
  [[nodiscard]] bool end_pass();
  void consume_again(Bytes chunk);
  void finish();
  void discard(Error why);

 private:
  void begin(Bytes head);
  void scan_read_only(Bytes chunk, bool in_device_code);
  void finish_elf();
  void finish_foreign();
  void finish_device_code();
  void cross_check_elf();

  MemberFacts& facts_;
  const ScanOptions& options_;
  bool keep_text_;
  const LibraryNames* siblings_;
  bool begun_ = false;
  std::uint64_t position_ = 0;
  std::optional<ElfCollector> elf_;
  std::optional<FatbinCollector> device_code_;
  std::optional<BuildPathScanner> paths_;
  std::optional<SiblingScanner> names_;
  std::vector<ByteRange> path_ranges_;  // of an ELF file; empty: all of it
  std::size_t next_range_ = 0;
  bool buffering_ = false;
  std::vector<std::byte> whole_;  // for LIEF
};

}  // namespace wheelcheck
