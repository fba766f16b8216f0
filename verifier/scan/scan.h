#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "verifier/archive/directory.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"
#include "verifier/elf/collector.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// How a wheel is read.
struct ScanOptions {
  unsigned threads = 0;             ///< 0: one per processor
  bool want_local_symbols = false;  ///< read .symtab too (may cost a second pass)
  bool scan_build_paths = true;
  std::uint64_t foreign_limit = 64u << 20;  ///< largest Mach-O or PE member handed to LIEF, bytes
  std::uint64_t cross_check_limit = 256u << 20;  ///< largest ELF compared with LIEF, bytes
  bool cross_check = false;
  bool keep_headers = false;  ///< keep the text of C and C++ headers too: torch has thousands
  std::uint64_t text_limit = 32u << 20;       ///< largest text member kept, bytes
  std::uint64_t inflate_limit = 64ull << 30;  ///< of all members together, bytes
  ElfBudget elf_budget{};
  ArchiveBudget archive_budget{};
  /// Called from worker threads, several at once perhaps, every few megabytes: bytes inflated so
  /// far and in all. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Reads a wheel, start to end, without unpacking it. An error: not an archive that can be read at
/// all. Anything wrong with a single member is that member's `unread` or an ArchiveProblem.
[[nodiscard]] Result<WheelFacts> scan_wheel(const std::string& path, const ScanOptions& options);
/// The same of a wheel that is open already. `source.name()` is taken for its path.
[[nodiscard]] Result<WheelFacts> scan_wheel(const FileSource& source, const ScanOptions& options);

/// Reads one file that is no wheel: an ELF, Mach-O or PE file, or whatever else a member may be.
[[nodiscard]] Result<MemberFacts> scan_file(const std::string& path, const ScanOptions& options);

}  // namespace wheelcheck
