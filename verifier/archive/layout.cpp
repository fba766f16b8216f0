#include "verifier/archive/layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "verifier/archive/extra_field.h"
#include "verifier/archive/format.h"

namespace wheelcheck {

namespace {

/// Room for the extra field that the first read of a local header usually covers.
constexpr std::uint64_t kUsualExtra = 64;

class LayoutCheck {
 public:
  LayoutCheck(const FileSource& source, std::uint64_t limit, ProblemList& problems)
      : source_(source), limit_(limit), problems_(problems) {}

  /// Where the member's bytes end, data descriptor included; nothing: no local header.
  Result<std::optional<std::uint64_t>> read(Member& member);

 private:
  struct Local {
    Bytes fixed, name, extra;
  };
  Result<std::optional<Local>> read_local(const Member& member);
  void compare(const Member& member, const Local& local);
  void compare_sizes(const Member& member, const Local& local);
  Result<std::uint64_t> descriptor_size(const Member& member, std::uint64_t at);
  void mismatch(const Member& member, std::string detail) {
    problems_.add(ArchiveOddity::local_header_mismatch, member.path, member.header_offset,
                  std::move(detail));
  }

  SourceWindow source_;
  std::uint64_t limit_;  // where the directory begins
  ProblemList& problems_;
  std::vector<std::byte> buffer_;
};

Result<std::optional<LayoutCheck::Local>> LayoutCheck::read_local(const Member& member) {
  const std::uint64_t at = member.header_offset;
  if (at > limit_ || limit_ - at < zip::kLocalSize) return std::optional<Local>();
  const auto fetch = [&](std::uint64_t size) {
    buffer_.resize(static_cast<std::size_t>(std::min(size, limit_ - at)));
    return source_.read(at, std::span(buffer_));
  };
  if (auto error = fetch(zip::kLocalSize + member.path.size() + kUsualExtra)) {
    return *std::move(error);
  }
  if (read_at<std::uint32_t>(buffer_, 0) != static_cast<std::uint32_t>(zip::Signature::local)) {
    return std::optional<Local>();
  }
  const std::uint64_t name_size = *read_at<std::uint16_t>(buffer_, 26);
  const std::uint64_t extra_size = *read_at<std::uint16_t>(buffer_, 28);
  const std::uint64_t size = zip::kLocalSize + name_size + extra_size;
  if (size > buffer_.size()) {
    if (auto error = fetch(size)) return *std::move(error);
  }
  const std::optional<Bytes> name = slice(buffer_, zip::kLocalSize, name_size);
  const std::optional<Bytes> extra = slice(buffer_, zip::kLocalSize + name_size, extra_size);
  if (!name || !extra) return std::optional<Local>();
  return std::optional<Local>(Local{Bytes(buffer_).first(zip::kLocalSize), *name, *extra});
}

void LayoutCheck::compare_sizes(const Member& member, const Local& local) {
  const auto u32 = [&](std::uint64_t i) { return *read_at<std::uint32_t>(local.fixed, i); };
  Zip64Values values{u32(22), u32(18), 0};
  const Zip64Wants wants{values.size == 0xFFFFFFFF, values.compressed_size == 0xFFFFFFFF, false,
                         false};
  const ExtraField extra = parse_extra_field(local.extra, local.name);
  if (!extra.damage.empty()) {
    problems_.add(ArchiveOddity::odd_extra_field, member.path, member.header_offset,
                  "local extra field: " + extra.damage);
  }
  if (extra.names_another) {
    problems_.add(ArchiveOddity::odd_extra_field, member.path, member.header_offset,
                  "the local extra field gives the member another name");
  }
  if (extra.zip64) {
    // A local header must give both sizes or none.
    const std::uint64_t expected = wants.size && wants.compressed_size ? 16 : 0;
    if (!read_zip64(*extra.zip64, wants, values) || extra.zip64->size() != expected) {
      problems_.add(ArchiveOddity::stray_zip64, member.path, member.header_offset,
                    "the local header has a zip64 block of " + std::to_string(extra.zip64->size()) +
                        " bytes and needs " + std::to_string(expected));
    }
  }
  const std::uint32_t crc = u32(14);
  // With a data descriptor the three may be left at zero.
  const bool later = (member.flags & zip::kFlagDescriptor) != 0;
  const auto differ = [&](const char* what, std::uint64_t here, std::uint64_t central) {
    if (here == central || (later && here == 0)) return;
    mismatch(member, std::string("the local header states ") + what + " " + std::to_string(here) +
                         ", the directory " + std::to_string(central));
  };
  differ("CRC", crc, member.crc32);
  differ("size", values.size, member.size);
  differ("compressed size", values.compressed_size, member.compressed_size);
}

void LayoutCheck::compare(const Member& member, const Local& local) {
  const auto u16 = [&](std::uint64_t i) { return *read_at<std::uint16_t>(local.fixed, i); };
  if (as_text(local.name) != member.path) {
    mismatch(member, "the local header names it \"" +
                         std::string(as_text(local.name).substr(0, 200)) + "\"");
  }
  if (u16(8) != member.method) {
    mismatch(member, "the local header states method " + std::to_string(u16(8)) +
                         ", the directory " + std::to_string(member.method));
  }
  // The two bits that describe how deflate was run mean nothing to a reader.
  constexpr std::uint16_t kMeaning = zip::kFlagEncrypted | zip::kFlagDescriptor |
                                     zip::kFlagPatched | zip::kFlagStrongEncryption |
                                     zip::kFlagUtf8 | zip::kFlagMaskedHeader;
  if ((u16(6) & kMeaning) != (member.flags & kMeaning)) {
    mismatch(member, "the local header has flags " + std::to_string(u16(6)) + ", the directory " +
                         std::to_string(member.flags));
  }
  compare_sizes(member, local);
}

/// The length of the data descriptor at `at`: with or without signature, with 32 or 64 bit sizes;
/// whichever form agrees with the directory.
Result<std::uint64_t> LayoutCheck::descriptor_size(const Member& member, std::uint64_t at) {
  std::array<std::byte, 24> raw{};
  const std::uint64_t there = std::min<std::uint64_t>(raw.size(), limit_ - at);
  const std::span<std::byte> part = std::span(raw).first(static_cast<std::size_t>(there));
  if (auto error = source_.read(at, part)) return *std::move(error);
  const Bytes bytes(part);
  for (const std::uint64_t start : {4U, 0U}) {
    if (start == 4 && read_at<std::uint32_t>(bytes, 0) !=
                          static_cast<std::uint32_t>(zip::Signature::descriptor)) {
      continue;
    }
    if (read_at<std::uint32_t>(bytes, start) != member.crc32) continue;
    if (read_at<std::uint64_t>(bytes, start + 4) == member.compressed_size &&
        read_at<std::uint64_t>(bytes, start + 12) == member.size) {
      return start + 20;
    }
    if (read_at<std::uint32_t>(bytes, start + 4) == member.compressed_size &&
        read_at<std::uint32_t>(bytes, start + 8) == member.size) {
      return start + 12;
    }
  }
  mismatch(member, "no data descriptor that agrees with the directory follows the data");
  return std::uint64_t{0};
}

Result<std::optional<std::uint64_t>> LayoutCheck::read(Member& member) {
  Result<std::optional<Local>> local = read_local(member);
  if (!local) return std::move(local).error();
  if (!*local) {
    member.unreadable =
        "there is no local header at offset " + std::to_string(member.header_offset);
    mismatch(member, "there is no local header here");
    return std::optional<std::uint64_t>();
  }
  compare(member, **local);
  const std::uint64_t data =
      member.header_offset + zip::kLocalSize + (*local)->name.size() + (*local)->extra.size();
  if (limit_ - data < member.compressed_size) {
    member.unreadable =
        "its " + std::to_string(member.compressed_size) + " bytes of data run into the directory";
    problems_.add(ArchiveOddity::overlap, member.path, data, member.unreadable);
    return std::optional<std::uint64_t>(limit_);
  }
  member.data_offset = data;
  std::uint64_t end = data + member.compressed_size;
  if ((member.flags & zip::kFlagDescriptor) != 0) {
    Result<std::uint64_t> size = descriptor_size(member, end);
    if (!size) return std::move(size).error();
    end += *size;
  }
  return std::optional<std::uint64_t>(end);
}

void overlapping(Member& member, Member& other, ProblemList& problems) {
  problems.add(ArchiveOddity::overlap, member.path, member.header_offset,
               "shares bytes with " + other.path);
  if (member.unreadable.empty()) member.unreadable = "it shares bytes with " + other.path;
  if (other.unreadable.empty()) other.unreadable = "it shares bytes with " + member.path;
}

}  // namespace

std::optional<Error> check_layout(const FileSource& source, std::uint64_t begin,
                                  std::uint64_t directory_offset, std::vector<Member>& members,
                                  ProblemList& problems) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(members[a].header_offset, a) < std::pair(members[b].header_offset, b);
  });
  LayoutCheck check(source, directory_offset, problems);
  std::uint64_t reach = begin;          // every byte before it is accounted for
  std::optional<std::size_t> furthest;  // the member that reaches there
  const auto unclaimed = [&](std::uint64_t until) {
    if (until <= reach) return;
    problems.add(furthest ? ArchiveOddity::gap : ArchiveOddity::leading_data, "", reach,
                 std::to_string(until - reach) + " bytes belong to no member");
  };
  for (const std::size_t index : order) {
    Member& member = members[index];
    Result<std::optional<std::uint64_t>> end = check.read(member);
    if (!end) return std::move(end).error();
    if (!*end) continue;
    if (member.header_offset < reach && furthest) {
      overlapping(member, members[*furthest], problems);
    }
    unclaimed(member.header_offset);
    if (!furthest || **end > reach) {
      reach = **end;
      furthest = index;
    }
  }
  if (!members.empty()) unclaimed(directory_offset);
  return std::nullopt;
}

}  // namespace wheelcheck
