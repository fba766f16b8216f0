#pragma once

// Checks and helpers for kernels: shapes, types and orders of tensors, resizing, and the data
// pointer. A check returns false after logging what it found.

#include <algorithm>
#include <array>
#include <c10/util/irange.h>
#include <c10/util/safe_numerics.h>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>
#include <limits>
#include <type_traits>

#define ET_NORMALIZE_IX(IX, UPPER_BOUND) ((IX) < 0 ? (IX) + (UPPER_BOUND) : (IX))

// Checks of older code, which end the process.
#define ET_CHECK_VALID_IX(IX, UPPER_BOUND)                                                    \
  ET_CHECK_MSG(                                                                               \
      (IX) >= -static_cast<int64_t>(UPPER_BOUND) && (IX) < static_cast<int64_t>(UPPER_BOUND), \
      "index %" PRId64 " of %zd", static_cast<int64_t>(IX), static_cast<ssize_t>(UPPER_BOUND))
#define ET_CHECK_VALID_DIM(DIM, UPPER_BOUND) ET_CHECK_VALID_IX(DIM, UPPER_BOUND)
#define ET_CHECK_SAME_SHAPE2(a, b) ET_CHECK(::executorch::runtime::tensors_have_same_shape(a, b))
#define ET_CHECK_SAME_SHAPE3(a, b, c) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape(a, b, c))
#define ET_CHECK_SAME_DTYPE2(a, b) ET_CHECK(::executorch::runtime::tensors_have_same_dtype(a, b))
#define ET_CHECK_SAME_DTYPE3(a, b, c) \
  ET_CHECK(::executorch::runtime::tensors_have_same_dtype(a, b, c))
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a, b) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape_and_dtype(a, b))
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a, b, c) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape_and_dtype(a, b, c))
#define ET_CHECK_CONTIGUOUS(a) ET_CHECK(::executorch::runtime::tensor_is_contiguous(a))
#define ET_CHECK_SAME_STRIDES2(a, b) \
  ET_CHECK(::executorch::runtime::tensors_have_same_strides(a, b))
#define ET_CHECK_SAME_STRIDES3(a, b, c) \
  ET_CHECK(::executorch::runtime::tensors_have_same_strides(a, b, c))
#define ET_CHECK_DEFAULT_OR_CHANNELSLAST_DIMORDER(t) \
  ET_CHECK(::executorch::runtime::tensor_is_default_or_channels_last_dim_order(t))

