#pragma once

#include <cstdint>

#include "verifier/archive/facts.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Limits that keep a hostile archive from costing more than a real one does.
struct ArchiveBudget {
  std::uint64_t members = 250'000;           ///< beyond: an error
  std::uint64_t usual_members = 65'535;      ///< beyond: ArchiveOddity::too_many_members
  std::uint64_t directory_bytes = 64 << 20;  ///< of the central directory; beyond: an error
  std::uint64_t directories = 1'000'000;     ///< that names lead through; beyond: an error
  std::size_t problems_of_a_kind = 100;      ///< beyond: only counted
};

/// Reads the directory of a zip archive and every local header, and compares them with each other
/// and with the bytes between them. What libzip sees is compared by compare_with_libzip.
/// An error: it cannot be read as an archive at all. Whatever is wrong with one member is a problem
/// and, where its data cannot be trusted to be its own, Member::unreadable.
[[nodiscard]] Result<ArchiveFacts> read_archive(const FileSource& source,
                                                const ArchiveBudget& budget = {});

}  // namespace wheelcheck
