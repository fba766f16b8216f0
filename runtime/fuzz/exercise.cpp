#include "runtime/fuzz/exercise.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/executor/method_state.h"
#include "runtime/program/program_state.h"
#include "runtime/program/verify.h"
#include "runtime/testing/memory_loader.h"
#include "runtime/testing/tensor_file_writer.h"

// Experimental functions are run too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace executorch::runtime::fuzz {

namespace {

using extension::FlatTensorDataMap;
using extension::MallocMemoryAllocator;
using internal::MethodState;
using internal::ProgramState;
using testing::Bytes;
using testing::MemoryLoader;

// What one input may cost.
constexpr std::size_t kMaxMethods = 4;
constexpr std::size_t kMaxPlanned = 1 << 16;
constexpr std::size_t kMaxTensor = 1 << 14;
constexpr std::uint64_t kMaxInstructions = 200;

// Sums are kept so that reads happen.
volatile unsigned sink = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void touch(const void* data, std::size_t size) {
  unsigned sum = 0;
  for (const std::uint8_t byte : std::span(static_cast<const std::uint8_t*>(data), size)) {
    sum += byte;
  }
  sink = sink + sum;
}

void touch(const char* text) {
  if (text != nullptr) touch(text, std::strlen(text));
}

void touch(const etensor::Tensor& tensor) {
  touch(tensor.sizes().data(), tensor.sizes().size() * sizeof(tensor.sizes()[0]));
  touch(tensor.dim_order().data(), tensor.dim_order().size());
  touch(tensor.strides().data(), tensor.strides().size() * sizeof(tensor.strides()[0]));
  if (tensor.const_data_ptr() != nullptr) touch(tensor.const_data_ptr(), tensor.nbytes());
}

void touch(const NamedDataMap& map) {
  const Result<std::uint32_t> count = map.get_num_keys();
  for (std::uint32_t i = 0; count.ok() && i < *count && i < kMaxInstructions; ++i) {
    const Result<const char*> key = map.get_key(i);
    if (!key.ok()) std::abort();  // there are so many
    touch(*key);
    const Result<FreeableBuffer> data = map.get_data(*key);
    if (data.ok()) touch(data->data(), data->size());
    const Result<const TensorLayout> layout = map.get_tensor_layout(*key);
    if (!layout.ok() || layout->nbytes() > kMaxTensor) continue;
    std::vector<std::uint8_t> place(layout->nbytes());
    (void)map.load_data_into(*key, place.data(), place.size());
  }
}

// A backend that reads everything it is given.
class Reader final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> specs) const override {
    touch(processed->data(), processed->size());
    for (const CompileSpec& spec : specs) {
      touch(spec.key);
      touch(spec.value.buffer, spec.value.nbytes);
    }
    if (const NamedDataMap* map = context.get_named_data_map(); map != nullptr) touch(*map);
    return static_cast<DelegateHandle*>(nullptr);
  }
  Error execute(BackendExecutionContext& /*context*/, DelegateHandle* /*handle*/,
                Span<EValue*> arguments) const override {
    for (EValue* argument : arguments) {
      if (argument->isTensor()) touch(argument->toTensor());
    }
    return Error::Ok;
  }
};

void touch(const Result<TensorInfo>& info) {
  if (!info.ok()) return;
  touch(info->sizes().data(), info->sizes().size() * sizeof(std::int32_t));
  touch(info->dim_order().data(), info->dim_order().size());
  touch(info->name().data(), info->name().size());
}

void introspect(const MethodMeta& meta) {
  touch(meta.name());
  for (std::size_t i = 0; i < meta.num_inputs(); ++i) {
    if (!meta.input_tag(i).ok()) std::abort();
    touch(meta.input_tensor_meta(i));
  }
  for (std::size_t i = 0; i < meta.num_outputs(); ++i) {
    if (!meta.output_tag(i).ok()) std::abort();
    touch(meta.output_tensor_meta(i));
  }
  for (std::size_t i = 0; i < meta.num_attributes() && i < kMaxInstructions; ++i) {
    touch(meta.attribute_tensor_meta(i));
  }
  for (std::size_t i = 0; i < meta.num_backends(); ++i) {
    touch(*meta.get_backend_name(i));
    if (!meta.uses_backend(*meta.get_backend_name(i))) std::abort();
  }
}

// Planned buffers of a method, or nothing when it asks for too much.
class Arenas {
 public:
  bool allocate(const MethodMeta& meta) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const auto size = static_cast<std::size_t>(*meta.memory_planned_buffer_size(i));
      if (size > kMaxPlanned - total || i == kMaxInstructions) return false;
      total += size;
      // Each apart, and no larger than asked for.
      buffers_.push_back(std::make_unique<std::uint8_t[]>(size));
      spans_.push_back({buffers_.back().get(), size});
    }
    return true;
  }
  HierarchicalAllocator allocator() {
    return HierarchicalAllocator({spans_.data(), spans_.size()});
  }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> buffers_;
  std::vector<Span<std::uint8_t>> spans_;
};

