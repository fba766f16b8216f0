#include <algorithm>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>
#include <optional>

#include "runtime/backend/registry.h"
#include "runtime/module/loaded_method.h"
#include "runtime/module/temporary_arena.h"

namespace executorch::extension::module {

using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::HierarchicalAllocator;
using runtime::MemoryAllocator;
using runtime::Result;
using runtime::Span;

namespace {

// The buffers that share_memory_arenas is about: activations, and mutable state of the model.
constexpr size_t kSharedBuffers = 2;

template <typename Loader, typename... Options>
Result<std::unique_ptr<DataLoader>> open(const std::string& path, Options... options) {
  auto loader = Loader::from(path.c_str(), options...);
  if (!loader.ok()) return loader.error();
  return std::unique_ptr<DataLoader>(std::make_unique<Loader>(std::move(*loader)));
}

Result<std::unique_ptr<DataLoader>> open(const std::string& path, Module::LoadMode mode) {
  using Mlock = MmapDataLoader::MlockConfig;
  switch (mode) {
    case Module::LoadMode::File:
      return open<FileDataLoader>(path);
    case Module::LoadMode::Mmap:
      return open<MmapDataLoader>(path, Mlock::NoMlock);
    case Module::LoadMode::MmapUseMlock:
      return open<MmapDataLoader>(path, Mlock::UseMlock);
    case Module::LoadMode::MmapUseMlockIgnoreErrors:
      return open<MmapDataLoader>(path, Mlock::UseMlockIgnoreErrors);
    case Module::LoadMode::MmapUseMadvise:
      return open<MmapDataLoader>(path, Mlock::UseMadvise);
  }
  return Error::InvalidArgument;
}

// A method of `allocator`'s, or of memory that is given back with the method.
std::unique_ptr<MemoryAllocator> or_temporary(std::unique_ptr<MemoryAllocator> allocator) {
  if (allocator != nullptr) return allocator;
  return std::make_unique<internal::TemporaryArena>();
}

}  // namespace

Module::Module(const std::string& file_path, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path, std::vector<std::string>(), load_mode, std::move(event_tracer),
             std::move(memory_allocator), std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, const std::string& data_map_path, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path,
             data_map_path.empty() ? std::vector<std::string>()
                                   : std::vector<std::string>{data_map_path},
             load_mode, std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, std::vector<std::string> data_files,
               LoadMode load_mode, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : file_path_(file_path),
      data_files_(std::move(data_files)),
      load_mode_(load_mode),
      share_memory_arenas_(share_memory_arenas),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(or_temporary(std::move(temp_allocator))),
      event_tracer_(std::move(event_tracer)) {
  runtime::runtime_init();
}

Module::Module(std::unique_ptr<DataLoader> data_loader,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_memory_arenas_(share_memory_arenas),
      data_loader_(std::move(data_loader)),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(or_temporary(std::move(temp_allocator))),
      event_tracer_(std::move(event_tracer)) {
  if (data_map_loader != nullptr) data_map_loaders_.push_back(std::move(data_map_loader));
  runtime::runtime_init();
}

Module::Module(std::shared_ptr<Program> program, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_memory_arenas_(share_memory_arenas),
      program_(std::move(program)),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(or_temporary(std::move(temp_allocator))),
      event_tracer_(std::move(event_tracer)) {
  if (data_map_loader != nullptr) data_map_loaders_.push_back(std::move(data_map_loader));
  runtime::runtime_init();
}

Module::~Module() = default;

Error Module::load(Program::Verification verification) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_data_files());
  if (program_ != nullptr) return Error::Ok;
  if (data_loader_ == nullptr) {
    ET_ASSIGN_OR_RETURN(loader, open(file_path_, load_mode_), "%s can't be opened.",
                        file_path_.c_str());
    data_loader_ = std::move(loader);
  }
  auto program = Program::load(data_loader_.get(), verification);
  ET_CHECK_OK_OR_RETURN_ERROR(program.error(), "%s can't be loaded.",
                              file_path_.empty() ? "The program" : file_path_.c_str());
  program_ = std::make_shared<Program>(std::move(*program));
  return Error::Ok;
}

Error Module::load(const LoadBackendOptionsMap& backend_options,
                   Program::Verification verification) {
  // The map only views the options.
  std::vector<std::vector<runtime::BackendOption>> storage;
  LoadBackendOptionsMap copy;
  for (size_t i = 0; i < backend_options.size(); ++i) {
    const auto entry = backend_options.entry_at(i);
    storage.emplace_back(entry.options.begin(), entry.options.end());
    ET_CHECK_OK_OR_RETURN_ERROR(copy.set_options(
        entry.backend_id,
        Span<runtime::BackendOption>(storage.back().data(), storage.back().size())));
  }
  backend_options_storage_ = std::move(storage);
  backend_options_ = copy;
  return load(verification);
}

Error Module::load_data_files() {
  if (data_map_ != nullptr) return Error::Ok;
  for (size_t i = data_map_loaders_.size(); i < data_files_.size(); ++i) {
    ET_ASSIGN_OR_RETURN(loader, open(data_files_[i], load_mode_), "%s can't be opened.",
                        data_files_[i].c_str());
    data_map_loaders_.push_back(std::move(loader));
  }
  for (size_t i = data_maps_.size(); i < data_map_loaders_.size(); ++i) {
    auto map = FlatTensorDataMap::load(data_map_loaders_[i].get());
    ET_CHECK_OK_OR_RETURN_ERROR(map.error(), "%s can't be loaded.",
                                i < data_files_.size() ? data_files_[i].c_str() : "The data file");
    data_maps_.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
  }
  if (data_maps_.empty()) return Error::Ok;
  if (data_maps_.size() == 1) {
    data_map_ = data_maps_.front().get();
    return Error::Ok;
  }
  std::vector<const NamedDataMap*> maps;
  for (const auto& map : data_maps_) maps.push_back(map.get());
  ET_ASSIGN_OR_RETURN(merged, merged_data_map::MergedDataMap::load(
                                  Span<const NamedDataMap*>(maps.data(), maps.size())));
  merged_data_map_ = std::make_unique<merged_data_map::MergedDataMap>(std::move(merged));
  data_map_ = merged_data_map_.get();
  return Error::Ok;
}

Result<size_t> Module::num_methods() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return program_->num_methods();
}

Result<std::unordered_set<std::string>> Module::method_names() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    ET_ASSIGN_OR_RETURN(name, program_->get_method_name(i));
    names.emplace(name);
  }
  return names;
}

