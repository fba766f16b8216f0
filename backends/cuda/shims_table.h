#pragma once

#include "shims/abi.h"

namespace executorch::backends::cuda {

/// The shims' functions that the delegate calls. They are looked up in the shims' own library: a
/// program may have others of the same names, PyTorch's, and those would take our tensors for
/// theirs.
struct Shims {
  decltype(&aoti_torch_clone_preserve_strides) clone_preserve_strides;
  decltype(&aoti_torch_copy_) copy_;
  decltype(&aoti_torch_create_cuda_stream_guard) create_cuda_stream_guard;
  decltype(&aoti_torch_create_tensor_from_blob) create_tensor_from_blob;
  decltype(&aoti_torch_delete_cuda_stream_guard) delete_cuda_stream_guard;
  decltype(&aoti_torch_delete_tensor_object) delete_tensor_object;
  decltype(&aoti_torch_empty_strided) empty_strided;
  decltype(&aoti_torch_get_data_ptr) get_data_ptr;
  decltype(&aoti_torch_get_device_type) get_device_type;
  decltype(&aoti_torch_get_dim) get_dim;
  decltype(&aoti_torch_get_dtype) get_dtype;
  decltype(&aoti_torch_get_sizes) get_sizes;
  decltype(&aoti_torch_get_strides) get_strides;
  decltype(&aoti_torch_new_tensor_handle) new_tensor_handle;

  /// The library, as dlopen() names it, and its path; null when it could not be found, and then no
  /// function is there either.
  void* library;
  const char* path;
};

/// Found at the first call.
const Shims& shims();

}  // namespace executorch::backends::cuda
