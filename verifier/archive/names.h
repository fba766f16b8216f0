#pragma once

#include "verifier/archive/facts.h"
#include "verifier/archive/problems.h"

namespace wheelcheck {

/// Judges nothing: reports names that installers refuse, change, or take for something else.
/// `offset`: of the member's central header.
void check_name(const Member& member, std::uint64_t offset, ProblemList& problems);

/// Names that occur twice, differ only by case, or are both a file and a directory.
void check_name_collisions(const std::vector<Member>& members, ProblemList& problems);

}  // namespace wheelcheck
