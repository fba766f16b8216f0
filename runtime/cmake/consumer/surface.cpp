// Uses of the public interface that only have to compile, one function a header.
#include <cstring>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace surface {

namespace aten = executorch::aten;
namespace ext = executorch::extension;
namespace rt = executorch::runtime;
using rt::Error;
using rt::Result;

rt::Error errors(Result<int> number) {
  ET_CHECK_OR_RETURN_ERROR(number.ok(), InvalidArgument, "not ok: %s",
                           rt::to_string(number.error()));
  ET_CHECK_OK_OR_RETURN_ERROR(number.error());
  ET_CHECK_OK_OR_RETURN_ERROR(number.error(), "error %d", static_cast<int>(number.error()));
  const int value = ET_UNWRAP(Result<int>(*number));
  ET_CHECK_MSG(value > 0, "value is %d", value);
  ET_LOG(Info, "value is %d", value);
  ET_LOG(Debug, "plain");
  return value == 3 ? Error::Ok : Error::NotFound;
}

// Module, by every constructor and every way to run.
Error modules(const std::string& path, std::unique_ptr<rt::DataLoader> loader) {
  using ext::Module;
  Module plain(path);
  Module mapped(path, Module::LoadMode::Mmap);
  Module with_data(path, std::string("data.ptd"), Module::LoadMode::MmapUseMlockIgnoreErrors);
  Module with_files(path, std::vector<std::string>{"a.ptd", "b.ptd"}, Module::LoadMode::File);
  Module from_loader(std::move(loader));
  ext::module::Module& same_type = plain;
  Module from_program(same_type.program(), std::make_unique<ext::MallocMemoryAllocator>());

  rt::LoadBackendOptionsMap options;
  rt::BackendOptions<2> cuda;
  if (cuda.set_option("use_shared_cuda_stream", true) != Error::Ok ||
      options.set_options("CudaBackend", cuda.view()) != Error::Ok) {
    return Error::InvalidArgument;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(plain.load(options, ext::Program::Verification::InternalConsistency));
  ET_CHECK_OK_OR_RETURN_ERROR(plain.load_forward());
  ET_CHECK_OK_OR_RETURN_ERROR(plain.load_method("other", nullptr, nullptr, &options));
  const auto names = plain.method_names();
  const auto meta = plain.method_meta("forward");
  if (!names.ok() || !meta.ok() || names->count("forward") == 0 || !plain.is_loaded()) {
    return names.error();
  }
  for (size_t i = 0; i < meta->num_inputs(); ++i) {
    const auto tag = meta->input_tag(i);
    if (tag.ok() && *tag == rt::Tag::Tensor) {
      const auto info = meta->input_tensor_meta(i);
      if (info.ok() && info->nbytes() > 0 && info->is_memory_planned() &&
          info->scalar_type() == aten::ScalarType::Float && info->sizes().size() == 2) {
        continue;
      }
    }
  }
  auto tensor = ext::make_tensor_ptr({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f});
  const auto outputs = plain.forward({tensor, int64_t{3}, 2.5, true});
  const auto one = plain.forward(tensor);
  const auto none = plain.forward();
  const auto first = plain.get("forward", tensor);
  ET_CHECK_OK_OR_RETURN_ERROR(plain.set_input(tensor, 0));
  ET_CHECK_OK_OR_RETURN_ERROR(plain.set_inputs({tensor, tensor}));
  ET_CHECK_OK_OR_RETURN_ERROR(plain.set_output(tensor));
  const auto later = plain.get_outputs("forward");
  if (outputs.ok() && one.ok() && none.ok() && first.ok() && later.ok()) {
    const float* const data = outputs->at(0).toTensor().const_data_ptr<float>();
    return data[0] > first->toTensor().const_data_ptr<float>()[0] ? Error::Ok : Error::Internal;
  }
  return plain.unload_forward() && plain.unload_method("other") ? Error::Ok : outputs.error();
}

// The lower level: Program and Method over memory of the caller's.
Error programs(const char* path) {
  auto loader = ext::MmapDataLoader::from(path, ext::MmapDataLoader::MlockConfig::NoMlock);
  auto file = ext::FileDataLoader::from(path, 64);
  if (!loader.ok() || !file.ok()) {
    return loader.error();
  }
  auto program = rt::Program::load(&loader.get(), rt::Program::Verification::Minimal);
  if (!program.ok()) {
    return program.error();
  }
  const auto name = program->get_method_name(0);
  const auto meta = program->method_meta(*name);
  ext::MallocMemoryAllocator method_memory;
  ext::MallocMemoryAllocator temporary_memory;
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<rt::Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    const auto device = meta->memory_planned_buffer_device(i);
    if (!device.ok() || !device->is_cpu()) {
      return Error::NotSupported;
    }
    buffers.emplace_back(static_cast<size_t>(meta->memory_planned_buffer_size(i).get()));
    spans.push_back({buffers.back().data(), buffers.back().size()});
  }
  rt::HierarchicalAllocator planned({spans.data(), spans.size()});
  rt::MemoryManager memory(&method_memory, &planned, &temporary_memory);
  auto method = program->load_method(*name, &memory);
  if (!method.ok()) {
    return method.error();
  }
  ET_CHECK_OK_OR_RETURN_ERROR(method->set_input(rt::EValue(int64_t{1}), 0));
  ET_CHECK_OK_OR_RETURN_ERROR(method->execute());
  std::vector<rt::EValue> outputs(method->outputs_size());
  ET_CHECK_OK_OR_RETURN_ERROR(method->get_outputs(outputs.data(), outputs.size()));
  return method->get_output(0).isTensor() ? Error::Ok : Error::InvalidState;
}

