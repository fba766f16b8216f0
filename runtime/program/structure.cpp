#include "runtime/program/structure.h"

#include <cinttypes>
#include <cstring>

#include "runtime/program/wire.h"

namespace executorch::runtime::format {

namespace {

constexpr std::uint64_t kOffsetSize = sizeof(std::uint32_t);
constexpr unsigned kVtableHead = 4;

// A short file may still be shared heavily by an honest writer (equal strings, equal sizes).
constexpr std::uint64_t kVisitsAtLeast = 1 << 20;

}  // namespace

StructureVerifier::StructureVerifier(std::span<const std::uint8_t> bytes, bool deep, Error bad,
                                     Refusal& refusal, WalkLimits limits)
    : bytes_(bytes),
      refusal_(refusal),
      visits_left_(kVisitsAtLeast + std::uint64_t{limits.visits_per_byte} * bytes.size()),
      tables_left_(limits.tables),
      bad_(bad),
      deep_(deep) {}

bool StructureVerifier::walk(const TableSpec& root) {
  constexpr std::uint64_t kRootAtLeast = 8;  // behind the first word and the file identifier
  if (bytes_.size() < kRootAtLeast + kOffsetSize) {
    return refusal_.because(bad_, "%s: %zu bytes hold no root table", root.name, bytes_.size());
  }
  const auto at = load_number<std::uint32_t>(bytes_.data());
  if (at < kRootAtLeast || at > bytes_.size() - kOffsetSize) {
    return refusal_.because(bad_, "%s: root table at %" PRIu32 " of %zu bytes", root.name, at,
                            bytes_.size());
  }
  return table(at, root);
}

bool StructureVerifier::table(std::uint64_t at, const TableSpec& spec) {
  const std::uint64_t size = bytes_.size();
  if (tables_left_ == 0) return refusal_.because(bad_, "%s: too many tables", spec.name);
  --tables_left_;
  if (at % kOffsetSize != 0 || at > size - kOffsetSize) {
    return refusal_.because(bad_, "%s: table at %" PRIu64 " of %" PRIu64 " bytes", spec.name, at,
                            size);
  }
  const std::int64_t signed_vtable =
      static_cast<std::int64_t>(at) - load_number<std::int32_t>(bytes_.data() + at);
  const auto vtable = static_cast<std::uint64_t>(signed_vtable);
  if (signed_vtable < 0 || vtable % 2 != 0 || vtable + kVtableHead > size) {
    return refusal_.because(bad_, "%s at %" PRIu64 ": vtable at %" PRId64, spec.name, at,
                            signed_vtable);
  }
  const auto vtable_size = load_number<std::uint16_t>(bytes_.data() + vtable);
  const auto table_size = load_number<std::uint16_t>(bytes_.data() + vtable + 2);
  if (vtable_size < kVtableHead || vtable_size % 2 != 0 || vtable + vtable_size > size ||
      table_size < kOffsetSize || at + table_size > size) {
    return refusal_.because(bad_, "%s at %" PRIu64 ": vtable of %u bytes, table of %u bytes",
                            spec.name, at, vtable_size, table_size);
  }
  const unsigned written = (vtable_size - kVtableHead) / 2U;
  std::uint8_t byte_before = 0;  // a union's type is the field in front of it
  for (unsigned id = 0; id < spec.fields.size(); ++id) {
    const FieldSpec& wanted = spec.fields[id];
    const unsigned offset =
        id < written ? load_number<std::uint16_t>(bytes_.data() + vtable + kVtableHead + 2U * id)
                     : 0U;
    const std::uint8_t union_type = byte_before;
    byte_before = 0;
    if (offset == 0) {
      if (wanted.presence == Presence::kRequired) {
        return refusal_.because(bad_, "%s at %" PRIu64 ": %s is absent", spec.name, at,
                                wanted.name);
      }
      // A table without fields has nothing to say that its absence does not.
      if (wanted.kind == FieldKind::kUnion) {
        const TableSpec* member = alternative(union_type, wanted, spec);
        if (member == nullptr) return false;
        if (!member->fields.empty()) {
          return refusal_.because(bad_, "%s at %" PRIu64 ": %s is absent", spec.name, at,
                                  wanted.name);
        }
      }
      continue;
    }
    if (wanted.kind == FieldKind::kUnused || (wanted.presence == Presence::kDebugOnly && !deep_)) {
      continue;
    }
    const std::uint64_t width =
        wanted.kind == FieldKind::kScalar ? std::uint64_t{wanted.width} : kOffsetSize;
    if (offset < kOffsetSize || offset + width > table_size || (at + offset) % width != 0) {
      return refusal_.because(bad_, "%s at %" PRIu64 ": %s at byte %u of %u", spec.name, at,
                              wanted.name, offset, table_size);
    }
    if (wanted.kind == FieldKind::kScalar) {
      byte_before = bytes_[at + offset];
      continue;
    }
    if (!reference(at + offset, wanted, spec, union_type)) return false;
  }
  return true;
}

const TableSpec* StructureVerifier::alternative(std::uint8_t type, const FieldSpec& spec,
                                                const TableSpec& owner) {
  if (type == 0 || type > spec.width) {
    refusal_.because(bad_, "%s: %s is of the unknown kind %u", owner.name, spec.name,
                     unsigned{type});
    return nullptr;
  }
  return spec.tables[type - 1];
}

bool StructureVerifier::reference(std::uint64_t at, const FieldSpec& spec, const TableSpec& owner,
                                  std::uint8_t union_type) {
  std::uint64_t target = 0;
  std::uint32_t count = 0;
  if (!follow(at, &target, spec, owner)) return false;
  switch (spec.kind) {
    case FieldKind::kString:
      return string(target, spec, owner);
    case FieldKind::kNumbers:
      return vector(target, spec.width, &count, spec, owner);
    case FieldKind::kBools:
      if (!vector(target, 1, &count, spec, owner)) return false;
      for (std::uint32_t i = 0; i < count; ++i) {
        if (bytes_[target + kOffsetSize + i] > 1) {
          return refusal_.because(bad_, "%s: %s[%" PRIu32 "] is neither 0 nor 1", owner.name,
                                  spec.name, i);
        }
      }
      return true;
    case FieldKind::kTable:
      return table(target, *spec.tables[0]);
    case FieldKind::kUnion: {
      const TableSpec* member = alternative(union_type, spec, owner);
      return member != nullptr && table(target, *member);
    }
    case FieldKind::kTables:
      if (!vector(target, kOffsetSize, &count, spec, owner)) return false;
      for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t element = 0;
        if (!follow(target + kOffsetSize * (i + 1), &element, spec, owner) ||
            !table(element, *spec.tables[0])) {
          return false;
        }
      }
      return true;
    case FieldKind::kUnused:
    case FieldKind::kScalar:
      break;
  }
  return true;
}

