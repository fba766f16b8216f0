#include "python/src/method.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/platform/log.h>
#include <utility>

#include "python/src/failure.h"
#include "python/src/memory.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using runtime::Error;
using runtime::EValue;

// Before memory on a device is asked for: what is missing is the backend that would have brought
// the device.
void check_requirements(const runtime::MethodMeta& meta, const std::string& what) {
  LogScope log;
  bool complete = true;
  for (std::size_t i = 0; i < meta.num_backends(); ++i) {
    const char* const backend = log.take(meta.get_backend_name(i), what);
    if (runtime::get_backend_class(backend) != nullptr) continue;
    ET_LOG(Error, "Backend %s is not registered: this package was built without it.", backend);
    complete = false;
  }
  for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const aten::Device device = log.take(meta.memory_planned_buffer_device(i), what);
    if (device.is_cpu() || runtime::get_device_allocator(device.type()) != nullptr) continue;
    ET_LOG(Error, "Buffer %zu is to be on device cuda:%d, for which no allocator is registered.", i,
           device.index());
    complete = false;
  }
  if (!complete) log.fail(what, Error::NotFound);
}

}  // namespace

// The GIL given up and the method locked, in this order: a thread that waits for the method must
// not keep the one that has it from Python.
class LoadedMethod::Running {
 public:
  explicit Running(const LoadedMethod& method) : lock_(*method.lock_) {}

 private:
  nb::gil_scoped_release without_gil_;
  std::lock_guard<std::mutex> lock_;
};

LoadedMethod::~LoadedMethod() {
  // Delegates may take their time to end.
  if (method_) {
    const nb::gil_scoped_release without_gil;
    method_.reset();
  }
}

std::shared_ptr<LoadedMethod> LoadedMethod::load(
    std::shared_ptr<LoadedProgram> program, const std::string& name,
    std::shared_ptr<const BackendOptionsCopy> options) {
  std::shared_ptr<LoadedMethod> loaded(new LoadedMethod(std::move(program), name));
  loaded->options_ = std::move(options);
  const nb::gil_scoped_release without_gil;
  LoadedProgram& owner = *loaded->program_;
  const runtime::MethodMeta meta = owner.method_meta(name);
  LogScope log;
  const std::string what = "Failed to load method " + name;
  check_requirements(meta, what);
  loaded->lock_ = owner.shared_memory_lock(meta);
  if (loaded->lock_ == nullptr) loaded->lock_ = std::make_shared<std::mutex>();
  loaded->arenas_ = owner.arenas(meta);
  loaded->manager_.emplace(&loaded->memory_, loaded->arenas_->allocator(), &loaded->temporary_);
  const std::lock_guard lock(*loaded->lock_);  // state that is shared is written
  loaded->method_.emplace(
      log.take(owner.program().load_method(name.c_str(), &*loaded->manager_, nullptr,
                                           owner.data_map(), &loaded->options_->map()),
               what));
  loaded->find_places();
  return loaded;
}

void LoadedMethod::find_places() {
  const runtime::MethodMeta meta = method_->method_meta();
  LogScope log;
  const auto is_input = [this](const aten::Tensor& tensor) {
    for (std::size_t i = 0; i < method_->inputs_size(); ++i) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      const EValue& input = method_->get_input(i);
#pragma GCC diagnostic pop
      if (input.isTensor() &&
          input.toTensor().unsafeGetTensorImpl() == tensor.unsafeGetTensorImpl()) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < method_->outputs_size(); ++i) {
    const EValue& output = method_->get_output(i);
    if (!output.isTensor() || is_input(output.toTensor())) continue;
    const runtime::TensorInfo info =
        log.take(meta.output_tensor_meta(i), "Failed to get an output's description");
    if (info.is_memory_planned()) continue;
    places_.push_back({i, info.nbytes(), output.toTensor().device()});
  }
}

void LoadedMethod::set() {
  state_ = State::kIncomplete;
  LogScope log;
  const std::size_t given = inputs_->values().size();
  const std::string what = "method->set_inputs() for method '" + name_ + "' failed";
  if (given != method_->inputs_size()) {
    ET_LOG(Error, "The method has %zu inputs, and was given %zu.", method_->inputs_size(), given);
    log.fail(what, Error::InvalidArgument);
  }
  for (std::size_t i = 0; i < given; ++i) {
    log.check(method_->set_input(inputs_->values()[i], i), what);
  }
  state_ = State::kSet;
}

