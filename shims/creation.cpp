#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "shims/abi.h"
#include "shims/tensor.h"

namespace shims {
namespace {

Error give(std::unique_ptr<Tensor> tensor, AtenTensorHandle* ret) {
  *ret = to_handle(tensor.release());
  return Error::kOk;
}

Error from_blob(void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                int64_t offset, int32_t dtype, int32_t device_type, int32_t device_index,
                AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  auto tensor = std::make_unique<Tensor>();
  SHIMS_TRY(Shape::make(ndim, sizes, strides, &tensor->shape));
  SHIMS_TRY(checked_dtype(dtype, &tensor->dtype));
  Device device;
  SHIMS_TRY(checked_device(device_type, device_index, &device));
  if (data == nullptr && tensor->shape.numel() != 0) {
    return fail(Error::kInvalidArgument, "no data for a tensor " + to_string(tensor->shape));
  }
  std::size_t bytes = 0;
  SHIMS_TRY(storage_bytes(tensor->shape, offset, tensor->dtype, &bytes));
  SHIMS_TRY(borrow_storage(data, bytes, device, &tensor->storage));
  tensor->offset = offset;
  return give(std::move(tensor), ret);
}

Error empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                    int32_t device_type, int32_t device_index, bool pinned, AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  Shape shape;
  SHIMS_TRY(Shape::make(ndim, sizes, strides, &shape));
  DType type{};
  SHIMS_TRY(checked_dtype(dtype, &type));
  Device device;
  SHIMS_TRY(checked_device(device_type, device_index, &device));
  std::unique_ptr<Tensor> tensor;
  SHIMS_TRY(empty(std::move(shape), type, device, &tensor, pinned && !device.is_cuda()));
  return give(std::move(tensor), ret);
}

Error share(AtenTensorHandle handle, const char* argument, AtenTensorHandle* ret) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(handle, argument, &tensor));
  SHIMS_TRY(checked_result(ret));
  return give(std::make_unique<Tensor>(*tensor), ret);
}

Error view_of(AtenTensorHandle self, int64_t ndim, const int64_t* sizes, const int64_t* strides,
              int64_t offset, AtenTensorHandle* ret) {
  Tensor* base = nullptr;
  SHIMS_TRY(checked(self, "self", &base));
  SHIMS_TRY(checked_result(ret));
  if (ndim > 0 && strides == nullptr) {
    return fail(Error::kInvalidArgument, "the strides are null");
  }
  Shape shape;
  SHIMS_TRY(Shape::make(ndim, sizes, strides, &shape));
  std::unique_ptr<Tensor> tensor;
  SHIMS_TRY(view(*base, std::move(shape), offset, base->dtype, &tensor));
  return give(std::move(tensor), ret);
}

Error from_pool(AtenTensorHandle self, int64_t offset_bytes, int32_t dtype, int64_t ndim,
                const int64_t* sizes, const int64_t* strides, AtenTensorHandle* ret) {
  Tensor* pool = nullptr;
  SHIMS_TRY(checked(self, "the pool", &pool));
  SHIMS_TRY(checked_result(ret));
  DType type{};
  SHIMS_TRY(checked_dtype(dtype, &type));
  const auto item = static_cast<int64_t>(element_size(dtype));
  // The offset counts from the pool tensor's own data, as torch's does.
  const int64_t start = pool->offset * static_cast<int64_t>(pool->item_bytes()) + offset_bytes;
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the type was checked
  if (offset_bytes < 0 || start % item != 0) {
    return fail(Error::kInvalidArgument, "byte " + std::to_string(offset_bytes) +
                                             " of the pool is no place for " + dtype_name(type));
  }
  Shape shape;
  SHIMS_TRY(Shape::make(ndim, sizes, strides, &shape));
  std::unique_ptr<Tensor> tensor;
  SHIMS_TRY(view(*pool, std::move(shape), start / item, type, &tensor));
  return give(std::move(tensor), ret);
}

