#include "backends/cuda/shims_table.h"

#include <dlfcn.h>
#include <link.h>

namespace executorch::backends::cuda {
namespace {

template <typename Function>
bool find(void* library, const char* name, Function* ret) {
  *ret = reinterpret_cast<Function>(dlsym(library, name));
  return *ret != nullptr;
}

Shims find_shims() {
  Shims all{};
  // Only our shims have a function of this name.
  Dl_info info{};
  link_map* library = nullptr;
  void* const known = reinterpret_cast<void*>(&executorch_cuda_shims_last_error);
  if (dladdr1(known, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0 ||
      library == nullptr || library->l_name == nullptr) {
    return all;
  }
  // Without a name it is the program itself.
  all.path = library->l_name;
  void* const opened = dlopen(*all.path == '\0' ? nullptr : all.path, RTLD_LAZY | RTLD_NOLOAD);
  const bool found =
      opened != nullptr &&
      find(opened, "aoti_torch_clone_preserve_strides", &all.clone_preserve_strides) &&
      find(opened, "aoti_torch_copy_", &all.copy_) &&
      find(opened, "aoti_torch_create_cuda_stream_guard", &all.create_cuda_stream_guard) &&
      find(opened, "aoti_torch_create_tensor_from_blob", &all.create_tensor_from_blob) &&
      find(opened, "aoti_torch_delete_cuda_stream_guard", &all.delete_cuda_stream_guard) &&
      find(opened, "aoti_torch_delete_tensor_object", &all.delete_tensor_object) &&
      find(opened, "aoti_torch_empty_strided", &all.empty_strided) &&
      find(opened, "aoti_torch_get_data_ptr", &all.get_data_ptr) &&
      find(opened, "aoti_torch_get_device_type", &all.get_device_type) &&
      find(opened, "aoti_torch_get_dim", &all.get_dim) &&
      find(opened, "aoti_torch_get_dtype", &all.get_dtype) &&
      find(opened, "aoti_torch_get_sizes", &all.get_sizes) &&
      find(opened, "aoti_torch_get_strides", &all.get_strides) &&
      find(opened, "aoti_torch_new_tensor_handle", &all.new_tensor_handle);
  // The handle is kept, so that the library stays.
  all.library = found ? opened : nullptr;
  return all;
}

}  // namespace

const Shims& shims() {
  static const Shims all = find_shims();
  return all;
}

}  // namespace executorch::backends::cuda
