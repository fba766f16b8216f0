// Walks a flatbuffer once, by a description of its tables, and accepts it only if every offset,
// vtable, vector and string lies where it claims to lie.
//
// A description is data known to the compiler, so that the walk of each table is straight code and
// the same walk serves programs and tensor files. The schemas are not recursive: the depth of the
// walk is the depth of the description.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/program/refusal.h"
#include "runtime/program/wire.h"

namespace executorch::runtime::format {

enum class FieldKind : std::uint8_t {
  kUnused,   ///< nobody reads it: not looked at
  kScalar,   ///< a number of `width` bytes in the table itself
  kString,   ///< NUL-terminated
  kNumbers,  ///< vector of numbers of `width` bytes
  kBools,    ///< vector of bytes 0 and 1
  kTable,    ///< `tables[0]`
  kTables,   ///< vector of `tables[0]`
  kUnion,    ///< `tables[t - 1]`, where t is the u8 field before this one, in 1..`width`
};

enum class Presence : std::uint8_t {
  kOptional,
  kRequired,
  kDebugOnly,  ///< optional; nothing in the runtime reads it, so only a deep walk looks at it
};

struct TableSpec;

struct FieldSpec {
  const char* name;
  FieldKind kind = FieldKind::kUnused;
  std::uint8_t width = 0;
  Presence presence = Presence::kOptional;
  const TableSpec* const* tables = nullptr;
};

/// The fields of a table by their number. Specs live at namespace scope: they are template
/// arguments.
struct TableSpec {
  const char* name;
  std::span<const FieldSpec> fields;
};

/// Limits on the walk. Tables and elements may be shared, so that a small file can describe a large
/// amount of work; what an honest writer makes stays far below.
struct WalkLimits {
  std::uint32_t tables = 1'000'000;
  /// Bytes of vectors and strings visited, as a multiple of the size of the flatbuffer.
  std::uint32_t visits_per_byte = 16;
};

class StructureVerifier {
 public:
  /// `bytes` is the whole flatbuffer; its address is a multiple of 16. With `deep`, debug-only
  /// fields are walked too. `bad` is the error of a malformed buffer.
  StructureVerifier(std::span<const std::uint8_t> bytes, bool deep, Error bad, Refusal& refusal,
                    WalkLimits limits = {});

  /// Walks the root table, whose offset is the first word. False, and a refusal, when anything is
  /// out of place.
  template <const TableSpec& kRoot>
  bool walk() {
    const std::uint8_t* root = root_table(kRoot);
    return root != nullptr && table<kRoot>(root);
  }

 private:
  static constexpr std::size_t kOffsetSize = sizeof(std::uint32_t);
  static constexpr unsigned kVtableHead = 4;

  /// A table whose vtable is known to be in place.
  struct Head {
    const std::uint8_t* table;
    const std::uint8_t* vtable;
    unsigned vtable_size;
    unsigned table_size;
  };

  template <const TableSpec& kSpec>
  bool table(const std::uint8_t* at) {
    Head head;
    if (!open(at, kSpec, head)) return false;
    return [&]<std::size_t... kIds>(std::index_sequence<kIds...>) {
      return (field<kSpec, kIds>(head) && ...);
    }
    (std::make_index_sequence<kSpec.fields.size()>{});
  }

  template <const TableSpec& kSpec, std::size_t kId>
  bool field(const Head& head) {
    constexpr const FieldSpec& kField = kSpec.fields[kId];
    constexpr FieldKind kKind = kField.kind;
    const unsigned offset = offset_of(head, kId);
    if (offset == 0) {
      if constexpr (kField.presence == Presence::kRequired) return absent(kSpec, kField);
      if constexpr (kKind == FieldKind::kUnion) return absent_union<kSpec, kId>(head);
      return true;
    }
    if constexpr (kKind == FieldKind::kUnused) return true;
    if constexpr (kField.presence == Presence::kDebugOnly) {
      if (!deep_) return true;
    }
    constexpr unsigned kWidth = kKind == FieldKind::kScalar ? kField.width : kOffsetSize;
    const std::uint8_t* place = head.table + offset;
    if (offset < kOffsetSize || offset + kWidth > head.table_size || !aligned(place, kWidth)) {
      return misplaced(kSpec, kField, head, offset);
    }
    if constexpr (kKind == FieldKind::kScalar) return true;
    const std::uint8_t* target = nullptr;
    if constexpr (kKind != FieldKind::kScalar) {
      if (!follow(place, target)) return astray(kSpec, kField, place);
    }
    if constexpr (kKind == FieldKind::kString) return string(target, kSpec, kField);
    if constexpr (kKind == FieldKind::kNumbers) return vector(target, kField.width, kSpec, kField);
    if constexpr (kKind == FieldKind::kBools) return bools(target, kSpec, kField);
    if constexpr (kKind == FieldKind::kTable) return table<*kField.tables[0]>(target);
    if constexpr (kKind == FieldKind::kTables) return tables<kSpec, kId>(target);
    if constexpr (kKind == FieldKind::kUnion) {
      return member<kSpec, kId>(union_type(head, kId), target);
    }
    return true;
  }

