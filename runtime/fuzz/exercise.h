// Uses a file as a program (.pte) or a tensor file (.ptd): looks at everything that it offers and
// runs its methods. Whatever the bytes say, nothing is read or written outside of what they may
// name, and every run ends.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace executorch::runtime::fuzz {

/// How far a file came.
enum class Reached {
  kRefused,
  kLoaded,  ///< a tensor file, or a program none of whose methods came to its end
  kRan,     ///< a method did
};

Reached exercise(std::span<const std::uint8_t> file);

}  // namespace executorch::runtime::fuzz
