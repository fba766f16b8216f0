// Says whether the tables of a program agree with each other and with the file.
//
// What is accepted here may be used without further checks of the program's own numbers: every
// index of a value, operator, delegate, segment or instruction is in range, every list holds values
// of its kind, every tensor has a size that fits the place that is named for it. What remains to be
// checked later is what the program cannot know: the caller's arguments and buffers, the registered
// kernels and backends, and the kinds of values that kernels write.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/program/containers.h"
#include "runtime/program/refusal.h"
#include "runtime/program/schema.h"

namespace executorch::runtime::format {

/// Most dimensions of a tensor.
inline constexpr std::size_t kMaxRank = 16;
/// Most bytes that one method may ask for in planned buffers: more than any machine has.
inline constexpr std::int64_t kMaxPlannedBytes = std::int64_t{1} << 42;
/// An operator's name with its overload is shorter than this.
inline constexpr std::size_t kMaxOperatorName = 100;

/// Verifies the flatbuffer `bytes` of a program whose parts lie as `extents` says; its first byte
/// has an address that is a multiple of kFileAlignment. `deep` includes what only tools read. On
/// success the root table is returned, else `refusal` says why.
ProgramTable verify_program(std::span<const std::uint8_t> bytes, const Extents& extents, bool deep,
                            Refusal& refusal);

/// Features that the format has and this runtime has not: NotSupported. Such a program can be
/// looked at, but the method cannot be loaded. `plan` is verified.
bool check_supported(const PlanTable& plan, Refusal& refusal);

/// Bytes of one element, or 0 when there is no such type.
std::size_t element_size(std::int8_t scalar_type);

/// Elements, bytes and whether both and the strides fit their types.
struct TensorSize {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

/// Size of a tensor, nothing when it does not fit 63 bits or when a stride does not fit 31 bits.
/// `dim_order` is a permutation of as many entries as `sizes`, which are not negative.
std::optional<TensorSize> tensor_size(std::span<const std::int32_t> sizes,
                                      std::span<const std::uint8_t> dim_order,
                                      std::int8_t scalar_type);

}  // namespace executorch::runtime::format
