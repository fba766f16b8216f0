// Copies between host memory and a device, through the allocator registered for the device.

#include <executorch/runtime/core/device_allocator.h>

#include "runtime/kernels/boxed.h"

namespace executorch::kernels {
namespace {

void copy_across(Context& context, const char* name, const Tensor& in, Tensor& out,
                 bool to_device) {
  const Tensor& on_device = to_device ? out : in;
  const Tensor& on_host = to_device ? in : out;
  if (on_host.device_type() != aten::DeviceType::CPU ||
      on_device.device_type() == aten::DeviceType::CPU) {
    refuse(context, "%s: the copy must go %s", name,
           to_device ? "from the host to a device" : "from a device to the host");
    return;
  }
  if (in.scalar_type() != out.scalar_type()) {
    refuse(context, "%s: the output has another type than the input", name);
    return;
  }
  if (!same_dim_order(context, in, out) || !resize_out(context, out, shape_of(in))) return;
  const size_t bytes = in.nbytes();
  if (bytes == 0) return;
  runtime::DeviceAllocator* allocator = runtime::get_device_allocator(on_device.device_type());
  if (allocator == nullptr) {
    refuse_with(context, Error::NotFound,
                "%s: no allocator is registered for device type %d; link the library of its "
                "backend",
                name, static_cast<int>(on_device.device_type()));
    return;
  }
  const auto index = on_device.device_index();
  const Error error = to_device ? allocator->copy_host_to_device(out.mutable_data_ptr(),
                                                                 in.const_data_ptr(), bytes, index)
                                : allocator->copy_device_to_host(out.mutable_data_ptr(),
                                                                 in.const_data_ptr(), bytes, index);
  if (error != Error::Ok) {
    refuse_with(context, Error::Internal, "%s: copying %zu bytes failed with 0x%x", name, bytes,
                static_cast<unsigned>(error));
  }
}

void h2d_copy(Context& context, const Tensor& in, Tensor& out) {
  copy_across(context, "_h2d_copy", in, out, true);
}
void d2h_copy(Context& context, const Tensor& in, Tensor& out) {
  copy_across(context, "_d2h_copy", in, out, false);
}

constexpr Operator kOperators[] = {
    {"et_copy::_h2d_copy.out", &box<&h2d_copy, Placement::kAnywhere>},
    {"et_copy::_d2h_copy.out", &box<&d2h_copy, Placement::kAnywhere>},
};

}  // namespace

Operators device_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
