#pragma once

#include "cuda_runtime_api.h"
#include "shims/error.h"

namespace shims {

/// Which stream work of this thread goes to, per device. This library holds the only copy; guards
/// (abi.h) set it.

/// `device` itself, or the thread's current device for -1; an error for a device that is not there.
[[nodiscard]] Error resolve_device(int32_t device, int32_t* resolved);

/// What a guard selected on this thread for the device. Without a guard it is a stream of this
/// library's own, one per device, made at first use and shared by all threads. The legacy default
/// stream (null) can be selected too.
[[nodiscard]] Error current_stream(int32_t device, cudaStream_t* stream);

/// A selection, so that it can be put back.
struct StreamSelection {
  bool selected = false;
  cudaStream_t stream = nullptr;
};
/// Selects, and returns what was there before.
StreamSelection select_stream(int32_t device, StreamSelection selection);

/// Makes `device` the thread's CUDA device while alive, if it is not that already.
class DeviceScope {
 public:
  explicit DeviceScope(int32_t device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  [[nodiscard]] Error error() const { return error_; }

 private:
  int previous_ = -1;
  Error error_ = Error::kOk;
};

}  // namespace shims
