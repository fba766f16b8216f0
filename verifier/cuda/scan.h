#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "verifier/core/bytes.h"

namespace wheelcheck::fatbin {

/// Offset of the first unit of eight bytes that starts with the magic, or the number of bytes in
/// whole units when there is none. Runs at the speed of memory.
[[nodiscard]] std::size_t find_magic(Bytes units);

/// Bytes that toolkit_in() may need before and after a cut between two pieces of a payload.
inline constexpr std::size_t kToolkitOverlap = 63;

/// "13.0" from the text that the device compiler leaves in cubins and PTX, where it is there.
[[nodiscard]] std::optional<std::string> toolkit_in(std::string_view payload);

}  // namespace wheelcheck::fatbin
