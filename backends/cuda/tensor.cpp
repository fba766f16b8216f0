#include "backends/cuda/tensor.h"

#include <algorithm>

#include "backends/cuda/element_type.h"

namespace executorch::backends::cuda {

Error shim_failed(AOTITorchError code, const char* what) {
  const char* const words = executorch_cuda_shims_last_error();
  ET_LOG(Error, "CudaBackend: %s failed: %s", what, *words == '\0' ? "no reason given" : words);
  return code == static_cast<AOTITorchError>(Error::Ok) ? Error::Internal
                                                        : static_cast<Error>(code);
}

Error facts_of(AtenTensorHandle tensor, TensorFacts* ret) {
  std::int64_t ndim = 0;
  std::int64_t* sizes = nullptr;
  std::int64_t* strides = nullptr;
  std::int32_t device = 0;
  void* data = nullptr;
  AOTITorchError code = shims().get_dim(tensor, &ndim);
  if (code == 0) code = shims().get_sizes(tensor, &sizes);
  if (code == 0) code = shims().get_strides(tensor, &strides);
  if (code == 0) code = shims().get_dtype(tensor, &ret->dtype);
  if (code == 0) code = shims().get_device_type(tensor, &device);
  if (code == 0) code = shims().get_data_ptr(tensor, &data);
  if (code != 0) return shim_failed(code, "looking at a tensor");
  const auto rank = static_cast<std::size_t>(ndim);
  ret->data = static_cast<std::byte*>(data);
  ret->sizes = {sizes, rank};
  ret->strides = {strides, rank};
  ret->on_device = device != 0;
  // The shims made the tensor: its size is no more than memory holds.
  ret->bytes = element_bytes(ret->dtype);
  for (const std::int64_t size : ret->sizes) ret->bytes *= static_cast<std::size_t>(size);
  return Error::Ok;
}

bool same_strides(std::span<const std::int64_t> sizes, std::span<const std::int64_t> one,
                  std::span<const std::int64_t> other) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 && one[i] != other[i]) return false;
  }
  return true;
}

bool is_dense(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
  std::int64_t elements = 1;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
    elements *= sizes[i];
    if (sizes[i] == 1) continue;
    // A dimension that repeats its elements.
    if (strides[i] == 0) return false;
    last += (sizes[i] - 1) * strides[i];
  }
  // As many places as elements: they are all different when no two dimensions overlap, which is so
  // for every permutation of a contiguous tensor and for nothing else of this extent.
  if (last + 1 != elements) return false;
  std::int64_t reach = 1;
  for (std::size_t taken = 0; taken < sizes.size(); ++taken) {
    bool found = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != 1 && strides[i] == reach) {
        reach *= sizes[i];
        found = true;
        break;
      }
    }
    if (!found) break;
  }
  return reach == elements;
}

}  // namespace executorch::backends::cuda
