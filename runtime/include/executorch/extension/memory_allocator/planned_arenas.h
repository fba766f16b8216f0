#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/platform/compiler.h>
#include <memory>
#include <vector>

namespace executorch::extension {

/// The planned memory of a method: every buffer where the program wants it, on the CPU or on a
/// device whose allocator is registered. Buffers on the CPU are zero at first and aligned to 64
/// bytes. Has to outlive the methods that are loaded with it.
class ET_API PlannedArenas final {
 public:
  /// The buffers of one method. Of `shared`, buffer i takes the place of the method's own when it
  /// is not null; it has to be large enough. NotFound when no allocator is registered for a device
  /// that the program names, NotSupported for a shared buffer that belongs on a device.
  static runtime::Result<std::unique_ptr<PlannedArenas>> create(
      const runtime::MethodMeta& method, runtime::Span<const runtime::Span<uint8_t>> shared = {});

  /// Buffers that several methods can use in turn: each as large as the largest of its index, up
  /// to `limit` of them. InvalidArgument when two methods want one of them on different devices.
  static runtime::Result<std::unique_ptr<PlannedArenas>> create_common(
      runtime::Span<const runtime::MethodMeta> methods, size_t limit = SIZE_MAX);

  PlannedArenas(const PlannedArenas&) = delete;
  PlannedArenas& operator=(const PlannedArenas&) = delete;

  /// For a MemoryManager.
  runtime::HierarchicalAllocator* allocator() { return allocator_.get(); }
  /// Address and size of each buffer.
  runtime::Span<const runtime::Span<uint8_t>> buffers() const {
    return {buffers_.data(), buffers_.size()};
  }
  bool has_device_memory() const { return has_device_memory_; }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };

  PlannedArenas() = default;
  runtime::Error add(size_t size, aten::Device device);
  runtime::Error finish();

  std::vector<std::unique_ptr<uint8_t, Free>> host_;
  std::vector<runtime::DeviceMemoryBuffer> device_;
  std::vector<runtime::Span<uint8_t>> buffers_;
  std::vector<aten::Device> devices_;
  std::unique_ptr<runtime::HierarchicalAllocator> allocator_;
  bool has_device_memory_ = false;
};

}  // namespace executorch::extension
