#include "verifier/archive/end_record.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "verifier/archive/format.h"
#include "verifier/core/bytes.h"

namespace wheelcheck {

namespace {

using zip::Signature;

/// How many other candidates for the end record are looked at. A hostile tail may hold thousands.
constexpr int kAlternatesLookedAt = 16;

/// The fields of the end record, or of the zip64 one, in one shape.
struct Fields {
  std::uint64_t disk = 0;
  std::uint64_t directory_disk = 0;
  std::uint64_t entries_here = 0;
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

struct Candidate {
  std::uint64_t at = 0;
  std::uint64_t comment = 0;
  Fields fields;
};

bool has_signature(const FileSource& source, std::uint64_t offset, Signature wanted) {
  std::byte raw[4];
  if (offset > source.size() || source.size() - offset < sizeof raw) return false;
  if (source.read(offset, raw)) return false;
  return read_at<std::uint32_t>(raw, 0) == static_cast<std::uint32_t>(wanted);
}

Candidate parse_end(Bytes record, std::uint64_t at) {
  // `record` holds at least the 22 fixed bytes.
  const auto u16 = [&](std::uint64_t i) { return *read_at<std::uint16_t>(record, i); };
  const auto u32 = [&](std::uint64_t i) { return *read_at<std::uint32_t>(record, i); };
  return {at, u16(20), {u16(4), u16(6), u16(8), u16(10), u32(12), u32(16)}};
}

/// All end records in the last 64 KiB whose comment ends inside the file, last one first.
struct Candidates {
  std::vector<Candidate> whole;
  std::optional<Candidate> cut;  ///< the last one whose comment does not
};

Result<Candidates> find_candidates(const FileSource& source) {
  const std::uint64_t tail_size =
      std::min<std::uint64_t>(source.size(), zip::kEndSize + zip::kMaxComment);
  const std::uint64_t tail_at = source.size() - tail_size;
  Result<std::vector<std::byte>> tail = source.read(tail_at, tail_size);
  if (!tail) return std::move(tail).error();
  Candidates found;
  const Bytes bytes(*tail);
  if (bytes.size() < zip::kEndSize) return found;
  for (std::uint64_t i = bytes.size() - zip::kEndSize + 1; i-- > 0;) {
    if (bytes[i] != std::byte{'P'}) continue;
    if (read_at<std::uint32_t>(bytes, i) != static_cast<std::uint32_t>(Signature::end)) continue;
    const Candidate candidate = parse_end(bytes.subspan(i), tail_at + i);
    if (candidate.at + zip::kEndSize + candidate.comment <= source.size()) {
      found.whole.push_back(candidate);
      if (found.whole.size() > kAlternatesLookedAt) break;
    } else if (!found.cut && found.whole.empty()) {
      found.cut = candidate;
    }
  }
  return found;
}

Error not_an_archive(const FileSource& source, const Candidates& found) {
  if (found.cut) {
    return {source.name(),
            "truncated: the end record's comment of " + std::to_string(found.cut->comment) +
                " bytes does not fit in the file",
            found.cut->at};
  }
  if (has_signature(source, 0, Signature::local)) {
    return {source.name(), "truncated: it starts as a zip archive but has no end record",
            source.size()};
  }
  return {source.name(),
          source.size() == 0 ? "is empty, so it is not a zip archive"
                             : "is not a zip archive: it has no end record",
          {}};
}

/// The zip64 end record that belongs to `end`, if there is one.
struct Zip64 {
  std::uint64_t at = 0;
  Fields fields;
};

Result<std::optional<Zip64>> find_zip64(const FileSource& source, const Candidate& end,
                                        ProblemList& problems) {
  if (end.at < zip::kLocatorSize) return std::optional<Zip64>();
  const std::uint64_t locator_at = end.at - zip::kLocatorSize;
  if (!has_signature(source, locator_at, Signature::zip64_locator)) return std::optional<Zip64>();
  Result<std::vector<std::byte>> locator = source.read(locator_at, zip::kLocatorSize);
  if (!locator) return std::move(locator).error();
  const std::uint64_t stated = *read_at<std::uint64_t>(*locator, 8);
  // Where bytes were put before the archive, the record is found from behind.
  std::uint64_t at = stated;
  if (!has_signature(source, at, Signature::zip64_end) && locator_at >= zip::kZip64EndSize) {
    at = locator_at - zip::kZip64EndSize;
  }
  if (!has_signature(source, at, Signature::zip64_end) || at > locator_at ||
      locator_at - at < zip::kZip64EndSize) {
    return Error{source.name(),
                 "the zip64 locator points to offset " + std::to_string(stated) +
                     ", where there is no zip64 end record",
                 locator_at};
  }
  Result<std::vector<std::byte>> record = source.read(at, zip::kZip64EndSize);
  if (!record) return std::move(record).error();
  const auto u64 = [&](std::uint64_t i) { return *read_at<std::uint64_t>(*record, i); };
  const auto u32 = [&](std::uint64_t i) { return *read_at<std::uint32_t>(*record, i); };
  const std::uint64_t length = u64(4);
  if (length != locator_at - at - 12) {
    problems.add(ArchiveOddity::gap, "", at,
                 "the zip64 end record states a length of " + std::to_string(length) +
                     " bytes, its locator follows after " + std::to_string(locator_at - at - 12));
  }
  return std::optional<Zip64>(Zip64{at, {u32(16), u32(20), u64(24), u64(32), u64(40), u64(48)}});
}

/// Joins both records: the zip64 one counts, and must repeat what the other does not leave open.
Fields join(const Candidate& end, const Zip64& zip64, ProblemList& problems) {
  bool needed = false;
  const auto field = [&](const char* what, std::uint64_t small, std::uint64_t saturated,
                         std::uint64_t large) {
    if (small == saturated) {
      needed = true;
    } else if (small != large) {
      problems.add(ArchiveOddity::ambiguous_end, "", zip64.at,
                   std::string("the zip64 end record gives ") + std::to_string(large) + " as " +
                       what + ", the end record " + std::to_string(small));
    }
    return large;
  };
  Fields joined;
  const Fields& small = end.fields;
  const Fields& large = zip64.fields;
  joined.disk = field("disk number", small.disk, 0xFFFF, large.disk);
  joined.directory_disk =
      field("the directory's disk", small.directory_disk, 0xFFFF, large.directory_disk);
  joined.entries_here =
      field("entries of this disk", small.entries_here, 0xFFFF, large.entries_here);
  joined.entries = field("entries", small.entries, 0xFFFF, large.entries);
  joined.size = field("directory size", small.size, 0xFFFFFFFF, large.size);
  joined.offset = field("directory offset", small.offset, 0xFFFFFFFF, large.offset);
  if (!needed) {
    problems.add(ArchiveOddity::stray_zip64, "", zip64.at,
                 "a zip64 end record although no field of the end record needs it");
  }
  return joined;
}

/// Decides which bytes are the directory. `limit`: where the records after it begin.
Result<EndRecord> place_directory(const FileSource& source, const Fields& fields,
                                  std::uint64_t limit, ProblemList& problems) {
  if (fields.size > limit || fields.offset > limit - fields.size) {
    return Error{source.name(),
                 "the directory is said to be " + std::to_string(fields.size) +
                     " bytes at offset " + std::to_string(fields.offset) +
                     ", which is beyond the records that follow it: bytes are missing",
                 limit};
  }
  EndRecord record{fields.offset, fields.size, fields.entries, 0};
  const std::uint64_t behind = limit - fields.size;  // where a reader that counts back looks
  const std::uint64_t difference = behind - fields.offset;
  if (difference == 0) return record;
  const std::string bytes = std::to_string(difference);
  if (fields.size == 0) {
    problems.add(ArchiveOddity::leading_data, "", 0,
                 bytes + " bytes in an archive without members");
    return record;
  }
  const bool as_stated = has_signature(source, fields.offset, Signature::central);
  const bool from_behind = has_signature(source, behind, Signature::central);
  if (as_stated && from_behind) {
    problems.add(ArchiveOddity::ambiguous_end, "", behind,
                 "a directory begins at offset " + std::to_string(fields.offset) +
                     ", which is stated, and another at " + std::to_string(behind) +
                     ", which readers that count back from the end take");
  } else if (as_stated) {
    problems.add(ArchiveOddity::gap, "", fields.offset + fields.size,
                 bytes + " bytes between the directory and its end record");
  } else if (from_behind) {
    problems.add(ArchiveOddity::leading_data, "", 0,
                 bytes + " bytes before the archive that its offsets do not count");
    record.directory_offset = behind;
    record.shift = difference;
  } else {
    return Error{source.name(), "there is no central directory at the stated offset",
                 fields.offset};
  }
  return record;
}

void note_alternates(const FileSource& source, const Candidates& found, ProblemList& problems) {
  const Candidate& chosen = found.whole.front();
  if (found.cut) {
    problems.add(ArchiveOddity::ambiguous_end, "", found.cut->at,
                 "something like an end record follows the end record");
  }
  for (std::size_t i = 1; i < found.whole.size(); ++i) {
    const Candidate& other = found.whole[i];
    const Fields& fields = other.fields;
    // A stored archive inside this one leaves such bytes too; only what a reader could take for
    // this archive's own end is ambiguous.
    const bool reaches_end = other.at + zip::kEndSize + other.comment == source.size();
    const bool has_directory = fields.offset + fields.size == other.at && fields.size != 0 &&
                               has_signature(source, fields.offset, Signature::central);
    if (reaches_end || has_directory) {
      problems.add(ArchiveOddity::ambiguous_end, "", other.at,
                   "another end record lies " + std::to_string(chosen.at - other.at) +
                       " bytes before the last one, and readers may take it instead");
    }
  }
}

}  // namespace

Result<EndRecord> find_end_record(const FileSource& source, ProblemList& problems) {
  Result<Candidates> found = find_candidates(source);
  if (!found) return std::move(found).error();
  if (found->whole.empty()) return not_an_archive(source, *found);
  note_alternates(source, *found, problems);

  const Candidate& end = found->whole.front();
  const std::uint64_t end_of_record = end.at + zip::kEndSize + end.comment;
  if (end.comment != 0) {
    problems.add(ArchiveOddity::archive_comment, "", end.at + zip::kEndSize,
                 "a comment of " + std::to_string(end.comment) + " bytes");
  }
  if (end_of_record != source.size()) {
    problems.add(ArchiveOddity::trailing_data, "", end_of_record,
                 std::to_string(source.size() - end_of_record) + " bytes after the end record");
  }

  Result<std::optional<Zip64>> zip64 = find_zip64(source, end, problems);
  if (!zip64) return std::move(zip64).error();
  const Fields fields = *zip64 ? join(end, **zip64, problems) : end.fields;
  if (!*zip64 && (fields.size == 0xFFFFFFFF || fields.offset == 0xFFFFFFFF)) {
    return Error{source.name(), "the end record refers to a zip64 record, and there is none",
                 end.at};
  }
  if (fields.disk != 0 || fields.directory_disk != 0) {
    return Error{source.name(), "is one part of an archive that spans several files", end.at};
  }
  if (fields.entries_here != fields.entries) {
    problems.add(ArchiveOddity::disagreeing_count, "", end.at,
                 "the end record counts " + std::to_string(fields.entries) + " members, " +
                     std::to_string(fields.entries_here) + " of them in this file");
  }
  return place_directory(source, fields, *zip64 ? (*zip64)->at : end.at, problems);
}

}  // namespace wheelcheck
