// For tests: a program of our own writer, loaded with its memory and with small kernels.

#pragma once

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/executor/method_state.h"
#include "runtime/testing/memory_loader.h"
#include "runtime/testing/program_writer.h"

namespace executorch::runtime::testing {

/// out = self + other on floats of one size; `out` takes the sizes of self. Fails as resizing does.
inline void add_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const etensor::Tensor& a = stack[0]->toTensor();
  const etensor::Tensor& b = stack[1]->toTensor();
  etensor::Tensor& out = stack[stack.size() - 2]->toTensor();
  const Error error = resize_tensor(out, a.sizes());
  if (error != Error::Ok) return context.fail(error);
  for (ssize_t i = 0; i < out.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i];
  }
}

/// [self, other, out, out]: `out` takes the elements of both. Doubles memory where it can.
inline void join_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const etensor::Tensor& a = stack[0]->toTensor();
  const etensor::Tensor& b = stack[1]->toTensor();
  etensor::Tensor& out = stack[2]->toTensor();
  const std::int32_t sizes[] = {static_cast<std::int32_t>(a.numel() + b.numel())};
  const Error error = resize_tensor(out, ArrayRef<std::int32_t>(sizes, 1));
  if (error != Error::Ok) return context.fail(error);
  std::copy_n(a.const_data_ptr<float>(), a.numel(), out.mutable_data_ptr<float>());
  std::copy_n(b.const_data_ptr<float>(), b.numel(), out.mutable_data_ptr<float>() + a.numel());
}

/// What the next calls of "test::fail" end with.
inline Error& next_failure() {
  static Error error = Error::Ok;
  return error;
}
inline void failing_kernel(KernelRuntimeContext& context, Span<EValue*> /*stack*/) {
  if (next_failure() != Error::Ok) context.fail(next_failure());
}

/// Asks for temporary memory, as much as the Int argument says.
inline void temporary_kernel(KernelRuntimeContext& context, Span<EValue*> stack) {
  const auto memory = context.allocate_temp(static_cast<std::size_t>(stack[0]->toInt()));
  if (!memory.ok()) context.fail(memory.error());
}

inline constexpr Kernel kTestKernels[] = {
    Kernel("aten::add.out", add_kernel), Kernel("test::join.out", join_kernel),
    Kernel("test::fail", failing_kernel), Kernel("test::temporary", temporary_kernel)};

/// A program in memory, and its first method (or the one that is named) with memory of its own.
class LoadedMethod {
 public:
  explicit LoadedMethod(const ProgramSpec& spec, const char* name = "forward",
                        const NamedDataMap* data = nullptr, EventTracer* tracer = nullptr)
      : loader_(write_program(spec)), program_(Program::load(&loader_)) {
    if (!program_.ok()) {
      error_ = program_.error();
      return;
    }
    const auto meta = program_->method_meta(name);
    if (!meta.ok()) {
      error_ = meta.error();
      return;
    }
    auto arenas = extension::PlannedArenas::create(*meta);
    if (!arenas.ok()) {
      error_ = arenas.error();
      return;
    }
    arenas_ = std::move(*arenas);
    manager_.emplace(&memory_, arenas_->allocator(), &temporary_);
    auto method = program_->load_method(name, &*manager_, tracer, data, nullptr, kTestKernels);
    error_ = method.error();
    if (method.ok()) method_.emplace(std::move(*method));
  }
  explicit LoadedMethod(const PlanSpec& plan) : LoadedMethod(ProgramSpec{.plans = {plan}}) {}

  /// Ok, or why it was not loaded.
  Error error() const { return error_; }
  Method& operator*() { return *method_; }
  Method* operator->() { return &*method_; }
  const Program& program() const { return *program_; }
  extension::PlannedArenas& arenas() { return *arenas_; }
  void unload() { method_.reset(); }

 private:
  MemoryLoader loader_;
  Result<Program> program_;
  Error error_ = Error::Ok;
  extension::MallocMemoryAllocator memory_;
  extension::MallocMemoryAllocator temporary_;
  std::unique_ptr<extension::PlannedArenas> arenas_;
  std::optional<MemoryManager> manager_;
  std::optional<Method> method_;
};

/// The elements of a tensor of floats.
inline std::vector<float> floats(const EValue& value) {
  const etensor::Tensor& tensor = value.toTensor();
  return {tensor.const_data_ptr<float>(), tensor.const_data_ptr<float>() + tensor.numel()};
}

/// A planned float tensor of one dimension.
inline Node planned(std::int32_t size, std::uint64_t offset, Shape shape = Shape::kStatic) {
  return tensor_value({.sizes = {size}, .allocation = Allocation{1, offset}, .shape = shape});
}
/// One without a place.
inline Node unplanned(std::int32_t size, Shape shape = Shape::kStatic) {
  return tensor_value({.sizes = {size}, .shape = shape});
}

}  // namespace executorch::runtime::testing
