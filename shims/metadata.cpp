#include <string>

#include "shims/abi.h"
#include "shims/tensor.h"

namespace shims {
namespace {

// Every getter: a valid tensor, a place for the result, one assignment.
template <typename Result, typename Read>
AOTITorchError get(const char* name, AtenTensorHandle handle, Result* ret, Read read) {
  return shim(name, [&] {
    Tensor* tensor = nullptr;
    SHIMS_TRY(checked(handle, "the tensor", &tensor));
    SHIMS_TRY(checked_result(ret));
    *ret = read(*tensor);
    return Error::kOk;
  });
}

template <typename Read>
AOTITorchError get_of_dim(const char* name, AtenTensorHandle handle, int64_t dim, int64_t* ret,
                          Read read) {
  return shim(name, [&] {
    Tensor* tensor = nullptr;
    SHIMS_TRY(checked(handle, "the tensor", &tensor));
    SHIMS_TRY(checked_result(ret));
    const auto ndim = static_cast<int64_t>(tensor->shape.ndim());
    const int64_t wrapped = dim < 0 ? dim + ndim : dim;
    if (wrapped < 0 || wrapped >= ndim) {
      return fail(Error::kInvalidArgument,
                  "dimension " + std::to_string(dim) + " of a tensor of " + std::to_string(ndim));
    }
    *ret = read(tensor->shape)[static_cast<std::size_t>(wrapped)];
    return Error::kOk;
  });
}

}  // namespace
}  // namespace shims

using shims::Tensor;

#define SHIMS_GETTER(name, type, expression)                                                  \
  AOTITorchError name(AtenTensorHandle handle, type* ret) {                                   \
    return shims::get(#name, handle, ret, [](Tensor& tensor) -> type { return expression; }); \
  }
SHIMS_GETTER(aoti_torch_get_data_ptr, void*, tensor.data())
SHIMS_GETTER(aoti_torch_get_const_data_ptr, const void*, tensor.data())
SHIMS_GETTER(aoti_torch_get_mutable_data_ptr, void*, tensor.data())
SHIMS_GETTER(aoti_torch_get_sizes, int64_t*, tensor.shape.mutable_sizes())
SHIMS_GETTER(aoti_torch_get_strides, int64_t*, tensor.shape.mutable_strides())
SHIMS_GETTER(aoti_torch_get_dim, int64_t, static_cast<int64_t>(tensor.shape.ndim()))
SHIMS_GETTER(aoti_torch_get_numel, int64_t, tensor.shape.numel())
SHIMS_GETTER(aoti_torch_get_storage_offset, int64_t, tensor.offset)
SHIMS_GETTER(aoti_torch_get_storage_size, int64_t, static_cast<int64_t>(tensor.storage->bytes()))
SHIMS_GETTER(aoti_torch_get_dtype, int32_t, static_cast<int32_t>(tensor.dtype))
SHIMS_GETTER(aoti_torch_get_device_type, int32_t, static_cast<int32_t>(tensor.device().type))
SHIMS_GETTER(aoti_torch_get_device_index, int32_t, tensor.device().index)
SHIMS_GETTER(aoti_torch_get_layout, int32_t, (static_cast<void>(tensor), 0))
SHIMS_GETTER(aoti_torch_is_contiguous, bool, tensor.shape.is_contiguous())
#undef SHIMS_GETTER

AOTITorchError aoti_torch_get_size(AtenTensorHandle handle, int64_t dim, int64_t* ret) {
  return shims::get_of_dim("aoti_torch_get_size", handle, dim, ret,
                           [](const shims::Shape& shape) { return shape.sizes(); });
}

AOTITorchError aoti_torch_get_stride(AtenTensorHandle handle, int64_t dim, int64_t* ret) {
  return shims::get_of_dim("aoti_torch_get_stride", handle, dim, ret,
                           [](const shims::Shape& shape) { return shape.strides(); });
}

// The one question that an uninitialised tensor answers.
AOTITorchError aoti_torch_is_defined(AtenTensorHandle handle, bool* ret) {
  return shims::shim("aoti_torch_is_defined", [&] {
    SHIMS_TRY(shims::checked_result(handle, "the tensor"));
    SHIMS_TRY(shims::checked_result(ret));
    *ret = static_cast<bool>(shims::from_handle(handle)->storage);
    return shims::Error::kOk;
  });
}
