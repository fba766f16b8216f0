#pragma once

#include <cstdint>

#include "shims/error.h"

namespace shims {

/// What launches depend on, asked once per device.
struct DeviceFacts {
  int multiprocessors = 0;
  bool overlapping_launches = false;
};
[[nodiscard]] Error device_facts(int32_t device, DeviceFacts* facts);

}  // namespace shims
