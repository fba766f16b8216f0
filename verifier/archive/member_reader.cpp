#include "verifier/archive/member_reader.h"

#include <algorithm>
#include <isa-l.h>
#include <span>
#include <utility>
#include <vector>

#include "verifier/archive/checksum.h"
#include "verifier/archive/format.h"
#include "verifier/archive/raw_member.h"

namespace wheelcheck {

namespace {

/// Large enough to make up for what each call of ISA-L costs, small enough that the bytes are
/// still in the processor's cache when they are hashed and scanned.
constexpr std::size_t kInputBytes = 64 << 10;
constexpr std::size_t kOutputBytes = 128 << 10;

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

std::string bytes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

class MemberReader::Impl {
 public:
  Impl(const FileSource& source, const ArchiveFacts& archive, RawVia via)
      : archive_(archive), raw_(source, archive, via), input_(kInputBytes), output_(kOutputBytes) {}

  MemberContent read(std::size_t index, bool want_sha256, const Sink& sink);

 private:
  using Failure = std::optional<Error>;

  Failure copy_stored(const Sink& sink);
  Failure inflate(const Sink& sink);
  Result<bool> inflate_at_once(const Sink& sink);
  /// Before a member's first byte, of `there` compressed ones that have been read.
  void start_inflating(std::size_t there);
  /// Counts, sums up and hands on what has come out.
  Failure deliver(Bytes bytes, const Sink& sink);
  [[nodiscard]] Failure check_end();
  [[nodiscard]] Error fail(std::string what, std::uint64_t compressed_at) const {
    return {member_->path, std::move(what), member_->data_offset + compressed_at};
  }
  [[nodiscard]] Error fail(ArchiveOddity oddity, std::string what, std::uint64_t compressed_at) {
    content_.oddity = oddity;
    return fail(std::move(what), compressed_at);
  }
  /// Compressed bytes that the decoder has used up.
  [[nodiscard]] std::uint64_t consumed() const {
    const auto held = static_cast<std::uint64_t>(state_.avail_in) +
                      static_cast<std::uint64_t>(std::max(state_.read_in_length, 0)) / 8;
    return member_->compressed_size - raw_.left() - held;
  }

