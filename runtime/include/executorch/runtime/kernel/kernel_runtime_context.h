#pragma once

#include <cstddef>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

/// What a kernel is given for one call: a way to fail, and memory for the time of the call.
class KernelRuntimeContext {
 public:
  explicit KernelRuntimeContext(EventTracer* event_tracer = nullptr,
                                MemoryAllocator* temp_allocator = nullptr)
      : event_tracer_(event_tracer), temp_allocator_(temp_allocator) {}

  /// Says that the call failed; the method's execution ends with this error.
  void fail(Error error) { failure_state_ = error; }
  /// The error, or Ok.
  ET_NODISCARD Error failure_state() const { return failure_state_; }

  /// For the runtime's own use; may be null.
  EventTracer* internal_event_tracer() { return event_tracer_; }

  /// `size` bytes that are taken back after the call. NotFound when the method has no temporary
  /// memory, MemoryAllocationFailed when there is not enough.
  Result<void*> allocate_temp(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    ET_CHECK_OR_RETURN_ERROR(temp_allocator_ != nullptr, NotFound, "%s",
                             "The method has no temporary memory.");
    void* const memory = temp_allocator_->allocate(size, alignment);
    ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                             "No %zu bytes of temporary memory are left.", size);
    return memory;
  }

 private:
  EventTracer* event_tracer_;
  MemoryAllocator* temp_allocator_;
  Error failure_state_ = Error::Ok;
};

}  // namespace executorch::runtime

namespace executorch::aten {
using RuntimeContext = runtime::KernelRuntimeContext;
}  // namespace executorch::aten

namespace exec_aten = ::executorch::aten;

namespace torch::executor {
using ::executorch::runtime::KernelRuntimeContext;
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace torch::executor
