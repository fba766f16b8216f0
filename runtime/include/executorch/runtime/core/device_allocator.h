#pragma once

#include <cstddef>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>

namespace executorch::runtime {

/// Memory of a kind of device, and the way there and back. One per kind, for the life of the
/// process; calls may come from several threads at once.
class ET_API DeviceAllocator {
 public:
  static constexpr size_t kDefaultAlignment = MemoryAllocator::kDefaultAlignment;

  virtual ~DeviceAllocator() = default;

  /// `nbytes` bytes on device `index` at a multiple of `alignment`.
  virtual Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index,
                                 size_t alignment = kDefaultAlignment) = 0;
  /// Gives memory of allocate() back.
  virtual void deallocate(void* ptr, etensor::DeviceIndex index) = 0;
  /// Copies from the CPU to device `index`; the data is there when it returns Ok.
  virtual Error copy_host_to_device(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;
  /// Copies from device `index` to the CPU; the data is there when it returns Ok.
  virtual Error copy_device_to_host(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;
  virtual etensor::DeviceType device_type() const = 0;
};

/// The allocators of the process, one per kind of device.
class ET_API DeviceAllocatorRegistry {
 public:
  static DeviceAllocatorRegistry& instance();

  /// Adds an allocator. A second one of its kind ends the process.
  void register_allocator(DeviceAllocator* alloc);
  /// The allocator of that kind, or null.
  DeviceAllocator* get_allocator(etensor::DeviceType type);

  DeviceAllocatorRegistry(const DeviceAllocatorRegistry&) = delete;
  DeviceAllocatorRegistry& operator=(const DeviceAllocatorRegistry&) = delete;

 private:
  DeviceAllocatorRegistry() = default;
};

/// DeviceAllocatorRegistry::register_allocator of the process.
ET_API void register_device_allocator(DeviceAllocator* alloc);
/// DeviceAllocatorRegistry::get_allocator of the process.
ET_API DeviceAllocator* get_device_allocator(etensor::DeviceType type);

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::DeviceAllocator;
using ::executorch::runtime::DeviceAllocatorRegistry;
using ::executorch::runtime::get_device_allocator;
using ::executorch::runtime::register_device_allocator;
}  // namespace torch::executor
