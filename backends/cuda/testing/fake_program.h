#pragma once

// Programs whose delegates are the libraries of fake_model.cpp.

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/testing/fake_cuda.h"
#include "backends/cuda/testing/payload_writer.h"

namespace executorch::backends::cuda::testing {

/// The content of a library that was built for the tests: "plain", "constants", "outputs"...
Bytes fake_library(const std::string& variant);

struct ProgramOptions {
  std::string variant = "plain";
  /// What the export left; unset: an ETCUDAFQN3 manifest for the library, with its constants.
  std::optional<Bytes> payload = {};
  /// Name of the library among the data; empty: its SHA-256 and "_so_blob".
  std::string library_key = {};
  /// Other bytes than those of the variant.
  std::optional<Bytes> library = {};
  /// Named data of the program, beside the library.
  std::vector<std::pair<std::string, Bytes>> data = {};
  std::vector<std::int32_t> sizes = {2, 2};
  /// Up to `sizes`.
  bool dynamic = false;
  std::size_t outputs = 1;
  /// Inputs and outputs have their place in the program's memory; else it is the caller's.
  bool planned = true;
  std::string method_name = "forward";
};

Bytes float_bytes(const std::vector<float>& values);
/// The two constants of the variants that have some: key and value.
std::vector<std::pair<std::string, Bytes>> fake_constants(float w, float n);
/// Their manifest.
std::vector<ConstantEntry> fake_entries();
std::string library_key(const Bytes& library);

/// A program and its module.
class FakeProgram {
 public:
  explicit FakeProgram(const ProgramOptions& options);
  extension::Module& module() { return *module_; }
  runtime::Error load() { return module_->load_method("forward"); }
  /// Runs it with values on the host; the first output's, or an error.
  runtime::Result<std::vector<float>> run(const std::vector<float>& a, const std::vector<float>& b);

 private:
  Bytes bytes_;
  std::unique_ptr<extension::Module> module_;
};

/// What the runtime logs while this lives.
class Log {
 public:
  Log();
  ~Log();
  std::string text();

 private:
  bool taken_ = false;
};

}  // namespace executorch::backends::cuda::testing
