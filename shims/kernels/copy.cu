#include <algorithm>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "shims/kernels/copy.h"

namespace shims {
inline namespace copy_cu {  // without a name, nvcc would make one of the path of this file

// An element between its two types: whole numbers keep all 64 bits.
struct Value {
  enum Kind : uint8_t { kReal, kSigned, kUnsigned } kind;
  double real;
  int64_t whole;
};

__host__ __device__ Value load(const void* data, int64_t index, DType type) {
  switch (type) {
    case DType::kUInt8:
      return {Value::kSigned, 0, static_cast<const uint8_t*>(data)[index]};
    case DType::kBool:
      return {Value::kSigned, 0, static_cast<const uint8_t*>(data)[index] != 0};
    case DType::kInt8:
      return {Value::kSigned, 0, static_cast<const int8_t*>(data)[index]};
    case DType::kInt16:
      return {Value::kSigned, 0, static_cast<const int16_t*>(data)[index]};
    case DType::kInt32:
      return {Value::kSigned, 0, static_cast<const int32_t*>(data)[index]};
    case DType::kInt64:
      return {Value::kSigned, 0, static_cast<const int64_t*>(data)[index]};
    case DType::kUInt16:
      return {Value::kSigned, 0, static_cast<const uint16_t*>(data)[index]};
    case DType::kUInt32:
      return {Value::kSigned, 0, static_cast<const uint32_t*>(data)[index]};
    case DType::kUInt64:
      return {Value::kUnsigned, 0, static_cast<const int64_t*>(data)[index]};
    case DType::kFloat16:
      return {Value::kReal, __half2float(static_cast<const __half*>(data)[index]), 0};
    case DType::kBFloat16:
      return {Value::kReal, __bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]), 0};
    case DType::kFloat32:
      return {Value::kReal, static_cast<const float*>(data)[index], 0};
    case DType::kFloat64:
      return {Value::kReal, static_cast<const double*>(data)[index], 0};
    default:
      return {Value::kReal, 0, 0};  // can_convert has refused it
  }
}

__host__ __device__ float as_float(const Value& value) {
  switch (value.kind) {
    case Value::kReal:
      return static_cast<float>(value.real);
    case Value::kSigned:
      return static_cast<float>(value.whole);
    default:
      return static_cast<float>(static_cast<uint64_t>(value.whole));
  }
}

__host__ __device__ double as_double(const Value& value) {
  switch (value.kind) {
    case Value::kReal:
      return value.real;
    case Value::kSigned:
      return static_cast<double>(value.whole);
    default:
      return static_cast<double>(static_cast<uint64_t>(value.whole));
  }
}

template <typename T>
__host__ __device__ T as_whole(const Value& value) {
  return value.kind == Value::kReal ? static_cast<T>(static_cast<int64_t>(value.real))
                                    : static_cast<T>(value.whole);
}

__host__ __device__ void store(void* data, int64_t index, DType type, const Value& value) {
  switch (type) {
    case DType::kUInt8:
      static_cast<uint8_t*>(data)[index] = as_whole<uint8_t>(value);
      break;
    case DType::kBool:
      static_cast<uint8_t*>(data)[index] =
          value.kind == Value::kReal ? value.real != 0 : value.whole != 0;
      break;
    case DType::kInt8:
      static_cast<int8_t*>(data)[index] = as_whole<int8_t>(value);
      break;
    case DType::kInt16:
      static_cast<int16_t*>(data)[index] = as_whole<int16_t>(value);
      break;
    case DType::kInt32:
      static_cast<int32_t*>(data)[index] = as_whole<int32_t>(value);
      break;
    case DType::kInt64:
      static_cast<int64_t*>(data)[index] = as_whole<int64_t>(value);
      break;
    case DType::kUInt16:
      static_cast<uint16_t*>(data)[index] = as_whole<uint16_t>(value);
      break;
    case DType::kUInt32:
      static_cast<uint32_t*>(data)[index] = as_whole<uint32_t>(value);
      break;
    case DType::kUInt64:
      static_cast<uint64_t*>(data)[index] = value.kind == Value::kReal
                                                ? static_cast<uint64_t>(value.real)
                                                : static_cast<uint64_t>(value.whole);
      break;
    case DType::kFloat16:
      static_cast<__half*>(data)[index] = __float2half_rn(as_float(value));
      break;
    case DType::kBFloat16:
      static_cast<__nv_bfloat16*>(data)[index] = __float2bfloat16_rn(as_float(value));
      break;
    case DType::kFloat32:
      static_cast<float*>(data)[index] = as_float(value);
      break;
    case DType::kFloat64:
      static_cast<double*>(data)[index] = as_double(value);
      break;
    default:
      break;
  }
}

struct Places {
  int64_t to;
  int64_t from;
};

__host__ __device__ Places places(const CopyPlan& plan, int64_t element) {
  Places result{0, 0};
  for (int dim = plan.ndim - 1; dim >= 0; --dim) {
    const int64_t size = plan.sizes[static_cast<std::size_t>(dim)];
    const int64_t rest = element / size;
    const int64_t at = element - rest * size;
    result.to += at * plan.to_strides[static_cast<std::size_t>(dim)];
    result.from += at * plan.from_strides[static_cast<std::size_t>(dim)];
    element = rest;
  }
  return result;
}

