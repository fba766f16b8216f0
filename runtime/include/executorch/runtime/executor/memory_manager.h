#pragma once

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/span.h>

namespace executorch::runtime {

/// The memory of a method. Owns nothing; all allocators have to outlive the method.
class MemoryManager final {
 public:
  /// `method_allocator` holds what the method needs as long as it lives, `planned_memory` are its
  /// arenas, and `temp_allocator` serves kernels and delegates and is reset after each of them.
  /// Without the last the platform's memory is used.
  explicit MemoryManager(MemoryAllocator* method_allocator,
                         HierarchicalAllocator* planned_memory = nullptr,
                         MemoryAllocator* temp_allocator = nullptr)
      : method_allocator_(method_allocator),
        planned_memory_(planned_memory),
        temp_allocator_(temp_allocator) {
    ET_CHECK_MSG(method_allocator != temp_allocator, "%s",
                 "one allocator can't be both: the temporary one is reset");
  }

  /// Of older releases; the first allocator isn't used.
  ET_DEPRECATED MemoryManager(MemoryAllocator* constant_allocator,
                              HierarchicalAllocator* non_constant_allocator,
                              MemoryAllocator* runtime_allocator,
                              MemoryAllocator* temporary_allocator)
      : MemoryManager(runtime_allocator, non_constant_allocator, temporary_allocator) {
    (void)constant_allocator;
  }

  MemoryAllocator* method_allocator() const { return method_allocator_; }
  /// May be null: the method then has no arenas.
  HierarchicalAllocator* planned_memory() const { return planned_memory_; }
  /// May be null.
  MemoryAllocator* temp_allocator() const { return temp_allocator_; }
  /// The device of each arena; empty when all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const {
    return planned_memory_ == nullptr ? Span<const etensor::Device>()
                                      : planned_memory_->planned_buffer_devices();
  }
  bool has_device_memory() const { return !planned_buffer_devices().empty(); }

 private:
  MemoryAllocator* method_allocator_;
  HierarchicalAllocator* planned_memory_;
  MemoryAllocator* temp_allocator_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::MemoryManager;
}  // namespace torch::executor
