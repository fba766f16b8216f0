#include <algorithm>
#include <cstring>
#include <executorch/runtime/core/tag.h>

namespace executorch::runtime {

size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size) {
  const char* const name = tag_to_string(tag);
  const size_t needed = std::strlen(name) + 1;
  static_assert(sizeof("ListOptionalTensor") <= kTagNameBufferSize);
  if (buffer != nullptr && buffer_size > 0) {
    const size_t length = std::min(needed, buffer_size) - 1;
    std::memcpy(buffer, name, length);
    buffer[length] = '\0';
  }
  return needed;
}

}  // namespace executorch::runtime
