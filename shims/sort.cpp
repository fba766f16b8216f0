#include "shims/kernels/sort.h"

#include <memory>
#include <string>
#include <utility>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/kernels/copy.h"
#include "shims/tensor.h"

namespace shims {
namespace {

// Every sort here is stable, so what `stable` asks for needs no reading.
Error sort_stable(AtenTensorHandle self, int64_t dim, bool descending, AtenTensorHandle* ret_values,
                  AtenTensorHandle* ret_indices) {
  Tensor* tensor = nullptr;
  SHIMS_TRY(checked(self, "self", &tensor));
  SHIMS_TRY(checked_result(ret_values, "the values' place"));
  SHIMS_TRY(checked_result(ret_indices, "the indices' place"));
  if (!tensor->device().is_cuda() || !can_sort(tensor->dtype)) {
    return fail(Error::kInvalidArgument, std::string("sorting ") + dtype_name(tensor->dtype) +
                                             (tensor->device().is_cuda() ? "" : " on the host"));
  }
  const auto ndim = static_cast<int64_t>(tensor->shape.ndim());
  // A scalar has one dimension for this purpose, as in torch.
  const int64_t limit = std::max<int64_t>(ndim, 1);
  if (dim < -limit || dim >= limit) {
    return fail(Error::kInvalidArgument,
                "dimension " + std::to_string(dim) + " of a tensor of " + std::to_string(ndim));
  }
  dim = dim < 0 ? dim + limit : dim;

  const int32_t device = tensor->device().index;
  const DeviceScope scope(device);
  SHIMS_TRY(scope.error());
  cudaStream_t stream = nullptr;
  SHIMS_TRY(current_stream(device, &stream));
  Shape packed;
  SHIMS_TRY(Shape::make(ndim, tensor->shape.sizes().data(), nullptr, &packed));
  std::unique_ptr<Tensor> values;
  std::unique_ptr<Tensor> indices;
  SHIMS_TRY(empty(packed, tensor->dtype, tensor->device(), &values));
  SHIMS_TRY(empty(packed, DType::kInt64, tensor->device(), &indices));

  SortJob job;
  job.from = tensor->data();
  Scratch copy;
  if (!tensor->shape.is_contiguous()) {
    CopyPlan plan;
    SHIMS_TRY(plan_copy(packed, tensor->shape, &plan));
    SHIMS_TRY(copy.allocate(device, stream,
                            static_cast<std::size_t>(packed.numel()) * tensor->item_bytes()));
    SHIMS_TRY(copy_on_device(plan, copy.as<void>(), tensor->dtype, tensor->data(), tensor->dtype,
                             stream));
    job.from = copy.as<void>();
  }
  job.values = values->data();
  job.indices = indices->as<int64_t>();
  job.dtype = tensor->dtype;
  job.descending = descending;
  job.outer = 1;
  job.length = 1;
  job.inner = 1;
  for (std::size_t at = 0; at < tensor->shape.ndim(); ++at) {
    int64_t& part = static_cast<int64_t>(at) < dim    ? job.outer
                    : static_cast<int64_t>(at) == dim ? job.length
                                                      : job.inner;
    part *= tensor->size(at);
  }
  SHIMS_TRY(sort(job, device, stream));
  *ret_values = to_handle(values.release());
  *ret_indices = to_handle(indices.release());
  return Error::kOk;
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_cuda_sort_stable(AtenTensorHandle self, int32_t* /*stable*/, int64_t dim,
                                           int32_t descending, AtenTensorHandle* ret_values,
                                           AtenTensorHandle* ret_indices) {
  return shims::shim(__func__, [&] {
    return shims::sort_stable(self, dim, descending != 0, ret_values, ret_indices);
  });
}
