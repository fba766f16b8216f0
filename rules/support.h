#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "verifier/wheel/facts.h"

// Small things that every family of rules needs.

namespace wheelcheck {

/// A finding at the rule's usual level.
[[nodiscard]] Finding make_finding(const CatalogueRow& row, std::string place, std::string subject,
                                   std::string what);
/// The same, milder than usual. A level that is harsher than the rule's is cut down to it.
[[nodiscard]] Finding make_finding(const CatalogueRow& row, Level level, std::string place,
                                   std::string subject, std::string what);

[[nodiscard]] std::string_view base_name(std::string_view path);
[[nodiscard]] std::string_view directory_name(std::string_view path);  ///< without trailing '/'
/// The first `limit` items, then "and 12 more".
[[nodiscard]] std::string join(const std::vector<std::string>& items,
                               std::string_view separator = ", ", std::size_t limit = 8);
/// What stands between spaces.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// "1 file", "3 files".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// Members that hold ELF facts, in the wheel's order.
[[nodiscard]] std::vector<const MemberFacts*> elf_members(const WheelFacts& wheel);
/// Where the member will lie below site-packages; its own path when the scheme is unknown.
[[nodiscard]] const std::string& installed_path(const MemberFacts& member);
/// A library that something maps beside itself, not a program: what dlopen is asked for.
[[nodiscard]] bool is_library(const ElfFacts& elf);

}  // namespace wheelcheck
