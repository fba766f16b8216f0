#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/compiler.h>
#include <string_view>

namespace executorch::runtime {

namespace internal {
class MethodReader;
}  // namespace internal

/// What a program says of a tensor. Views the program, which has to outlive it.
class ET_API TensorInfo final {
 public:
  TensorInfo() = delete;

  /// Sizes; the upper bounds of a dynamic tensor.
  Span<const int32_t> sizes() const { return sizes_; }
  Span<const uint8_t> dim_order() const { return dim_order_; }
  etensor::ScalarType scalar_type() const { return scalar_type_; }
  /// Whether the tensor has its place in the method's memory, or is a constant.
  bool is_memory_planned() const { return is_memory_planned_; }
  /// Bytes of the data.
  size_t nbytes() const { return nbytes_; }
  /// Its fully qualified name; empty when it has none.
  std::string_view name() const { return name_; }

 private:
  friend class MethodMeta;
  friend class internal::MethodReader;

  TensorInfo(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
             etensor::ScalarType scalar_type, bool is_memory_planned, std::string_view name,
             size_t nbytes)
      : sizes_(sizes),
        dim_order_(dim_order),
        name_(name),
        nbytes_(nbytes),
        scalar_type_(scalar_type),
        is_memory_planned_(is_memory_planned) {}

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  std::string_view name_;
  size_t nbytes_;
  etensor::ScalarType scalar_type_;
  bool is_memory_planned_;
};

/// What a program says of a method, without loading it. Views the program, which has to outlive
/// it. An index out of range is InvalidArgument; the meta of a value that is no tensor,
/// InvalidArgument too.
class ET_API MethodMeta final {
 public:
  MethodMeta() = delete;

  const char* name() const;

  size_t num_inputs() const;
  Result<Tag> input_tag(size_t index) const;
  Result<TensorInfo> input_tensor_meta(size_t index) const;

  size_t num_outputs() const;
  Result<Tag> output_tag(size_t index) const;
  Result<TensorInfo> output_tensor_meta(size_t index) const;

  /// Named tensors that the method keeps: mutable buffers and external constants.
  size_t num_attributes() const;
  Result<TensorInfo> attribute_tensor_meta(size_t index) const;

  /// The arenas that a caller has to provide: how many, of how many bytes, on which device.
  size_t num_memory_planned_buffers() const;
  Result<int64_t> memory_planned_buffer_size(size_t index) const;
  Result<etensor::Device> memory_planned_buffer_device(size_t index) const;

  /// The backends that the method's delegates need, each once.
  bool uses_backend(const char* backend_name) const;
  size_t num_backends() const;
  Result<const char*> get_backend_name(size_t index) const;

  ET_EXPERIMENTAL size_t num_instructions() const;

  // Names of older releases.
  ET_DEPRECATED size_t num_non_const_buffers() const { return num_memory_planned_buffers(); }
  Result<int64_t> non_const_buffer_size(size_t index) const {
    return memory_planned_buffer_size(index);
  }

 private:
  friend class Program;
  friend class Method;
  friend class internal::MethodReader;

  explicit MethodMeta(const void* plan) : plan_(plan) {}

  // The execution plan, as the program's reader sees it.
  const void* plan_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::TensorInfo;
}  // namespace torch::executor
