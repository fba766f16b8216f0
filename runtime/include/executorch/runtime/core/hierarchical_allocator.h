#pragma once

#include <cinttypes>
#include <cstdint>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch::runtime {

/// The arenas of a method: numbered buffers, on any device, in which the program's memory plan
/// places tensors. It only computes addresses; someone else owns the buffers.
class HierarchicalAllocator final {
 public:
  /// Buffers on the CPU. The list of buffers has to outlive the allocator.
  explicit HierarchicalAllocator(Span<Span<uint8_t>> buffers) : buffers_(buffers) {}

  /// `planned_buffer_devices` names the device of each buffer.
  HierarchicalAllocator(Span<Span<uint8_t>> buffers,
                        Span<const etensor::Device> planned_buffer_devices)
      : buffers_(buffers), devices_(planned_buffer_devices) {
    ET_CHECK_MSG(planned_buffer_devices.size() == buffers.size(), "%zu devices for %zu buffers",
                 planned_buffer_devices.size(), buffers.size());
  }

  /// Of older releases: the buffers of `n_allocators` allocators, at most 16.
  ET_DEPRECATED HierarchicalAllocator(uint32_t n_allocators, MemoryAllocator* allocators)
      : buffers_(owned_, n_allocators) {
    ET_CHECK_MSG(n_allocators <= kMaxOwned, "%" PRIu32 " allocators, at most %zu", n_allocators,
                 kMaxOwned);
    for (uint32_t i = 0; i < n_allocators; ++i) {
      owned_[i] = Span<uint8_t>(allocators[i].base_address(), size_t{allocators[i].size()});
    }
  }

  HierarchicalAllocator(const HierarchicalAllocator& other)
      : buffers_(other.buffers_), devices_(other.devices_) {
    if (other.buffers_.data() == other.owned_) {
      for (size_t i = 0; i < kMaxOwned; ++i) {
        owned_[i] = other.owned_[i];
      }
      buffers_ = Span<Span<uint8_t>>(owned_, other.buffers_.size());
    }
  }
  HierarchicalAllocator& operator=(const HierarchicalAllocator&) = delete;

  /// The address of `size_bytes` bytes at `offset_bytes` in buffer `memory_id` (from 0).
  /// InvalidArgument without such a buffer, MemoryAllocationFailed when they don't fit.
  ET_NODISCARD Result<void*> get_offset_address(uint32_t memory_id, size_t offset_bytes,
                                                size_t size_bytes) {
    ET_CHECK_OR_RETURN_ERROR(memory_id < buffers_.size(), InvalidArgument,
                             "memory id %" PRIu32 " of %zu", memory_id, buffers_.size());
    const Span<uint8_t> buffer = buffers_[memory_id];
    ET_CHECK_OR_RETURN_ERROR(
        offset_bytes <= buffer.size() && size_bytes <= buffer.size() - offset_bytes,
        MemoryAllocationFailed, "%zu bytes at offset %zu in memory %" PRIu32 " of %zu bytes",
        size_bytes, offset_bytes, memory_id, buffer.size());
    return static_cast<void*>(buffer.data() + offset_bytes);
  }

  /// The device of each buffer; empty when all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const { return devices_; }

 private:
  static constexpr size_t kMaxOwned = 16;

  Span<uint8_t> owned_[kMaxOwned];
  Span<Span<uint8_t>> buffers_;
  Span<const etensor::Device> devices_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::HierarchicalAllocator;
}  // namespace torch::executor
