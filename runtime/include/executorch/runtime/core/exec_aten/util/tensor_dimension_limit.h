#pragma once

#include <cstddef>

namespace executorch::runtime {

/// The highest rank that a tensor may have.
constexpr size_t kTensorDimensionLimit = 16;

}  // namespace executorch::runtime