Error data_maps(rt::DataLoader* loader) {
  auto map = ext::FlatTensorDataMap::load(loader);
  if (!map.ok()) {
    return map.error();
  }
  const rt::NamedDataMap* maps[] = {&map.get()};
  auto merged = ext::merged_data_map::MergedDataMap::load(maps);
  const auto layout = merged->get_tensor_layout("weight");
  const auto data = merged->get_data("weight");
  return layout.ok() && data.ok() && data->size() == layout->nbytes() ? Error::Ok : Error::NotFound;
}

int64_t values(const rt::EValue& value) {
  if (value.isTensor()) {
    return value.toTensor().numel();
  }
  if (value.isTensorList()) {
    return static_cast<int64_t>(value.toTensorList().size());
  }
  if (value.isString()) {
    return static_cast<int64_t>(value.toString().size());
  }
  const auto number = value.tryToInt();
  const std::optional<double> maybe = value.toOptional<double>();
  return number.ok() ? *number + value.to<int64_t>() : (maybe ? 1 : 0);
}

ssize_t tensors() {
  auto a = ext::make_tensor_ptr({2, 3}, std::vector<float>(6, 1.0f));
  auto b = ext::make_tensor_ptr({1, 2, 3, 4});
  auto c = ext::make_tensor_ptr(2.5);
  auto d = ext::make_tensor_ptr({2, 2}, {1, 2, 3, 4}, {}, {}, aten::ScalarType::Float);
  std::vector<int64_t> numbers{1, 2, 3};
  auto e = ext::from_blob(numbers.data(), {3}, aten::ScalarType::Long);
  ext::TensorPtr f = ext::for_blob(numbers.data(), {3}, aten::ScalarType::Long)
                         .strides({1})
                         .deleter([](void*) {})
                         .make_tensor_ptr();
  auto g = ext::zeros({2, 2});
  auto h = ext::full_like(g, 3);
  auto i = ext::randint(0, 10, {4});
  auto j = ext::clone_tensor_ptr(a);
  auto k = ext::clone_tensor_ptr_to(a, aten::Device(aten::DeviceType::CUDA, 0));
  auto l = ext::make_tensor_ptr(a, {3, 2});
  if (ext::resize_tensor_ptr(a, {1, 3}) != Error::Ok) {
    return -1;
  }
  auto accessor = ext::make_tensor_accessor<float, 2>(*a);
  if (accessor.ok()) {
    (*accessor)[0][1] = 3.0f;
  }
  return b->dim() + c->dim() + d->dim() + e->dim() + f->dim() + h->dim() + i->dim() + j->dim() +
         k->dim() + l->dim() + static_cast<ssize_t>(a->strides()[0]);
}

// A backend of one's own.
class Backend final : public rt::BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<rt::DelegateHandle*> init(rt::BackendInitContext& context, rt::FreeableBuffer* processed,
                                   rt::ArrayRef<rt::CompileSpec> compile_specs) const override {
    const auto* const map = context.get_named_data_map();
    if (map == nullptr || processed->size() == 0 || compile_specs.size() != 1 ||
        std::strcmp(compile_specs[0].key, "method_name") != 0) {
      return Error::InvalidProgram;
    }
    const auto flag = context.get_runtime_spec<bool>("flag");
    processed->Free();
    return flag.ok() ? context.get_runtime_allocator()->allocateInstance<int>() : nullptr;
  }
  Error execute(rt::BackendExecutionContext& context, rt::DelegateHandle* handle,
                rt::Span<rt::EValue*> args) const override {
    auto event = rt::event_tracer_start_profiling_delegate(context.event_tracer(), "run", -1);
    rt::event_tracer_end_profiling_delegate(context.event_tracer(), event);
    return handle != nullptr && args.size() == 2 && args[0]->isTensor() ? Error::Ok
                                                                        : Error::InvalidArgument;
  }
  void destroy(rt::DelegateHandle*) const override {}
};

Error registries() {
  static Backend backend;
  ET_CHECK_OK_OR_RETURN_ERROR(rt::register_backend({"SurfaceBackend", &backend}));
  rt::BackendOption option{"key", 3};
  ET_CHECK_OK_OR_RETURN_ERROR(
      rt::set_option("SurfaceBackend", rt::Span<rt::BackendOption>(option)));
  const auto kernels = rt::get_registered_kernels();
  const auto function = rt::get_op_function_from_registry("aten::add.out");
  const auto device = rt::DeviceMemoryBuffer::create(16, aten::DeviceType::CUDA);
  return kernels.size() > 0 && rt::get_num_registered_backends() > 0 && function.ok() &&
                 device.ok() && rt::get_device_allocator(aten::DeviceType::CUDA) != nullptr
             ? Error::Ok
             : Error::NotFound;
}

bool register_log() {
  rt::runtime_init();
  return rt::register_pal(rt::PalImpl::create([](et_timestamp_t, et_pal_log_level_t, const char*,
                                                 const char*, size_t, const char*, size_t) {},
                                              __FILE__));
}

}  // namespace surface
