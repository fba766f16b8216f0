// For tests: reads and verifies a file in memory, as Program::load does, without a loader.

#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include "runtime/program/verify.h"
#include "runtime/testing/aligned_bytes.h"

namespace executorch::runtime::testing {

/// What verification says of a file: Ok and an empty text, or the error and its reason.
struct Outcome {
  Error error = Error::Ok;
  std::string text;
};

inline Outcome verify(const Bytes& file, bool deep = false) {
  const AlignedBytes copy(file);
  const auto bytes = copy.view();
  format::Refusal refusal;
  format::Extents extents;
  const auto head = bytes.first(std::min(bytes.size(), format::kHeadBytes));
  if (format::read_program_head(head, bytes.size(), extents, refusal)) {
    const auto tables = bytes.first(static_cast<std::size_t>(extents.flatbuffer_size));
    const format::ProgramTable program = format::verify_program(tables, extents, deep, refusal);
    if (static_cast<bool>(program) == refusal.refused()) std::abort();  // exactly one of the two
  }
  return {refusal.error, refusal.text};
}

}  // namespace executorch::runtime::testing
