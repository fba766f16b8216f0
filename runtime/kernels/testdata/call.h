#pragma once

// Builds the values of one operator call, and runs it.

#include <deque>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <memory>
#include <optional>

#include "runtime/kernels/testdata/case_file.h"

namespace executorch::kernels::testing {

/// Temporary memory from the heap, each piece apart, so that sanitizers see its ends.
class HeapAllocator : public runtime::MemoryAllocator {
 public:
  HeapAllocator() : runtime::MemoryAllocator(0, nullptr) {}
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;

 private:
  std::vector<std::unique_ptr<uint8_t[]>> pieces_;
};

/// A tensor with its own memory, with guard bytes behind it.
class HeldTensor {
 public:
  enum class Fill { kData, kGarbage };
  HeldTensor(const TensorData& data, Fill fill, aten::TensorShapeDynamism dynamism,
             int32_t larger_by = 0);
  aten::Tensor tensor() { return aten::Tensor(impl_.get()); }
  bool guards_intact() const;

 private:
  static constexpr size_t kGuard = 64;
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::vector<uint8_t> memory_;
  std::unique_ptr<aten::TensorImpl> impl_;
};

/// One call. `larger_by`: the outputs' sizes are that much larger than what is expected, and the
/// kernel has to resize them.
class Call {
 public:
  Call(const CaseFile& file, const std::string& op, const Case& one, int32_t larger_by);
  /// Runs the operator's kernel from the registry.
  runtime::Error run();
  /// The outputs, in order; a list of outputs counts as its tensors.
  std::vector<aten::Tensor> outputs();
  bool guards_intact() const;

 private:
  runtime::EValue* add(const std::string& token);
  aten::Tensor hold(const std::string& index, HeldTensor::Fill fill,
                    aten::TensorShapeDynamism dynamism, int32_t larger_by);
  runtime::EValue* tensor_list(const std::vector<aten::Tensor>& tensors);

  const CaseFile& file_;
  std::string op_;
  std::deque<HeldTensor> tensors_;
  std::deque<std::vector<runtime::EValue*>> wrapped_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> doubles_;
  std::deque<std::string> texts_;
  std::deque<aten::ArrayRef<char>> text_refs_;
  std::deque<aten::ArrayRef<double>> double_refs_;
  std::deque<runtime::BoxedEvalueList<int64_t>> int_lists_;
  std::deque<std::vector<aten::Tensor>> unwrapped_;
  std::deque<runtime::BoxedEvalueList<aten::Tensor>> lists_;
  std::deque<std::vector<std::optional<aten::Tensor>>> unwrapped_optional_;
  std::deque<runtime::BoxedEvalueList<std::optional<aten::Tensor>>> optional_lists_;
  std::deque<runtime::EValue> values_;  // destroyed before the lists that they point to
  std::vector<runtime::EValue*> arguments_;
  std::vector<aten::Tensor> outputs_;
  HeapAllocator temp_;
};

}  // namespace executorch::kernels::testing
