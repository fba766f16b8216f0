#include "verifier/archive/directory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verifier/archive/end_record.h"
#include "verifier/archive/extra_field.h"
#include "verifier/archive/format.h"
#include "verifier/archive/layout.h"
#include "verifier/archive/names.h"
#include "verifier/archive/problems.h"

namespace wheelcheck {

namespace {

/// Deflate cannot do better: 258 bytes of output from two bits of input.
constexpr std::uint64_t kDeflateLimit = 1032;
/// What no file in a real wheel reaches. Small files of zeros do exist.
constexpr std::uint64_t kAbsurdRatio = 500;
constexpr std::uint64_t kAbsurdMemberSize = 64 << 20;
constexpr std::uint64_t kAbsurdArchiveSize = 1 << 30;

void check_method(Member& member, std::uint64_t at, ProblemList& problems) {
  constexpr std::uint16_t kEncryption =
      zip::kFlagEncrypted | zip::kFlagStrongEncryption | zip::kFlagMaskedHeader;
  if ((member.flags & kEncryption) != 0) {
    problems.add(ArchiveOddity::encrypted, member.path, at, "the member is encrypted");
    member.unreadable = "it is encrypted";
  } else if ((member.flags & zip::kFlagPatched) != 0) {
    problems.add(ArchiveOddity::unsupported_method, member.path, at,
                 "the member is a patch of another file");
    member.unreadable = "it is a patch of another file";
  } else if (member.method != zip::kStored && member.method != zip::kDeflated) {
    member.unreadable =
        "compression method " + std::to_string(member.method) + " is neither stored nor deflated";
    problems.add(ArchiveOddity::unsupported_method, member.path, at, member.unreadable);
  }
  if ((member.flags & zip::kFlagDescriptor) != 0) {
    problems.add(ArchiveOddity::data_descriptor, member.path, at,
                 "the sizes follow the data instead of standing before it");
  }
}

void check_sizes(Member& member, std::uint64_t at, ProblemList& problems) {
  const auto sizes = [&] {
    return std::to_string(member.size) + " bytes from " + std::to_string(member.compressed_size) +
           " compressed ones";
  };
  if (member.method == zip::kStored && member.size != member.compressed_size &&
      member.unreadable.empty()) {
    member.unreadable = "it is stored, and states " + sizes();
    problems.add(ArchiveOddity::size_lie, member.path, at, member.unreadable);
  } else if (member.size / kDeflateLimit > member.compressed_size) {
    if (member.unreadable.empty()) {
      member.unreadable = "it states " + sizes() + ", more than deflate can hold";
    }
    problems.add(ArchiveOddity::absurd_ratio, member.path, at, "states " + sizes());
  } else if (member.size >= kAbsurdMemberSize &&
             member.size / kAbsurdRatio > member.compressed_size) {
    problems.add(ArchiveOddity::absurd_ratio, member.path, at, "states " + sizes());
  }
}

void check_mode(const Member& member, std::uint64_t at, ProblemList& problems) {
  const std::uint32_t type = member.unix_mode() & 0170000U;
  const bool is_directory_mode = type == 0040000U;
  if (member.is_symlink()) {
    problems.add(ArchiveOddity::symlink, member.path, at, "a symbolic link");
  } else if (type != 0 && type != 0100000U && !is_directory_mode) {
    problems.add(ArchiveOddity::special_file, member.path, at,
                 "file type " + std::to_string(type >> 12) + " is neither file nor directory");
  }
  if (member.is_directory() && member.size != 0) {
    problems.add(ArchiveOddity::directory_with_data, member.path, at,
                 "a directory entry with " + std::to_string(member.size) + " bytes of data");
  } else if (is_directory_mode && !member.is_directory()) {
    problems.add(ArchiveOddity::directory_with_data, member.path, at,
                 "the mode says directory, the name does not end with a slash");
  }
}

/// One central header, from the fixed part on.
struct Central {
  Bytes fixed;
  Bytes name;
  Bytes extra;
  std::uint64_t comment_size = 0;
  std::uint64_t size = 0;  ///< of the whole header
};

std::optional<Central> central_at(Bytes directory, std::uint64_t at) {
  const std::optional<Bytes> fixed = slice(directory, at, zip::kCentralSize);
  if (!fixed) return std::nullopt;
  const std::uint64_t name_size = *read_at<std::uint16_t>(*fixed, 28);
  const std::uint64_t extra_size = *read_at<std::uint16_t>(*fixed, 30);
  const std::uint64_t comment_size = *read_at<std::uint16_t>(*fixed, 32);
  const std::uint64_t size = zip::kCentralSize + name_size + extra_size + comment_size;
  const std::optional<Bytes> whole = slice(directory, at, size);
  if (!whole) return std::nullopt;
  return Central{*fixed, *slice(*whole, zip::kCentralSize, name_size),
                 *slice(*whole, zip::kCentralSize + name_size, extra_size), comment_size, size};
}

/// `at`: offset of the central header in the file, for problems.
Member read_member(const Central& central, std::uint64_t at, std::uint64_t shift,
                   ProblemList& problems) {
  const auto u16 = [&](std::uint64_t i) { return *read_at<std::uint16_t>(central.fixed, i); };
  const auto u32 = [&](std::uint64_t i) { return *read_at<std::uint32_t>(central.fixed, i); };
  Member member;
  member.path = as_text(central.name);
  member.version_made_by = u16(4);
  member.flags = u16(8);
  member.method = u16(10);
  member.crc32 = u32(16);
  member.external_attributes = u32(38);

  Zip64Values values{u32(24), u32(20), u32(42)};
  const Zip64Wants wants{values.size == 0xFFFFFFFF, values.compressed_size == 0xFFFFFFFF,
                         values.header_offset == 0xFFFFFFFF, u16(34) == 0xFFFF};
  const ExtraField extra = parse_extra_field(central.extra, central.name);
  if (!extra.damage.empty()) {
    problems.add(ArchiveOddity::odd_extra_field, member.path, at,
                 "central extra field: " + extra.damage);
  }
  if (extra.names_another) {
    problems.add(ArchiveOddity::odd_extra_field, member.path, at,
                 "the central extra field gives the member another name");
  }
  if (extra.zip64) {
    if (!read_zip64(*extra.zip64, wants, values)) {
      member.unreadable = "its zip64 block is too short for the sizes it must hold";
    }
    if (extra.zip64->size() != wants.bytes()) {
      problems.add(ArchiveOddity::stray_zip64, member.path, at,
                   "the central header has a zip64 block of " +
                       std::to_string(extra.zip64->size()) + " bytes and needs " +
                       std::to_string(wants.bytes()));
    }
  } else if (wants.size || wants.compressed_size || wants.header_offset) {
    // 4 GiB less one byte is a size that needs no zip64, but then every reader must guess.
    problems.add(ArchiveOddity::stray_zip64, member.path, at,
                 "the central header refers to a zip64 block, and there is none");
  }
  member.size = values.size;
  member.compressed_size = values.compressed_size;
  // An offset that overflows is beyond the file either way; the layout check says so.
  member.header_offset =
      values.header_offset > ~shift ? ~std::uint64_t{0} : values.header_offset + shift;

  if (u16(34) != 0 && !wants.disk) {
    member.unreadable = "it lies in another file of a split archive";
    problems.add(ArchiveOddity::local_header_mismatch, member.path, at, member.unreadable);
  }
  if (central.comment_size != 0) {
    problems.add(ArchiveOddity::entry_comment, member.path, at,
                 "a comment of " + std::to_string(central.comment_size) + " bytes");
  }
  check_method(member, at, problems);
  check_sizes(member, at, problems);
  check_mode(member, at, problems);
  check_name(member, at, problems);
  return member;
}

/// How many directories and files a name adds to those that the name before it leads through.
std::uint64_t more_places(std::string_view before, std::string_view name) {
  const auto [unlike, end] = std::mismatch(before.begin(), before.end(), name.begin(), name.end());
  return 1 + static_cast<std::uint64_t>(std::count(end, name.end(), '/'));
}

Result<std::vector<Member>> read_members(const FileSource& source, const EndRecord& end,
                                         const ArchiveBudget& budget, ProblemList& problems) {
  if (end.directory_size > budget.directory_bytes) {
    return Error{source.name(),
                 "the central directory of " + std::to_string(end.directory_size) +
                     " bytes is larger than the limit of " + std::to_string(budget.directory_bytes),
                 end.directory_offset};
  }
  Result<std::vector<std::byte>> directory = source.read(end.directory_offset, end.directory_size);
  if (!directory) return std::move(directory).error();
  std::vector<Member> members;
  std::uint64_t at = 0;
  std::uint64_t places = 0;
  while (at != directory->size()) {
    const std::uint64_t file_at = end.directory_offset + at;
    if (read_at<std::uint32_t>(*directory, at) !=
        static_cast<std::uint32_t>(zip::Signature::central)) {
      return Error{source.name(),
                   "entry " + std::to_string(members.size()) +
                       " of the central directory does not begin with its signature",
                   file_at};
    }
    const std::optional<Central> central = central_at(*directory, at);
    if (!central) {
      return Error{
          source.name(),
          "entry " + std::to_string(members.size()) + " does not fit in the central directory",
          file_at};
    }
    if (members.size() >= budget.members) {
      return Error{source.name(), "holds more than " + std::to_string(budget.members) + " members",
                   file_at};
    }
    places += more_places(members.empty() ? "" : members.back().path, as_text(central->name));
    if (places > budget.directories) {
      return Error{source.name(),
                   "the names of its members lead through more than " +
                       std::to_string(budget.directories) + " directories",
                   file_at};
    }
    members.push_back(read_member(*central, file_at, end.shift, problems));
    at += central->size;
  }
  return members;
}

void check_totals(const ArchiveFacts& facts, const EndRecord& end, const ArchiveBudget& budget,
                  ProblemList& problems) {
  if (facts.stated_members != facts.members.size()) {
    problems.add(ArchiveOddity::disagreeing_count, "", end.directory_offset,
                 "the end record counts " + std::to_string(facts.stated_members) +
                     " members, the directory holds " + std::to_string(facts.members.size()));
  }
  if (facts.members.size() > budget.usual_members) {
    problems.add(ArchiveOddity::too_many_members, "", end.directory_offset,
                 std::to_string(facts.members.size()) + " members");
  }
  std::uint64_t total = 0;
  for (const Member& member : facts.members) {
    total = member.size > ~total ? ~std::uint64_t{0} : total + member.size;
  }
  if (total >= kAbsurdArchiveSize && total / kAbsurdRatio > facts.file_size) {
    problems.add(ArchiveOddity::absurd_ratio, "", 0,
                 "the members state " + std::to_string(total) + " bytes, the archive has " +
                     std::to_string(facts.file_size));
  }
}

}  // namespace

Result<ArchiveFacts> read_archive(const FileSource& source, const ArchiveBudget& budget) {
  ProblemList problems(budget.problems_of_a_kind);
  Result<EndRecord> end = find_end_record(source, problems);
  if (!end) return std::move(end).error();
  Result<std::vector<Member>> members = read_members(source, *end, budget, problems);
  if (!members) return std::move(members).error();

  ArchiveFacts facts;
  facts.file_size = source.size();
  facts.stated_members = end->entries;
  facts.members = *std::move(members);
  check_totals(facts, *end, budget, problems);
  check_name_collisions(facts.members, problems);
  if (std::optional<Error> error =
          check_layout(source, end->shift, end->directory_offset, facts.members, problems)) {
    return *std::move(error);
  }
  facts.problems = problems.take();
  return facts;
}

}  // namespace wheelcheck
