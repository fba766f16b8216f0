#pragma once

// The kernels of the process, by operator name ("aten::add.out") and optionally by the types and
// dim orders of their tensors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch::runtime {

class KernelRuntimeContext;

/// A kernel as the runtime calls it: the operator's arguments in order, outputs last.
using OpFunction = void (*)(KernelRuntimeContext&, Span<EValue*>);

/// Type and dim order of a tensor argument. Views the order.
struct TensorMeta {
  etensor::ScalarType dtype_;
  Span<etensor::Tensor::DimOrderType> dim_order_;

  TensorMeta() = default;
  TensorMeta(etensor::ScalarType dtype, Span<etensor::Tensor::DimOrderType> order)
      : dtype_(dtype), dim_order_(order) {}

  bool equals(const TensorMeta& other) const {
    return dtype_ == other.dtype_ && dim_order_.size() == other.dim_order_.size() &&
           (dim_order_.empty() ||
            std::memcmp(dim_order_.data(), other.dim_order_.data(), dim_order_.size()) == 0);
  }
  bool operator==(const TensorMeta& other) const { return equals(other); }
  bool operator!=(const TensorMeta& other) const { return !equals(other); }
};

/// What the tensor arguments of a kernel have to be: "v1/<dtype>;<dim order>|...", one entry per
/// tensor argument, the type as a number and the order with commas ("v1/6;0,1|6;0,1"). Without a
/// string: anything; the kernel is the operator's fallback.
struct KernelKey {
 public:
  constexpr KernelKey() = default;
  /// The string has to outlive the registry's use, as a literal does.
  /* implicit */ constexpr KernelKey(const char* kernel_key_data) : data_(kernel_key_data) {}

  bool equals(const KernelKey& other) const {
    if (data_ == nullptr || other.data_ == nullptr) {
      return data_ == other.data_;
    }
    return std::strcmp(data_, other.data_) == 0;
  }
  bool operator==(const KernelKey& other) const { return equals(other); }
  bool operator!=(const KernelKey& other) const { return !equals(other); }
  bool is_fallback() const { return data_ == nullptr; }
  const char* data() const { return data_; }

 private:
  const char* data_ = nullptr;
};

/// A kernel with the operator that it implements. Names have to outlive the registry's use.
struct Kernel {
  const char* name_;
  KernelKey kernel_key_;
  OpFunction op_;

  constexpr Kernel() : name_(nullptr), op_(nullptr) {}
  constexpr explicit Kernel(const char* name, OpFunction func) : name_(name), op_(func) {}
  constexpr explicit Kernel(const char* name, KernelKey key, OpFunction func)
      : name_(name), kernel_key_(key), op_(func) {}
};

namespace internal {

/// Bytes of the longest key: 16 tensors of rank 16.
constexpr size_t kKernelKeyBufSize = 659;

/// Writes the key of these tensors, NUL-terminated. InvalidArgument when it doesn't fit.
ET_API Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size);

}  // namespace internal

/// Whether get_op_function_from_registry() would find a kernel.
ET_API bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list = {});

/// The kernel for these tensors: the one with their key, else the operator's fallback. Without
/// tensors only the fallback is looked for. OperatorMissing when there is none.
ET_API Result<OpFunction> get_op_function_from_registry(const char* name,
                                                        Span<const TensorMeta> meta_list = {});
/// The same, in `kernel_list` first and in the kernels of the process then.
ET_API Result<OpFunction> get_op_function_from_registry(const char* name,
                                                        Span<const TensorMeta> meta_list,
                                                        Span<const Kernel> kernel_list);

/// All kernels of the process, in the order of their registration.
ET_API Span<const Kernel> get_registered_kernels();

/// Adds kernels. One that is already there (same name and key), or more than 2000 in all, end the
/// process with a message that names both libraries.
ET_NODISCARD ET_API Error register_kernels(const Span<const Kernel> kernels);
ET_NODISCARD inline Error register_kernel(const Kernel& kernel) {
  return register_kernels(Span<const Kernel>(&kernel, size_t{1}));
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelKey;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::TensorMeta;

// Names of older releases.
inline ::executorch::runtime::Error register_kernels(ArrayRef<Kernel> kernels) {
  return ::executorch::runtime::register_kernels({kernels.data(), kernels.size()});
}
inline OpFunction getOpsFn(const char* name, ArrayRef<TensorMeta> meta_list = {}) {
  auto result = ::executorch::runtime::get_op_function_from_registry(
      name, {meta_list.data(), meta_list.size()});
  ET_CHECK_MSG(result.ok(), "no kernel for %s", name);
  return *result;
}
inline bool hasOpsFn(const char* name, ArrayRef<TensorMeta> meta_list = {}) {
  return ::executorch::runtime::registry_has_op_function(name,
                                                         {meta_list.data(), meta_list.size()});
}
inline ArrayRef<Kernel> get_kernels() {
  const auto kernels = ::executorch::runtime::get_registered_kernels();
  return {kernels.data(), kernels.size()};
}
}  // namespace torch::executor
