#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/tensor.h"

namespace shims {
namespace {

// The one element's bits, brought to the host. From a device this waits for its current stream.
Error read_item(const char* name, AtenTensorHandle handle, DType dtype, void* ret,
                std::size_t bytes) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(handle, "the tensor", &tensor));
  SHIMS_TRY(checked_result(ret));
  if (tensor->dtype != dtype || tensor->shape.numel() != 1) {
    return fail(Error::kInvalidArgument, std::string(name) + " of " + to_string(tensor->shape) +
                                             " " + dtype_name(tensor->dtype));
  }
  if (!tensor->device().is_cuda()) {
    std::memcpy(ret, tensor->data(), bytes);
    return Error::kOk;
  }
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(tensor->device().index, &stream));
  SHIMS_CUDA(cudaMemcpyAsync(ret, tensor->data(), bytes, cudaMemcpyDeviceToHost, stream));
  SHIMS_CUDA(cudaStreamSynchronize(stream));
  return Error::kOk;
}

Error make_scalar(DType dtype, const void* value, std::size_t bytes, AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  Shape shape;
  SHIMS_TRY(Shape::make(0, nullptr, nullptr, &shape));
  std::unique_ptr<Tensor> tensor;
  SHIMS_TRY(empty(std::move(shape), dtype, Device{}, &tensor));
  std::memcpy(tensor->data(), value, bytes);
  *ret = to_handle(tensor.release());
  return Error::kOk;
}

struct Complex64 {
  float parts[2];
};
struct Complex128 {
  double parts[2];
};

}  // namespace
}  // namespace shims

#define SHIMS_FOR_EACH_COMMON(X) \
  X(bool, kBool, bool)           \
  X(uint8, kUInt8, uint8_t)      \
  X(int8, kInt8, int8_t)         \
  X(int16, kInt16, int16_t)      \
  X(int32, kInt32, int32_t)      \
  X(int64, kInt64, int64_t)      \
  X(uint16, kUInt16, uint16_t)   \
  X(uint32, kUInt32, uint32_t)   \
  X(uint64, kUInt64, uint64_t)   \
  X(float32, kFloat32, float)    \
  X(float64, kFloat64, double)   \
  X(complex64, kComplex64, shims::Complex64)

#define SHIMS_ITEM(name, dtype, type)                                                   \
  SHIMS_API AOTITorchError aoti_torch_item_##name(AtenTensorHandle tensor, type* ret) { \
    return shims::shim("aoti_torch_item_" #name, [&] {                                  \
      return shims::read_item(#name, tensor, shims::DType::dtype, ret, sizeof(type));   \
    });                                                                                 \
  }
SHIMS_FOR_EACH_COMMON(SHIMS_ITEM)
// Half types are read as their bits: that is how their C++ types are passed.
SHIMS_ITEM(float16, kFloat16, uint16_t)
SHIMS_ITEM(bfloat16, kBFloat16, uint16_t)
#undef SHIMS_ITEM

#define SHIMS_SCALAR(name, dtype, type)                                                            \
  SHIMS_API AOTITorchError aoti_torch_scalar_to_tensor_##name(type value, AtenTensorHandle* ret) { \
    return shims::shim("aoti_torch_scalar_to_tensor_" #name, [&] {                                 \
      return shims::make_scalar(shims::DType::dtype, &value, sizeof(type), ret);                   \
    });                                                                                            \
  }
SHIMS_FOR_EACH_COMMON(SHIMS_SCALAR)
SHIMS_SCALAR(complex128, kComplex128, shims::Complex128)
#undef SHIMS_SCALAR
