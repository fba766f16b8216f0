#pragma once

#include <string_view>
#include <vector>

#include "verifier/loader/closure.h"
#include "verifier/why/explanation.h"
#include "verifier/why/subject.h"

namespace wheelcheck {

/// Where a name could come from.
struct Sources {
  std::vector<std::size_t> holders;  ///< files of that name, the nearest first
  std::vector<std::size_t> aliases;  ///< files of the subject that are it under another name
  std::vector<const ProviderRow*> shippers;  ///< packages of the table, where nobody has it here
};
/// Only files that `asker` could load.
[[nodiscard]] Sources sources_of(const Subject& subject, const ElfFacts& asker,
                                 std::string_view name);

/// Whether a package is there wherever the subject is installed, or is expected to be.
[[nodiscard]] bool is_present(const TreePackage& package);

/// One NEEDED of a process in words.
[[nodiscard]] NeedReport report_need(const Subject& subject, const Closure& closure,
                                     std::size_t object, std::size_t index);

/// Whether a NEEDED is found wherever the subject is installed.
[[nodiscard]] bool is_firm(const Subject& subject, const Need& need);

}  // namespace wheelcheck
