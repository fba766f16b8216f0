#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/profile.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// How a file takes part in one symbol.
struct SymbolUse {
  const MemberFacts* member = nullptr;
  bool strong = false;     ///< defines it with global or unique binding
  bool weak = false;       ///< defines it, but weakly
  bool undefined = false;  ///< wants it from elsewhere
  bool local = false;      ///< .symtab has a local definition: a copy that nobody else can see
  bool defines() const { return strong || weak; }
};

/// Who defines and who wants the symbols of a profile's groups, over every ELF file of a wheel.
/// A definition is one that other files can bind to: global, weak or unique (STB_GNU_UNIQUE) and
/// not hidden, of any type (functions, data, thread-local, IFUNC), in any version. Names are
/// compared whole.
class SymbolIndex {
 public:
  SymbolIndex(const WheelFacts& wheel, const Profile& profile);

  /// Files that use `symbol` in any way, in the wheel's order.
  [[nodiscard]] const std::vector<SymbolUse>& uses(std::string_view symbol) const;
  /// Symbols of the group that at least one file defines or holds as a local copy.
  [[nodiscard]] std::vector<std::string> present(const SymbolGroup& group) const;

 private:
  std::map<std::string, std::vector<SymbolUse>, std::less<>> uses_;
};

}  // namespace wheelcheck
