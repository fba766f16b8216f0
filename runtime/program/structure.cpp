#include "runtime/program/structure.h"

#include <cinttypes>

namespace executorch::runtime::format {

namespace {

// A short file may still be shared heavily by an honest writer (equal strings, equal sizes).
constexpr std::uint64_t kVisitsAtLeast = 1 << 20;

}  // namespace

StructureVerifier::StructureVerifier(std::span<const std::uint8_t> bytes, bool deep, Error bad,
                                     Refusal& refusal, WalkLimits limits)
    : start_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      last_word_(bytes.size() < kOffsetSize ? start_ : end_ - kOffsetSize),
      refusal_(refusal),
      visits_left_(kVisitsAtLeast + std::uint64_t{limits.visits_per_byte} * bytes.size()),
      tables_left_(limits.tables),
      bad_(bad),
      deep_(deep) {}

const std::uint8_t* StructureVerifier::root_table(const TableSpec& spec) {
  constexpr std::size_t kRootAtLeast = 8;  // behind the first word and the file identifier
  const auto size = static_cast<std::size_t>(end_ - start_);
  if (size < kRootAtLeast + kOffsetSize) {
    refusal_.because(bad_, "%s: %zu bytes hold no root table", spec.name, size);
    return nullptr;
  }
  const auto at = load_number<std::uint32_t>(start_);
  if (at < kRootAtLeast || at > size - kOffsetSize || at % kOffsetSize != 0) {
    refusal_.because(bad_, "%s: root table at %" PRIu32 " of %zu bytes", spec.name, at, size);
    return nullptr;
  }
  return start_ + at;
}

bool StructureVerifier::open(const std::uint8_t* at, const TableSpec& spec, Head& head) {
  if (tables_left_ == 0) return refusal_.because(bad_, "%s: too many tables", spec.name);
  --tables_left_;
  const std::int64_t vtable =
      static_cast<std::int64_t>(at - start_) - load_number<std::int32_t>(at);
  if (vtable < 0 || vtable % 2 != 0 || vtable > last_word_ - start_) {
    return refusal_.because(bad_, "%s at %zu: vtable at %" PRId64, spec.name, position(at), vtable);
  }
  head.table = at;
  head.vtable = start_ + vtable;
  head.vtable_size = load_number<std::uint16_t>(head.vtable);
  head.table_size = load_number<std::uint16_t>(head.vtable + 2);
  if (head.vtable_size < kVtableHead || head.vtable_size % 2 != 0 ||
      head.vtable_size > static_cast<std::size_t>(end_ - head.vtable) ||
      head.table_size < kOffsetSize || head.table_size > static_cast<std::size_t>(end_ - at)) {
    return refusal_.because(bad_, "%s at %zu: vtable of %u bytes, table of %u bytes", spec.name,
                            position(at), head.vtable_size, head.table_size);
  }
  return true;
}

bool StructureVerifier::string(const std::uint8_t* at, const TableSpec& owner,
                               const FieldSpec& spec) {
  if (!vector(at, 1, owner, spec)) return false;
  const std::uint8_t* end = at + kOffsetSize + load_number<std::uint32_t>(at);
  return (end < end_ && *end == 0) || refusal_.because(bad_, "%s: %s at %zu is not terminated",
                                                       owner.name, spec.name, position(at));
}

bool StructureVerifier::vector(const std::uint8_t* at, std::size_t width, const TableSpec& owner,
                               const FieldSpec& spec) {
  const auto count = load_number<std::uint32_t>(at);
  const std::uint64_t total = std::uint64_t{count} * width;
  const std::uint8_t* first = at + kOffsetSize;
  if (total > static_cast<std::size_t>(end_ - first)) {
    return refusal_.because(bad_, "%s: %s at %zu has %" PRIu32 " elements of %zu bytes", owner.name,
                            spec.name, position(at), count, width);
  }
  // An empty vector of wide elements may end the buffer anywhere: nothing is read there.
  if (count != 0 && !aligned(first, width)) {
    return refusal_.because(bad_, "%s: %s at %zu is not aligned", owner.name, spec.name,
                            position(at));
  }
  if (total > visits_left_) {
    return refusal_.because(bad_, "%s: %s is shared too often", owner.name, spec.name);
  }
  visits_left_ -= total;
  return true;
}

bool StructureVerifier::bools(const std::uint8_t* at, const TableSpec& owner,
                              const FieldSpec& spec) {
  if (!vector(at, 1, owner, spec)) return false;
  const auto count = load_number<std::uint32_t>(at);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at[kOffsetSize + i] > 1) {
      return refusal_.because(bad_, "%s: %s[%" PRIu32 "] is neither 0 nor 1", owner.name, spec.name,
                              i);
    }
  }
  return true;
}

bool StructureVerifier::absent(const TableSpec& owner, const FieldSpec& spec) {
  return refusal_.because(bad_, "%s: %s is absent", owner.name, spec.name);
}

bool StructureVerifier::misplaced(const TableSpec& owner, const FieldSpec& spec, const Head& head,
                                  unsigned offset) {
  return refusal_.because(bad_, "%s at %zu: %s at byte %u of %u", owner.name, position(head.table),
                          spec.name, offset, head.table_size);
}

bool StructureVerifier::astray(const TableSpec& owner, const FieldSpec& spec,
                               const std::uint8_t* place) {
  return refusal_.because(bad_, "%s: %s points from %zu by %" PRIu32 " in %zu bytes", owner.name,
                          spec.name, position(place), load_number<std::uint32_t>(place),
                          position(end_));
}

bool StructureVerifier::unknown_kind(const TableSpec& owner, const FieldSpec& spec,
                                     std::uint8_t type) {
  return refusal_.because(bad_, "%s: %s is of the unknown kind %u", owner.name, spec.name,
                          unsigned{type});
}

}  // namespace executorch::runtime::format
