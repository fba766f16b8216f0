// Prim operators on tensors. Their arguments come straight from a program: each is checked here.

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/executor/tensor_place.h"
#include "runtime/prim_ops/prim_ops.h"

namespace executorch::runtime::prim_ops {

using etensor::ScalarType;
using etensor::Tensor;
using etensor::TensorImpl;

namespace {

using Sizes = TensorImpl::SizesType[kTensorDimensionLimit];

Tensor* tensor_argument(KernelRuntimeContext& context, EValue& value) {
  if ET_LIKELY (value.isTensor()) return &value.toTensor();
  ET_LOG(Error, "a tensor is expected, the argument is %s", tag_to_string(value.tag));
  context.fail(Error::InvalidType);
  return nullptr;
}

bool int_argument(KernelRuntimeContext& context, const EValue& value, std::int64_t& number) {
  if ET_LIKELY (value.isInt()) {
    number = value.toInt();
    return true;
  }
  ET_LOG(Error, "an integer is expected, the argument is %s", tag_to_string(value.tag));
  context.fail(Error::InvalidType);
  return false;
}

bool has_readable_data(KernelRuntimeContext& context, const Tensor& tensor) {
  if (tensor.numel() == 0 || (tensor.const_data_ptr() != nullptr && tensor.device().is_cpu())) {
    return true;
  }
  ET_LOG(Error, "%s", "the data of a tensor is missing, or on a device");
  context.fail(Error::InvalidArgument);
  return false;
}

void sym_size(KernelRuntimeContext& context, Span<EValue*> stack) {
  std::int64_t dim = 0;
  if (!has_arguments(context, stack, 3)) return;
  const Tensor* const self = tensor_argument(context, *stack[0]);
  if (self == nullptr || !int_argument(context, *stack[1], dim)) return;
  if (dim < 0) dim += self->dim();
  ET_KERNEL_CHECK_MSG(context, dim >= 0 && dim < self->dim(), InvalidArgument, ,
                      "dimension %" PRId64 " of a tensor of rank %zd", dim, self->dim());
  set_result(context, *stack[2], EValue(std::int64_t{self->sizes()[static_cast<size_t>(dim)]}));
}

void sym_numel(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 2)) return;
  const Tensor* const self = tensor_argument(context, *stack[0]);
  if (self == nullptr) return;
  set_result(context, *stack[1], EValue(std::int64_t{self->numel()}));
}

template <typename T>
T first_element(const Tensor& tensor) {
  T element;
  std::memcpy(&element, tensor.const_data_ptr(), sizeof element);
  return element;
}

// The element of a tensor that has one.
void local_scalar_dense(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 2)) return;
  const Tensor* const self = tensor_argument(context, *stack[0]);
  if (self == nullptr || !has_readable_data(context, *self)) return;
  ET_KERNEL_CHECK_MSG(context, self->numel() == 1, InvalidArgument, ,
                      "a tensor of %zd elements is no number", self->numel());
  EValue number;
  switch (self->scalar_type()) {
    case ScalarType::Byte:
      number = EValue(std::int64_t{first_element<std::uint8_t>(*self)});
      break;
    case ScalarType::Char:
      number = EValue(std::int64_t{first_element<std::int8_t>(*self)});
      break;
    case ScalarType::Short:
      number = EValue(std::int64_t{first_element<std::int16_t>(*self)});
      break;
    case ScalarType::Int:
      number = EValue(std::int64_t{first_element<std::int32_t>(*self)});
      break;
    case ScalarType::Long:
      number = EValue(first_element<std::int64_t>(*self));
      break;
    case ScalarType::UInt16:
      number = EValue(std::int64_t{first_element<std::uint16_t>(*self)});
      break;
    case ScalarType::UInt32:
      number = EValue(std::int64_t{first_element<std::uint32_t>(*self)});
      break;
    case ScalarType::Bool:
      number = EValue(first_element<std::uint8_t>(*self) != 0);
      break;
    case ScalarType::Half:
      number = EValue(double{static_cast<float>(first_element<aten::Half>(*self))});
      break;
    case ScalarType::BFloat16:
      number = EValue(double{static_cast<float>(first_element<aten::BFloat16>(*self))});
      break;
    case ScalarType::Float:
      number = EValue(double{first_element<float>(*self)});
      break;
    case ScalarType::Double:
      number = EValue(first_element<double>(*self));
      break;
    default:
      ET_LOG(Error, "an element of type %s is no number", toString(self->scalar_type()));
      context.fail(Error::NotSupported);
      return;
  }
  set_result(context, *stack[1], number);
}

