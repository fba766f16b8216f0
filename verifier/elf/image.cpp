#include "verifier/elf/image.h"

#include <algorithm>
#include <cstring>

namespace wheelcheck {
namespace {

// An empty view that is not null, so that callers may form pointers from it.
constexpr std::byte kNothing{};

}  // namespace

std::optional<Bytes> ElfImage::fetch(std::uint64_t offset, std::uint64_t size,
                                     std::uint64_t window) {
  if (size == 0) return Bytes(&kNothing, 0);
  if (offset > size_ || size_ - offset < size) return std::nullopt;
  if (whole_) return slice(*whole_, offset, size);

  const auto view = [&](const Range& range) -> std::optional<Bytes> {
    if (range.speculative || offset < range.offset) return std::nullopt;
    const std::uint64_t at = offset - range.offset;
    if (at > range.filled || range.filled - at < size) return std::nullopt;
    return Bytes(range.bytes.get() + at, static_cast<std::size_t>(size));
  };
  if (last_hit_ < ranges_.size()) {
    if (const auto found = view(ranges_[last_hit_])) return found;
  }
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (const auto found = view(ranges_[i])) {
      last_hit_ = i;
      return found;
    }
  }
  for (const Range& range : ranges_) {
    if (!range.speculative && range.offset <= offset && offset + size <= range.end()) {
      return std::nullopt;  // already asked for
    }
  }
  const std::uint64_t wanted = std::min(std::max(size, window), size_ - offset);
  Range range = make_range(offset, wanted, false);
  const bool here = range.filled >= size;
  const Bytes bytes(range.bytes.get(), static_cast<std::size_t>(size));
  wanted_bytes_ += wanted;
  ranges_.push_back(std::move(range));
  find_wake();
  if (!here) return std::nullopt;
  return bytes;
}

std::optional<Bytes> ElfImage::peek(std::uint64_t offset, std::uint64_t size) const {
  if (whole_) return slice(*whole_, offset, size);
  for (const Range& range : ranges_) {
    if (offset < range.offset || offset - range.offset > range.filled) continue;
    const std::uint64_t at = offset - range.offset;
    if (range.filled - at < size) continue;
    return Bytes(range.bytes.get() + at, static_cast<std::size_t>(size));
  }
  return std::nullopt;
}

ElfImage::Kept ElfImage::keep(std::uint64_t offset, std::uint64_t size) {
  const Kept kept{++kept_};
  if (whole_ || size == 0 || offset > size_) return kept;
  ranges_.push_back(make_range(offset, std::min(size, size_ - offset), true));
  ranges_.back().kept = kept;
  find_wake();
  return kept;
}

void ElfImage::cut(Kept kept, std::uint64_t size) {
  for (Range& range : ranges_) {
    if (!range.speculative || range.kept != kept) continue;
    range.size = std::min(range.size, size);
    range.filled = std::min(range.filled, range.size);
  }
  find_wake();
}

void ElfImage::drop(Kept kept) {
  std::erase_if(ranges_, [kept](const Range& r) { return r.speculative && r.kept == kept; });
  find_wake();
}

// A new range, filled as far as ranges that exist can fill it.
ElfImage::Range ElfImage::make_range(std::uint64_t offset, std::uint64_t size,
                                     bool speculative) const {
  Range range;
  range.offset = offset;
  range.size = size;
  range.speculative = speculative;
  range.bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
  for (bool progress = true; progress && !range.complete();) {
    progress = false;
    for (const Range& other : ranges_) {
      const std::uint64_t next = range.next();
      if (other.offset > next || other.next() <= next) continue;
      const std::uint64_t count = std::min(other.next(), range.end()) - next;
      std::memcpy(range.bytes.get() + range.filled, other.bytes.get() + (next - other.offset),
                  static_cast<std::size_t>(count));
      range.filled += count;
      progress = true;
      if (range.complete()) break;
    }
  }
  return range;
}

std::size_t ElfImage::feed(Bytes chunk, bool& completed) {
  completed = false;
  const std::uint64_t end = position_ + chunk.size();
  if (end <= wake_) {
    position_ = end;
    return chunk.size();
  }
  std::uint64_t stop = end;
  for (const Range& range : ranges_) {
    if (!range.complete() && range.next() >= position_ && !range.speculative) {
      stop = std::min(stop, std::max(range.end(), position_ + 1));
    }
  }
  for (Range& range : ranges_) {
    const std::uint64_t next = range.next();
    if (range.complete() || next < position_ || next >= stop) continue;
    const std::uint64_t count = std::min(stop, range.end()) - next;
    std::memcpy(range.bytes.get() + range.filled, chunk.data() + (next - position_),
                static_cast<std::size_t>(count));
    range.filled += count;
    completed = completed || (range.complete() && !range.speculative);
  }
  const auto taken = static_cast<std::size_t>(stop - position_);
  position_ = stop;
  find_wake();
  return taken;
}

void ElfImage::rewind() {
  position_ = 0;
  find_wake();
}

void ElfImage::find_wake() {
  wake_ = kNever;
  for (const Range& range : ranges_) {
    if (!range.complete() && range.next() >= position_) wake_ = std::min(wake_, range.next());
  }
}

}  // namespace wheelcheck