/// Returns false, after logging the condition, unless it holds.
#define ET_LOG_AND_RETURN_IF_FALSE(cond)        \
  do {                                          \
    if ET_UNLIKELY (!(cond)) {                  \
      ET_LOG(Error, "Check failed: %s", #cond); \
      return false;                             \
    }                                           \
  } while (0)
#define ET_LOG_MSG_AND_RETURN_IF_FALSE(cond, ...) ET_CHECK_OR_RETURN_FALSE(cond, __VA_ARGS__)

/// In a kernel: unless the condition holds, logs it, fails the context with Error::<error> and
/// returns `retval` (may be empty).
#define ET_KERNEL_CHECK(context, cond, error, retval)      \
  do {                                                     \
    if ET_UNLIKELY (!(cond)) {                             \
      ET_LOG(Error, "Check failed: %s", #cond);            \
      (context).fail(::executorch::runtime::Error::error); \
      return retval;                                       \
    }                                                      \
  } while (0)
/// The same, with a message.
#define ET_KERNEL_CHECK_MSG(context, cond, error, retval, ...) \
  do {                                                         \
    if ET_UNLIKELY (!(cond)) {                                 \
      ET_LOG(Error, "Check failed (%s):", #cond);              \
      ET_LOG(Error, __VA_ARGS__);                              \
      (context).fail(::executorch::runtime::Error::error);     \
      return retval;                                           \
    }                                                          \
  } while (0)

/// Reads the one element of a tensor into `out_val`, or ends the process.
#define ET_EXTRACT_SCALAR_TENSOR(scalar_tensor, out_val)                              \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar_tensor(scalar_tensor, &out_val), \
               "%s holds no number that fits", #scalar_tensor)

namespace executorch::runtime {

/// Whether dim is in -upper_bound .. upper_bound-1.
inline bool dim_is_valid(int64_t dim, int64_t upper_bound) {
  ET_CHECK_OR_RETURN_FALSE(dim >= -upper_bound && dim < upper_bound,
                           "Dimension %" PRId64 " of a tensor of rank %" PRId64 ".", dim,
                           upper_bound);
  return true;
}

/// The rank, 1 for a tensor of rank 0.
inline ssize_t nonzero_dim(const etensor::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : tensor.dim();
}
/// The size of a dimension, 1 for a tensor of rank 0.
inline ssize_t nonempty_size(const etensor::Tensor& tensor, ssize_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

// Element types.

inline bool tensor_can_cast_to(etensor::Tensor a, etensor::ScalarType dtype) {
  ET_CHECK_OR_RETURN_FALSE(canCast(a.scalar_type(), dtype), "%s can't be stored as %s.",
                           toString(a.scalar_type()), toString(dtype));
  return true;
}

namespace internal {
inline bool check_type(bool holds, const etensor::Tensor& t, const char* expected) {
  if ET_UNLIKELY (!holds) {
    ET_LOG(Error, "A tensor of type %s where %s is expected.", toString(t.scalar_type()), expected);
  }
  return holds;
}
}  // namespace internal

inline bool tensor_is_type(etensor::Tensor t, etensor::ScalarType dtype) {
  return internal::check_type(t.scalar_type() == dtype, t, toString(dtype));
}
inline bool tensor_is_type(etensor::Tensor t, etensor::ScalarType dtype,
                           etensor::ScalarType dtype2) {
  return internal::check_type(t.scalar_type() == dtype || t.scalar_type() == dtype2, t,
                              "one of two other types");
}
inline bool tensor_is_type(etensor::Tensor t, etensor::ScalarType dtype, etensor::ScalarType dtype2,
                           etensor::ScalarType dtype3) {
  return internal::check_type(
      t.scalar_type() == dtype || t.scalar_type() == dtype2 || t.scalar_type() == dtype3, t,
      "one of three other types");
}
inline bool tensor_is_bool_type(etensor::Tensor t) {
  return tensor_is_type(t, etensor::ScalarType::Bool);
}
inline bool tensor_is_integral_type(etensor::Tensor t, bool includeBool = false) {
  return internal::check_type(isIntegralType(t.scalar_type(), includeBool), t, "an integer type");
}

// bool name(Tensor): whether the type is of a kind of scalar_type_util.h.
#define ET_INTERNAL_TYPE_CHECK(name, predicate)                                          \
  inline bool name(etensor::Tensor t) {                                                  \
    return internal::check_type(predicate(t.scalar_type()), t, "a type of " #predicate); \
  }
ET_INTERNAL_TYPE_CHECK(tensor_is_floating_type, isFloatingType)
ET_INTERNAL_TYPE_CHECK(tensor_is_real_type, isRealType)
ET_INTERNAL_TYPE_CHECK(tensor_is_realh_type, isRealHType)
ET_INTERNAL_TYPE_CHECK(tensor_is_realhbf16_type, isRealHBF16Type)
ET_INTERNAL_TYPE_CHECK(tensor_is_realhb_type, isRealHBType)
ET_INTERNAL_TYPE_CHECK(tensor_is_realhbbf16_type, isRealHBBF16Type)
ET_INTERNAL_TYPE_CHECK(tensor_is_complex_type, isComplexType)
ET_INTERNAL_TYPE_CHECK(tensor_is_bits_type, isBitsType)
#undef ET_INTERNAL_TYPE_CHECK

inline bool tensors_have_same_dtype(etensor::Tensor a, etensor::Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.scalar_type() == b.scalar_type(), "Tensors of types %s and %s.",
                           toString(a.scalar_type()), toString(b.scalar_type()));
  return true;
}
inline bool tensors_have_same_dtype(etensor::Tensor a, etensor::Tensor b, etensor::Tensor c) {
  return tensors_have_same_dtype(a, b) && tensors_have_same_dtype(b, c);
}

// Ranks and dimensions.

inline bool tensor_is_rank(etensor::Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) == rank, "Rank %zd, not %zu.", t.dim(),
                           rank);
  return true;
}
inline bool tensor_has_rank_greater_or_equal_to(etensor::Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) >= rank, "Rank %zd, below %zu.", t.dim(),
                           rank);
  return true;
}
inline bool tensor_has_rank_smaller_or_equal_to(etensor::Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) <= rank, "Rank %zd, above %zu.", t.dim(),
                           rank);
  return true;
}
/// Whether d, counted from the end when negative, is a dimension; of a tensor of rank 0, 0 is.
inline bool tensor_has_dim(etensor::Tensor t, int64_t d) { return dim_is_valid(d, nonzero_dim(t)); }
inline bool tensor_has_non_empty_dim(etensor::Tensor t, int64_t d) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(t, d));
  ET_LOG_AND_RETURN_IF_FALSE(nonempty_size(t, ET_NORMALIZE_IX(d, nonzero_dim(t))) != 0);
  return true;
}
/// Whether ix, counted from the end when negative, is an index of dimension d. A d that is none
/// ends the process.
inline bool tensor_dim_has_index(etensor::Tensor t, int64_t d, int64_t ix) {
  const int64_t dim = ET_NORMALIZE_IX(d, t.dim());
  const int64_t size = t.size(dim);
  ET_CHECK_OR_RETURN_FALSE(ix >= -size && ix < size,
                           "Index %" PRId64 " of %" PRId64 " in dimension %" PRId64 ".", ix, size,
                           dim);
  return true;
}
inline bool tensors_have_same_size_at_dims(etensor::Tensor a, size_t dim_a, etensor::Tensor b,
                                           size_t dim_b) {
  ET_CHECK_OR_RETURN_FALSE(
      dim_a < static_cast<size_t>(a.dim()) && dim_b < static_cast<size_t>(b.dim()),
      "Dimensions %zu and %zu of tensors of ranks %zd and %zd.", dim_a, dim_b, a.dim(), b.dim());
  const ssize_t size_a = a.size(static_cast<ssize_t>(dim_a));
  const ssize_t size_b = b.size(static_cast<ssize_t>(dim_b));
  ET_CHECK_OR_RETURN_FALSE(size_a == size_b, "Size %zd at dimension %zu, %zd at dimension %zu.",
                           size_a, dim_a, size_b, dim_b);
  return true;
}
inline bool tensors_have_same_rank(etensor::Tensor a, etensor::Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.dim() == b.dim(), "Ranks %zd and %zd.", a.dim(), b.dim());
  return true;
}
inline bool tensor_is_scalar(etensor::Tensor t) { return t.dim() == 0 && t.numel() == 1; }