// Sizes of a view of `numel` elements, where -1 stands for whatever is left.
bool read_view_sizes(KernelRuntimeContext& context, ArrayRef<std::int64_t> wanted, ssize_t numel,
                     Sizes& sizes) {
  if (wanted.size() > kTensorDimensionLimit) {
    context.fail(Error::InvalidArgument);
    return false;
  }
  std::int64_t known = 1;
  std::size_t open = wanted.size();
  bool good = true;
  for (std::size_t i = 0; i < wanted.size() && good; ++i) {
    if (wanted[i] == -1) {
      good = open == wanted.size();  // only one may be open
      open = i;
    } else {
      good = wanted[i] >= 0 && wanted[i] <= INT32_MAX &&
             !__builtin_mul_overflow(known, wanted[i], &known);
      sizes[i] = static_cast<TensorImpl::SizesType>(wanted[i]);
    }
  }
  if (good && open < wanted.size()) {
    good = known != 0 && numel % known == 0 && numel / known <= INT32_MAX;
    if (good) {
      sizes[open] = static_cast<TensorImpl::SizesType>(numel / known);
      known = numel;
    }
  }
  if (good && known == numel) return true;
  ET_LOG(Error, "%zd elements can't be viewed in the sizes that are asked for", numel);
  context.fail(Error::InvalidArgument);
  return false;
}

// [self, size, out]: lets `out` refer to the data of `self`, in other sizes.
void et_view(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 3)) return;
  const Tensor* const self = tensor_argument(context, *stack[0]);
  Tensor* const out = tensor_argument(context, *stack[2]);
  if (self == nullptr || out == nullptr) return;
  const auto wanted = stack[1]->tryToIntList();
  if (!wanted.ok()) {
    context.fail(wanted.error());
    return;
  }
  Sizes sizes;
  if (!read_view_sizes(context, *wanted, self->numel(), sizes)) return;
  ET_KERNEL_CHECK_MSG(context,
                      self->scalar_type() == out->scalar_type() &&
                          static_cast<std::size_t>(out->dim()) == wanted->size(),
                      InvalidArgument, , "a view of type %d and rank %zu as one of %d and %zd",
                      static_cast<int>(self->scalar_type()), wanted->size(),
                      static_cast<int>(out->scalar_type()), out->dim());
  ET_KERNEL_CHECK_MSG(context, self->const_data_ptr() != nullptr || self->numel() == 0,
                      InvalidArgument, , "a tensor of %zd elements without data", self->numel());
  // Elements keep their places: that is a view only where both count them in the same order.
  const bool same_order =
      is_contiguous_dim_order(self->dim_order().data(), self->dim_order().size()) &&
      is_contiguous_dim_order(out->dim_order().data(), out->dim_order().size());
  ET_KERNEL_CHECK_MSG(context, same_order, NotSupported, , "%s",
                      "a view of a tensor that is not in the default order");
  TensorImpl* const impl = out->unsafeGetTensorImpl();
  const ArrayRef<TensorImpl::SizesType> view_sizes(sizes, wanted->size());
  if (impl == self->unsafeGetTensorImpl()) {
    // A move made them one: there is nothing to be done unless the shape changes.
    const Error error = resize_tensor(*out, view_sizes);
    if (error != Error::Ok) context.fail(error);
    return;
  }
  const internal::TensorFrame frame = internal::frame_of(*impl);
  if (frame.dynamism == TensorShapeDynamism::STATIC) {
    ET_KERNEL_CHECK_MSG(context, view_sizes.equals(out->sizes()), InvalidArgument, , "%s",
                        "a static view takes other sizes than the program says");
    new (impl) TensorImpl(frame.type, static_cast<ssize_t>(frame.rank), frame.sizes,
                          self->mutable_data_ptr(), frame.dim_order, frame.strides, frame.dynamism,
                          self->device_type(), self->device_index());
    return;
  }
  // It must not grow beyond what is behind it.
  internal::make_bounded(impl, frame, static_cast<std::uint64_t>(self->numel()),
                         self->mutable_data_ptr(), self->device());
  const Error error = resize_tensor(*out, view_sizes);
  if (error != Error::Ok) context.fail(error);
}

