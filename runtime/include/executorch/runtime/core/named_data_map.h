#pragma once

#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>
#include <string_view>

namespace executorch::runtime {

/// Data found by name: weights and blobs of a program or of a data file. Implementations must
/// allow calls from several threads at once.
class ET_API NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;

  /// The layout of the tensor of that name. NotFound without such a tensor.
  ET_NODISCARD virtual Result<const TensorLayout> get_tensor_layout(std::string_view key) const = 0;
  /// The bytes of that name. NotFound without such a name.
  ET_NODISCARD virtual Result<FreeableBuffer> get_data(std::string_view key) const = 0;
  /// The tensor of that name copied into `buffer` of `size` bytes, which must be its size.
  ET_NODISCARD virtual Error load_data_into(std::string_view key, void* buffer,
                                            size_t size) const = 0;
  ET_NODISCARD virtual Result<uint32_t> get_num_keys() const = 0;
  /// The name at `index`, in no particular order. InvalidArgument when there is none.
  ET_NODISCARD virtual Result<const char*> get_key(uint32_t index) const = 0;
};

}  // namespace executorch::runtime
