// Copies between host memory and a device, through the allocator registered for the device. They
// are the runtime's own, not a kernel library's: every program that a delegate runs on a device has
// them.

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/prim_ops/prim_ops.h"

namespace executorch::runtime::prim_ops {

using etensor::DeviceType;
using etensor::Tensor;

namespace {

constexpr const char* kToDevice = "et_copy::_h2d_copy.out";
constexpr const char* kToHost = "et_copy::_d2h_copy.out";

// Whether elements lie in the same order. Dimensions of extent 1 may stand anywhere.
bool same_dim_order(const Tensor& in, const Tensor& out) {
  if (in.dim() != out.dim()) return false;
  const auto next = [&](const auto& order, std::size_t at) {
    while (at < order.size() && in.sizes()[order[at]] == 1) ++at;
    return at;
  };
  const auto a = in.dim_order();
  const auto b = out.dim_order();
  if (a.data() == nullptr || b.data() == nullptr) return true;
  std::size_t i = next(a, 0);
  std::size_t j = next(b, 0);
  while (i < a.size() && j < b.size() && a[i] == b[j]) {
    i = next(a, i + 1);
    j = next(b, j + 1);
  }
  return i == a.size() && j == b.size();
}

Error copy_across(const char* name, const Tensor& in, Tensor& out, bool to_device) {
  const Tensor& on_device = to_device ? out : in;
  const Tensor& on_host = to_device ? in : out;
  ET_CHECK_OR_RETURN_ERROR(
      on_host.device_type() == DeviceType::CPU && on_device.device_type() != DeviceType::CPU,
      InvalidArgument, "%s: the copy must go %s", name,
      to_device ? "from the host to a device" : "from a device to the host");
  ET_CHECK_OR_RETURN_ERROR(in.scalar_type() == out.scalar_type(), InvalidArgument,
                           "%s: the output has another type than the input", name);
  ET_CHECK_OR_RETURN_ERROR(same_dim_order(in, out), InvalidArgument,
                           "%s: the output has another dim order than the input", name);
  ET_CHECK_OR_RETURN_ERROR(resize_tensor(out, in.sizes()) == Error::Ok, InvalidArgument,
                           "%s: the output can't have the size of the input", name);
  const std::size_t bytes = in.nbytes();
  if (bytes == 0) return Error::Ok;
  ET_CHECK_OR_RETURN_ERROR(in.const_data_ptr() != nullptr && out.const_data_ptr() != nullptr,
                           InvalidArgument, "%s: the %s has no memory", name,
                           in.const_data_ptr() == nullptr ? "input" : "output");
  DeviceAllocator* const allocator = get_device_allocator(on_device.device_type());
  ET_CHECK_OR_RETURN_ERROR(
      allocator != nullptr, NotFound,
      "%s: no allocator is registered for device type %d; link the library of its backend", name,
      static_cast<int>(on_device.device_type()));
  const auto index = on_device.device_index();
  const Error error = to_device ? allocator->copy_host_to_device(out.mutable_data_ptr(),
                                                                 in.const_data_ptr(), bytes, index)
                                : allocator->copy_device_to_host(out.mutable_data_ptr(),
                                                                 in.const_data_ptr(), bytes, index);
  ET_CHECK_OR_RETURN_ERROR(error == Error::Ok, Internal, "%s: copying %zu bytes failed with 0x%x",
                           name, bytes, static_cast<unsigned>(error));
  return Error::Ok;
}

template <bool kIsToDevice>
void copy(KernelRuntimeContext& context, Span<EValue*> stack) {
  // The output stands twice: as what is written, and as what is returned.
  if (!has_arguments(context, stack, 3)) return;
  const char* const name = kIsToDevice ? kToDevice : kToHost;
  if (!stack[0]->isTensor() || !stack[1]->isTensor()) {
    ET_LOG(Error, "%s: tensors are expected, the arguments are %s and %s", name,
           tag_to_string(stack[0]->tag), tag_to_string(stack[1]->tag));
    context.fail(Error::InvalidType);
    return;
  }
  const Error error = copy_across(name, stack[0]->toTensor(), stack[1]->toTensor(), kIsToDevice);
  if (error != Error::Ok) context.fail(error);
}

const Kernel kKernels[] = {
    Kernel(kToDevice, copy<true>),
    Kernel(kToHost, copy<false>),
};

}  // namespace

std::span<const Kernel> device_copy_kernels() { return kKernels; }

}  // namespace executorch::runtime::prim_ops
