#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <utility>

namespace executorch::runtime {

/// Memory of a device, given back when the buffer ends. Move-only.
class DeviceMemoryBuffer final {
 public:
  /// `size` bytes on a device. NotFound when no allocator is registered for its kind.
  ET_API static Result<DeviceMemoryBuffer> create(
      size_t size, etensor::DeviceType type, etensor::DeviceIndex index = 0,
      size_t alignment = DeviceAllocator::kDefaultAlignment);

  DeviceMemoryBuffer() = default;
  ~DeviceMemoryBuffer() { release(); }
  DeviceMemoryBuffer(DeviceMemoryBuffer&& other) noexcept { swap(other); }
  DeviceMemoryBuffer& operator=(DeviceMemoryBuffer&& other) noexcept {
    if (this != &other) {
      release();
      swap(other);
    }
    return *this;
  }
  DeviceMemoryBuffer(const DeviceMemoryBuffer&) = delete;
  DeviceMemoryBuffer& operator=(const DeviceMemoryBuffer&) = delete;

  /// An address on the device.
  void* data() const { return data_; }
  size_t size() const { return size_; }
  Span<uint8_t> as_span() const { return {static_cast<uint8_t*>(data_), size_}; }

 private:
  DeviceMemoryBuffer(void* data, size_t size, DeviceAllocator* allocator,
                     etensor::DeviceIndex index)
      : data_(data), size_(size), allocator_(allocator), index_(index) {}

  void swap(DeviceMemoryBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(allocator_, other.allocator_);
    std::swap(index_, other.index_);
  }
  void release() {
    if (data_ != nullptr && allocator_ != nullptr) {
      allocator_->deallocate(data_, index_);
    }
    data_ = nullptr;
    size_ = 0;
    allocator_ = nullptr;
  }

  void* data_ = nullptr;
  size_t size_ = 0;
  DeviceAllocator* allocator_ = nullptr;
  etensor::DeviceIndex index_ = 0;
};

}  // namespace executorch::runtime
