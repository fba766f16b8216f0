#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/finding.h"

// What the text report says once instead of many times. Nothing is left out of the findings
// themselves, which the JSON report holds one by one.

namespace wheelcheck {

/// A finding, and the other places where the very same thing was found.
struct Group {
  const Finding* first = nullptr;
  std::vector<std::string> also_in;
  std::uint64_t count = 0;
};

/// Groups that one thing is behind: they differ by their subject, their places and what follows
/// from the two. Most hold one group.
struct Cause {
  std::vector<Group> groups;
};

/// Who needs it besides the place itself, which the first line names.
[[nodiscard]] std::vector<std::string> others_needing(const Finding& finding);

/// Groups in the order of their first finding.
[[nodiscard]] std::vector<Group> grouped(const std::vector<Finding>& findings);

/// Puts warnings and notes of one cause together where there are several, in the order of their
/// first group. Errors are always told one by one.
[[nodiscard]] std::vector<Cause> by_cause(std::vector<Group> groups);

/// Who provides it, without the files: "torch >=2.11" of "torch >=2.11: torch/lib/libtorch.so".
[[nodiscard]] std::vector<std::string> providers(const Finding& finding);

/// "libxcb.so.1: a.so and 3 more", one line for each subject of the cause.
[[nodiscard]] std::vector<std::string> members_of(const Cause& cause);

}  // namespace wheelcheck