void LoadedMethod::run() {
  if (state_ == State::kIncomplete && method_->inputs_size() != 0) {
    refuse("Its inputs have not been set.");
  }
  // The execution may have used their places for something else.
  if (state_ != State::kSet && inputs_ != nullptr) set();
  state_ = State::kFailed;
  LogScope log;
  const std::string what = "Failed to execute method " + name_;
  // Fresh memory each time for outputs that have none of their own: a caller may have the last one.
  std::vector<OutputMemory> memory;
  for (const Place& place : places_) {
    memory.push_back(
        {place.device.is_cpu() ? host_memory(place.size) : device_memory(place.size, place.device),
         place.size});
    log.check(method_->set_output_data_ptr(memory.back().memory.get(), place.size, place.output),
              what);
  }
  output_memory_ = std::move(memory);
  log.check(method_->execute(), what);
  state_ = State::kExecuted;
}

std::vector<OutputValue> LoadedMethod::read(bool clone, bool hand_over) {
  if (state_ != State::kExecuted) refuse("It has not been executed with the inputs it has.");
  Ownership ownership;
  if (hand_over) ownership.handed_over = output_memory_;
  if (!clone) {
    // Whatever an output refers to.
    struct All {
      std::shared_ptr<LoadedMethod> method;
      std::shared_ptr<Inputs> inputs;
      std::vector<OutputMemory> memory;
    };
    ownership.method = std::make_shared<All>(All{shared_from_this(), inputs_, output_memory_});
  }
  std::vector<OutputValue> outputs;
  for (std::size_t i = 0; i < method_->outputs_size(); ++i) {
    outputs.push_back(read_output(method_->get_output(i), ownership));
  }
  return outputs;
}

void LoadedMethod::refuse(const char* why) const {
  LogScope log;
  ET_LOG(Error, "%s", why);
  log.fail("method->execute() of method '" + name_ + "' failed", Error::InvalidState);
}

nb::list LoadedMethod::to_list(const std::vector<OutputValue>& outputs, ArrayKind kind) const {
  nb::list list;
  for (const OutputValue& output : outputs) list.append(to_python(output, kind));
  return list;
}

// Inputs that are replaced end with the GIL, so they are declared before Running.

nb::list LoadedMethod::call(nb::handle inputs, bool clone_outputs) {
  const auto next = std::make_shared<Inputs>(inputs, meta());
  std::shared_ptr<Inputs> last;
  std::vector<OutputValue> outputs;
  {
    const Running running(*this);
    last = std::exchange(inputs_, next);
    set();
    run();
    outputs = read(clone_outputs, true);
  }
  return to_list(outputs, next->kind());
}

void LoadedMethod::set_inputs(nb::handle inputs) {
  const auto next = std::make_shared<Inputs>(inputs, meta());
  std::shared_ptr<Inputs> last;
  const Running running(*this);
  last = std::exchange(inputs_, next);
  set();
}

void LoadedMethod::execute() {
  const Running running(*this);
  run();
}

nb::list LoadedMethod::get_outputs(bool clone_outputs) {
  std::shared_ptr<Inputs> inputs;
  std::vector<OutputValue> outputs;
  {
    const Running running(*this);
    inputs = inputs_;
    outputs = read(clone_outputs, false);
  }
  return to_list(outputs, inputs == nullptr ? default_array_kind() : inputs->kind());
}

nb::list LoadedMethod::execute_and_get(bool clone_outputs) {
  std::shared_ptr<Inputs> inputs;
  std::vector<OutputValue> outputs;
  {
    const Running running(*this);
    run();
    inputs = inputs_;
    outputs = read(clone_outputs, true);
  }
  return to_list(outputs, inputs == nullptr ? default_array_kind() : inputs->kind());
}

nb::object LoadedMethod::attribute(const std::string& name) {
  OutputValue value;
  {
    const Running running(*this);
    LogScope log;
    const aten::Tensor tensor =
        log.take(method_->get_attribute(name),
                 "Failed to get attribute '" + name + "' for method '" + name_ + "'");
    Ownership copied;
    value = read_output(EValue(tensor), copied);
  }
  return to_python(value, default_array_kind());
}

}  // namespace executorch::python
