// Checks of a tensor's own fields that programs and tensor files share.

#pragma once

#include <cstdint>
#include <span>

#include "runtime/program/refusal.h"

namespace executorch::runtime::format {

/// A known element type; at most kMaxRank dimensions; sizes that are not negative; a dimension
/// order that names each dimension once. `what` and `index` say whose they are.
bool check_layout(std::int8_t scalar_type, std::span<const std::int32_t> sizes,
                  std::span<const std::uint8_t> dim_order, Error bad, const char* what,
                  std::size_t index, Refusal& refusal);

}  // namespace executorch::runtime::format
