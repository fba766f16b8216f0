// Feeds bytes as an archive in memory through the directory reader, libzip's view of it, and the
// inflater, then as a wheel through the whole scan. Inputs are at most a megabyte and inflate to at
// most 16 MiB, so that none may take long.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "verifier/archive/directory.h"
#include "verifier/archive/libzip_view.h"
#include "verifier/archive/member_reader.h"
#include "verifier/scan/scan.h"

namespace {

using namespace wheelcheck;

constexpr std::size_t kLargestInput = 1 << 20;
constexpr std::uint64_t kInflateLimit = 16 << 20;

/// What must hold of any archive whatever its bytes.
void require(bool holds) {
  if (!holds) std::abort();
}

void read_members(const FileSource& source, ArchiveFacts& archive) {
  archive.libzip_agrees = compare_with_libzip(source, archive).empty();
  MemberReader own(source, archive, RawVia::own);
  MemberReader libzip(source, archive, RawVia::libzip);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < archive.members.size(); ++i) {
    const Member& member = archive.members[i];
    if (member.size > kInflateLimit - total) continue;
    total += member.size;
    std::uint64_t delivered = 0;
    const MemberContent content =
        own.read(i, true, [&](Bytes bytes) { delivered += bytes.size(); });
    require(delivered == content.size && content.size <= member.size);
    require(content.error || (content.size == member.size && content.crc32 == member.crc32));
    require(content.error || content.sha256.size() == 64);
    // Where libzip sees the same archive it must find the same bytes.
    if (!archive.libzip_agrees || !member.unreadable.empty()) continue;
    const MemberContent second = libzip.read(i, true, nullptr);
    require(second.sha256 == content.sha256);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLargestInput) return -1;
  const FileSource source = FileSource::from_memory(
      "pkg-1.0-py3-none-any.whl", std::as_bytes(std::span<const std::uint8_t>(data, size)));
  Result<ArchiveFacts> archive = read_archive(source);
  if (!archive) return 0;
  read_members(source, *archive);

  ScanOptions options;
  options.threads = 1;
  options.inflate_limit = kInflateLimit;
  options.want_local_symbols = true;
  options.foreign_limit = 0;  // LIEF has its own process and its own tests
  const Result<WheelFacts> wheel = scan_wheel(source, options);
  require(wheel.ok() && wheel->members.size() == archive->members.size());
  for (const MemberFacts& member : wheel->members) {
    require(member.kind != ContentKind::elf || member.elf != nullptr || member.unread);
  }
  return 0;
}
