#include "verifier/elf/facts.h"

#include <algorithm>

namespace wheelcheck {

const ElfVersion* ElfFacts::version_of(const ElfSymbol& symbol) const {
  // Indexes 0 and 1 mean "local" and "no version", even where a record claims them: that of
  // index 1 names the file itself.
  if (symbol.version < 2 || symbol.version >= version_positions.size()) return nullptr;
  const std::uint32_t position = version_positions[symbol.version];
  return position == 0 || position > versions.size() ? nullptr : &versions[position - 1];
}

const ElfSection* ElfFacts::section(std::string_view wanted) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [wanted](const ElfSection& s) { return s.name == wanted; });
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace wheelcheck
