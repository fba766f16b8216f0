#include <algorithm>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch::runtime {
namespace internal {

// The one class that may resize.
class TensorResizerFriend final {
 public:
  static Error resize(etensor::TensorImpl* impl,
                      ArrayRef<etensor::TensorImpl::SizesType> new_sizes) {
    return impl->internal_resize_contiguous(new_sizes);
  }
};

Error resize_tensor_impl(etensor::TensorImpl* impl,
                         ArrayRef<etensor::TensorImpl::SizesType> new_sizes) {
  return TensorResizerFriend::resize(impl, new_sizes);
}

Error share_tensor_data(const etensor::Tensor& t_dst, const etensor::Tensor& t_src) {
  ET_CHECK_OR_RETURN_ERROR(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
                           "A tensor of %zu bytes can't share data of %zu bytes.", t_dst.nbytes(),
                           t_src.nbytes());
  ET_CHECK_OR_RETURN_ERROR(t_src.const_data_ptr() != nullptr || t_src.nbytes() == 0,
                           InvalidArgument, "A tensor of %zu bytes has no data to share.",
                           t_src.nbytes());
  t_dst.unsafeGetTensorImpl()->set_data(t_src.mutable_data_ptr());
  return Error::Ok;
}

Error copy_tensor_data(const etensor::Tensor& t_dst, const etensor::Tensor& t_src) {
  ET_CHECK_OR_RETURN_ERROR(t_dst.device().is_cpu() && t_src.device().is_cpu(), NotSupported, "%s",
                           "Data on a device can't be copied by the CPU.");
  ET_CHECK_OR_RETURN_ERROR(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
                           "A tensor of %zu bytes can't take data of %zu bytes.", t_dst.nbytes(),
                           t_src.nbytes());
  if (t_src.nbytes() == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(t_dst.const_data_ptr() != nullptr && t_src.const_data_ptr() != nullptr,
                           InvalidArgument, "%zu bytes of a tensor without data.", t_src.nbytes());
  // A caller may well pass the method's own memory.
  std::memmove(t_dst.mutable_data_ptr(), t_src.const_data_ptr(), t_src.nbytes());
  return Error::Ok;
}

Error set_tensor_data(const etensor::Tensor& t, void* buffer, size_t buffer_size) {
  ET_CHECK_OR_RETURN_ERROR(buffer_size >= t.nbytes(), InvalidArgument,
                           "A buffer of %zu bytes for a tensor of %zu.", buffer_size, t.nbytes());
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr || t.nbytes() == 0, InvalidArgument,
                           "No buffer for a tensor of %zu bytes.", t.nbytes());
  t.unsafeGetTensorImpl()->set_data(buffer);
  return Error::Ok;
}

void reset_data_ptr(const etensor::Tensor& tensor) {
  tensor.unsafeGetTensorImpl()->set_data(nullptr);
}

}  // namespace internal

namespace {

bool is_default(const etensor::Tensor& t) {
  return is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size());
}

bool is_channels_last(const etensor::Tensor& t) {
  return is_channels_last_dim_order(t.dim_order().data(), t.dim_order().size());
}

}  // namespace

Error get_dim_order(const etensor::Tensor& tensor, etensor::Tensor::DimOrderType* out_dim_order,
                    size_t out_dim_order_size) {
  ET_CHECK_OR_RETURN_ERROR(out_dim_order_size == tensor.dim_order().size(), InvalidArgument,
                           "Room for a dim order of %zu, the tensor has one of %zu.",
                           out_dim_order_size, tensor.dim_order().size());
  std::copy(tensor.dim_order().begin(), tensor.dim_order().end(), out_dim_order);
  return Error::Ok;
}

bool tensor_has_valid_dim_order(etensor::Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(validate_dim_order(t.dim_order().data(), t.dim_order().size()),
                           "The dim order of a tensor of rank %zd is no permutation.", t.dim());
  return true;
}

bool tensor_is_default_dim_order(etensor::Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_default(t), "A tensor of rank %zd is not in the default dim order.",
                           t.dim());
  return true;
}

bool tensor_is_channels_last_dim_order(etensor::Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_channels_last(t), "A tensor of rank %zd is not channels last.",
                           t.dim());
  return true;
}

bool tensor_is_default_or_channels_last_dim_order(etensor::Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_default(t) || is_channels_last(t),
                           "A tensor of rank %zd is neither in the default dim order nor channels "
                           "last.",
                           t.dim());
  return true;
}

bool tensors_have_same_dim_order(const ArrayRef<etensor::Tensor> tensor_list) {
  const bool same = std::all_of(tensor_list.begin(), tensor_list.end(), is_default) ||
                    std::all_of(tensor_list.begin(), tensor_list.end(), is_channels_last);
  ET_CHECK_OR_RETURN_FALSE(same, "%zu tensors in different dim orders.", tensor_list.size());
  return true;
}

}  // namespace executorch::runtime
