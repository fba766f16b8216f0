// A device for tests on machines without one: its addresses are not those of the memory behind
// them, so that whoever reads them without copying first is stopped by the processor.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <executorch/runtime/core/device_allocator.h>

namespace {

using executorch::runtime::DeviceAllocator;
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;

int live = 0;

class FakeDevice final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, DeviceIndex, size_t) override {
    ++live;
    return moved(std::malloc(nbytes), kShift);
  }
  void deallocate(void* ptr, DeviceIndex) override {
    --live;
    std::free(moved(ptr, -kShift));
  }
  Error copy_host_to_device(void* dst, const void* src, size_t nbytes, DeviceIndex) override {
    std::memcpy(moved(dst, -kShift), src, nbytes);
    return Error::Ok;
  }
  Error copy_device_to_host(void* dst, const void* src, size_t nbytes, DeviceIndex) override {
    std::memcpy(dst, moved(const_cast<void*>(src), -kShift), nbytes);
    return Error::Ok;
  }
  DeviceType device_type() const override { return DeviceType::CUDA; }

 private:
  static constexpr std::uintptr_t kShift = std::uintptr_t{1} << 62;

  static void* moved(void* address, std::uintptr_t by) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no real address
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) + by);
  }
};

FakeDevice device;
const bool registered = (executorch::runtime::register_device_allocator(&device), true);

}  // namespace

extern "C" {

/// Allocations that have not been given back.
int fake_device_live() { return registered ? live : -1; }

/// Copies from the device, for tests that look at what lies there.
void fake_device_read(void* target, const void* address, size_t size) {
  (void)device.copy_device_to_host(target, address, size, 0);
}
}
