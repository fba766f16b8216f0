#include "backends/cuda/testing/fake_program.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

#include "backends/cuda/sha256.h"
#include "runtime/testing/program_writer.h"

namespace executorch::backends::cuda::testing {

namespace writer = runtime::testing;

Bytes fake_library(const std::string& variant) {
  std::ifstream file(std::string(FAKE_MODELS) + "/libfake_" + variant + ".so", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string library_key(const Bytes& library) { return to_hex(sha256(library)) + "_so_blob"; }

Bytes float_bytes(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<std::pair<std::string, Bytes>> fake_constants(float w, float n) {
  return {{"key.w", float_bytes({w})}, {"key.n", float_bytes({n})}};
}

std::vector<ConstantEntry> fake_entries() {
  return {{"layer.w", "key.w", 4, 6, true, 0, {1}, {1}},
          {"layer.n", "key.n", 4, 6, true, 0, {1}, {1}}};
}

FakeProgram::FakeProgram(const ProgramOptions& options) {
  const Bytes library = options.library.value_or(fake_library(options.variant));
  const std::string key = options.library_key.empty() ? library_key(library) : options.library_key;
  writer::PlanSpec plan;
  std::vector<std::int32_t> arguments;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < 2 + options.outputs; ++i) {
    writer::TensorSpec tensor;
    tensor.sizes = options.sizes;
    if (options.dynamic) tensor.shape = writer::Shape::kBound;
    if (options.planned) tensor.allocation = writer::Allocation{1, offset};
    offset += 4096;
    plan.values.push_back(writer::tensor_value(tensor));
    const auto index = static_cast<std::int32_t>(i);
    arguments.push_back(index);
    (i < 2 ? plan.inputs : plan.outputs).push_back(index);
  }
  plan.buffers = {static_cast<std::int64_t>(offset)};
  writer::DelegateSpec delegate;
  delegate.id = "CudaBackend";
  delegate.processed = options.payload.value_or(
      manifest(key, options.data.empty() ? std::vector<ConstantEntry>() : fake_entries()));
  delegate.inlined = delegate.processed.empty();
  delegate.compile_specs = {{"method_name", options.method_name}};
  plan.delegates.push_back(delegate);
  plan.instructions = {writer::delegate_call(0, arguments)};
  writer::ProgramSpec program;
  program.plans.push_back(plan);
  program.named_data.push_back({key, library});
  for (const auto& [name, bytes] : options.data) program.named_data.push_back({name, bytes});
  bytes_ = writer::write_program(program);
  module_ = std::make_unique<extension::Module>(
      std::make_unique<extension::BufferDataLoader>(bytes_.data(), bytes_.size()));
}

runtime::Result<std::vector<float>> FakeProgram::run(const std::vector<float>& a,
                                                     const std::vector<float>& b) {
  const auto loaded = load();
  if (loaded != runtime::Error::Ok) return loaded;
  std::vector<float> in_a = a;
  std::vector<float> in_b = b;
  const auto meta = module_->method_meta("forward");
  const auto sizes = meta->input_tensor_meta(0)->sizes();
  std::vector<std::int32_t> shape(sizes.begin(), sizes.end());
  if (!shape.empty()) {
    std::int32_t rest = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) rest *= shape[i];
    shape[0] = static_cast<std::int32_t>(a.size()) / std::max(rest, 1);
  }
  const auto tensor_a = extension::make_tensor_ptr(shape, in_a.data());
  const auto tensor_b = extension::make_tensor_ptr(shape, in_b.data());
  const auto outputs = module_->execute("forward", {tensor_a, tensor_b});
  if (!outputs.ok()) return outputs.error();
  const aten::Tensor& out = outputs->at(0).toTensor();
  const float* const data = out.const_data_ptr<float>();
  return std::vector<float>(data, data + out.numel());
}

Log::Log() { ::testing::internal::CaptureStderr(); }
Log::~Log() {
  if (!taken_) static_cast<void>(text());
}
std::string Log::text() {
  taken_ = true;
  return ::testing::internal::GetCapturedStderr();
}

}  // namespace executorch::backends::cuda::testing
