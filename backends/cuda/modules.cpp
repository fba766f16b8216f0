#include "backends/cuda/modules.h"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace executorch::backends::cuda {
namespace {

using LoadData = int(void** module, const void* image);
using GetCurrent = int(void** context);

// Of the driver: CUDA_ERROR_NOT_INITIALIZED and CUDA_ERROR_OUT_OF_MEMORY.
constexpr int kNotInitialized = 3;
constexpr int kOutOfMemory = 2;

std::atomic<LoadData*> driver_load{nullptr};
std::atomic<GetCurrent*> driver_context{nullptr};

struct Modules {
  std::mutex mutex;
  std::map<std::pair<void*, const void*>, void*> loaded;
};

// Never destroyed: libraries may load code until the process ends.
Modules& modules() {
  static auto* const all = new Modules();
  return *all;
}

}  // namespace

void use_driver(void* real, void* current_context) {
  driver_load.store(reinterpret_cast<LoadData*>(real));
  driver_context.store(reinterpret_cast<GetCurrent*>(current_context));
}

int load_module_once(void** module, const void* image) {
  LoadData* const load = driver_load.load();
  if (load == nullptr) return kNotInitialized;
  void* context = nullptr;
  if (GetCurrent* const current = driver_context.load(); current != nullptr) {
    if (const int result = current(&context); result != 0) return result;
  }
  try {
    Modules& all = modules();
    // Held while it is loaded: two threads that want the same code load it once.
    const std::lock_guard lock(all.mutex);
    const auto key = std::pair(context, image);
    if (const auto found = all.loaded.find(key); found != all.loaded.end()) {
      *module = found->second;
      return 0;
    }
    const int result = load(module, image);
    if (result == 0) all.loaded.emplace(key, *module);
    return result;
  } catch (...) {
    // The caller is compiled code that takes numbers alone.
    return kOutOfMemory;
  }
}

}  // namespace executorch::backends::cuda
