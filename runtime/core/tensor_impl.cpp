#include <algorithm>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>

namespace executorch::runtime::etensor {
namespace {

// Product of the sizes, or -1 and the dimension that keeps it from being one.
ssize_t multiply_sizes(const TensorImpl::SizesType* sizes, ssize_t dim, ssize_t* bad) {
  ssize_t numel = 1;
  for (ssize_t i = 0; i < dim; ++i) {
    if (sizes[i] < 0 || __builtin_mul_overflow(numel, ssize_t{sizes[i]}, &numel)) {
      *bad = i;
      return -1;
    }
  }
  return numel;
}

}  // namespace

ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_CHECK_MSG(dim == 0 || sizes != nullptr, "a tensor of rank %zd without sizes", dim);
  ssize_t bad = 0;
  const ssize_t numel = multiply_sizes(sizes, dim, &bad);
  ET_CHECK_MSG(numel >= 0, "size %d at dimension %zd is negative or too large", sizes[bad], bad);
  return numel;
}

Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_CHECK_OR_RETURN_ERROR(dim == 0 || sizes != nullptr, InvalidArgument,
                           "A tensor of rank %zd without sizes.", dim);
  ssize_t bad = 0;
  const ssize_t numel = multiply_sizes(sizes, dim, &bad);
  ET_CHECK_OR_RETURN_ERROR(numel >= 0, InvalidArgument,
                           "Size %d at dimension %zd is negative or too large.", sizes[bad], bad);
  return numel;
}

TensorImpl::TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes, void* data,
                       DimOrderType* dim_order, StridesType* strides, TensorShapeDynamism dynamism,
                       DeviceType device_type, DeviceIndex device_index)
    : sizes_(sizes),
      dim_order_(dim_order),
      strides_(strides),
      data_(data),
      dim_(dim),
      numel_(compute_numel(sizes, dim)),
      numel_bound_(static_cast<size_t>(numel_)),
      type_(type),
      shape_dynamism_(dynamism),
      device_(device_type, device_index) {
  ET_CHECK_MSG(isValid(type), "element type %d", static_cast<int>(type));
  ET_CHECK_MSG(dim >= 0, "rank %zd", dim);
}

size_t TensorImpl::nbytes() const { return static_cast<size_t>(numel_) * elementSize(type_); }

ssize_t TensorImpl::element_size() const { return static_cast<ssize_t>(elementSize(type_)); }

Error TensorImpl::internal_resize_contiguous(ArrayRef<SizesType> new_sizes) {
  ET_CHECK_OR_RETURN_ERROR(new_sizes.size() == static_cast<size_t>(dim_), NotSupported,
                           "A tensor of rank %zd can't take sizes of rank %zu.", dim_,
                           new_sizes.size());
  if (std::equal(new_sizes.begin(), new_sizes.end(), sizes_)) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(shape_dynamism_ != TensorShapeDynamism::STATIC, NotSupported, "%s",
                           "A static tensor can't be resized.");
  const Result<ssize_t> numel = safe_numel(new_sizes.data(), dim_);
  if (!numel.ok()) {
    return numel.error();
  }
  // An unbounded tensor is bounded too: the runtime can't find more memory for it.
  ET_CHECK_OR_RETURN_ERROR(static_cast<size_t>(*numel) <= numel_bound_, NotSupported,
                           "%zd elements in a tensor that holds at most %zu.", *numel,
                           numel_bound_);
  if (strides_ != nullptr && dim_order_ != nullptr) {
    const Error error =
        dim_order_to_stride(new_sizes.data(), dim_order_, new_sizes.size(), strides_);
    if (error != Error::Ok) {
      return error;
    }
  }
  numel_ = *numel;
  std::copy(new_sizes.begin(), new_sizes.end(), sizes_);
  return Error::Ok;
}

}  // namespace executorch::runtime::etensor