// [to, from, index]: to[index] = from. `to` grows to hold it, when it may.
void et_copy_index(KernelRuntimeContext& context, Span<EValue*> stack) {
  std::int64_t index = 0;
  if (!has_arguments(context, stack, 3)) return;
  Tensor* const to = tensor_argument(context, *stack[0]);
  const Tensor* const from = tensor_argument(context, *stack[1]);
  if (to == nullptr || from == nullptr || !int_argument(context, *stack[2], index)) return;
  ET_KERNEL_CHECK_MSG(context,
                      index >= 0 && index < INT32_MAX && to->dim() == from->dim() + 1 &&
                          to->scalar_type() == from->scalar_type(),
                      InvalidArgument, ,
                      "a tensor of rank %zd copied to index %" PRId64 " of one of rank %zd",
                      from->dim(), index, to->dim());
  // A slice of the outermost dimension is a run of bytes only if nothing is permuted.
  ET_KERNEL_CHECK_MSG(
      context,
      is_contiguous_dim_order(to->dim_order().data(), to->dim_order().size()) &&
          is_contiguous_dim_order(from->dim_order().data(), from->dim_order().size()),
      NotSupported, , "%s", "a slice of a tensor that is not in the default order");
  Sizes sizes;
  sizes[0] = static_cast<TensorImpl::SizesType>(index + 1);
  std::copy(from->sizes().begin(), from->sizes().end(), sizes + 1);
  const bool grows = to->shape_dynamism() != TensorShapeDynamism::STATIC &&
                     (index == 0 || to->sizes()[0] <= index);
  if (grows) {
    const Error error = resize_tensor(
        *to, ArrayRef<TensorImpl::SizesType>(sizes, static_cast<std::size_t>(to->dim())));
    if (error != Error::Ok) {
      context.fail(error);
      return;
    }
  }
  ET_KERNEL_CHECK_MSG(
      context,
      index < to->sizes()[0] &&
          std::equal(from->sizes().begin(), from->sizes().end(), to->sizes().begin() + 1),
      InvalidArgument, , "index %" PRId64 " does not fit, or the sizes differ", index);
  if (from->nbytes() == 0) return;
  ET_KERNEL_CHECK_MSG(context, to->const_data_ptr() != nullptr, InvalidArgument, , "%s",
                      "a copy to a tensor without data");
  const Error error = internal::copy_bytes(
      to->mutable_data_ptr<std::uint8_t>() + static_cast<std::size_t>(index) * from->nbytes(),
      to->device(), from->const_data_ptr(), from->device(), from->nbytes());
  if (error != Error::Ok) context.fail(error);
}

constexpr Kernel kKernels[] = {
    Kernel("aten::sym_size.int", sym_size),
    Kernel("aten::sym_numel", sym_numel),
    Kernel("aten::_local_scalar_dense", local_scalar_dense),
    Kernel("executorch_prim::et_view.default", et_view),
    Kernel("executorch_prim::et_copy_index.tensor", et_copy_index),
};

}  // namespace

std::span<const Kernel> tensor_kernels() { return kKernels; }

}  // namespace executorch::runtime::prim_ops
