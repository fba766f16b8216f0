#include "shims/kernels/device_facts.h"

#include <array>
#include <atomic>
#include <string>

#include "cuda_runtime_api.h"

namespace shims {

Error device_facts(int32_t device, DeviceFacts* facts) {
  // 0: not asked yet. Both facts in one word, so that no lock is needed.
  static std::array<std::atomic<int>, 64> known;
  if (device < 0 || static_cast<std::size_t>(device) >= known.size()) {
    return fail(Error::kInvalidArgument, "there is no CUDA device " + std::to_string(device));
  }
  auto& slot = known[static_cast<std::size_t>(device)];
  int word = slot.load(std::memory_order_relaxed);
  if (word == 0) {
    int multiprocessors = 0;
    int major = 0;
    SHIMS_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    SHIMS_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    word = multiprocessors * 2 + (major >= 9 ? 1 : 0);
    slot.store(word, std::memory_order_relaxed);
  }
  facts->multiprocessors = word / 2;
  facts->overlapping_launches = word % 2 != 0;
  return Error::kOk;
}

}  // namespace shims
