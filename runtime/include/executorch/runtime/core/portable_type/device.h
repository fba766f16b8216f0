#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::runtime::etensor {

/// Kinds of device, with the numbers of the program format.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
};
constexpr size_t kNumDeviceTypes = 2;

using DeviceIndex = int8_t;

/// One device: a kind and which of them.
struct Device final {
 public:
  using Type = DeviceType;

  /* implicit */ Device(DeviceType type, DeviceIndex index = 0) : type_(type), index_(index) {}

  DeviceType type() const noexcept { return type_; }
  DeviceIndex index() const noexcept { return index_; }
  bool is_cpu() const noexcept { return type_ == DeviceType::CPU; }
  bool operator==(const Device& other) const noexcept {
    return type_ == other.type_ && index_ == other.index_;
  }
  bool operator!=(const Device& other) const noexcept { return !(*this == other); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::Device;
using ::executorch::runtime::etensor::DeviceType;
}  // namespace torch::executor
