#pragma once

#include <string>
#include <string_view>

#include "rules/trains.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// What a row of the build matrix asks for: a CUDA train, or none for the CPU.
struct Row {
  const Train* train = nullptr;  ///< lives as long as the trains it was read from

  /// "cpu" or "cuda 12.6"
  [[nodiscard]] std::string str() const;
};

/// Reads the value of CU_VERSION: "cu130", "CPU", "rocm6.2", ""; case and surrounding spaces do not
/// count. An error: the row is not built; it says why and names the rows that are. Packaging and
/// CMake read the same table to the same answers (release/rows.py, cmake/ProjectRow.cmake).
[[nodiscard]] Result<Row> read_row(std::string_view value, const Trains& trains);

}  // namespace wheelcheck
