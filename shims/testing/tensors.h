#pragma once

// Handles that free themselves, for tests that drive the library through its C functions.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shims/abi.h"

namespace shims::testing {

class Owned {
 public:
  Owned() = default;
  explicit Owned(AtenTensorHandle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) {
      static_cast<void>(aoti_torch_delete_tensor_object(handle_));
    }
  }
  AtenTensorHandle get() const { return handle_; }
  AtenTensorHandle* out() { return &handle_; }

 private:
  AtenTensorHandle handle_ = nullptr;
};

inline std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * (sizes[i] > 0 ? sizes[i] : 1);
  }
  return strides;
}

inline std::vector<int64_t> sizes_of(const Owned& tensor) {
  int64_t ndim = 0;
  int64_t* sizes = nullptr;
  aoti_torch_get_dim(tensor.get(), &ndim);
  aoti_torch_get_sizes(tensor.get(), &sizes);
  return {sizes, sizes + ndim};
}

inline std::vector<int64_t> strides_of(const Owned& tensor) {
  int64_t ndim = 0;
  int64_t* strides = nullptr;
  aoti_torch_get_dim(tensor.get(), &ndim);
  aoti_torch_get_strides(tensor.get(), &strides);
  return {strides, strides + ndim};
}

inline void* data_of(const Owned& tensor) {
  void* data = nullptr;
  aoti_torch_get_data_ptr(tensor.get(), &data);
  return data;
}

template <typename T>
T* data_as(const Owned& tensor) {
  return static_cast<T*>(data_of(tensor));
}

/// A tensor over memory of the caller's; device -1 is the host.
inline Owned over(void* data, const std::vector<int64_t>& sizes,
                  const std::vector<int64_t>& strides, int32_t dtype, int32_t device = -1) {
  Owned made;
  aoti_torch_create_tensor_from_blob_v2(data, static_cast<int64_t>(sizes.size()), sizes.data(),
                                        strides.data(), 0, dtype, device < 0 ? 0 : 1,
                                        device < 0 ? 0 : device, made.out(), 0, nullptr, 0);
  return made;
}

inline Owned fresh(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                   int32_t dtype, int32_t device = -1) {
  Owned made;
  aoti_torch_empty_strided(static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(), dtype,
                           device < 0 ? 0 : 1, device < 0 ? 0 : device, made.out());
  return made;
}

inline std::string last_error() { return executorch_cuda_shims_last_error(); }

}  // namespace shims::testing