// Shapes, strides and orders. Tensors of one element each count as of the same shape.

inline bool tensors_have_same_shape(etensor::Tensor a, etensor::Tensor b) {
  if (a.numel() == 1 && b.numel() == 1) {
    return true;
  }
  if (a.sizes() == b.sizes()) {
    return true;
  }
  ET_LOG(Error, "Tensors of %zd and %zd elements, ranks %zd and %zd.", a.numel(), b.numel(),
         a.dim(), b.dim());
  for (ssize_t d = 0; d < std::min(a.dim(), b.dim()); ++d) {
    ET_LOG(Error, "    dimension %zd: %zd and %zd", d, a.size(d), b.size(d));
  }
  return false;
}
inline bool tensors_have_same_shape(etensor::Tensor a, etensor::Tensor b, etensor::Tensor c) {
  return tensors_have_same_shape(a, b) && tensors_have_same_shape(b, c);
}
inline bool tensors_have_same_shape_and_dtype(etensor::Tensor a, etensor::Tensor b) {
  return tensors_have_same_shape(a, b) && tensors_have_same_dtype(a, b);
}
inline bool tensors_have_same_shape_and_dtype(etensor::Tensor a, etensor::Tensor b,
                                              etensor::Tensor c) {
  return tensors_have_same_shape(a, b, c) && tensors_have_same_dtype(a, b, c);
}
inline bool tensor_has_expected_size(etensor::Tensor a,
                                     ArrayRef<etensor::Tensor::SizesType> expected_sizes) {
  if (a.sizes() == expected_sizes) {
    return true;
  }
  ET_LOG(Error, "A tensor of rank %zd where rank %zu is expected:", a.dim(), expected_sizes.size());
  for (size_t d = 0; d < std::min(a.sizes().size(), expected_sizes.size()); ++d) {
    ET_LOG(Error, "    dimension %zu: %d, expected %d", d, a.sizes()[d], expected_sizes[d]);
  }
  return false;
}
inline bool tensors_have_same_strides(etensor::Tensor a, etensor::Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.strides() == b.strides(), "Strides of tensors of ranks %zd and %zd.",
                           a.dim(), b.dim());
  return true;
}
inline bool tensors_have_same_strides(etensor::Tensor a, etensor::Tensor b, etensor::Tensor c) {
  return tensors_have_same_strides(a, b) && tensors_have_same_strides(b, c);
}
/// Whether the strides are those of the order 0, 1, 2, ...
inline bool tensor_is_contiguous(etensor::Tensor t) {
  const auto strides = t.strides();
  const auto sizes = t.sizes();
  int64_t expected = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    ET_CHECK_OR_RETURN_FALSE(strides[i] == expected,
                             "Stride %d at dimension %zu, a contiguous tensor has %" PRId64 ".",
                             strides[i], i, expected);
    expected = expected * (sizes[i] == 0 ? 1 : sizes[i]);
  }
  return true;
}

