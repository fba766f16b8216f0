#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"

/// What stands for a kernel: runs it, or keeps it for the graph that is being captured. `state` is
/// copied.
extern "C" void fake_cuda_launch(void* stream, void (*kernel)(const void* state), const void* state,
                                 std::size_t bytes);

namespace executorch::backends::cuda::testing {

/// A CUDA runtime for tests on machines without a GPU: "device" memory is memory of the host,
/// streams do their work at once, and kernels do not run. The test program defines the functions,
/// so that the delegate and the shims call these instead of those of libcudart. It counts what is
/// alive, notes what is called, and can let any one call fail.
struct FakeCuda {
  /// Names of the calls that can fail, in order.
  std::vector<std::string> calls;
  /// The call of this index, from 0, returns `failure`; none when it is negative.
  std::int64_t fail_at = -1;
  cudaError_t failure = cudaErrorLaunchFailure;
  /// What cudaGetDeviceCount() says.
  cudaError_t driver = cudaSuccess;
  /// Streams that work was enqueued on.
  std::set<cudaStream_t> streams_used;
  cudaError_t last_error = cudaSuccess;

  std::set<std::uintptr_t> device_memory;  ///< beginnings
  std::set<std::uintptr_t> pinned_memory;
  std::set<cudaStream_t> streams;
  std::size_t graphs = 0;
  /// Pieces of kernel code that the driver loaded.
  std::size_t modules = 0;
  std::size_t events = 0;
  /// Device memory that was ever asked for, in bytes, except by a stream's order.
  std::size_t bytes_allocated = 0;

  static FakeCuda& instance();
  /// Forgets calls and failures; what is alive stays.
  void reset();
  std::size_t count(const std::string& call) const;
  bool is_device(const void* address) const;
  /// Everything but the shims' pools.
  std::size_t alive() const {
    return device_memory.size() + pinned_memory.size() + streams.size() + events + graphs;
  }
};

/// Device memory of a test.
class DeviceFloats {
 public:
  explicit DeviceFloats(const std::vector<float>& values);
  ~DeviceFloats();
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;
  float* data() const { return data_; }
  std::vector<float> values() const { return {data_, data_ + size_}; }

 private:
  float* data_ = nullptr;
  std::size_t size_;
};

}  // namespace executorch::backends::cuda::testing
