// What a user's program does first: look around, and run a program if one is given.
//   consumer [MODEL.pte [DATA.ptd]]
#include <cstdio>
#include <cstring>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <string>
#include <vector>

namespace {

using executorch::extension::make_tensor_ptr;
using executorch::extension::MallocMemoryAllocator;
using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::EValue;

// The libraries work without a program.
bool look_around() {
  MallocMemoryAllocator allocator;
  float data[] = {1, 2, 3, 4};
  auto tensor = make_tensor_ptr({2, 2}, data);
  Module none("none.pte");
  bool custom = false;
  for (const auto& kernel : executorch::runtime::get_registered_kernels()) {
    custom = custom || std::strcmp(kernel.name_, "consumer::add_number.out") == 0;
  }
  std::printf("kernels %s\n",
              executorch::runtime::registry_has_op_function("aten::add.out") ? "yes" : "no");
  std::printf("backends %zu\n", executorch::runtime::get_num_registered_backends());
  return custom && allocator.allocate(16) != nullptr && tensor->numel() == 4 &&
         none.method_names().error() == Error::AccessFailed;
}

// Runs "forward" on ones.
int run(Module& module) {
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    return 1;
  }
  std::vector<executorch::extension::TensorPtr> tensors;
  std::vector<EValue> inputs;
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto info = meta->input_tensor_meta(i);
    if (!info.ok()) {
      return 1;
    }
    tensors.push_back(executorch::extension::ones(
        std::vector<executorch::aten::SizesType>(info->sizes().begin(), info->sizes().end()),
        info->scalar_type()));
    inputs.push_back(tensors.back());
  }
  const auto outputs = module.forward(inputs);
  if (!outputs.ok()) {
    std::printf("failed 0x%x\n", static_cast<unsigned>(outputs.error()));
    return 1;
  }
  for (const EValue& output : *outputs) {
    if (output.isTensor() &&
        output.toTensor().scalar_type() == executorch::aten::ScalarType::Float) {
      std::printf("output %g\n", static_cast<double>(output.toTensor().const_data_ptr<float>()[0]));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  if (!look_around()) {
    std::printf("not all is well\n");
    return 2;
  }
  std::printf("all is well\n");
  if (argc == 2) {
    Module module(argv[1]);
    return run(module);
  }
  if (argc == 3) {
    Module module(argv[1], std::string(argv[2]));
    return run(module);
  }
  return 0;
}