// Positions. All of these take a contiguous tensor.

/// Product of the sizes before dimension dim.
inline size_t getLeadingDims(const etensor::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= 0 && dim <= tensor.dim(), "dimension %" PRId64 " of a tensor of rank %zd",
               dim, tensor.dim());
  size_t product = 1;
  for (ssize_t i = 0; i < dim; ++i) {
    product *= static_cast<size_t>(tensor.size(i));
  }
  return product;
}
/// Product of the sizes after dimension dim; dim may be -1.
inline size_t getTrailingDims(const etensor::Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= -1 && dim < tensor.dim(), "dimension %" PRId64 " of a tensor of rank %zd",
               dim, tensor.dim());
  size_t product = 1;
  for (ssize_t i = dim + 1; i < tensor.dim(); ++i) {
    product *= static_cast<size_t>(tensor.size(i));
  }
  return product;
}
/// trailing_dims_memo[d] = getTrailingDims(tensor, d)
inline void memoizeTrailingDims(const etensor::Tensor& tensor,
                                size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t product = 1;
  for (ssize_t i = tensor.dim(); i-- > 0;) {
    trailing_dims_memo[i] = product;
    product *= static_cast<size_t>(tensor.size(i));
  }
}
/// The element at a coordinate, counted from 0.
inline size_t coordinateToIndexWithTrailingDimsMemo(
    const etensor::Tensor& tensor, const size_t* const coordinate,
    const size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t index = 0;
  for (ssize_t d = 0; d < tensor.dim(); ++d) {
    index += coordinate[d] * trailing_dims_memo[d];
  }
  return index;
}
inline size_t coordinateToIndex(const etensor::Tensor& tensor, const size_t* const coordinate) {
  size_t index = 0;
  for (ssize_t d = 0; d < tensor.dim(); ++d) {
    index = index * static_cast<size_t>(tensor.size(d)) + coordinate[d];
  }
  return index;
}
/// The coordinate of an element, the inverse of coordinateToIndex(); checked.
inline void indexToCoordinate(const etensor::Tensor& tensor, size_t index, size_t* coordinate) {
  ET_CHECK(index < static_cast<size_t>(tensor.numel()));
  for (ssize_t d = tensor.dim(); d-- > 0;) {
    const size_t size = static_cast<size_t>(tensor.size(d));
    coordinate[d] = index % size;
    index /= size;
  }
}
/// The element at a coordinate of a tensor of any strides.
inline size_t calculate_linear_index(const etensor::Tensor::SizesType* coordinate,
                                     const etensor::Tensor::StridesType* strides,
                                     const size_t ndim) {
  size_t index = 0;
  for (size_t i = 0; i < ndim; ++i) {
    index += static_cast<size_t>(coordinate[i]) * static_cast<size_t>(strides[i]);
  }
  return index;
}

/// Reads the element of a tensor of one element, as an integer. False when there is another
/// number of elements, the type is no integer type, or the value doesn't fit.
template <typename INT_T,
          std::enable_if_t<std::is_integral_v<INT_T> && !std::is_same_v<INT_T, bool>, bool> = true>