// A tensor of the caller's with sizes of its own.
class Given {
 public:
  explicit Given(const format::TensorTable& table)
      : sizes_(table.sizes().begin(), table.sizes().end()),
        order_(table.dim_order().begin(), table.dim_order().end()),
        strides_(sizes_.size()) {
    std::size_t size = format::element_size(table.scalar_type());
    for (std::int32_t& each : sizes_) {
      // What is dynamic comes smaller than it could.
      if (table.dynamism() != format::Dynamism::kStatic && each > 2) each = 2;
      size *= static_cast<std::size_t>(each);
      if (size > kMaxTensor) return;
    }
    std::int32_t stride = 1;
    for (std::size_t i = order_.size(); i-- > 0;) {
      strides_[order_[i]] = stride;
      if (sizes_[order_[i]] != 0) stride *= sizes_[order_[i]];
    }
    data_ = std::make_unique<std::uint8_t[]>(size);
    impl_ = std::make_unique<etensor::TensorImpl>(
        static_cast<etensor::ScalarType>(table.scalar_type()), static_cast<ssize_t>(sizes_.size()),
        sizes_.data(), data_.get(), order_.data(), strides_.data());
  }
  bool ok() const { return impl_ != nullptr; }
  EValue value() { return EValue(etensor::Tensor(impl_.get())); }

 private:
  std::vector<std::int32_t> sizes_;
  std::vector<std::uint8_t> order_;
  std::vector<std::int32_t> strides_;
  std::unique_ptr<std::uint8_t[]> data_;
  std::unique_ptr<etensor::TensorImpl> impl_;
};

// What the method's caller owns while it runs.
struct Caller {
  std::vector<std::unique_ptr<Given>> tensors;
  std::vector<std::unique_ptr<ArrayRef<char>>> strings;
  std::vector<std::unique_ptr<std::uint8_t[]>> outputs;
};

bool set_inputs(Method& method, const format::PlanTable& plan, Caller& caller) {
  for (std::size_t i = 0; i < plan.inputs().size(); ++i) {
    const format::ValueTable table = plan.values()[static_cast<std::size_t>(plan.inputs()[i])];
    EValue value;
    switch (table.kind()) {
      case format::ValueKind::kTensor:
        caller.tensors.push_back(std::make_unique<Given>(table.tensor()));
        if (!caller.tensors.back()->ok()) return false;
        value = caller.tensors.back()->value();
        break;
      case format::ValueKind::kInt:
        value = EValue(table.int_value());
        break;
      case format::ValueKind::kBool:
        value = EValue(table.bool_value());
        break;
      case format::ValueKind::kDouble:
        value = EValue(table.double_value());
        break;
      case format::ValueKind::kString: {
        const format::Text text = table.string_value();
        caller.strings.push_back(std::make_unique<ArrayRef<char>>(text.data, text.size));
        value = EValue(caller.strings.back().get());
        break;
      }
      default:
        break;
    }
    if (method.set_input(value, i) != Error::Ok) return false;
  }
  return true;
}

void set_outputs(Method& method, Caller& caller) {
  for (std::size_t i = 0; i < method.outputs_size(); ++i) {
    caller.outputs.push_back(std::make_unique<std::uint8_t[]>(kMaxTensor));
    (void)method.set_output_data_ptr(caller.outputs.back().get(), kMaxTensor, i);
  }
}

void read_outputs(Method& method) {
  for (std::size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& output = method.get_output(i);
    if (output.isTensor()) touch(output.toTensor());
    if (output.isString()) touch(output.toString().data(), output.toString().size());
  }
}

// A kernel for every operator that has none here: reads its arguments, writes to its result as far
// as that is one, and may fail.
void any_kernel(KernelRuntimeContext& context, Span<EValue*> arguments) {
  for (EValue* argument : arguments) {
    if (argument->isTensor()) {
      touch(argument->toTensor());
    } else if (argument->isIntList()) {
      const Result<ArrayRef<std::int64_t>> items = argument->tryToIntList();
      if (items.ok()) touch(items->data(), items->size() * sizeof(std::int64_t));
    } else if (argument->isTensorList()) {
      const Result<ArrayRef<etensor::Tensor>> items = argument->tryToTensorList();
      for (std::size_t i = 0; items.ok() && i < items->size(); ++i) touch((*items)[i]);
    } else if (argument->isBoolList()) {
      touch(argument->toBoolList().data(), argument->toBoolList().size());
    } else if (argument->isDoubleList()) {
      touch(argument->toDoubleList().data(), argument->toDoubleList().size() * sizeof(double));
    }
  }
  const std::size_t count = arguments.size();
  if (count == 0) {
    context.fail(Error::InvalidArgument);
    return;
  }
  // A result is an argument that is named again.
  EValue* last = arguments[count - 1];
  const bool named = std::find(arguments.begin(), arguments.end(), last) != arguments.end() - 1;
  if (!named || !last->isTensor()) return;
  const etensor::Tensor& result = last->toTensor();
  // An output that the caller gave no place has no memory; kernels are to look.
  void* const data = result.mutable_data_ptr();
  if (data == nullptr && result.nbytes() != 0) {
    context.fail(Error::InvalidArgument);
    return;
  }
  if (result.nbytes() != 0) std::memset(data, 1, result.nbytes());
}

