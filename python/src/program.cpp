#include "python/src/program.h"

#include <cstring>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/platform/runtime.h>
#include <utility>

#include "python/src/failure.h"
#include "python/src/memory.h"
#include "python/src/python_loader.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using extension::PlannedArenas;
using runtime::MethodMeta;
using runtime::Span;

// The exporter's place for mutable state that methods share.
constexpr std::size_t kStateBuffer = 1;
// What programs may rely on for the bytes that they are read from.
constexpr std::size_t kProgramAlignment = 16;

}  // namespace

Source Source::file(std::string path) {
  Source source;
  source.name_ = std::move(path);
  return source;
}

Source Source::buffer(nb::handle object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE) != 0) nb::raise_python_error();
  Source source;
  source.kind_ = Kind::kBuffer;
  source.name_ = "a buffer of " + std::to_string(view.len) + " bytes";
  source.size_ = static_cast<std::size_t>(view.len);
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.buf) % kProgramAlignment == 0;
  if (PyBytes_Check(object.ptr()) && aligned) {
    source.owner_ = nb::borrow(object);
    source.data_ = view.buf;
  } else {
    // Verified bytes must not change.
    source.copy_ = host_memory(source.size_);
    if (source.size_ != 0) std::memcpy(source.copy_.get(), view.buf, source.size_);
    source.data_ = source.copy_.get();
  }
  PyBuffer_Release(&view);
  return source;
}

Source Source::loader(nb::handle object) {
  Source source;
  source.kind_ = Kind::kLoader;
  source.name_ = "a data loader";
  source.owner_ = nb::borrow(object);
  return source;
}

std::unique_ptr<runtime::DataLoader> Source::open() const {
  if (kind_ == Kind::kBuffer) return std::make_unique<extension::BufferDataLoader>(data_, size_);
  if (kind_ == Kind::kLoader) return std::make_unique<PythonLoader>(owner_);
  using extension::MmapDataLoader;
  LogScope log;
  return std::make_unique<MmapDataLoader>(
      log.take(MmapDataLoader::from(name_.c_str(), MmapDataLoader::MlockConfig::NoMlock),
               "Failed to create MmapDataLoader from file " + name_));
}

std::shared_ptr<LoadedProgram> LoadedProgram::load(Source source, std::optional<Source> data,
                                                   Program::Verification verification,
                                                   SharedState shared_state) {
  runtime::runtime_init();
  std::shared_ptr<LoadedProgram> loaded(
      new LoadedProgram(std::move(source), std::move(data), shared_state));
  loaded->loader_ = loaded->source_.open();
  LogScope log;
  if (loaded->data_source_) loaded->data_loader_ = loaded->data_source_->open();
  loaded->program_.emplace(log.take(Program::load(loaded->loader_.get(), verification),
                                    "Failed to load program from " + loaded->source_.name()));
  return loaded;
}

const runtime::NamedDataMap* LoadedProgram::data_map() {
  const std::lock_guard lock(mutex_);
  if (data_map_ == nullptr && data_loader_ != nullptr) {
    LogScope log;
    data_map_ = std::make_unique<extension::FlatTensorDataMap>(
        log.take(extension::FlatTensorDataMap::load(data_loader_.get()),
                 "Failed to load data from " + data_source_->name()));
  }
  return data_map_.get();
}

std::vector<std::string> LoadedProgram::method_names() const {
  std::vector<std::string> names;
  LogScope log;
  for (std::size_t i = 0; i < program_->num_methods(); ++i) {
    names.emplace_back(log.take(program_->get_method_name(i), "Failed to get a method's name"));
  }
  return names;
}

MethodMeta LoadedProgram::method_meta(const std::string& name) const {
  LogScope log;
  return log.take(program_->method_meta(name.c_str()),
                  "Failed to get method meta for method " + name);
}

bool LoadedProgram::shares(const MethodMeta& meta) const {
  const std::size_t buffers = meta.num_memory_planned_buffers();
  if (shared_state_ == SharedState::kNo || program_->num_methods() < 2 || buffers <= kStateBuffer) {
    return false;
  }
  for (std::size_t i = 0; i < buffers; ++i) {
    const auto device = meta.memory_planned_buffer_device(i);
    if (!device.ok() || !device->is_cpu()) return false;
  }
  return true;
}

std::shared_ptr<std::mutex> LoadedProgram::shared_memory_lock(const MethodMeta& meta) const {
  return shares(meta) ? shared_lock_ : nullptr;
}

std::unique_ptr<PlannedArenas> LoadedProgram::arenas(const MethodMeta& meta) {
  LogScope log;
  const std::string what = std::string("Failed to allocate memory for method ") + meta.name();
  if (!shares(meta)) return log.take(PlannedArenas::create(meta), what);
  std::vector<Span<std::uint8_t>> shared(kStateBuffer);
  {
    const std::lock_guard lock(mutex_);
    if (shared_arenas_ == nullptr) {
      std::vector<MethodMeta> sharing;
      for (const std::string& name : method_names()) {
        const MethodMeta other = method_meta(name);
        if (shares(other)) sharing.push_back(other);
      }
      shared_arenas_ = log.take(
          PlannedArenas::create_common({sharing.data(), sharing.size()}, kStateBuffer + 1), what);
    }
    shared.push_back(shared_arenas_->buffers()[kStateBuffer]);
  }
  return log.take(PlannedArenas::create(meta, {shared.data(), shared.size()}), what);
}

}  // namespace executorch::python
