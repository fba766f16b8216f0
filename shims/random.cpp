#include "shims/kernels/random.h"

#include <memory>
#include <string>
#include <utility>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/kernels/copy.h"
#include "shims/tensor.h"

namespace shims {
namespace {

Error rand(const int64_t* sizes, int64_t ndim, const int32_t* dtype, const int32_t* device_type,
           int32_t device_index, AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  DType type = DType::kFloat32;
  if (dtype != nullptr) {
    SHIMS_TRY(checked_dtype(*dtype, &type));
  }
  if (type != DType::kFloat32 && type != DType::kBFloat16) {
    return fail(Error::kNotSupported, std::string("random values of ") + dtype_name(type));
  }
  Device device;
  SHIMS_TRY(checked_device(device_type != nullptr ? *device_type : 1, device_index, &device));
  if (!device.is_cuda()) {
    return fail(Error::kNotSupported, "random values on the host");
  }
  Shape shape;
  SHIMS_TRY(Shape::make(ndim, sizes, nullptr, &shape));
  std::unique_ptr<Tensor> made;
  SHIMS_TRY(empty(std::move(shape), type, device, &made));
  const DeviceScope scope(device.index);
  SHIMS_TRY(scope.error());
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(device.index, &stream));
  SHIMS_TRY(type == DType::kFloat32
                ? fill_uniform(made->as<float>(), made->shape.numel(), device.index, stream)
                : fill_uniform_bfloat16(made->data(), made->shape.numel(), device.index, stream));
  *ret = to_handle(made.release());
  return Error::kOk;
}

Error randint(AtenTensorHandle out, int64_t low, int64_t high, const int64_t* sizes, int64_t ndim) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(out, "out", &tensor));
  if (tensor->dtype != DType::kInt64 || !tensor->device().is_cuda()) {
    return fail(Error::kInvalidArgument, "out is not int64 on a CUDA device");
  }
  if (high <= low) {
    return fail(Error::kInvalidArgument, "the range from " + std::to_string(low) + " to " +
                                             std::to_string(high) + " is empty");
  }
  Shape wanted;
  SHIMS_TRY(Shape::make(ndim, sizes, nullptr, &wanted));
  if (wanted.numel() != tensor->shape.numel()) {
    return fail(Error::kInvalidArgument,
                "out is " + to_string(tensor->shape) + " instead of " + to_string(wanted));
  }
  const int32_t device = tensor->device().index;
  const DeviceScope scope(device);
  SHIMS_TRY(scope.error());
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(device, &stream));
  // The whole of int64 is a range too, and its width fits only without a sign.
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const int64_t count = tensor->shape.numel();
  const bool direct =
      tensor->shape.is_dense() && reinterpret_cast<std::uintptr_t>(tensor->data()) % 16 == 0;
  if (direct) {
    return fill_range(tensor->as<int64_t>(), count, low, range, device, stream);
  }
  Scratch values;
  SHIMS_TRY(values.allocate(device, stream, static_cast<std::size_t>(count) * sizeof(int64_t)));
  SHIMS_TRY(fill_range(values.as<int64_t>(), count, low, range, device, stream));
  CopyPlan plan;
  Shape packed;
  SHIMS_TRY(Shape::make(static_cast<int64_t>(tensor->shape.ndim()), tensor->shape.sizes().data(),
                        nullptr, &packed));
  SHIMS_TRY(plan_copy(tensor->shape, packed, &plan));
  return copy_on_device(plan, tensor->data(), DType::kInt64, values.as<void>(), DType::kInt64,
                        stream);
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_cuda_rand(const int64_t* sizes, int64_t ndim, int32_t* dtype,
                                    int32_t* /*layout*/, int32_t* device, int32_t device_index,
                                    int32_t* /*pin_memory*/, AtenTensorHandle* ret) {
  return shims::shim(__func__,
                     [&] { return shims::rand(sizes, ndim, dtype, device, device_index, ret); });
}

AOTITorchError aoti_torch_cuda_randint_low_out(AtenTensorHandle out, int64_t low, int64_t high,
                                               const int64_t* sizes, int64_t ndim) {
  return shims::shim(__func__, [&] { return shims::randint(out, low, high, sizes, ndim); });
}
