#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/kernels/copy.h"
#include "shims/tensor.h"

namespace shims {
namespace {

// Plain bytes between any two places. Waits when the host takes part, unless told not to.
Error copy_bytes(void* to, Device to_device, const void* from, Device from_device,
                 std::size_t bytes, bool wait) {
  if (bytes == 0) {
    return Error::kOk;
  }
  if (!to_device.is_cuda() && !from_device.is_cuda()) {
    std::memmove(to, from, bytes);
    return Error::kOk;
  }
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(to_device.is_cuda() ? to_device.index : from_device.index, &stream));
  SHIMS_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  if (wait && !(to_device.is_cuda() && from_device.is_cuda())) {
    SHIMS_CUDA(cudaStreamSynchronize(stream));
  }
  return Error::kOk;
}

bool same_dense_layout(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && std::ranges::equal(a.shape.sizes(), b.shape.sizes()) &&
         a.shape.is_dense() &&
         (std::ranges::equal(a.shape.strides(), b.shape.strides()) ||
          (a.shape.is_contiguous() && b.shape.is_contiguous()));
}

std::size_t dense_bytes(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.shape.numel()) * tensor.item_bytes();
}

// Both on one device, or both on the host.
Error copy_in_place(const Tensor& to, const Tensor& from) {
  if (same_dense_layout(to, from)) {
    return copy_bytes(to.data(), to.device(), from.data(), from.device(), dense_bytes(to), false);
  }
  CopyPlan plan;
  SHIMS_TRY(plan_copy(to.shape, from.shape, &plan));
  if (plan.numel == 0) {
    return Error::kOk;
  }
  if (!to.device().is_cuda()) {
    copy_on_host(plan, to.data(), to.dtype, from.data(), from.dtype);
    return Error::kOk;
  }
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(to.device().index, &stream));
  const DeviceScope scope(to.device().index);
  SHIMS_TRY(scope.error());
  return copy_on_device(plan, to.data(), to.dtype, from.data(), from.dtype, stream);
}

Error copy(const Tensor& to, const Tensor& from, bool wait) {
  if (!can_convert(to.dtype, from.dtype)) {
    return fail(Error::kNotSupported,
                std::string("copying ") + dtype_name(from.dtype) + " into " + dtype_name(to.dtype));
  }
  if (to.device() == from.device() || (!to.device().is_cuda() && !from.device().is_cuda())) {
    return copy_in_place(to, from);
  }
  CopyPlan plan;
  SHIMS_TRY(plan_copy(to.shape, from.shape, &plan));
  if (same_dense_layout(to, from)) {
    return copy_bytes(to.data(), to.device(), from.data(), from.device(), dense_bytes(to), wait);
  }
  // Made dense where it is, moved as bytes, spread out and converted where it goes.
  Shape dense;
  SHIMS_TRY(Shape::make(static_cast<int64_t>(from.shape.ndim()), from.shape.sizes().data(), nullptr,
                        &dense));
  std::unique_ptr<Tensor> here;
  std::unique_ptr<Tensor> there;
  SHIMS_TRY(empty(dense, from.dtype, from.device(), &here));
  SHIMS_TRY(empty(dense, from.dtype, to.device(), &there));
  SHIMS_TRY(copy_in_place(*here, from));
  SHIMS_TRY(copy_bytes(there->data(), there->device(), here->data(), here->device(),
                       dense_bytes(*here), true));
  return copy_in_place(to, *there);
}

// The shape of a copy: the same strides when the elements lie densely, else packed in their order.
Error packed_like(const Shape& shape, Shape* ret) {
  if (shape.is_dense()) {
    *ret = shape;
    return Error::kOk;
  }
  std::vector<std::size_t> order(shape.ndim());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shape.strides()[a] > shape.strides()[b];
  });
  std::vector<int64_t> strides(shape.ndim());
  int64_t next = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = next;
    next *= std::max<int64_t>(shape.sizes()[order[i]], 1);
  }
  return Shape::make(static_cast<int64_t>(shape.ndim()), shape.sizes().data(), strides.data(), ret);
}

Error clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(self, "the tensor", &tensor));
  SHIMS_TRY(checked_result(ret));
  Shape shape;
  SHIMS_TRY(packed_like(tensor->shape, &shape));
  std::unique_ptr<Tensor> made;
  SHIMS_TRY(empty(std::move(shape), tensor->dtype, tensor->device(), &made));
  SHIMS_TRY(copy_in_place(*made, *tensor));
  *ret = to_handle(made.release());
  return Error::kOk;
}

// Strides stay, holes and repetitions too: the whole extent is copied.
Error clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(self, "the tensor", &tensor));
  SHIMS_TRY(checked_result(ret));
  std::unique_ptr<Tensor> made;
  SHIMS_TRY(empty(tensor->shape, tensor->dtype, tensor->device(), &made));
  SHIMS_TRY(copy_bytes(made->data(), made->device(), tensor->data(), tensor->device(),
                       static_cast<std::size_t>(tensor->shape.extent()) * tensor->item_bytes(),
                       false));
  *ret = to_handle(made.release());
  return Error::kOk;
}

Error zero(AtenTensorHandle self) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(self, "the tensor", &tensor));
  if (tensor->shape.numel() == 0) {
    return Error::kOk;
  }
  const bool dense = tensor->shape.is_dense();
  CopyPlan plan;
  SHIMS_TRY(plan_copy(tensor->shape, tensor->shape, &plan));
  if (!tensor->device().is_cuda()) {
    if (dense) {
      std::memset(tensor->data(), 0, dense_bytes(*tensor));
    } else {
      const std::byte nothing[16]{};
      plan.from_strides = {};
      copy_on_host(plan, tensor->data(), tensor->dtype, nothing, tensor->dtype);
    }
    return Error::kOk;
  }
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(tensor->device().index, &stream));
  const DeviceScope scope(tensor->device().index);
  SHIMS_TRY(scope.error());
  if (dense) {
    SHIMS_CUDA(cudaMemsetAsync(tensor->data(), 0, dense_bytes(*tensor), stream));
    return Error::kOk;
  }
  return copy_on_device(plan, tensor->data(), tensor->dtype, nullptr, tensor->dtype, stream);
}

Error copy_handles(AtenTensorHandle to, AtenTensorHandle from, bool wait) {
  Tensor* target = nullptr;
  Tensor* source = nullptr;
  SHIMS_TRY(checked(to, "the destination", &target));
  SHIMS_TRY(checked(from, "the source", &source));
  return copy(*target, *source, wait);
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] { return shims::clone(self, ret); });
}

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] { return shims::clone_preserve_strides(self, ret); });
}

AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking) {
  return shims::shim(__func__, [&] { return shims::copy_handles(self, src, non_blocking == 0); });
}

AOTITorchError aoti_torch_tensor_copy_(AtenTensorHandle src, AtenTensorHandle dst) {
  return shims::shim(__func__, [&] { return shims::copy_handles(dst, src, true); });
}

AOTITorchError aoti_torch_zero_(AtenTensorHandle self) {
  return shims::shim(__func__, [&] { return shims::zero(self); });
}
