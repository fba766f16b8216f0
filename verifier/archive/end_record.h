#pragma once

#include <cstdint>

#include "verifier/archive/problems.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Where the central directory is, according to the records at the end of the file.
struct EndRecord {
  std::uint64_t directory_offset = 0;  ///< from the start of the file
  std::uint64_t directory_size = 0;    ///< bytes
  std::uint64_t entries = 0;           ///< as stated
  /// Bytes before the archive that its own offsets do not count, as in a self-extracting archive.
  std::uint64_t shift = 0;
};

/// Finds the end-of-central-directory record, with zip64, and checks it against its surroundings.
/// Errors: not a zip file, cut off, or its directory is not where any reader would look.
[[nodiscard]] Result<EndRecord> find_end_record(const FileSource& source, ProblemList& problems);

}  // namespace wheelcheck