Result<MethodMeta> Module::method_meta(const std::string& method_name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return program_->method_meta(method_name.c_str());
}

// The arenas that all methods have in common, when they share them.
Error Module::make_shared_arenas() {
  if (!share_memory_arenas_ || shared_arenas_ != nullptr) return Error::Ok;
  std::vector<MethodMeta> methods;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    ET_ASSIGN_OR_RETURN(name, program_->get_method_name(i));
    ET_ASSIGN_OR_RETURN(meta, program_->method_meta(name));
    for (size_t k = 0; k < meta.num_memory_planned_buffers(); ++k) {
      ET_ASSIGN_OR_RETURN(device, meta.memory_planned_buffer_device(k));
      ET_CHECK_OR_RETURN_ERROR(device.is_cpu(), NotSupported,
                               "Method '%s' has memory on a device, which can't be shared.", name);
    }
    methods.push_back(meta);
  }
  ET_ASSIGN_OR_RETURN(
      arenas, PlannedArenas::create_common(Span<const MethodMeta>(methods.data(), methods.size()),
                                           kSharedBuffers));
  shared_arenas_ = std::move(arenas);
  return Error::Ok;
}

Error Module::load_method(const std::string& method_name, HierarchicalAllocator* planned_memory,
                          EventTracer* event_tracer, const LoadBackendOptionsMap* backend_options,
                          std::vector<Kernel> kernel_registry) {
  if (is_method_loaded(method_name)) return Error::Ok;
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  auto loaded = std::make_unique<internal::LoadedMethod>();
  ET_ASSIGN_OR_RETURN(meta, program_->method_meta(method_name.c_str()));
  // Before a backend's memory is asked for: what is missing is the backend.
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    ET_ASSIGN_OR_RETURN(name, meta.get_backend_name(i));
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::internal::find_backend(name).error());
  }
  if (planned_memory == nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(make_shared_arenas());
    ET_ASSIGN_OR_RETURN(
        arenas, PlannedArenas::create(meta, shared_arenas_ == nullptr ? Span<const Span<uint8_t>>()
                                                                      : shared_arenas_->buffers()));
    loaded->arenas = std::move(arenas);
    planned_memory = loaded->arenas->allocator();
  }
  MemoryAllocator* memory = memory_allocator_.get();
  if (memory == nullptr) {
    loaded->memory = std::make_unique<MallocMemoryAllocator>();
    memory = loaded->memory.get();
  }
  loaded->kernels = std::move(kernel_registry);
  loaded->manager.emplace(memory, planned_memory, temp_allocator_.get());
  auto method =
      program_->load_method(method_name.c_str(), &*loaded->manager,
                            event_tracer != nullptr ? event_tracer : event_tracer_.get(), data_map_,
                            backend_options != nullptr ? backend_options : &backend_options_,
                            Span<const Kernel>(loaded->kernels.data(), loaded->kernels.size()));
  ET_CHECK_OK_OR_RETURN_ERROR(method.error(), "Method '%s' can't be loaded.", method_name.c_str());
  loaded->method.emplace(std::move(*method));
  methods_.emplace(method_name, std::move(loaded));
  return Error::Ok;
}

