// Walks a flatbuffer once, by a description of its tables, and accepts it only if every offset,
// vtable, vector and string lies where it claims to lie.
//
// A description is data: the same walk serves programs and tensor files. The schemas are not
// recursive, so the depth of the walk is the depth of the description.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/program/refusal.h"

namespace executorch::runtime::format {

enum class FieldKind : std::uint8_t {
  kUnused,   ///< nobody reads it: not looked at
  kScalar,   ///< a number of `width` bytes in the table itself
  kString,   ///< NUL-terminated
  kNumbers,  ///< vector of numbers of `width` bytes
  kBools,    ///< vector of bytes 0 and 1
  kTable,    ///< `tables[0]`
  kTables,   ///< vector of `tables[0]`
  kUnion,    ///< `tables[t]`, where t is the u8 field before this one, in 1..`width`
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
  /// `bytes` is the whole flatbuffer, from the offset of its root table on; its address is taken as
  /// aligned to 16. With `deep`, debug-only fields are walked too. `bad` is the error of a
  /// malformed buffer: InvalidProgram or InvalidExternalData.
  StructureVerifier(std::span<const std::uint8_t> bytes, bool deep, Error bad, Refusal& refusal,
                    WalkLimits limits = {});

  /// Walks the root table, whose offset is the first word. False, and a refusal, when anything is
  /// out of place.
  bool walk(const TableSpec& root);

 private:
  bool table(std::uint64_t at, const TableSpec& spec);
  bool reference(std::uint64_t at, const FieldSpec& spec, const TableSpec& owner,
                 std::uint8_t union_type);
  const TableSpec* alternative(std::uint8_t type, const FieldSpec& spec, const TableSpec& owner);
  bool string(std::uint64_t at, const FieldSpec& spec, const TableSpec& owner);
  bool vector(std::uint64_t at, std::uint32_t width, std::uint32_t* count, const FieldSpec& spec,
              const TableSpec& owner);
  bool follow(std::uint64_t at, std::uint64_t* target, const FieldSpec& spec,
              const TableSpec& owner);
  bool charge(std::uint64_t bytes, const FieldSpec& spec, const TableSpec& owner);

  std::span<const std::uint8_t> bytes_;
  Refusal& refusal_;
  std::uint64_t visits_left_;
  std::uint32_t tables_left_;
  Error bad_;
  bool deep_;
};

}  // namespace executorch::runtime::format