  template <const TableSpec& kSpec, std::size_t kId>
  bool tables(const std::uint8_t* at) {
    constexpr const FieldSpec& kField = kSpec.fields[kId];
    if (!vector(at, kOffsetSize, kSpec, kField)) return false;
    const auto count = load_number<std::uint32_t>(at);
    for (std::uint32_t i = 0; i < count; ++i) {
      at += kOffsetSize;
      const std::uint8_t* element = nullptr;
      if (!follow(at, element)) return astray(kSpec, kField, at);
      if (!table<*kField.tables[0]>(element)) return false;
    }
    return true;
  }

  template <const TableSpec& kSpec, std::size_t kId, std::size_t kTried = 0>
  bool member(std::uint8_t type, const std::uint8_t* at) {
    if constexpr (kTried == kSpec.fields[kId].width) {
      return unknown_kind(kSpec, kSpec.fields[kId], type);
    } else {
      if (type == kTried + 1) return table<*kSpec.fields[kId].tables[kTried]>(at);
      return member<kSpec, kId, kTried + 1>(type, at);
    }
  }

  // A table without fields has nothing to say that its absence does not.
  template <const TableSpec& kSpec, std::size_t kId>
  bool absent_union(const Head& head) {
    constexpr const FieldSpec& kField = kSpec.fields[kId];
    const std::uint8_t type = union_type(head, kId);
    if (type == 0 || type > kField.width) return unknown_kind(kSpec, kField, type);
    return kField.tables[type - 1]->fields.empty() || absent(kSpec, kField);
  }

  static unsigned offset_of(const Head& head, std::size_t id) {
    const auto slot = static_cast<unsigned>(kVtableHead + 2 * id);
    return slot < head.vtable_size ? load_number<std::uint16_t>(head.vtable + slot) : 0U;
  }
  // Only asked after the type's own field has been walked.
  static std::uint8_t union_type(const Head& head, std::size_t id) {
    const unsigned offset = offset_of(head, id - 1);
    return offset == 0 ? std::uint8_t{0} : head.table[offset];
  }
  static bool aligned(const std::uint8_t* place, std::size_t width) {
    return (reinterpret_cast<std::uintptr_t>(place) & (width - 1)) == 0;
  }

  // Everything that is pointed at begins with an aligned word.
  bool follow(const std::uint8_t* place, const std::uint8_t*& target) const {
    const std::size_t distance = load_number<std::uint32_t>(place);
    if (distance == 0 || distance > static_cast<std::size_t>(last_word_ - place)) return false;
    target = place + distance;
    return aligned(target, kOffsetSize);
  }

  const std::uint8_t* root_table(const TableSpec& spec);
  bool open(const std::uint8_t* at, const TableSpec& spec, Head& head);
  bool string(const std::uint8_t* at, const TableSpec& owner, const FieldSpec& spec);
  bool vector(const std::uint8_t* at, std::size_t width, const TableSpec& owner,
              const FieldSpec& spec);
  bool bools(const std::uint8_t* at, const TableSpec& owner, const FieldSpec& spec);

  // The refusals.
  bool absent(const TableSpec& owner, const FieldSpec& spec);
  bool misplaced(const TableSpec& owner, const FieldSpec& spec, const Head& head, unsigned offset);
  bool astray(const TableSpec& owner, const FieldSpec& spec, const std::uint8_t* place);
  bool unknown_kind(const TableSpec& owner, const FieldSpec& spec, std::uint8_t type);
  std::size_t position(const std::uint8_t* place) const {
    return static_cast<std::size_t>(place - start_);
  }

  const std::uint8_t* start_;
  const std::uint8_t* end_;
  const std::uint8_t* last_word_;  // where the last offset could stand
  Refusal& refusal_;
  std::uint64_t visits_left_;
  std::uint32_t tables_left_;
  Error bad_;
  bool deep_;
};

}  // namespace executorch::runtime::format
