#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "verifier/archive/facts.h"
#include "verifier/archive/raw_member.h"
#include "verifier/archive/source.h"
#include "verifier/core/bytes.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// What came out of a member.
struct MemberContent {
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;
  std::string sha256;  ///< lower-case hex; empty when it was not asked for, or on an error
  /// Why the bytes are not those that the directory promises, with the offset in the archive file.
  std::optional<Error> error;
  std::optional<ArchiveOddity> oddity;  ///< the kind of `error`, where it is one of the archive
};

/// Reads members as streams, in fixed memory whatever their size, and inflates them with ISA-L.
/// For one thread; several readers may share a source.
class MemberReader {
 public:
  using Sink = std::function<void(Bytes)>;

  /// `source` and `archive` must outlive this.
  MemberReader(const FileSource& source, const ArchiveFacts& archive, RawVia via = RawVia::own);
  ~MemberReader();
  MemberReader(MemberReader&&) noexcept;
  MemberReader& operator=(MemberReader&&) noexcept;

  /// Hands every byte to `sink`, in order; checks length and CRC. After an error `sink` has seen
  /// bytes that cannot be trusted. Never more than the stated size comes out.
  [[nodiscard]] MemberContent read(std::size_t index, bool want_sha256, const Sink& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wheelcheck
