// A custom operator: y = x + n, for floats.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace {

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;

Tensor& add_number_out(KernelRuntimeContext& context, const Tensor& x, int64_t n, Tensor& out) {
  ET_KERNEL_CHECK_MSG(context, executorch::runtime::resize_tensor(out, x.sizes()) == Error::Ok,
                      InvalidArgument, out, "can't resize the output to rank %zd", x.dim());
  ET_SWITCH_FLOAT_TYPES(x.scalar_type(), context, "consumer::add_number.out", CTYPE, [&] {
    const CTYPE* const from = x.const_data_ptr<CTYPE>();
    CTYPE* const to = out.mutable_data_ptr<CTYPE>();
    for (ssize_t i = 0; i < x.numel(); ++i) {
      to[i] = from[i] + static_cast<CTYPE>(n);
    }
  });
  return out;
}

}  // namespace

EXECUTORCH_LIBRARY(consumer, "add_number.out", add_number_out);
