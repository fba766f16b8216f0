#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wheelcheck {

/// One entry of a zip's central directory, as stored: nothing is normalised.
struct Member {
  std::string path;                   ///< raw name, '/'-separated if the archive follows the rules
  std::uint64_t size = 0;             ///< uncompressed, as the central directory states it
  std::uint64_t compressed_size = 0;  ///< likewise
  std::uint32_t crc32 = 0;            ///< likewise
  std::uint16_t method = 0;           ///< 0 stored, 8 deflated, else unsupported
  std::uint16_t flags = 0;            ///< general purpose bit flag
  std::uint16_t version_made_by = 0;  ///< high byte: host system, 3 is Unix
  std::uint32_t external_attributes = 0;
  std::uint64_t header_offset = 0;  ///< of the local header, from the start of the file
  std::uint64_t data_offset = 0;    ///< of the first compressed byte; 0: not known
  std::string unreadable;           ///< why its data is not to be read; empty: it may be

  [[nodiscard]] bool is_directory() const { return path.ends_with('/'); }
  /// Unix mode (0 when the entry was not made on Unix).
  [[nodiscard]] std::uint32_t unix_mode() const {
    return (version_made_by >> 8) == 3 ? external_attributes >> 16 : 0;
  }
  [[nodiscard]] bool is_symlink() const { return (unix_mode() & 0170000U) == 0120000U; }
};

/// What is odd about an archive. A fact, not yet a judgement: rules/archive_rules.cpp gives levels.
enum class ArchiveOddity {
  duplicate_name,         ///< two entries of one name
  case_collision,         ///< two names that differ only by case
  local_header_mismatch,  ///< local and central header disagree (name, method, sizes, CRC)
  leading_data,           ///< bytes before the first local header
  trailing_data,          ///< bytes after the end-of-central-directory record
  gap,                    ///< bytes between members that belong to nothing
  overlap,                ///< two members share bytes
  archive_comment,
  entry_comment,
  data_descriptor,  ///< sizes follow the data (flag bit 3)
  encrypted,
  unsupported_method,
  absolute_path,
  parent_path,  ///< a ".." component
  backslash_path,
  odd_path,  ///< NUL or control character, empty component, "." component, bad UTF-8
  symlink,
  special_file,  ///< device, fifo, socket
  directory_with_data,
  absurd_ratio,  ///< inflates by more than any real file does
  size_lie,      ///< inflated to another size than stated
  crc_mismatch,
  stray_zip64,  ///< zip64 extra field where nothing needs it, or with wrong length
  too_many_members,
  disagreeing_count,  ///< the end record counts other than what the directory holds
  ambiguous_end,      ///< readers may take different bytes for the directory
  odd_extra_field,    ///< an extra field that is damaged, repeated, or gives another name
  readers_disagree,   ///< libzip sees another archive than our own reader does
};

inline constexpr ArchiveOddity kLastArchiveOddity = ArchiveOddity::readers_disagree;

/// "local-header-mismatch" for ArchiveOddity::local_header_mismatch: stable, for reports and tests.
[[nodiscard]] const char* oddity_name(ArchiveOddity oddity);

struct ArchiveProblem {
  ArchiveOddity oddity = ArchiveOddity::gap;
  std::string member;        ///< empty when the archive as a whole is meant
  std::uint64_t offset = 0;  ///< in the archive file
  std::string detail;        ///< numbers and names: what was found and what was expected
};

/// What the directory says, and everything odd about it.
struct ArchiveFacts {
  std::uint64_t file_size = 0;
  std::uint64_t stated_members = 0;  ///< the end record's count
  std::vector<Member> members;       ///< in central directory order
  std::vector<ArchiveProblem> problems;
  bool libzip_agrees = false;  ///< libzip sees the same members; false also if it was not asked
};

}  // namespace wheelcheck
