#include <atomic>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>

namespace executorch::runtime {
namespace {

// Constant-initialised: libraries register from their static initialisers.
std::atomic<DeviceAllocator*> allocators[etensor::kNumDeviceTypes];

}  // namespace

DeviceAllocatorRegistry& DeviceAllocatorRegistry::instance() {
  static DeviceAllocatorRegistry registry;
  return registry;
}

void DeviceAllocatorRegistry::register_allocator(DeviceAllocator* alloc) {
  ET_CHECK_MSG(alloc != nullptr, "%s", "a null device allocator");
  const int type = static_cast<int>(alloc->device_type());
  ET_CHECK_MSG(type >= 0 && static_cast<size_t>(type) < etensor::kNumDeviceTypes,
               "a device allocator for device type %d", type);
  DeviceAllocator* none = nullptr;
  ET_CHECK_MSG(allocators[type].compare_exchange_strong(none, alloc),
               "device type %d already has an allocator", type);
}

DeviceAllocator* DeviceAllocatorRegistry::get_allocator(etensor::DeviceType type) {
  const int number = static_cast<int>(type);
  if (number < 0 || static_cast<size_t>(number) >= etensor::kNumDeviceTypes) {
    return nullptr;
  }
  return allocators[number].load();
}

void register_device_allocator(DeviceAllocator* alloc) {
  DeviceAllocatorRegistry::instance().register_allocator(alloc);
}

DeviceAllocator* get_device_allocator(etensor::DeviceType type) {
  return DeviceAllocatorRegistry::instance().get_allocator(type);
}

Result<DeviceMemoryBuffer> DeviceMemoryBuffer::create(size_t size, etensor::DeviceType type,
                                                      etensor::DeviceIndex index,
                                                      size_t alignment) {
  DeviceAllocator* const allocator = get_device_allocator(type);
  if (allocator == nullptr) {
    ET_LOG(Error,
           "No allocator is registered for device type %d. Link the library of its backend "
           "(for CUDA: executorch::backend_cuda).",
           static_cast<int>(type));
    return Error::NotFound;
  }
  Result<void*> data = allocator->allocate(size, index, alignment);
  if (!data.ok()) {
    return data.error();
  }
  return DeviceMemoryBuffer(*data, size, allocator, index);
}

}  // namespace executorch::runtime