// Whether operators that have a kernel run it.
enum class Kernels { kReal, kStandIn };

// Stand-ins for what has no kernel here, or for all but the runtime's own operators: a seed's
// arguments need not be what a real kernel takes. Refers to the names that it holds.
class StandIns {
 public:
  StandIns(const format::PlanTable& plan, Kernels wanted) {
    const auto operators = plan.operators();
    names_.reserve(operators.size());
    for (std::uint32_t i = 0; i < operators.size(); ++i) {
      std::string name(operators[i].name().view());
      if (operators[i].overload().size != 0)
        name += std::string(".") + operators[i].overload().data;
      const bool is_own = wanted == Kernels::kReal || name.starts_with("executorch_prim::");
      if (is_own && registry_has_op_function(name.c_str())) continue;
      names_.push_back(std::move(name));
      kernels_.emplace_back(names_.back().c_str(), any_kernel);
    }
  }
  Span<const Kernel> list() const { return {kernels_.data(), kernels_.size()}; }

 private:
  std::vector<std::string> names_;
  std::vector<Kernel> kernels_;
};

// Whether the method came to its end.
bool run(const Program& program, const char* name, const MethodMeta& meta,
         const NamedDataMap& external, Kernels wanted) {
  Arenas arenas;
  if (!arenas.allocate(meta)) return false;
  HierarchicalAllocator planned = arenas.allocator();
  MallocMemoryAllocator method_memory;
  MallocMemoryAllocator temporary;
  MemoryManager memory(&method_memory, &planned, &temporary);
  const Result<format::PlanTable> plan = ProgramState::of(program).plan(name);
  const StandIns kernels(*plan, wanted);
  Result<Method> method =
      program.load_method(name, &memory, nullptr, &external, nullptr, kernels.list());
  if (!method.ok()) return false;
  MethodState::of(*method).set_instruction_limit(kMaxInstructions);
  Caller caller;
  if (!set_inputs(*method, *plan, caller)) return false;
  // Without a place for its outputs first: that is an error, never more.
  (void)method->execute();
  set_outputs(*method, caller);
  bool finished = false;
  for (int i = 0; i < 2; ++i) {
    finished = method->execute() == Error::Ok;
    if (finished) read_outputs(*method);
  }
  for (std::uint64_t i = 0; i < kMaxInstructions; ++i) {
    if (method->step() != Error::Ok) break;
  }
  return finished;
}

const NamedDataMap& external_data() {
  static MemoryLoader loader(testing::write_tensor_file(
      {.entries = {{"weight", Bytes(64), testing::TensorFileLayout{.sizes = {4, 4}}},
                   {"blob", Bytes(8)}}}));
  static Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  return *map;
}

void prepare() {
  static const bool once = [] {
    runtime_init();
    static Reader reader;
    return register_backend({"FuzzBackend", &reader}) == Error::Ok &&
           register_backend({"CudaBackend", &reader}) == Error::Ok;
  }();
  if (!once) std::abort();
}

}  // namespace

Reached exercise(std::span<const std::uint8_t> file) {
  prepare();
  MemoryLoader loader(Bytes(file.begin(), file.end()));
  constexpr std::size_t kIdentifierEnd = 8;
  if (file.size() > kIdentifierEnd && std::memcmp(&file[4], "FT", 2) == 0) {
    const Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
    if (!map.ok()) return Reached::kRefused;
    touch(*map);
    return Reached::kLoaded;
  }
  // Internal consistency is asked for by half of the inputs: what it refuses, others run.
  const bool deep = file.size() > kIdentifierEnd && (file.back() & 1U) != 0;
  const Result<Program> program = Program::load(
      &loader, deep ? Program::Verification::InternalConsistency : Program::Verification::Minimal);
  if (!program.ok()) return Reached::kRefused;
  const Result<const NamedDataMap*> named = program->get_named_data_map();
  if (named.ok()) touch(**named);
  Reached reached = Reached::kLoaded;
  for (std::size_t i = 0; i < program->num_methods() && i < kMaxMethods; ++i) {
    const char* name = *program->get_method_name(i);
    const Result<MethodMeta> meta = program->method_meta(name);
    if (!meta.ok()) std::abort();  // it has just been named
    introspect(*meta);
    for (const Kernels wanted : {Kernels::kReal, Kernels::kStandIn}) {
      if (run(*program, name, *meta, external_data(), wanted)) reached = Reached::kRan;
    }
  }
  return reached;
}

}  // namespace executorch::runtime::fuzz
