#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Where the definitions of a stamped library lie: this far apart, in the order of its symbols.
inline constexpr std::uint64_t kDefinitionSize = 16;

/// What a stamped library holds for the symbols of its description.
struct SymbolTables {
  std::string bytes;                                          ///< a multiple of 8 of them
  std::vector<std::pair<std::uint64_t, std::uint64_t>> tags;  ///< of the dynamic section
  bool has_code = false;                                      ///< a function chooses its address
  std::uint64_t storage_at = 0;                               ///< for threads
  std::uint64_t storage_size = 0;
};

/// The tables lie at `address`. Adds names to `strings`.
[[nodiscard]] SymbolTables stamp_symbols(const WorldFile& file, std::uint64_t address,
                                         std::string& strings);

}  // namespace wheelcheck::worlds
