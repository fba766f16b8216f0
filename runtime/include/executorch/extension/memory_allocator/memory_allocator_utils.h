#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch::extension::utils {

/// Bytes to ask malloc() for so that `size` bytes at `alignment` fit. InvalidArgument when there
/// is no such number.
inline runtime::Result<size_t> get_aligned_size(size_t size, size_t alignment) {
  if (alignment > alignof(std::max_align_t) && __builtin_add_overflow(size, alignment - 1, &size)) {
    ET_LOG(Error, "No memory holds that many bytes at alignment %zu.", alignment);
    return runtime::Error::InvalidArgument;
  }
  return size;
}

}  // namespace executorch::extension::utils
