// The part of verify.h that looks at one method.

#pragma once

#include <cstdint>

#include "runtime/program/refusal.h"
#include "runtime/program/schema.h"

namespace executorch::runtime::format {

/// The data that tensors and delegates of every method point into.
struct ProgramData {
  ProgramTable program;
  const std::uint8_t* file_start = nullptr;
  std::uint64_t segment_base = 0;
};

/// Checks one method against itself and against the program's data. Work is linear in what the
/// structural walk has visited.
bool verify_plan(const PlanTable& plan, const ProgramData& data, Refusal& refusal);

}  // namespace executorch::runtime::format
