#pragma once

#include <cstddef>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch::runtime {

/// What a delegate is given for one execution.
class BackendExecutionContext final {
 public:
  explicit BackendExecutionContext(EventTracer* event_tracer = nullptr,
                                   MemoryAllocator* temp_allocator = nullptr,
                                   const char* method_name = nullptr)
      : event_tracer_(event_tracer), temp_allocator_(temp_allocator), method_name_(method_name) {}

  /// May be null.
  EventTracer* event_tracer() { return event_tracer_; }
  /// Memory that is taken back after the execution; null when there is none.
  void* allocate(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    return temp_allocator_ == nullptr ? nullptr : temp_allocator_->allocate(size, alignment);
  }
  /// May be null.
  MemoryAllocator* get_temp_allocator() { return temp_allocator_; }
  /// The method that is executed; may be null.
  const char* get_method_name() const { return method_name_; }

 private:
  EventTracer* event_tracer_;
  MemoryAllocator* temp_allocator_;
  const char* method_name_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BackendExecutionContext;
}  // namespace torch::executor