bool Module::unload_method(const std::string& method_name) {
  return methods_.erase(method_name) != 0;
}

bool Module::is_method_loaded(const std::string& method_name) const {
  return methods_.find(method_name) != methods_.end();
}

Result<internal::LoadedMethod*> Module::loaded_method(const std::string& method_name) {
  auto found = methods_.find(method_name);
  if ET_UNLIKELY (found == methods_.end()) {
    ET_CHECK_OK_OR_RETURN_ERROR(load_method(method_name));
    found = methods_.find(method_name);
  }
  return found->second.get();
}

Result<Method*> Module::method(const std::string& method_name) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  return &*loaded->method;
}

namespace {

Result<std::vector<EValue>> outputs_of(const Method& method) {
  std::vector<EValue> outputs;
  outputs.reserve(method.outputs_size());
  for (size_t i = 0; i < method.outputs_size(); ++i) outputs.push_back(method.get_output(i));
  return outputs;
}

}  // namespace

Result<std::vector<EValue>> Module::execute(const std::string& method_name,
                                            const std::vector<EValue>& input_values) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  Method& method = *loaded->method;
  ET_CHECK_OR_RETURN_ERROR(input_values.size() <= method.inputs_size(), InvalidArgument,
                           "%zu inputs, method '%s' has %zu.", input_values.size(),
                           method_name.c_str(), method.inputs_size());
  for (size_t i = 0; i < input_values.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(method.set_input(input_values[i], i));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(method.execute());
  return outputs_of(method);
}

Error Module::set_input(const std::string& method_name, const EValue& input_value,
                        size_t input_index) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  return loaded->method->set_input(input_value, input_index);
}

Error Module::set_inputs(const std::string& method_name, const std::vector<EValue>& input_values) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  return loaded->method->set_inputs(
      runtime::ArrayRef<EValue>(input_values.data(), input_values.size()));
}

Error Module::set_output(const std::string& method_name, EValue output_value, size_t output_index) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  ET_CHECK_OR_RETURN_ERROR(output_value.isTensor(), InvalidArgument,
                           "Output %zu can only be written to a tensor, not to %s.", output_index,
                           runtime::tag_to_string(output_value.tag));
  const aten::Tensor& tensor = output_value.toTensor();
  return loaded->method->set_output_data_ptr(tensor.mutable_data_ptr(), tensor.nbytes(),
                                             output_index);
}

Error Module::set_outputs(const std::string& method_name,
                          const std::vector<EValue>& output_values) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  ET_CHECK_OR_RETURN_ERROR(output_values.size() == loaded->method->outputs_size(), InvalidArgument,
                           "%zu outputs, method '%s' has %zu.", output_values.size(),
                           method_name.c_str(), loaded->method->outputs_size());
  for (size_t i = 0; i < output_values.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(set_output(method_name, output_values[i], i));
  }
  return Error::Ok;
}

Result<std::vector<EValue>> Module::get_outputs(const std::string& method_name) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  return outputs_of(*loaded->method);
}

Result<EValue> Module::get_output(const std::string& method_name, size_t output_index) {
  ET_ASSIGN_OR_RETURN(loaded, loaded_method(method_name));
  ET_CHECK_OR_RETURN_ERROR(output_index < loaded->method->outputs_size(), InvalidArgument,
                           "Output %zu of %zu.", output_index, loaded->method->outputs_size());
  return EValue(loaded->method->get_output(output_index));
}

}  // namespace executorch::extension::module