bool extract_scalar_tensor(etensor::Tensor tensor, INT_T* out_val) {
  if (tensor.numel() != 1 || !isIntegralType(tensor.scalar_type(), false)) {
    return false;
  }
  int64_t value = 0;
#define ET_INTERNAL_READ(ctype, name)                      \
  if (tensor.scalar_type() == etensor::ScalarType::name) { \
    value = int64_t{*tensor.const_data_ptr<ctype>()};      \
  }
  ET_FORALL_INT_TYPES(ET_INTERNAL_READ)
#undef ET_INTERNAL_READ
  return !__builtin_add_overflow(value, 0, out_val);
}
/// The same as floating point, from integers and floats; infinities and NaN are kept.
template <typename FLOAT_T, std::enable_if_t<is_floating_point<FLOAT_T>::value, bool> = true>
bool extract_scalar_tensor(etensor::Tensor tensor, FLOAT_T* out_val) {
  if (tensor.numel() != 1 || !isRealHBF16Type(tensor.scalar_type())) {
    return false;
  }
  double value = 0;
#define ET_INTERNAL_READ(ctype, name)                             \
  if (tensor.scalar_type() == etensor::ScalarType::name) {        \
    value = static_cast<double>(*tensor.const_data_ptr<ctype>()); \
  }
  ET_FORALL_REALHBF16_TYPES(ET_INTERNAL_READ)
#undef ET_INTERNAL_READ
  if (std::isfinite(value) &&
      std::abs(value) > static_cast<double>(std::numeric_limits<FLOAT_T>::max())) {
    return false;
  }
  using Wide = std::conditional_t<std::is_same_v<FLOAT_T, double>, double, float>;
  *out_val = static_cast<FLOAT_T>(static_cast<Wide>(value));
  return true;
}
/// The same as a Boolean, from Bool only.
template <typename BOOL_T, std::enable_if_t<std::is_same_v<BOOL_T, bool>, bool> = true>
bool extract_scalar_tensor(etensor::Tensor tensor, BOOL_T* out_val) {
  if (tensor.numel() != 1 || tensor.scalar_type() != etensor::ScalarType::Bool) {
    return false;
  }
  *out_val = *tensor.const_data_ptr<bool>();
  return true;
}

namespace internal {

/// Makes dst refer to the data of src. InvalidArgument unless they have as many bytes.
ET_NODISCARD ET_API Error share_tensor_data(const etensor::Tensor& t_dst,
                                            const etensor::Tensor& t_src);
/// Copies the data of src to dst. InvalidArgument unless both have data, of as many bytes;
/// NotSupported unless both are on the CPU.
ET_NODISCARD ET_API Error copy_tensor_data(const etensor::Tensor& t_dst,
                                           const etensor::Tensor& t_src);
/// Makes t refer to a buffer. InvalidArgument when it is too small.
ET_NODISCARD ET_API Error set_tensor_data(const etensor::Tensor& t, void* buffer,
                                          size_t buffer_size);
/// Takes the data from a tensor; nothing is freed.
ET_API void reset_data_ptr(const etensor::Tensor& tensor);
/// resize_tensor() of the tensor's impl.
ET_NODISCARD ET_API Error resize_tensor_impl(etensor::TensorImpl* impl,
                                             ArrayRef<etensor::Tensor::SizesType> new_sizes);

}  // namespace internal

/// Gives a tensor new sizes, and the strides that go with them in its dim order. NotSupported when
/// the rank would change, when the tensor is static and the sizes differ, or when it would grow
/// beyond the number of elements that it was made with.
ET_NODISCARD inline Error resize_tensor(etensor::Tensor t,
                                        ArrayRef<etensor::Tensor::SizesType> new_sizes) {
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), new_sizes);
}
/// The same with sizes of another integer type. InvalidArgument when one doesn't fit.
template <typename T, std::enable_if_t<!std::is_same_v<etensor::Tensor::SizesType, T>, int> = 0>
ET_NODISCARD Error resize_tensor(etensor::Tensor t, ArrayRef<T> new_sizes) {
  std::array<etensor::Tensor::SizesType, kTensorDimensionLimit> sizes{};
  ET_CHECK_OR_RETURN_ERROR(new_sizes.size() <= sizes.size(), InvalidArgument,
                           "Rank %zu is above the limit of %zu.", new_sizes.size(), sizes.size());
  for (size_t i = 0; i < new_sizes.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(!__builtin_add_overflow(new_sizes[i], 0, &sizes[i]), InvalidArgument,
                             "The new size of dimension %zu doesn't fit.", i);
  }
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), {sizes.data(), new_sizes.size()});
}
/// Of older releases: resizes, or ends the process.
ET_DEPRECATED inline void resize(etensor::Tensor t,
                                 ArrayRef<etensor::Tensor::SizesType> new_sizes) {
  const Error error = resize_tensor(t, new_sizes);
  ET_CHECK_MSG(error == Error::Ok, "can't resize the tensor: %s", to_string(error));
}

