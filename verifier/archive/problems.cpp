#include "verifier/archive/problems.h"

#include <utility>

namespace wheelcheck {

const char* oddity_name(ArchiveOddity oddity) {
  switch (oddity) {
    case ArchiveOddity::duplicate_name:
      return "duplicate-name";
    case ArchiveOddity::case_collision:
      return "case-collision";
    case ArchiveOddity::local_header_mismatch:
      return "local-header-mismatch";
    case ArchiveOddity::leading_data:
      return "leading-data";
    case ArchiveOddity::trailing_data:
      return "trailing-data";
    case ArchiveOddity::gap:
      return "gap";
    case ArchiveOddity::overlap:
      return "overlap";
    case ArchiveOddity::archive_comment:
      return "archive-comment";
    case ArchiveOddity::entry_comment:
      return "entry-comment";
    case ArchiveOddity::data_descriptor:
      return "data-descriptor";
    case ArchiveOddity::encrypted:
      return "encrypted";
    case ArchiveOddity::unsupported_method:
      return "unsupported-method";
    case ArchiveOddity::absolute_path:
      return "absolute-path";
    case ArchiveOddity::parent_path:
      return "parent-path";
    case ArchiveOddity::backslash_path:
      return "backslash-path";
    case ArchiveOddity::odd_path:
      return "odd-path";
    case ArchiveOddity::symlink:
      return "symlink";
    case ArchiveOddity::special_file:
      return "special-file";
    case ArchiveOddity::directory_with_data:
      return "directory-with-data";
    case ArchiveOddity::absurd_ratio:
      return "absurd-ratio";
    case ArchiveOddity::size_lie:
      return "size-lie";
    case ArchiveOddity::crc_mismatch:
      return "crc-mismatch";
    case ArchiveOddity::stray_zip64:
      return "stray-zip64";
    case ArchiveOddity::too_many_members:
      return "too-many-members";
    case ArchiveOddity::disagreeing_count:
      return "disagreeing-count";
    case ArchiveOddity::ambiguous_end:
      return "ambiguous-end";
    case ArchiveOddity::odd_extra_field:
      return "odd-extra-field";
    case ArchiveOddity::readers_disagree:
      return "readers-disagree";
  }
  return "unknown";
}

void ProblemList::add(ArchiveOddity oddity, std::string member, std::uint64_t offset,
                      std::string detail) {
  std::size_t& count = counts_[static_cast<std::size_t>(oddity)];
  ++count;
  if (count <= limit_) {
    problems_.push_back({oddity, std::move(member), offset, std::move(detail)});
  }
}

std::vector<ArchiveProblem> ProblemList::take() {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (counts_[kind] <= limit_) continue;
    problems_.push_back({static_cast<ArchiveOddity>(kind), "", 0,
                         "and " + std::to_string(counts_[kind] - limit_) + " more of these"});
  }
  counts_.fill(0);
  return std::exchange(problems_, {});
}

}  // namespace wheelcheck
