#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"
#include "shims/error.h"

namespace shims {

/// Device memory in stream order. It comes from a pool of this library's own, which keeps what is
/// freed instead of giving it back to the driver at every synchronisation.
struct DeviceBlock {
  void* data = nullptr;
  std::size_t bytes = 0;
  int32_t device = 0;
  /// The stream in whose order it was allocated, and in whose order it is freed.
  cudaStream_t stream = nullptr;
  /// Allocated while that stream was being captured: it belongs to the graph.
  bool in_graph = false;
};

/// `bytes` of uninitialised memory on `device` in the order of `stream`; no address for 0 bytes.
[[nodiscard]] Error allocate(int32_t device, cudaStream_t stream, std::size_t bytes,
                             DeviceBlock* block);
/// Gives it back in the order of its own stream, whatever is current. While that stream is being
/// captured, memory from before the capture is kept until a later call finds the capture over.
void release(const DeviceBlock& block) noexcept;

/// Memory for the time of one operation on one stream.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { release(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] Error allocate(int32_t device, cudaStream_t stream, std::size_t bytes) {
    return shims::allocate(device, stream, bytes, &block_);
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(block_.data);
  }

 private:
  DeviceBlock block_;
};

}  // namespace shims