bool StructureVerifier::follow(std::uint64_t at, std::uint64_t* target, const FieldSpec& spec,
                               const TableSpec& owner) {
  const auto distance = load_number<std::uint32_t>(bytes_.data() + at);
  *target = at + distance;
  // Everything that is pointed at begins with an aligned word.
  if (distance == 0 || *target % kOffsetSize != 0 || *target > bytes_.size() - kOffsetSize) {
    return refusal_.because(bad_, "%s: %s points from %" PRIu64 " to %" PRIu64 " of %zu bytes",
                            owner.name, spec.name, at, *target, bytes_.size());
  }
  return true;
}

bool StructureVerifier::string(std::uint64_t at, const FieldSpec& spec, const TableSpec& owner) {
  std::uint32_t length = 0;
  if (!vector(at, 1, &length, spec, owner)) return false;
  const std::uint64_t end = at + kOffsetSize + length;
  if (end >= bytes_.size() || bytes_[end] != 0) {
    return refusal_.because(bad_, "%s: %s at %" PRIu64 " is not terminated", owner.name, spec.name,
                            at);
  }
  return true;
}

bool StructureVerifier::vector(std::uint64_t at, std::uint32_t width, std::uint32_t* count,
                               const FieldSpec& spec, const TableSpec& owner) {
  *count = load_number<std::uint32_t>(bytes_.data() + at);
  const std::uint64_t total = std::uint64_t{*count} * width;
  const std::uint64_t first = at + kOffsetSize;
  if (total > bytes_.size() - first) {
    return refusal_.because(
        bad_, "%s: %s at %" PRIu64 " has %" PRIu32 " elements of %" PRIu32 " bytes in %zu",
        owner.name, spec.name, at, *count, width, bytes_.size());
  }
  // An empty vector of wide elements may end the buffer anywhere: nothing is read there.
  if (*count != 0 && first % width != 0) {
    return refusal_.because(bad_, "%s: %s at %" PRIu64 " is not aligned", owner.name, spec.name,
                            at);
  }
  return charge(total, spec, owner);
}

bool StructureVerifier::charge(std::uint64_t bytes, const FieldSpec& spec, const TableSpec& owner) {
  if (bytes > visits_left_) {
    return refusal_.because(bad_, "%s: %s is shared too often", owner.name, spec.name);
  }
  visits_left_ -= bytes;
  return true;
}

}  // namespace executorch::runtime::format
