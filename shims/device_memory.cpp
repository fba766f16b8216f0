#include "shims/device_memory.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "shims/current_stream.h"

namespace shims {
namespace {

constexpr std::size_t kMaxDevices = 64;
std::array<std::atomic<cudaMemPool_t>, kMaxDevices> pools;
std::mutex pools_mutex;

Error pool_of(int32_t device, cudaMemPool_t* pool) {
  if (device < 0 || static_cast<std::size_t>(device) >= kMaxDevices) {
    return fail(Error::kInvalidArgument, "there is no CUDA device " + std::to_string(device));
  }
  auto& slot = pools[static_cast<std::size_t>(device)];
  *pool = slot.load(std::memory_order_acquire);
  if (*pool != nullptr) {
    return Error::kOk;
  }
  const std::lock_guard lock(pools_mutex);
  *pool = slot.load(std::memory_order_acquire);
  if (*pool != nullptr) {
    return Error::kOk;
  }
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t made = nullptr;
  SHIMS_CUDA(cudaMemPoolCreate(&made, &properties));
  std::uint64_t keep_all = UINT64_MAX;
  SHIMS_CUDA(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep_all));
  slot.store(made, std::memory_order_release);
  *pool = made;
  return Error::kOk;
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
    // The legacy default stream while another stream is captured: it is not this one's capture.
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return status == cudaStreamCaptureStatusActive;
}

// Blocks whose stream was being captured when they were released.
std::mutex deferred_mutex;
std::vector<DeviceBlock> deferred;
std::atomic<bool> any_deferred{false};

void free_now(const DeviceBlock& block) {
  if (cudaFreeAsync(block.data, block.stream) == cudaSuccess) {
    return;
  }
  static_cast<void>(cudaGetLastError());
  // The stream is gone: its work is over or was abandoned. cudaFree waits for the device.
  if (cudaFree(block.data) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

void free_deferred() {
  std::vector<DeviceBlock> ready;
  {
    const std::lock_guard lock(deferred_mutex);
    std::vector<DeviceBlock> still;
    for (const DeviceBlock& block : deferred) {
      (is_captured(block.stream) ? still : ready).push_back(block);
    }
    deferred.swap(still);
    any_deferred.store(!deferred.empty(), std::memory_order_release);
  }
  for (const DeviceBlock& block : ready) {
    free_now(block);
  }
}

}  // namespace

Error allocate(int32_t device, cudaStream_t stream, std::size_t bytes, DeviceBlock* block) {
  *block = {};
  block->device = device;
  block->stream = stream;
  if (bytes == 0) {
    return Error::kOk;
  }
  if (any_deferred.load(std::memory_order_acquire)) {
    free_deferred();
  }
  cudaMemPool_t pool = nullptr;
  SHIMS_TRY(pool_of(device, &pool));
  SHIMS_CUDA(cudaMallocFromPoolAsync(&block->data, bytes, pool, stream));
  block->bytes = bytes;
  block->in_graph = is_captured(stream);
  return Error::kOk;
}

void release(const DeviceBlock& block) noexcept {
  if (block.data == nullptr) {
    return;
  }
  if (!is_captured(block.stream)) {
    // Memory of a finished capture is the graph's: each launch allocates and frees it.
    if (!block.in_graph) {
      free_now(block);
    }
    return;
  }
  if (block.in_graph) {
    free_now(block);
    return;
  }
  try {
    const std::lock_guard lock(deferred_mutex);
    deferred.push_back(block);
    any_deferred.store(true, std::memory_order_release);
  } catch (...) {
    // No memory to remember it by: lost rather than freed under a captured stream.
  }
}

}  // namespace shims
