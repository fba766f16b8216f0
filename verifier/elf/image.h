#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck {

/// The parts of a file that its reader asked for, filled while the file streams past.
/// A range asked for too late stays unfilled until the file is fed once more.
class ElfImage {
 public:
  /// A file of `size` bytes that will be fed in order.
  explicit ElfImage(std::uint64_t size) : size_(size) {}
  /// A file that is in memory as a whole. `whole` must outlive the image.
  explicit ElfImage(Bytes whole) : size_(whole.size()), whole_(whole) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// The bytes at [offset, offset + size), which must lie inside the file, or nothing when they
  /// are not here (yet): then they are asked for, together with what follows up to `window` bytes,
  /// so that a chain of small records does not become a range each. Views stay valid.
  [[nodiscard]] std::optional<Bytes> fetch(std::uint64_t offset, std::uint64_t size,
                                           std::uint64_t window = 0);
  /// The bytes at [offset, offset + size) if they are here, whatever they are kept for. The view is
  /// good until the image changes, and asks for nothing.
  [[nodiscard]] std::optional<Bytes> peek(std::uint64_t offset, std::uint64_t size) const;
  /// A range that is kept in case it is asked for later.
  enum class Kept : std::uint32_t {};
  /// Keeps a range. Costs no table budget; see drop().
  Kept keep(std::uint64_t offset, std::uint64_t size);
  /// Keeps only its first `size` bytes.
  void cut(Kept kept, std::uint64_t size);
  /// Forgets it.
  void drop(Kept kept);

  /// Takes bytes at position(), stopping where a wanted range is complete. Returns how many were
  /// taken; `completed` tells whether a range was completed by them.
  [[nodiscard]] std::size_t feed(Bytes chunk, bool& completed);
  /// Starts over at the first byte, for one more pass.
  void rewind();

  /// Bytes of all ranges asked for, and their number: for the reader's budget.
  [[nodiscard]] std::uint64_t wanted_bytes() const { return wanted_bytes_; }
  [[nodiscard]] std::size_t wanted_ranges() const { return ranges_.size(); }
  [[nodiscard]] bool whole() const { return whole_.has_value(); }

 private:
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t filled = 0;  ///< a prefix
    bool speculative = false;
    Kept kept{};  ///< speculative
    std::unique_ptr<std::byte[]> bytes;

    [[nodiscard]] bool complete() const { return filled == size; }
    [[nodiscard]] std::uint64_t next() const { return offset + filled; }
    [[nodiscard]] std::uint64_t end() const { return offset + size; }
  };

  Range make_range(std::uint64_t offset, std::uint64_t size, bool speculative) const;
  void find_wake();

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t wake_ = kNever;  ///< no range needs a byte before this offset
  std::uint64_t wanted_bytes_ = 0;
  std::size_t last_hit_ = 0;
  std::vector<Range> ranges_;
  std::uint32_t kept_ = 0;  ///< how often keep() was called
  std::optional<Bytes> whole_;
};

}  // namespace wheelcheck
