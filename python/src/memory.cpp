#include "python/src/memory.h"

#include <cstdlib>
#include <cstring>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <new>
#include <utility>

#include "python/src/failure.h"

namespace executorch::python {

namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

std::shared_ptr<void> host_memory(std::size_t size) {
  if (size > SIZE_MAX - kAlignment) throw std::bad_alloc();
  // aligned_alloc() wants a multiple of the alignment.
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  void* const memory = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, std::free};
}

std::shared_ptr<void> device_memory(std::size_t size, aten::Device device) {
  if (size == 0) return nullptr;
  LogScope log;
  auto buffer = std::make_shared<runtime::DeviceMemoryBuffer>(
      log.take(runtime::DeviceMemoryBuffer::create(size, device.type(), device.index()),
               "Failed to allocate " + std::to_string(size) + " bytes on the device"));
  void* const data = buffer->data();
  return {std::move(buffer), data};
}

std::shared_ptr<void> copy_of(const void* data, std::size_t size, aten::Device device) {
  if (size == 0) return nullptr;
  std::shared_ptr<void> on_host = host_memory(size);
  if (device.is_cpu()) {
    std::memcpy(on_host.get(), data, size);
    return on_host;
  }
  std::shared_ptr<void> on_device = device_memory(size, device);
  // It is there: memory was allocated by it.
  runtime::DeviceAllocator* const allocator = runtime::get_device_allocator(device.type());
  LogScope log;
  log.check(allocator->copy_device_to_host(on_host.get(), data, size, device.index()),
            "Failed to copy an output from its device");
  log.check(allocator->copy_host_to_device(on_device.get(), on_host.get(), size, device.index()),
            "Failed to copy an output on its device");
  return on_device;
}

}  // namespace executorch::python
