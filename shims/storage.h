#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "shims/device_memory.h"
#include "shims/error.h"
#include "shims/run_places.h"

namespace shims {

enum class DeviceType : int32_t { kCpu = 0, kCuda = 1 };

struct Device {
  DeviceType type = DeviceType::kCpu;
  int32_t index = 0;
  bool is_cuda() const { return type == DeviceType::kCuda; }
  friend bool operator==(const Device&, const Device&) = default;
};

/// Bytes that tensors share: counted by StorageRef, freed with the last one.
class Storage {
 public:
  enum class Owner { kCaller, kHost, kPinned, kDevice };

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  const AllocationNumber& allocation_number() const { return number_; }

 private:
  friend class StorageRef;
  friend Error borrow_storage(void*, std::size_t, Device, class StorageRef*);
  friend Error allocate_storage(std::size_t, Device, bool, class StorageRef*);

  Storage() = default;
  ~Storage();

  std::atomic<int64_t> references_{1};
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Device device_;
  Owner owner_ = Owner::kCaller;
  DeviceBlock block_;
  AllocationNumber number_;
};

class StorageRef {
 public:
  StorageRef() = default;
  StorageRef(const StorageRef& other) : storage_(other.storage_) {
    if (storage_ != nullptr) {
      storage_->references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr && storage_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete storage_;
    }
  }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  friend Error borrow_storage(void*, std::size_t, Device, StorageRef*);
  friend Error allocate_storage(std::size_t, Device, bool, StorageRef*);
  explicit StorageRef(Storage* storage) : storage_(storage) {}
  Storage* storage_ = nullptr;
};

/// The caller's memory: never freed here.
[[nodiscard]] Error borrow_storage(void* data, std::size_t bytes, Device device, StorageRef* ret);
/// Uninitialised memory: on the device's current stream, on the host, or (`pinned`) on the host
/// where the device can read it. 0 bytes have no address. During a run, memory of the caller may
/// take the place of new device memory (run_places.h).
[[nodiscard]] Error allocate_storage(std::size_t bytes, Device device, bool pinned,
                                     StorageRef* ret);

}  // namespace shims
