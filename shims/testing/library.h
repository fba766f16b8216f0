#pragma once

// Any libaoti_cuda_shims.so, ours or another, seen through its C functions alone.

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace shims::testing {

using Handle = void*;

class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      throw std::runtime_error(dlerror());
    }
  }

  template <typename Function>
  Function* get(const char* name) const {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) {
      throw std::runtime_error(std::string("no ") + name);
    }
    return reinterpret_cast<Function*>(symbol);
  }
  bool has(const char* name) const { return dlsym(handle_, name) != nullptr; }

  /// A contiguous tensor on CUDA device 0 over the caller's memory.
  Handle wrap(void* data, const std::vector<int64_t>& sizes, int32_t dtype) const {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * sizes[i];
    }
    Handle made = nullptr;
    using Make = int(void*, int64_t, const int64_t*, const int64_t*, int64_t, int32_t, int32_t,
                     int32_t, Handle*, int32_t, const uint8_t*, int64_t);
    if (get<Make>("aoti_torch_create_tensor_from_blob_v2")(data, static_cast<int64_t>(sizes.size()),
                                                           sizes.data(), strides.data(), 0, dtype,
                                                           1, 0, &made, 0, nullptr, 0) != 0) {
      throw std::runtime_error("no tensor could be made");
    }
    return made;
  }
  void free(Handle tensor) const { get<int(Handle)>("aoti_torch_delete_tensor_object")(tensor); }
  void* data(Handle tensor) const {
    void* result = nullptr;
    get<int(Handle, void**)>("aoti_torch_get_data_ptr")(tensor, &result);
    return result;
  }

 private:
  void* handle_;
};

}  // namespace shims::testing
