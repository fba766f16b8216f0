#pragma once

#include <cstdint>
#include <executorch/runtime/core/error.h>

#include "cuda_runtime_api.h"

namespace executorch::backends::cuda {

/// Where an address is, whatever its tensor says.
enum class Place {
  kHost,    ///< ordinary memory, unknown to CUDA
  kPinned,  ///< of the host, and readable by devices
  kDevice,  ///< on the device that was asked about, or managed: usable there as it is
  kOther,   ///< on another device
};
[[nodiscard]] runtime::Error place_of(const void* address, int device, Place* ret);

/// Waits until the device of this memory has done what was enqueued before on its legacy default
/// stream: streams of two devices are not ordered by themselves.
[[nodiscard]] runtime::Error wait_for_owner(const void* address);

/// Whether there is a driver and a device of this number; NotFound with words otherwise.
[[nodiscard]] runtime::Error check_device(int device);
/// 90 for compute capability 9.0.
[[nodiscard]] runtime::Error architecture_of(int device, std::uint32_t* ret);

/// Makes a device the thread's while alive.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  [[nodiscard]] runtime::Error error() const { return error_; }

 private:
  int previous_ = -1;
  runtime::Error error_ = runtime::Error::Ok;
};

}  // namespace executorch::backends::cuda