/// Copies the dim order to an array of `out_dim_order_size` entries, which must be the rank.
ET_NODISCARD ET_API Error get_dim_order(const etensor::Tensor& tensor,
                                        etensor::Tensor::DimOrderType* out_dim_order,
                                        size_t out_dim_order_size);
ET_API bool tensor_has_valid_dim_order(etensor::Tensor t);
ET_API bool tensor_is_default_dim_order(etensor::Tensor t);
ET_API bool tensor_is_channels_last_dim_order(etensor::Tensor t);
ET_API bool tensor_is_default_or_channels_last_dim_order(etensor::Tensor t);
/// Whether all are in the default order, or all in channels last.
ET_API bool tensors_have_same_dim_order(const ArrayRef<etensor::Tensor> tensor_list);
inline bool tensors_have_same_dim_order(const etensor::Tensor& a, const etensor::Tensor& b) {
  const etensor::Tensor tensors[] = {a, b};
  return tensors_have_same_dim_order(tensors);
}
inline bool tensors_have_same_dim_order(const etensor::Tensor& a, const etensor::Tensor& b,
                                        const etensor::Tensor& c) {
  const etensor::Tensor tensors[] = {a, b, c};
  return tensors_have_same_dim_order(tensors);
}
inline bool tensors_have_same_dim_order(const etensor::Tensor& a, const etensor::Tensor& b,
                                        const etensor::Tensor& c, const etensor::Tensor& d) {
  const etensor::Tensor tensors[] = {a, b, c, d};
  return tensors_have_same_dim_order(tensors);
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::calculate_linear_index;
using ::executorch::runtime::coordinateToIndex;
using ::executorch::runtime::dim_is_valid;
using ::executorch::runtime::extract_scalar_tensor;
using ::executorch::runtime::get_dim_order;
using ::executorch::runtime::getLeadingDims;
using ::executorch::runtime::getTrailingDims;
using ::executorch::runtime::indexToCoordinate;
using ::executorch::runtime::kTensorDimensionLimit;
using ::executorch::runtime::nonempty_size;
using ::executorch::runtime::nonzero_dim;
using ::executorch::runtime::resize;
using ::executorch::runtime::resize_tensor;
using ::executorch::runtime::tensor_can_cast_to;
using ::executorch::runtime::tensor_dim_has_index;
using ::executorch::runtime::tensor_has_dim;
using ::executorch::runtime::tensor_has_expected_size;
using ::executorch::runtime::tensor_has_non_empty_dim;
using ::executorch::runtime::tensor_has_rank_greater_or_equal_to;
using ::executorch::runtime::tensor_has_rank_smaller_or_equal_to;
using ::executorch::runtime::tensor_has_valid_dim_order;
using ::executorch::runtime::tensor_is_bits_type;
using ::executorch::runtime::tensor_is_bool_type;
using ::executorch::runtime::tensor_is_complex_type;
using ::executorch::runtime::tensor_is_contiguous;
using ::executorch::runtime::tensor_is_default_dim_order;
using ::executorch::runtime::tensor_is_default_or_channels_last_dim_order;
using ::executorch::runtime::tensor_is_floating_type;
using ::executorch::runtime::tensor_is_integral_type;
using ::executorch::runtime::tensor_is_rank;
using ::executorch::runtime::tensor_is_real_type;
using ::executorch::runtime::tensor_is_realh_type;
using ::executorch::runtime::tensor_is_realhb_type;
using ::executorch::runtime::tensor_is_scalar;
using ::executorch::runtime::tensors_have_same_dim_order;
using ::executorch::runtime::tensors_have_same_dtype;
using ::executorch::runtime::tensors_have_same_rank;
using ::executorch::runtime::tensors_have_same_shape;
using ::executorch::runtime::tensors_have_same_shape_and_dtype;
using ::executorch::runtime::tensors_have_same_size_at_dims;
using ::executorch::runtime::tensors_have_same_strides;

namespace internal {
using ::executorch::runtime::internal::copy_tensor_data;
using ::executorch::runtime::internal::reset_data_ptr;
using ::executorch::runtime::internal::resize_tensor_impl;
using ::executorch::runtime::internal::set_tensor_data;
using ::executorch::runtime::internal::share_tensor_data;
}  // namespace internal
}  // namespace torch::executor
