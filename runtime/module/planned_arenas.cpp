#include <algorithm>
#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/runtime/platform/log.h>
#include <new>

namespace executorch::extension {

using aten::Device;
using runtime::Error;
using runtime::MethodMeta;
using runtime::Result;
using runtime::Span;

namespace {

constexpr size_t kAlignment = 64;

struct Wanted {
  size_t size;
  Device device;
};

Result<Wanted> wanted(const MethodMeta& method, size_t index) {
  ET_ASSIGN_OR_RETURN(size, method.memory_planned_buffer_size(index));
  ET_ASSIGN_OR_RETURN(device, method.memory_planned_buffer_device(index));
  return Wanted{static_cast<size_t>(size), device};
}

}  // namespace

Result<std::unique_ptr<PlannedArenas>> PlannedArenas::create(const MethodMeta& method,
                                                             Span<const Span<uint8_t>> shared) {
  std::unique_ptr<PlannedArenas> arenas(new (std::nothrow) PlannedArenas());
  if (arenas == nullptr) return Error::MemoryAllocationFailed;
  for (size_t i = 0; i < method.num_memory_planned_buffers(); ++i) {
    ET_ASSIGN_OR_RETURN(buffer, wanted(method, i));
    if (i < shared.size() && shared[i].data() != nullptr) {
      ET_CHECK_OR_RETURN_ERROR(buffer.device.is_cpu(), NotSupported,
                               "Buffer %zu of method '%s' is on a device and can't be shared.", i,
                               method.name());
      ET_CHECK_OR_RETURN_ERROR(shared[i].size() >= buffer.size, InvalidArgument,
                               "Buffer %zu of method '%s' has %zu bytes, the shared one %zu.", i,
                               method.name(), buffer.size, shared[i].size());
      arenas->buffers_.push_back(shared[i]);
      arenas->devices_.push_back(buffer.device);
      continue;
    }
    ET_CHECK_OK_OR_RETURN_ERROR(arenas->add(buffer.size, buffer.device),
                                "Buffer %zu of method '%s', %zu bytes, can't be had.", i,
                                method.name(), buffer.size);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(arenas->finish());
  return arenas;
}

Result<std::unique_ptr<PlannedArenas>> PlannedArenas::create_common(Span<const MethodMeta> methods,
                                                                    size_t limit) {
  std::vector<Wanted> all;
  for (const MethodMeta& method : methods) {
    const size_t count = std::min(limit, method.num_memory_planned_buffers());
    for (size_t i = 0; i < count; ++i) {
      ET_ASSIGN_OR_RETURN(buffer, wanted(method, i));
      if (i == all.size()) {
        all.push_back(buffer);
        continue;
      }
      ET_CHECK_OR_RETURN_ERROR(all[i].device == buffer.device, InvalidArgument,
                               "Method '%s' wants buffer %zu on another device than the rest.",
                               method.name(), i);
      all[i].size = std::max(all[i].size, buffer.size);
    }
  }
  std::unique_ptr<PlannedArenas> arenas(new (std::nothrow) PlannedArenas());
  if (arenas == nullptr) return Error::MemoryAllocationFailed;
  for (const Wanted& buffer : all) {
    ET_CHECK_OK_OR_RETURN_ERROR(arenas->add(buffer.size, buffer.device));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(arenas->finish());
  return arenas;
}

Error PlannedArenas::add(size_t size, Device device) {
  devices_.push_back(device);
  if (!device.is_cpu()) {
    has_device_memory_ = true;
    if (size == 0) {
      buffers_.emplace_back();
      return Error::Ok;
    }
    auto buffer = runtime::DeviceMemoryBuffer::create(size, device.type(), device.index());
    ET_CHECK_OK_OR_RETURN_ERROR(buffer.error());
    buffers_.push_back(buffer->as_span());
    device_.push_back(std::move(*buffer));
    return Error::Ok;
  }
  // calloc() gives pages that aren't there before they are touched.
  std::unique_ptr<uint8_t, Free> memory;
  size_t bytes = 0;
  if (!__builtin_add_overflow(size, kAlignment, &bytes)) {
    memory.reset(static_cast<uint8_t*>(std::calloc(bytes, 1)));
  }
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                           "There is no memory for a buffer of %zu bytes.", size);
  const auto address = reinterpret_cast<uintptr_t>(memory.get());
  buffers_.emplace_back(memory.get() + (-address & (kAlignment - 1)), size);
  host_.push_back(std::move(memory));
  return Error::Ok;
}

Error PlannedArenas::finish() {
  const Span<Span<uint8_t>> buffers(buffers_.data(), buffers_.size());
  allocator_.reset(has_device_memory_
                       ? new (std::nothrow) runtime::HierarchicalAllocator(
                             buffers, Span<const Device>(devices_.data(), devices_.size()))
                       : new (std::nothrow) runtime::HierarchicalAllocator(buffers));
  return allocator_ == nullptr ? Error::MemoryAllocationFailed : Error::Ok;
}

}  // namespace executorch::extension
