// Memory that inputs and outputs own.

#pragma once

#include <cstddef>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <memory>

namespace executorch::python {

/// `size` bytes on the CPU, aligned to 64 and not initialised. Throws std::bad_alloc.
std::shared_ptr<void> host_memory(std::size_t size);

/// `size` bytes on a device, from the runtime's allocator for it; null for none. Throws
/// std::runtime_error in the runtime's words.
std::shared_ptr<void> device_memory(std::size_t size, aten::Device device);

/// A copy of `size` bytes that lie on `device`, on the same device. From device to device it goes
/// through the CPU, which also waits for the work that makes the bytes. Throws std::runtime_error.
std::shared_ptr<void> copy_of(const void* data, std::size_t size, aten::Device device);

}  // namespace executorch::python
