#include "runtime/kernels/boxed.h"

namespace executorch::kernels::boxed {

bool accept_tensor(Context& context, const Tensor& tensor, bool written) {
  if (tensor.dim() > kMaxDims) {
    return refuse(context, "a tensor of rank %d; at most %d is supported",
                  static_cast<int>(tensor.dim()), kMaxDims);
  }
  if (tensor.device_type() != aten::DeviceType::CPU) {
    return refuse(context, "a tensor lies on device type %d; this kernel runs on the CPU",
                  static_cast<int>(tensor.device_type()));
  }
  // An output may still be resized to nothing; resize_out looks again.
  if (!written && tensor.const_data_ptr() == nullptr && tensor.nbytes() > 0) {
    return refuse(context, "an input tensor has no memory");
  }
  return true;
}

bool accept_count(Context& context, size_t given, size_t wanted) {
  // The results stand once more behind the arguments.
  if (given == wanted + 1 || given == wanted) return true;
  return refuse(context, "%zu arguments were given; the operator takes %zu and its result", given,
                wanted);
}

bool wrong_kind(Context& context, size_t index, const char* wanted) {
  return refuse(context, "argument %zu is not %s", index, wanted);
}

}  // namespace executorch::kernels::boxed