// The same bytes as another type. Sizes differing, the last dimension (stride 1) is counted anew.
Error view_dtype(AtenTensorHandle self, int32_t dtype, AtenTensorHandle* ret) {
  Tensor* base = nullptr;
  SHIMS_TRY(checked(self, "self", &base));
  SHIMS_TRY(checked_result(ret));
  DType type{};
  SHIMS_TRY(checked_dtype(dtype, &type));
  const auto old_item = static_cast<int64_t>(base->item_bytes());
  const auto new_item = static_cast<int64_t>(element_size(dtype));
  Shape shape = base->shape;
  int64_t offset = base->offset;
  if (old_item != new_item) {
    const std::size_t ndim = shape.ndim();
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the type was checked
    bool fits = ndim > 0 && shape.strides()[ndim - 1] == 1 && offset * old_item % new_item == 0 &&
                shape.sizes()[ndim - 1] * old_item % new_item == 0;
    for (std::size_t dim = 0; fits && dim + 1 < ndim; ++dim) {
      fits = shape.strides()[dim] * old_item % new_item == 0;
    }
    if (!fits) {
      return fail(Error::kInvalidArgument, to_string(shape) + " of " + dtype_name(base->dtype) +
                                               " cannot be seen as " + dtype_name(type));
    }
    Shape changed = shape;
    for (std::size_t dim = 0; dim < ndim; ++dim) {
      if (dim + 1 == ndim) {
        changed.mutable_sizes()[dim] = shape.sizes()[dim] * old_item / new_item;
      } else {
        changed.mutable_strides()[dim] = shape.strides()[dim] * old_item / new_item;
      }
    }
    SHIMS_TRY(Shape::make(static_cast<int64_t>(ndim), changed.sizes().data(),
                          changed.strides().data(), &shape));
    offset = offset * old_item / new_item;
  }
  std::unique_ptr<Tensor> tensor;
  SHIMS_TRY(view(*base, std::move(shape), offset, type, &tensor));
  return give(std::move(tensor), ret);
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_create_tensor_from_blob(void* data, int64_t ndim, const int64_t* sizes,
                                                  const int64_t* strides, int64_t storage_offset,
                                                  int32_t dtype, int32_t device_type,
                                                  int32_t device_index, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::from_blob(data, ndim, sizes, strides, storage_offset, dtype, device_type,
                            device_index, ret);
  });
}

AOTITorchError aoti_torch_create_tensor_from_blob_v2(
    void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides, int64_t storage_offset,
    int32_t dtype, int32_t device_type, int32_t device_index, AtenTensorHandle* ret,
    int32_t /*layout*/, const uint8_t* /*opaque_metadata*/, int64_t /*opaque_metadata_size*/) {
  return shims::shim(__func__, [&] {
    return shims::from_blob(data, ndim, sizes, strides, storage_offset, dtype, device_type,
                            device_index, ret);
  });
}

AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                        int32_t dtype, int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::empty_strided(ndim, sizes, strides, dtype, device_type, device_index, false, ret);
  });
}

AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes,
                                               const int64_t* strides, int32_t dtype,
                                               int32_t device_type, int32_t device_index,
                                               AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::empty_strided(ndim, sizes, strides, dtype, device_type, device_index, true, ret);
  });
}

AOTITorchError aoti_torch_new_uninitialized_tensor(AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(ret));
    *ret = shims::to_handle(new shims::Tensor);
    return shims::Error::kOk;
  });
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle handle) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(handle, "the tensor"));
    delete shims::from_handle(handle);
    return shims::Error::kOk;
  });
}

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle orig, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] { return shims::share(orig, "the tensor", ret); });
}

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes, const int64_t* strides,
                                              int64_t storage_offset, AtenTensorHandle* ret) {
  return shims::shim(
      __func__, [&] { return shims::view_of(self, ndim, sizes, strides, storage_offset, ret); });
}

AOTITorchError aoti_torch_as_strided(AtenTensorHandle self, const int64_t* sizes,
                                     const int64_t* strides, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    shims::Tensor* base = nullptr;
    SHIMS_TRY(shims::checked(self, "self", &base));
    return shims::view_of(self, static_cast<int64_t>(base->shape.ndim()), sizes, strides,
                          base->offset, ret);
  });
}

AOTITorchError aoti_torch__alloc_from_pool(AtenTensorHandle self, int64_t offset_bytes,
                                           int32_t dtype, int64_t ndim, const int64_t* sizes,
                                           const int64_t* strides, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::from_pool(self, offset_bytes, dtype, ndim, sizes, strides, ret);
  });
}

AOTITorchError aoti_torch_cuda_view_dtype(AtenTensorHandle self, int32_t dtype,
                                          AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] { return shims::view_dtype(self, dtype, ret); });
}

AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] { return shims::share(src, "the source", ret); });
}

AOTITorchError aoti_torch_assign_tensors(AtenTensorHandle src, AtenTensorHandle dst) {
  return shims::shim(__func__, [&] {
    shims::Tensor* source = nullptr;
    SHIMS_TRY(shims::checked(src, "the source", &source));
    SHIMS_TRY(shims::checked_result(dst, "the destination"));
    *shims::from_handle(dst) = *source;
    return shims::Error::kOk;
  });
}
