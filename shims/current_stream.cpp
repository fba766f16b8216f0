#include "shims/current_stream.h"

#include <array>
#include <atomic>
#include <mutex>
#include <string>

namespace shims {
namespace {

// More devices than any machine has; one cache line or so per thread.
constexpr int32_t kMaxDevices = 64;

thread_local std::array<StreamSelection, kMaxDevices> selections;

std::array<std::atomic<cudaStream_t>, kMaxDevices> own_streams;
std::mutex own_streams_mutex;

Error no_such_device(int32_t device) {
  return fail(Error::kInvalidArgument, "there is no CUDA device " + std::to_string(device));
}

Error own_stream(int32_t device, cudaStream_t* stream) {
  auto& slot = own_streams[static_cast<std::size_t>(device)];
  if (cudaStream_t made = slot.load(std::memory_order_acquire); made != nullptr) {
    *stream = made;
    return Error::kOk;
  }
  const std::lock_guard lock(own_streams_mutex);
  cudaStream_t made = slot.load(std::memory_order_acquire);
  if (made == nullptr) {
    const DeviceScope scope(device);
    SHIMS_TRY(scope.error());
    // Ordered with the legacy default stream, on which callers copy without naming a stream.
    SHIMS_CUDA(cudaStreamCreate(&made));
    slot.store(made, std::memory_order_release);
  }
  *stream = made;
  return Error::kOk;
}

}  // namespace

Error resolve_device(int32_t device, int32_t* resolved) {
  if (device == -1) {
    int current = 0;
    SHIMS_CUDA(cudaGetDevice(&current));
    *resolved = current;
    return Error::kOk;
  }
  if (device < -1 || device >= kMaxDevices) {
    return no_such_device(device);
  }
  *resolved = device;
  return Error::kOk;
}

Error current_stream(int32_t device, cudaStream_t* stream) {
  SHIMS_TRY(resolve_device(device, &device));
  const StreamSelection& selection = selections[static_cast<std::size_t>(device)];
  if (selection.selected) {
    *stream = selection.stream;
    return Error::kOk;
  }
  return own_stream(device, stream);
}

StreamSelection select_stream(int32_t device, StreamSelection selection) {
  StreamSelection& slot = selections[static_cast<std::size_t>(device)];
  const StreamSelection previous = slot;
  slot = selection;
  return previous;
}

DeviceScope::DeviceScope(int32_t device) {
  int current = -1;
  if (const cudaError_t result = cudaGetDevice(&current); result != cudaSuccess) {
    error_ = fail(result, "cudaGetDevice");
  } else if (current != device) {
    if (const cudaError_t set = cudaSetDevice(device); set != cudaSuccess) {
      error_ = fail(set, "cudaSetDevice");
    } else {
      previous_ = current;
    }
  }
}

DeviceScope::~DeviceScope() {
  if (previous_ >= 0) {
    static_cast<void>(cudaSetDevice(previous_));
  }
}

}  // namespace shims
