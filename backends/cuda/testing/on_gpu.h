#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <vector>

#include "gtest/gtest.h"

#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {

using Bytes = std::vector<std::uint8_t>;

/// Tests that are skipped without a GPU. A SetUp() of their own begins with this one, and ends
/// there if IsSkipped().
class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
      GTEST_SKIP() << "there is no GPU";
    }
  }
};

/// The outputs of a call with its inputs on the host, as bytes; empty when it failed.
inline std::vector<Bytes> run(extension::Module& module, exports::Call& call) {
  std::vector<extension::TensorPtr> tensors;
  std::vector<runtime::EValue> inputs;
  for (exports::TensorFile& file : call.inputs) {
    tensors.push_back(extension::make_tensor_ptr(file.sizes, file.bytes.data(), file.type));
    inputs.emplace_back(tensors.back());
  }
  const auto results = module.execute(call.method, inputs);
  std::vector<Bytes> outputs;
  if (!results.ok()) return outputs;
  for (const runtime::EValue& value : *results) {
    const aten::Tensor& tensor = value.toTensor();
    Bytes bytes(tensor.nbytes());
    if (cudaMemcpy(bytes.data(), tensor.const_data_ptr(), bytes.size(), cudaMemcpyDefault) !=
        cudaSuccess) {
      return {};
    }
    outputs.push_back(std::move(bytes));
  }
  return outputs;
}

}  // namespace executorch::backends::cuda
