#include "backends/cuda/inputs.h"

namespace executorch::backends::cuda {

using runtime::etensor::Tensor;

Error copy_input(void* to, const void* from, std::size_t bytes, Place place, cudaStream_t stream,
                 bool* reads_later) {
  if (place == Place::kOther) OK_OR_RETURN(wait_for_owner(from));
  // From ordinary memory everything has been read when this returns; pinned memory is read when the
  // stream comes to it.
  CUDA_OR_RETURN(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  *reads_later = *reads_later || place == Place::kPinned;
  return Error::Ok;
}

void RunInputs::clear() {
  for (AtenTensorHandle handle : handles_) {
    if (handle != nullptr) static_cast<void>(shims().delete_tensor_object(handle));
  }
  handles_.clear();
  reads_later_ = false;
}

Error RunInputs::wrap(runtime::Span<Tensor* const> tensors, cudaStream_t stream, int device) {
  clear();
  handles_.assign(tensors.size(), nullptr);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    OK_OR_RETURN(wrap_one(i, *tensors[i], stream, device));
  }
  return Error::Ok;
}

Error RunInputs::wrap_one(std::size_t index, const Tensor& tensor, cudaStream_t stream,
                          int device) {
  sizes_.assign(tensor.sizes().begin(), tensor.sizes().end());
  strides_.assign(tensor.strides().begin(), tensor.strides().end());
  const auto rank = static_cast<std::int64_t>(sizes_.size());
  const auto dtype = static_cast<std::int32_t>(tensor.scalar_type());
  void* const data = tensor.mutable_data_ptr();
  const std::size_t bytes = tensor.nbytes();
  Place place = Place::kDevice;
  if (bytes != 0) {
    if (data == nullptr) REFUSE(InvalidArgument, "input %zu has no memory", index);
    OK_OR_RETURN(place_of(data, device, &place));
  }
  AOTITorchError code = 0;
  if (place == Place::kDevice) {
    code = shims().create_tensor_from_blob(data, rank, sizes_.data(), strides_.data(), 0, dtype, 1,
                                           device, &handles_[index]);
    return code == 0 ? Error::Ok : shim_failed(code, "wrapping an input");
  }
  code = shims().empty_strided(rank, sizes_.data(), strides_.data(), dtype, 1, device,
                               &handles_[index]);
  void* copy = nullptr;
  if (code == 0) code = shims().get_data_ptr(handles_[index], &copy);
  if (code != 0) return shim_failed(code, "making room for an input");
  return copy_input(copy, data, bytes, place, stream, &reads_later_);
}

}  // namespace executorch::backends::cuda
