#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/platform/compiler.h>

// X11 defines a macro of this name.
#ifdef None
#undef None
#endif

/// The kinds of value that an EValue can hold, in the order of their numbers from 0.
#define EXECUTORCH_FORALL_TAGS(_) \
  _(None)                         \
  _(Tensor)                       \
  _(String)                       \
  _(Double)                       \
  _(Int)                          \
  _(Bool)                         \
  _(ListBool)                     \
  _(ListDouble)                   \
  _(ListInt)                      \
  _(ListTensor)                   \
  _(ListScalar)                   \
  _(ListOptionalTensor)

namespace executorch::runtime {

enum class Tag : uint32_t {
#define ET_INTERNAL_TAG(name) name,
  EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG)
#undef ET_INTERNAL_TAG
};

/// The name of the kind; "Unknown" for a number that names none.
inline const char* tag_to_string(Tag tag) {
  switch (tag) {
#define ET_INTERNAL_TAG(name) \
  case Tag::name:             \
    return #name;
    EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG)
#undef ET_INTERNAL_TAG
  }
  return "Unknown";
}

/// Writes the name into `buffer`, NUL-terminated and cut to fit. Returns the bytes that the whole
/// name needs, its NUL included.
ET_API size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size);

/// Bytes that every name fits into, its NUL included.
constexpr size_t kTagNameBufferSize = 19;

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Tag;
}  // namespace torch::executor