// Moves elements of one size, whatever they mean.
template <typename Word>
__global__ void move_elements(CopyPlan plan, Word* to, const Word* from) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < plan.numel;
       i += step) {
    const Places at = places(plan, i);
    to[at.to] = from != nullptr ? from[at.from] : Word{};
  }
}

__global__ void convert_elements(CopyPlan plan, void* to, DType to_type, const void* from,
                                 DType from_type) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < plan.numel;
       i += step) {
    const Places at = places(plan, i);
    store(to, at.to, to_type, load(from, at.from, from_type));
  }
}

bool has_conversion(DType type) {
  switch (type) {
    case DType::kComplex32:
    case DType::kComplex64:
    case DType::kComplex128:
    case DType::kFloat8e5m2:
    case DType::kFloat8e4m3fn:
    case DType::kFloat8e5m2fnuz:
    case DType::kFloat8e4m3fnuz:
      return false;
    default:
      return true;
  }
}

}  // namespace copy_cu

bool can_convert(DType to, DType from) {
  return to == from || (has_conversion(to) && has_conversion(from));
}

Error plan_copy(const Shape& to, const Shape& from, CopyPlan* plan) {
  *plan = {};
  plan->numel = to.numel();
  const std::size_t ndim = to.ndim();
  if (from.ndim() > ndim) {
    return fail(Error::kInvalidArgument,
                to_string(from) + " cannot be copied into " + to_string(to));
  }
  const std::size_t missing = ndim - from.ndim();
  for (std::size_t dim = 0; dim < ndim; ++dim) {
    const int64_t size = to.sizes()[dim];
    const int64_t from_size = dim < missing ? 1 : from.sizes()[dim - missing];
    if (from_size != size && from_size != 1) {
      return fail(Error::kInvalidArgument,
                  to_string(from) + " cannot be copied into " + to_string(to));
    }
    if (size == 1) {
      continue;
    }
    const int64_t to_stride = to.strides()[dim];
    const int64_t from_stride = from_size == 1 ? 0 : from.strides()[dim - missing];
    const auto last = static_cast<std::size_t>(plan->ndim - 1);
    if (plan->ndim > 0 && plan->to_strides[last] == size * to_stride &&
        plan->from_strides[last] == size * from_stride) {
      plan->sizes[last] *= size;
      plan->to_strides[last] = to_stride;
      plan->from_strides[last] = from_stride;
      continue;
    }
    if (plan->ndim == CopyPlan::kMaxDims) {
      return fail(Error::kNotSupported, "a strided copy of " + to_string(to));
    }
    const auto next = static_cast<std::size_t>(plan->ndim++);
    plan->sizes[next] = size;
    plan->to_strides[next] = to_stride;
    plan->from_strides[next] = from_stride;
  }
  return Error::kOk;
}

Error copy_on_device(const CopyPlan& plan, void* to, DType to_type, const void* from,
                     DType from_type, cudaStream_t stream) {
  if (plan.numel == 0) {
    return Error::kOk;
  }
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>(
      std::min<int64_t>((plan.numel + kThreads - 1) / kThreads, int64_t{1} << 16));
  if (from != nullptr && to_type != from_type) {
    convert_elements<<<blocks, kThreads, 0, stream>>>(plan, to, to_type, from, from_type);
  } else {
    switch (element_size(static_cast<int32_t>(to_type))) {
      case 1:
        move_elements<<<blocks, kThreads, 0, stream>>>(plan, static_cast<uint8_t*>(to),
                                                       static_cast<const uint8_t*>(from));
        break;
      case 2:
        move_elements<<<blocks, kThreads, 0, stream>>>(plan, static_cast<uint16_t*>(to),
                                                       static_cast<const uint16_t*>(from));
        break;
      case 4:
        move_elements<<<blocks, kThreads, 0, stream>>>(plan, static_cast<uint32_t*>(to),
                                                       static_cast<const uint32_t*>(from));
        break;
      case 8:
        move_elements<<<blocks, kThreads, 0, stream>>>(plan, static_cast<uint64_t*>(to),
                                                       static_cast<const uint64_t*>(from));
        break;
      default:
        move_elements<<<blocks, kThreads, 0, stream>>>(plan, static_cast<ulonglong2*>(to),
                                                       static_cast<const ulonglong2*>(from));
        break;
    }
  }
  SHIMS_CUDA(cudaPeekAtLastError());
  return Error::kOk;
}

void copy_on_host(const CopyPlan& plan, void* to, DType to_type, const void* from,
                  DType from_type) {
  const std::size_t item = element_size(static_cast<int32_t>(to_type));
  for (int64_t i = 0; i < plan.numel; ++i) {
    const Places at = places(plan, i);
    if (to_type != from_type) {
      store(to, at.to, to_type, load(from, at.from, from_type));
    } else {
      std::memcpy(static_cast<char*>(to) + at.to * static_cast<int64_t>(item),
                  static_cast<const char*>(from) + at.from * static_cast<int64_t>(item), item);
    }
  }
}

}  // namespace shims
