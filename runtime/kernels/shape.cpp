#include "runtime/kernels/shape.h"

#include <cstring>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch::kernels {

int64_t Shape::numel() const {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= size[d];
  return count;
}

bool Shape::operator==(const Shape& other) const {
  if (rank != other.rank) return false;
  for (int d = 0; d < rank; ++d) {
    if (size[d] != other.size[d]) return false;
  }
  return true;
}

Shape shape_of(const Tensor& tensor) {
  Shape shape;
  const auto sizes = tensor.sizes();
  shape.rank = static_cast<int>(sizes.size());
  for (int d = 0; d < shape.rank; ++d) shape.size[d] = sizes.data()[d];
  return shape;
}

void byte_strides(const Tensor& tensor, int64_t* strides) {
  const auto source = tensor.strides();
  if (source.data() == nullptr) {
    dense_strides(shape_of(tensor), tensor.element_size(), strides);
    return;
  }
  const int64_t element_size = tensor.element_size();
  for (int d = 0; d < rank_of(tensor); ++d) strides[d] = source.data()[d] * element_size;
}

void dense_strides(const Shape& shape, int64_t element_size, int64_t* strides) {
  int64_t stride = element_size;
  for (int d = shape.rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape.size[d] > 0 ? shape.size[d] : 1;
  }
}

bool is_row_major(const Tensor& tensor) {
  const auto order = tensor.dim_order();
  if (order.data() == nullptr) return true;
  const auto sizes = tensor.sizes();
  // Dimensions of extent 1 may stand anywhere in the order.
  int last = -1;
  for (size_t i = 0; i < order.size(); ++i) {
    const int dim = order.data()[i];
    if (sizes.data()[dim] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return true;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  const auto sizes_a = a.sizes();
  const auto sizes_b = b.sizes();
  const size_t rank = sizes_a.size();
  if (rank != sizes_b.size()) return false;
  if (rank == 0) return true;
  if (std::memcmp(sizes_a.data(), sizes_b.data(), rank * sizeof(*sizes_a.data())) != 0) {
    return false;
  }
  const auto* order_a = a.dim_order().data();
  const auto* order_b = b.dim_order().data();
  if (order_a != nullptr && order_b != nullptr &&
      std::memcmp(order_a, order_b, rank * sizeof(*order_a)) == 0) {
    return true;
  }
  return is_row_major(a) && is_row_major(b);
}

bool broadcast(Shape& shape, const Shape& other) {
  if (other.rank > shape.rank) {
    const int shift = other.rank - shape.rank;
    for (int d = other.rank - 1; d >= 0; --d)
      shape.size[d] = d >= shift ? shape.size[d - shift] : 1;
    shape.rank = other.rank;
  }
  for (int i = 1; i <= other.rank; ++i) {
    int64_t& extent = shape.size[shape.rank - i];
    const int64_t added = other.size[other.rank - i];
    if (extent == added || added == 1) continue;
    if (extent != 1) return false;
    extent = added;
  }
  return true;
}

bool wrap_dim(Context& context, int64_t dim, int rank, int& wrapped) {
  const int64_t limit = rank == 0 ? 1 : rank;
  if (dim < -limit || dim >= limit) {
    return refuse(context, "dimension %lld is out of range for rank %d",
                  static_cast<long long>(dim), rank);
  }
  wrapped = static_cast<int>(dim < 0 ? dim + limit : dim);
  return true;
}

bool slice_range(Context& context, int64_t size, std::optional<int64_t> start,
                 std::optional<int64_t> end, int64_t step, int64_t& first, int64_t& length) {
  if (step <= 0) return refuse(context, "a slice with step %lld", static_cast<long long>(step));
  const auto bound = [size](int64_t index) {
    const int64_t from_front = index < 0 ? index + size : index;
    return from_front < 0 ? 0 : (from_front > size ? size : from_front);
  };
  first = bound(start.value_or(0));
  const int64_t last = bound(end.value_or(size));
  length = last > first ? (last - first - 1) / step + 1 : 0;
  return true;
}

bool resize_out(Context& context, Tensor& out, const Shape& shape) {
  const auto sizes = out.sizes();
  bool equal = static_cast<int>(sizes.size()) == shape.rank;
  for (int d = 0; equal && d < shape.rank; ++d) equal = sizes.data()[d] == shape.size[d];
  if (!equal) {
    aten::SizesType narrow[kMaxDims];
    for (int d = 0; d < shape.rank; ++d) {
      if (shape.size[d] < 0 || shape.size[d] > INT32_MAX) {
        return refuse(context, "an output of size %lld is too large",
                      static_cast<long long>(shape.size[d]));
      }
      narrow[d] = static_cast<aten::SizesType>(shape.size[d]);
    }
    const Error error = runtime::resize_tensor(
        out, ArrayRef<aten::SizesType>(narrow, static_cast<size_t>(shape.rank)));
    if (error != Error::Ok) return refuse(context, "the output cannot take the result's shape");
  }
  if (out.const_data_ptr() == nullptr && out.nbytes() > 0) {
    return refuse(context, "the output has no memory");
  }
  return true;
}

bool same_dim_order(Context& context, const Tensor& a, const Tensor& b) {
  const auto order_a = a.dim_order();
  const auto order_b = b.dim_order();
  const size_t rank = order_a.size();
  if (rank != order_b.size() || order_a.data() == nullptr || order_b.data() == nullptr ||
      rank == 0 ||
      std::memcmp(order_a.data(), order_b.data(), rank * sizeof(*order_a.data())) == 0) {
    return true;
  }
  // Where one of them has extent 1, the dimension may stand anywhere in the order.
  const auto counts = [&](int dim) {
    return a.sizes().data()[dim] != 1 && b.sizes().data()[dim] != 1;
  };
  size_t i = 0;
  size_t j = 0;
  for (;;) {
    while (i < rank && !counts(order_a.data()[i])) ++i;
    while (j < rank && !counts(order_b.data()[j])) ++j;
    if (i == rank && j == rank) return true;
    if (i == rank || j == rank || order_a.data()[i] != order_b.data()[j]) {
      return refuse(context, "the arguments have different dim orders");
    }
    ++i;
    ++j;
  }
}

}  // namespace executorch::kernels
