#include "shims/tensor.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "shims/current_stream.h"

namespace shims {
namespace {

constexpr int64_t kMaxDims = 64;

// a * b + c for non-negative numbers, or false.
bool multiply_add(int64_t a, int64_t b, int64_t c, int64_t* ret) {
  int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, c, ret);
}

}  // namespace

Shape::Shape(std::size_t ndim) : ndim_(ndim) {
  if (ndim > kInline) {
    heap_ = std::make_unique<int64_t[]>(2 * ndim);
  }
}

Shape::Shape(const Shape& other)
    : ndim_(other.ndim_), numel_(other.numel_), extent_(other.extent_), inline_(other.inline_) {
  if (other.heap_) {
    heap_ = std::make_unique<int64_t[]>(2 * ndim_);
    std::copy_n(other.heap_.get(), 2 * ndim_, heap_.get());
  }
}

Shape& Shape::operator=(Shape other) noexcept {
  ndim_ = other.ndim_;
  numel_ = other.numel_;
  extent_ = other.extent_;
  inline_ = other.inline_;
  heap_ = std::move(other.heap_);
  return *this;
}

Error Shape::make(int64_t ndim, const int64_t* sizes, const int64_t* strides, Shape* ret) {
  if (ndim < 0 || ndim > kMaxDims) {
    return fail(Error::kInvalidArgument,
                "a tensor cannot have " + std::to_string(ndim) + " dimensions");
  }
  if (ndim > 0 && sizes == nullptr) {
    return fail(Error::kInvalidArgument, "the sizes are null");
  }
  const auto dims = static_cast<std::size_t>(ndim);
  Shape shape(dims);
  int64_t numel = 1;
  int64_t extent = 1;
  int64_t dense = 1;
  bool has_none = false;
  for (std::size_t dim = dims; dim-- > 0;) {
    const int64_t size = sizes[dim];
    const int64_t stride = strides != nullptr ? strides[dim] : dense;
    if (size < 0 || stride < 0) {
      return fail(Error::kInvalidArgument, "dimension " + std::to_string(dim) + " has size " +
                                               std::to_string(size) + " and stride " +
                                               std::to_string(stride));
    }
    shape.mutable_sizes()[dim] = size;
    shape.mutable_strides()[dim] = stride;
    has_none |= size == 0;
    // Torch counts an empty dimension as one when it makes strides.
    if (!multiply_add(dense, std::max<int64_t>(size, 1), 0, &dense) ||
        (size > 0 && !multiply_add(size - 1, stride, extent, &extent))) {
      return fail(Error::kInvalidArgument, "the tensor's extent does not fit 64 bits");
    }
    numel = has_none ? 0 : dense;
  }
  shape.numel_ = dims == 0 ? 1 : numel;
  shape.extent_ = has_none ? 0 : extent;
  *ret = std::move(shape);
  return Error::kOk;
}

bool Shape::is_contiguous() const {
  int64_t expected = 1;
  for (std::size_t dim = ndim_; dim-- > 0;) {
    const int64_t size = sizes()[dim];
    if (size == 0) {
      return true;
    }
    if (size != 1) {
      if (strides()[dim] != expected) {
        return numel_ == 0;
      }
      expected *= size;
    }
  }
  return true;
}

bool Shape::is_dense() const {
  if (numel_ == 0) {
    return true;
  }
  std::array<std::pair<int64_t, int64_t>, kMaxDims> order;
  std::size_t count = 0;
  for (std::size_t dim = 0; dim < ndim_; ++dim) {
    if (sizes()[dim] != 1) {
      order[count++] = {strides()[dim], sizes()[dim]};
    }
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  int64_t expected = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (order[i].first != expected) {
      return false;
    }
    expected *= order[i].second;
  }
  return true;
}

Error checked(AtenTensorHandle handle, const char* argument, Tensor** ret) {
  *ret = from_handle(handle);
  if (handle == nullptr) {
    return fail(Error::kInvalidArgument, std::string(argument) + " is null");
  }
  if (!(*ret)->storage) {
    return fail(Error::kInvalidArgument, std::string(argument) + " is an uninitialised tensor");
  }
  return Error::kOk;
}

Error checked_result(const void* ret, const char* argument) {
  return ret != nullptr ? Error::kOk
                        : fail(Error::kInvalidArgument, std::string(argument) + " is null");
}

Error storage_bytes(const Shape& shape, int64_t offset, DType dtype, std::size_t* ret) {
  *ret = 0;
  if (offset < 0) {
    return fail(Error::kInvalidArgument, "storage offset " + std::to_string(offset));
  }
  if (shape.extent() == 0) {
    return Error::kOk;
  }
  const auto item = static_cast<int64_t>(element_size(static_cast<int32_t>(dtype)));
  int64_t elements = 0;
  int64_t bytes = 0;
  if (!multiply_add(offset, 1, shape.extent(), &elements) ||
      !multiply_add(elements, item, 0, &bytes)) {
    return fail(Error::kInvalidArgument, "the tensor's bytes do not fit 64 bits");
  }
  *ret = static_cast<std::size_t>(bytes);
  return Error::kOk;
}

Error checked_dtype(int32_t number, DType* ret) {
  if (element_size(number) == 0) {
    return fail(Error::kInvalidArgument, "there is no data type " + std::to_string(number));
  }
  *ret = static_cast<DType>(number);
  return Error::kOk;
}

Error checked_device(int32_t type, int32_t index, Device* ret) {
  if (type != static_cast<int32_t>(DeviceType::kCpu) &&
      type != static_cast<int32_t>(DeviceType::kCuda)) {
    return fail(Error::kInvalidArgument,
                "device type " + std::to_string(type) + " is neither cpu (0) nor cuda (1)");
  }
  *ret = {static_cast<DeviceType>(type), index};
  if (!ret->is_cuda()) {
    return Error::kOk;
  }
  return resolve_device(index, &ret->index);
}

Error empty(Shape shape, DType dtype, Device device, std::unique_ptr<Tensor>* ret, bool pinned) {
  auto tensor = std::make_unique<Tensor>();
  std::size_t bytes = 0;
  SHIMS_TRY(storage_bytes(shape, 0, dtype, &bytes));
  SHIMS_TRY(allocate_storage(bytes, device, pinned, &tensor->storage));
  tensor->shape = std::move(shape);
  tensor->dtype = dtype;
  *ret = std::move(tensor);
  return Error::kOk;
}

Error view(const Tensor& base, Shape shape, int64_t offset, DType dtype,
           std::unique_ptr<Tensor>* ret) {
  std::size_t bytes = 0;
  SHIMS_TRY(storage_bytes(shape, offset, dtype, &bytes));
  if (bytes > base.storage->bytes()) {
    return fail(Error::kInvalidArgument,
                "a view " + to_string(shape) + " at element " + std::to_string(offset) + " needs " +
                    std::to_string(bytes) + " bytes, and the storage has " +
                    std::to_string(base.storage->bytes()));
  }
  auto tensor = std::make_unique<Tensor>();
  tensor->storage = base.storage;
  tensor->shape = std::move(shape);
  tensor->offset = offset;
  tensor->dtype = dtype;
  *ret = std::move(tensor);
  return Error::kOk;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const int64_t size : shape.sizes()) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

}  // namespace shims
