// A second backend, in a library of its own: it works on the caller's stream, as it sees it.
#include <cuda_runtime_api.h>
#include <executorch/extension/cuda/caller_stream.h>

namespace {

__global__ void write_late(void* target, const void* source, int bytes, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  for (int i = 0; i < bytes; ++i) {
    static_cast<char*>(target)[i] = static_cast<const char*>(source)[i];
  }
}

__global__ void write_nowhere(int* nowhere) { *nowhere = 1; }

}  // namespace

// Copies, on the device, after a while; returns at once. False when there is no caller's stream.
extern "C" __attribute__((visibility("default"))) bool second_backend_write_late(void* target,
                                                                                 const void* source,
                                                                                 int bytes) {
  const auto stream = executorch::extension::cuda::getCallerStream();
  if (!stream.has_value()) {
    return false;
  }
  // About 20 ms.
  write_late<<<1, 1, 0, *stream>>>(target, source, bytes, 40'000'000);
  return cudaGetLastError() == cudaSuccess;
}

// Ends the use of the device by this process.
extern "C" __attribute__((visibility("default"))) void second_backend_break_device() {
  write_nowhere<<<1, 1>>>(nullptr);
}
