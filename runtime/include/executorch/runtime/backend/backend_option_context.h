#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>

namespace executorch::runtime {

/// What a backend is given with its options; nothing so far.
class BackendOptionContext final {
 public:
  explicit BackendOptionContext() = default;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BackendOptionContext;
}  // namespace torch::executor
