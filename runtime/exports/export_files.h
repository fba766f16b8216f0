// The files of one export: the program, and calls with inputs and what they gave in PyTorch.

#pragma once

#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <filesystem>
#include <string>
#include <vector>

namespace executorch::exports {

struct TensorFile {
  aten::ScalarType type = aten::ScalarType::Float;
  std::vector<std::int32_t> sizes;
  std::vector<std::uint8_t> bytes;
};

struct Call {
  std::string method;
  std::vector<TensorFile> inputs;
  std::vector<TensorFile> outputs;
  /// What the compiled library inside gave under PyTorch's own runtime, in its own order; empty
  /// where it was not run.
  std::vector<TensorFile> compiled;
  /// `outputs` and `compiled` are the same, bit for bit.
  bool compiled_is_exact = false;
};

struct Export {
  std::string program;  ///< path of the .pte
  std::string data;     ///< path of the .ptd, empty without one
  std::vector<std::string> methods;
  std::vector<Call> calls;  ///< in order
  bool random = false;      ///< outputs differ from run to run
  bool quantized = false;   ///< of quantised products, which eager computes by other ways
};

/// The bytes of a file. One that can't be read ends the test by an exception.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// Reads `<folder>/manifest.json` and the tensors that it names. What is missing or does not fit
/// ends the test by an exception.
Export read_export(const std::string& folder);

/// The folder of a model, such as "1.5.1/cpu_add".
std::string export_folder(const std::string& model);
/// The model as part of a test's name.
std::string test_name(std::string model);

}  // namespace executorch::exports
