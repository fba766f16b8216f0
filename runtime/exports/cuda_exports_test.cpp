// Exports for CUDA on a machine without it: they can be looked at, and loading a method says what
// is missing and what to do about it.

#include <executorch/extension/module/module.h>
#include <executorch/runtime/platform/platform.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "runtime/exports/export_files.h"

namespace executorch::exports {
namespace {

using extension::Module;
using runtime::Error;

// What the runtime logs while this object lives.
class Log {
 public:
  Log() { testing::internal::CaptureStderr(); }
  std::string text() { return testing::internal::GetCapturedStderr(); }
};

class CudaExport : public testing::TestWithParam<const char*> {
 protected:
  CudaExport() : files_(read_export(export_folder(GetParam()))) {}
  Export files_;
};

TEST_P(CudaExport, CanBeLookedAt) {
  Module module(files_.program, files_.data);
  ASSERT_EQ(module.load(runtime::Program::Verification::InternalConsistency), Error::Ok);
  const auto names = module.method_names();
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->size(), files_.methods.size());
  for (const Call& call : files_.calls) {
    const auto meta = module.method_meta(call.method);
    ASSERT_TRUE(meta.ok());
    EXPECT_TRUE(meta->uses_backend("CudaBackend"));
    ASSERT_EQ(meta->num_inputs(), call.inputs.size());
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const auto info = meta->input_tensor_meta(i);
      ASSERT_TRUE(info.ok());
      EXPECT_EQ(info->scalar_type(), call.inputs[i].type);
      ASSERT_EQ(info->sizes().size(), call.inputs[i].sizes.size());
      for (std::size_t d = 0; d < info->sizes().size(); ++d) {
        EXPECT_GE(info->sizes()[d], call.inputs[i].sizes[d]);  // a bound, when it is dynamic
      }
    }
    EXPECT_EQ(meta->num_outputs(), call.outputs.size());
  }
}

TEST_P(CudaExport, SaysThatTheBackendIsNotRegistered) {
  Module module(files_.program, files_.data);
  for (const std::string& method : files_.methods) {
    const auto meta = module.method_meta(method);
    ASSERT_TRUE(meta.ok());
    // The module would ask for the memory first; here there is nowhere to get it.
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<runtime::Span<std::uint8_t>> spans;
    for (std::size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
      memory.emplace_back(static_cast<std::size_t>(*meta->memory_planned_buffer_size(i)) + 1);
    }
    for (auto& buffer : memory) spans.emplace_back(buffer.data(), buffer.size());
    runtime::HierarchicalAllocator arenas({spans.data(), spans.size()});
    Log log;
    const Error error = module.load_method(method, &arenas);
    const std::string text = log.text();
    EXPECT_EQ(error, Error::NotFound);
    EXPECT_THAT(text, testing::HasSubstr("CudaBackend is not registered"));
    EXPECT_THAT(text, testing::HasSubstr("executorch::backend_cuda"));
  }
}

TEST_P(CudaExport, SaysTheSameWithoutAnArenaOfTheCallers) {
  Module module(files_.program, files_.data);
  for (const std::string& method : files_.methods) {
    Log log;
    const Error error = module.load_method(method);
    const std::string text = log.text();
    EXPECT_EQ(error, Error::NotFound);
    EXPECT_THAT(text, testing::HasSubstr("CudaBackend is not registered"));
    EXPECT_THAT(text, testing::HasSubstr("executorch::backend_cuda"));
  }
}

INSTANTIATE_TEST_SUITE_P(Exports, CudaExport,
                         testing::Values("1.2.0/add", "1.2.0/counter", "1.2.0/two_methods",
                                         "1.5.1/add", "1.5.1/device_acts", "1.5.1/linear_dyn",
                                         "1.5.1/multi_out", "1.5.1/partial", "1.5.1/two_methods"),
                         [](const testing::TestParamInfo<const char*>& model) {
                           return test_name(model.param);
                         });

}  // namespace
}  // namespace executorch::exports
