#include "runtime/kernels/testdata/call.h"

#include <cstdlib>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/kernel/operator_registry.h>

namespace executorch::kernels::testing {

using aten::Tensor;
using aten::TensorShapeDynamism;
using runtime::EValue;

void* HeapAllocator::allocate(size_t size, size_t alignment) {
  auto piece = std::make_unique<uint8_t[]>(size + alignment);
  const auto address = reinterpret_cast<uintptr_t>(piece.get());
  const uintptr_t aligned = (address + alignment - 1) / alignment * alignment;
  pieces_.push_back(std::move(piece));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void*>(aligned);
}

HeldTensor::HeldTensor(const TensorData& data, Fill fill, TensorShapeDynamism dynamism,
                       int32_t larger_by)
    : sizes_(data.sizes), order_(data.order), strides_(data.sizes.size()) {
  size_t count = 1;
  for (int32_t& size : sizes_) {
    size += larger_by;
    count *= static_cast<size_t>(size);
  }
  int32_t stride = 1;
  for (size_t i = order_.size(); i-- > 0;) {
    strides_[order_[i]] = stride;
    stride *= sizes_[order_[i]] > 0 ? sizes_[order_[i]] : 1;
  }
  const size_t bytes = count * runtime::elementSize(data.type);
  memory_.assign(bytes + kGuard, 0xa5);
  if (fill == Fill::kData) std::copy(data.bytes.begin(), data.bytes.end(), memory_.begin());
  impl_ = std::make_unique<aten::TensorImpl>(data.type, static_cast<ssize_t>(sizes_.size()),
                                             sizes_.data(), memory_.data(), order_.data(),
                                             strides_.data(), dynamism);
}

bool HeldTensor::guards_intact() const {
  for (size_t i = memory_.size() - kGuard; i < memory_.size(); ++i) {
    if (memory_[i] != 0xa5) return false;
  }
  return true;
}

Tensor Call::hold(const std::string& index, HeldTensor::Fill fill, TensorShapeDynamism dynamism,
                  int32_t larger_by) {
  const size_t number = std::stoul(index);
  return tensors_.emplace_back(file_.tensors.at(number), fill, dynamism, larger_by).tensor();
}

EValue* Call::tensor_list(const std::vector<Tensor>& tensors) {
  auto& wrapped = wrapped_.emplace_back();
  for (const Tensor& tensor : tensors) wrapped.push_back(&values_.emplace_back(tensor));
  // Room for at least one, so that the pointers are not null.
  auto& unwrapped = unwrapped_.emplace_back(tensors);
  wrapped.reserve(1);
  unwrapped.reserve(1);
  auto& list =
      lists_.emplace_back(wrapped.data(), unwrapped.data(), static_cast<int>(tensors.size()));
  return &values_.emplace_back(&list);
}

EValue* Call::add(const std::string& token) {
  const std::string rest = token.substr(1);
  switch (token[0]) {
    case 't':
      return &values_.emplace_back(
          hold(rest, HeldTensor::Fill::kData, TensorShapeDynamism::STATIC, 0));
    case 'i':
      return &values_.emplace_back(static_cast<int64_t>(std::stoll(rest)));
    case 'd':
      return &values_.emplace_back(std::strtod(rest.c_str(), nullptr));
    case 'b':
      return &values_.emplace_back(rest == "1");
    case 'n':
      return &values_.emplace_back();
    case 's': {
      const std::string& text = texts_.emplace_back(rest);
      return &values_.emplace_back(&text_refs_.emplace_back(text.data(), text.size()));
    }
    case 'I': {
      auto& wrapped = wrapped_.emplace_back();
      auto& ints = ints_.emplace_back();
      for (const std::string& part : split(rest, ',')) {
        wrapped.push_back(&values_.emplace_back(static_cast<int64_t>(std::stoll(part))));
        ints.push_back(0);
      }
      wrapped.reserve(1);
      ints.reserve(1);
      return &values_.emplace_back(
          &int_lists_.emplace_back(wrapped.data(), ints.data(), static_cast<int>(wrapped.size())));
    }
    case 'D': {
      auto& doubles = doubles_.emplace_back();
      for (const std::string& part : split(rest, ',')) {
        doubles.push_back(std::strtod(part.c_str(), nullptr));
      }
      return &values_.emplace_back(&double_refs_.emplace_back(doubles.data(), doubles.size()));
    }
    case 'T': {
      std::vector<Tensor> tensors;
      for (const std::string& part : split(rest, ',')) {
        tensors.push_back(hold(part, HeldTensor::Fill::kData, TensorShapeDynamism::STATIC, 0));
      }
      return tensor_list(tensors);
    }
    case 'O': {
      auto& wrapped = wrapped_.emplace_back();
      auto& unwrapped = unwrapped_optional_.emplace_back();
      for (const std::string& part : split(rest, ',')) {
        if (part == "-") {
          wrapped.push_back(nullptr);
        } else {
          wrapped.push_back(&values_.emplace_back(
              hold(part, HeldTensor::Fill::kData, TensorShapeDynamism::STATIC, 0)));
        }
        unwrapped.emplace_back();
      }
      return &values_.emplace_back(&optional_lists_.emplace_back(wrapped.data(), unwrapped.data(),
                                                                 static_cast<int>(wrapped.size())));
    }
    default:
      std::abort();
  }
}

Call::Call(const CaseFile& file, const std::string& op, const Case& one, int32_t larger_by)
    : file_(file), op_(op) {
  for (const std::string& token : one.arguments) arguments_.push_back(add(token));
  if (op.back() == '_') {
    // In place: the first argument is the output, and stands once more behind the arguments.
    outputs_.push_back(arguments_[0]->toTensor());
    arguments_.push_back(arguments_[0]);
    return;
  }
  const auto dynamism =
      larger_by > 0 ? TensorShapeDynamism::DYNAMIC_BOUND : TensorShapeDynamism::STATIC;
  EValue* last = nullptr;
  for (const std::string& token : one.expected) {
    std::vector<Tensor> list;
    for (const std::string& part : split(token.substr(1), ',')) {
      list.push_back(hold(part, HeldTensor::Fill::kGarbage, dynamism, larger_by));
      outputs_.push_back(list.back());
    }
    last = token[0] == 'T' ? tensor_list(list) : &values_.emplace_back(list[0]);
    arguments_.push_back(last);
  }
  arguments_.push_back(one.expected.size() == 1 ? last : tensor_list(outputs_));
}

runtime::Error Call::run() {
  const auto function = runtime::get_op_function_from_registry(op_.c_str());
  if (!function.ok()) return function.error();
  runtime::KernelRuntimeContext context(nullptr, &temp_);
  (*function)(context, runtime::Span<EValue*>(arguments_.data(), arguments_.size()));
  return context.failure_state();
}

std::vector<Tensor> Call::outputs() { return outputs_; }

bool Call::guards_intact() const {
  for (const HeldTensor& tensor : tensors_) {
    if (!tensor.guards_intact()) return false;
  }
  return true;
}

}  // namespace executorch::kernels::testing