  const ArchiveFacts& archive_;
  RawMembers raw_;
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
  inflate_state state_{};
  Sha256 sha256_;
  const Member* member_ = nullptr;
  bool hashing_ = false;
  MemberContent content_;
};

MemberContent MemberReader::Impl::read(std::size_t index, bool want_sha256, const Sink& sink) {
  member_ = &archive_.members[index];
  content_ = MemberContent();
  if (!member_->unreadable.empty()) {
    content_.error =
        Error{member_->path, "is not read: " + member_->unreadable, member_->header_offset};
    return std::exchange(content_, {});
  }
  hashing_ = want_sha256;
  if (hashing_) sha256_.start();
  Failure failure = raw_.open(index);
  if (!failure) failure = member_->method == zip::kStored ? copy_stored(sink) : inflate(sink);
  if (!failure) failure = check_end();
  if (!failure && hashing_) content_.sha256 = sha256_.finish();
  content_.error = std::move(failure);
  return std::exchange(content_, {});
}

std::optional<Error> MemberReader::Impl::deliver(Bytes bytes, const Sink& sink) {
  if (bytes.empty()) return std::nullopt;
  if (bytes.size() > member_->size - content_.size) {
    return fail(ArchiveOddity::size_lie,
                "holds more than the " + bytes_text(member_->size) + " that the directory states",
                consumed());
  }
  content_.size += bytes.size();
  content_.crc32 = wheelcheck::crc32(content_.crc32, bytes);
  if (hashing_) sha256_.update(bytes);
  if (sink) sink(bytes);
  return std::nullopt;
}

std::optional<Error> MemberReader::Impl::check_end() {
  if (content_.size != member_->size) {
    return fail(ArchiveOddity::size_lie,
                "holds " + bytes_text(content_.size) + ", the directory states " +
                    std::to_string(member_->size),
                member_->compressed_size);
  }
  if (content_.crc32 != member_->crc32) {
    char text[80];
    std::snprintf(text, sizeof text, "its bytes have CRC %08x, the directory states %08x",
                  content_.crc32, member_->crc32);
    return fail(ArchiveOddity::crc_mismatch, text, 0);
  }
  return std::nullopt;
}

std::optional<Error> MemberReader::Impl::copy_stored(const Sink& sink) {
  state_.avail_in = 0;
  state_.read_in_length = 0;
  while (raw_.left() != 0) {
    Result<std::size_t> got = raw_.read(output_);
    if (!got) return std::move(got).error();
    if (Failure failure = deliver(Bytes(output_).first(*got), sink)) return failure;
  }
  return std::nullopt;
}

void MemberReader::Impl::start_inflating(std::size_t there) {
  isal_inflate_init(&state_);
  state_.crc_flag = ISAL_DEFLATE;
  state_.next_in = raw(input_.data());
  state_.avail_in = static_cast<std::uint32_t>(there);
}

/// Most members fit whole into both buffers: inflated without a detour through the buffer in which
/// ISA-L keeps what later bytes may refer to. False: it is not as stated, and nothing was
/// delivered.
Result<bool> MemberReader::Impl::inflate_at_once(const Sink& sink) {
  Result<std::size_t> got = raw_.read(input_);
  if (!got) return std::move(got).error();
  start_inflating(*got);
  state_.next_out = raw(output_.data());
  state_.avail_out = kOutputBytes;
  const int status = isal_inflate_stateless(&state_);
  if (status != ISAL_DECOMP_OK || state_.block_state != ISAL_BLOCK_FINISH ||
      consumed() != member_->compressed_size || kOutputBytes - state_.avail_out != member_->size) {
    return false;
  }
  if (Failure failure = deliver(Bytes(output_).first(member_->size), sink)) {
    return *std::move(failure);
  }
  return true;
}

std::optional<Error> MemberReader::Impl::inflate(const Sink& sink) {
  std::size_t there = 0;  // bytes of input that have been read already
  if (member_->compressed_size <= kInputBytes && member_->size <= kOutputBytes) {
    Result<bool> done = inflate_at_once(sink);
    if (!done) return std::move(done).error();
    if (*done) return std::nullopt;
    there = static_cast<std::size_t>(member_->compressed_size);
  }
  start_inflating(there);
  bool finished = false;
  while (!finished) {
    state_.next_out = raw(output_.data());
    state_.avail_out = kOutputBytes;
    bool starved = false;
    // Input ends more often than output is full: fill the output before handing it on.
    while (state_.avail_out != 0 && !finished && !starved) {
      if (state_.avail_in == 0 && raw_.left() != 0) {
        Result<std::size_t> got = raw_.read(input_);
        if (!got) return std::move(got).error();
        state_.next_in = raw(input_.data());
        state_.avail_in = static_cast<std::uint32_t>(*got);
      }
      const std::uint32_t in_before = state_.avail_in;
      const std::uint32_t out_before = state_.avail_out;
      const int status = isal_inflate(&state_);
      if (status < 0) {
        return fail("the deflate stream is damaged near its byte " + std::to_string(consumed()),
                    consumed());
      }
      finished = state_.block_state == ISAL_BLOCK_FINISH;
      starved = state_.avail_in == in_before && state_.avail_out == out_before;
    }
    const std::size_t produced = kOutputBytes - state_.avail_out;
    if (Failure failure = deliver(Bytes(output_).first(produced), sink)) return failure;
    if (starved && !finished) {
      return fail(
          ArchiveOddity::size_lie,
          "the deflate stream has no end within its " + bytes_text(member_->compressed_size),
          member_->compressed_size);
    }
  }
  if (consumed() != member_->compressed_size) {
    return fail(ArchiveOddity::size_lie,
                "the deflate stream ends " + bytes_text(member_->compressed_size - consumed()) +
                    " before the member does",
                consumed());
  }
  return std::nullopt;
}

MemberReader::MemberReader(const FileSource& source, const ArchiveFacts& archive, RawVia via)
    : impl_(std::make_unique<Impl>(source, archive, via)) {}
MemberReader::~MemberReader() = default;
MemberReader::MemberReader(MemberReader&&) noexcept = default;
MemberReader& MemberReader::operator=(MemberReader&&) noexcept = default;

MemberContent MemberReader::read(std::size_t index, bool want_sha256, const Sink& sink) {
  return impl_->read(index, want_sha256, sink);
}

}  // namespace wheelcheck
