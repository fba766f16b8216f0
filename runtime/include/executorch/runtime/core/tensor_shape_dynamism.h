#pragma once

#include <cstdint>

namespace executorch::runtime {

/// How far a tensor may be resized after it was made. The rank never changes.
enum class TensorShapeDynamism : uint8_t {
  /// Not at all.
  STATIC = 0,
  /// Up to the number of elements that it was made with.
  DYNAMIC_BOUND = 1,
  /// Without a bound. Programs with such tensors are not supported.
  DYNAMIC_UNBOUND = 2,
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::TensorShapeDynamism;
}  // namespace torch::executor
