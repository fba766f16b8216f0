// A method of a Module with the memory that belongs to it.

#pragma once

#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <memory>
#include <optional>
#include <vector>

namespace executorch::extension::internal {

class LoadedMethod {
 public:
  // In the order in which they depend on each other. Arenas and memory are null when the caller's
  // are used.
  std::unique_ptr<PlannedArenas> arenas;
  std::unique_ptr<runtime::MemoryAllocator> memory;
  std::vector<runtime::Kernel> kernels;
  std::optional<runtime::MemoryManager> manager;
  std::optional<runtime::Method> method;
};

}  // namespace executorch::extension::internal
