// Every export for the CPU, call after call, on each of the ways to run a program.

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>

#include "runtime/exports/comparison.h"
#include "runtime/exports/export_files.h"

namespace executorch::exports {
namespace {

using extension::Module;
using extension::PlannedArenas;
using runtime::Error;
using runtime::EValue;

extension::TensorPtr tensor_of(TensorFile& file) {
  return extension::make_tensor_ptr(file.sizes, file.bytes.data(), file.type);
}

void expect_outputs(const std::vector<EValue>& outputs, const Call& call, std::size_t number) {
  ASSERT_EQ(outputs.size(), call.outputs.size()) << "call " << number;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_TRUE(outputs[i].isTensor()) << "call " << number << ", output " << i;
    EXPECT_EQ(difference(outputs[i].toTensor(), call.outputs[i]), "")
        << "call " << number << ", output " << i;
  }
}

class CpuExport : public testing::TestWithParam<const char*> {
 protected:
  CpuExport() : files_(read_export(export_folder(GetParam()))) {}

  void run(Module& module) {
    ASSERT_FALSE(files_.calls.empty());
    for (std::size_t i = 0; i < files_.calls.size(); ++i) {
      Call& call = files_.calls[i];
      std::vector<extension::TensorPtr> tensors;
      std::vector<EValue> inputs;
      for (TensorFile& file : call.inputs) tensors.push_back(tensor_of(file));
      for (const auto& tensor : tensors) inputs.emplace_back(tensor);
      const auto outputs = module.execute(call.method, inputs);
      ASSERT_EQ(outputs.error(), Error::Ok) << "call " << i;
      expect_outputs(*outputs, call, i);
    }
  }

  Export files_;
};

TEST_P(CpuExport, MatchesPyTorchThroughModule) {
  Module module(files_.program);
  run(module);
}

TEST_P(CpuExport, MatchesPyTorchThroughModuleFromMappedMemory) {
  Module module(files_.program, Module::LoadMode::Mmap);
  ASSERT_EQ(module.load(runtime::Program::Verification::InternalConsistency), Error::Ok);
  run(module);
}

TEST_P(CpuExport, MatchesPyTorchThroughModuleAgainAfterUnloading) {
  Module module(files_.program);
  run(module);
  for (const std::string& method : files_.methods) EXPECT_TRUE(module.unload_method(method));
  run(module);
}

TEST_P(CpuExport, MatchesPyTorchThroughProgramAndMethod) {
  auto loader = extension::MmapDataLoader::from(files_.program.c_str(),
                                                extension::MmapDataLoader::MlockConfig::NoMlock);
  ASSERT_TRUE(loader.ok());
  auto program = runtime::Program::load(&*loader);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->num_methods(), files_.methods.size());

  extension::MallocMemoryAllocator memory;
  extension::MallocMemoryAllocator temporary;
  struct Loaded {
    std::unique_ptr<PlannedArenas> arenas;
    std::unique_ptr<runtime::MemoryManager> manager;
    std::unique_ptr<runtime::Method> method;
  };
  std::map<std::string, Loaded> loaded;
  for (const std::string& name : files_.methods) {
    const auto meta = program->method_meta(name.c_str());
    ASSERT_TRUE(meta.ok());
    auto arenas = PlannedArenas::create(*meta);
    ASSERT_TRUE(arenas.ok());
    Loaded& entry = loaded[name];
    entry.arenas = std::move(*arenas);
    entry.manager =
        std::make_unique<runtime::MemoryManager>(&memory, entry.arenas->allocator(), &temporary);
    auto method = program->load_method(name.c_str(), entry.manager.get());
    ASSERT_EQ(method.error(), Error::Ok);
    entry.method = std::make_unique<runtime::Method>(std::move(*method));
  }
  for (std::size_t i = 0; i < files_.calls.size(); ++i) {
    Call& call = files_.calls[i];
    runtime::Method& method = *loaded.at(call.method).method;
    ASSERT_EQ(method.inputs_size(), call.inputs.size());
    std::vector<extension::TensorPtr> tensors;
    for (std::size_t k = 0; k < call.inputs.size(); ++k) {
      tensors.push_back(tensor_of(call.inputs[k]));
      ASSERT_EQ(method.set_input(tensors.back(), k), Error::Ok);
    }
    ASSERT_EQ(method.execute(), Error::Ok) << "call " << i;
    std::vector<EValue> outputs(method.outputs_size());
    ASSERT_EQ(method.get_outputs(outputs.data(), outputs.size()), Error::Ok);
    expect_outputs(outputs, call, i);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Exports, CpuExport,
    testing::Values("1.2.0/cpu_add", "1.2.0/cpu_cond", "1.2.0/cpu_counter", "1.2.0/cpu_dyn",
                    "1.2.0/cpu_portable", "1.2.0/cpu_transformer", "1.2.0/cpu_views",
                    "1.5.1/cpu_add", "1.5.1/cpu_cond", "1.5.1/cpu_counter", "1.5.1/cpu_dyn",
                    "1.5.1/cpu_portable", "1.5.1/cpu_transformer", "1.5.1/cpu_views"),
    [](const testing::TestParamInfo<const char*>& model) { return test_name(model.param); });

}  // namespace
}  // namespace executorch::exports
