#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/archive/facts.h"
#include "verifier/archive/problems.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Reads every local header, compares it with the central one, and accounts for every byte of
/// [begin, directory_offset): each belongs to one member. Sets Member::data_offset, and
/// Member::unreadable where the data is not the member's alone.
/// An error: the file itself could not be read.
[[nodiscard]] std::optional<Error> check_layout(const FileSource& source, std::uint64_t begin,
                                                std::uint64_t directory_offset,
                                                std::vector<Member>& members,
                                                ProblemList& problems);

}  // namespace wheelcheck
