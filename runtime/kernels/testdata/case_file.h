#pragma once

// Reader of cases.txt: calls of operators with the results that torch gives. make_cases.py says
// what its lines mean.

#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <map>
#include <string>
#include <vector>

namespace executorch::kernels::testing {

struct TensorData {
  aten::ScalarType type{};
  std::vector<int32_t> sizes;
  std::vector<uint8_t> order;  // dim order
  std::vector<uint8_t> bytes;  // in memory order
};

struct Case {
  int line = 0;
  bool refused = false;
  std::string check;
  std::vector<std::string> arguments;
  std::vector<std::string> expected;
};

struct CaseFile {
  std::string torch_version;
  std::vector<TensorData> tensors;
  std::map<std::string, std::vector<Case>> cases;  // by operator
};

/// The file in the source tree; stops the program with a message if it cannot be read.
const CaseFile& case_file();

std::vector<std::string> split(const std::string& text, char separator);

}  // namespace executorch::kernels::testing
