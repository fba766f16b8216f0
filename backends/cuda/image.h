#pragma once

#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <span>
#include <string>
#include <vector>

namespace executorch::backends::cuda {

/// What a shared library asks of the process that loads it.
struct Imports {
  std::vector<std::string> libraries;  ///< DT_NEEDED
  std::vector<std::string> symbols;    ///< undefined, and not weak
  /// Where, in the file, the flags are by which it asks for an executable stack; 0 when it does
  /// not.
  std::uint64_t executable_stack_flags = 0;
};

/// Reads the imports of the library with this content, whatever it holds. InvalidProgram when it is
/// cut short or damaged, NotSupported when it is not a shared library for this processor; the log
/// says which, calling it `name`.
[[nodiscard]] runtime::Error read_imports(std::span<const std::uint8_t> image, const char* name,
                                          Imports* ret);

}  // namespace executorch::backends::cuda
