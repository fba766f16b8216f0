#include <memory>
#include <string>
#include <utility>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/device_memory.h"
#include "shims/kernels/copy.h"
#include "shims/kernels/packed_mm.h"
#include "shims/kernels/plain_mm.h"
#include "shims/tensor.h"

namespace shims {
namespace {

// Kernels read 16 bytes at a time.
constexpr std::uintptr_t kAlignment = 16;

// One operand of a product: checked, and contiguous and aligned, if need be as a copy.
class Operand {
 public:
  Operand(const char* name, AtenTensorHandle handle) : name_(name), handle_(handle) {}

  /// `types` is what it may be; `ndim` how many dimensions it has.
  Error check(std::initializer_list<DType> types, std::size_t ndim) {
    SHIMS_TRY(checked(handle_, name_, &tensor_));
    bool known = false;
    for (const DType type : types) {
      known |= tensor_->dtype == type;
    }
    if (!known) {
      return fail(Error::kInvalidArgument,
                  std::string(name_) + " is " + dtype_name(tensor_->dtype));
    }
    if (tensor_->shape.ndim() != ndim) {
      return wrong_shape("");
    }
    if (!tensor_->device().is_cuda()) {
      return fail(Error::kInvalidArgument, std::string(name_) + " is not on a CUDA device");
    }
    return Error::kOk;
  }

  Error expect(std::initializer_list<int64_t> sizes) const {
    std::string expected;
    bool equal = true;
    std::size_t dim = 0;
    for (const int64_t size : sizes) {
      equal &= tensor_->size(dim++) == size;
      expected += (expected.empty() ? "" : ", ") + std::to_string(size);
    }
    return equal ? Error::kOk : wrong_shape(" instead of [" + expected + "]");
  }

  Error prepare(const Device& device, cudaStream_t stream, const void** data) {
    if (tensor_->device() != device) {
      return fail(Error::kInvalidArgument, std::string(name_) + " is on another device");
    }
    *data = tensor_->data();
    if (tensor_->shape.is_contiguous() &&
        reinterpret_cast<std::uintptr_t>(*data) % kAlignment == 0) {
      return Error::kOk;
    }
    Shape packed;
    SHIMS_TRY(Shape::make(static_cast<int64_t>(tensor_->shape.ndim()),
                          tensor_->shape.sizes().data(), nullptr, &packed));
    CopyPlan plan;
    SHIMS_TRY(plan_copy(packed, tensor_->shape, &plan));
    SHIMS_TRY(copy_.allocate(device.index, stream,
                             static_cast<std::size_t>(packed.numel()) * tensor_->item_bytes()));
    *data = copy_.as<void>();
    return copy_on_device(plan, copy_.as<void>(), tensor_->dtype, tensor_->data(), tensor_->dtype,
                          stream);
  }

  const Tensor& tensor() const { return *tensor_; }
  int64_t size(std::size_t dim) const { return tensor_->size(dim); }

 private:
  Error wrong_shape(const std::string& instead) const {
    return fail(Error::kInvalidArgument,
                std::string(name_) + " is " + to_string(tensor_->shape) + instead);
  }

  const char* name_;
  AtenTensorHandle handle_;
  Tensor* tensor_ = nullptr;
  Scratch copy_;
};

bool is_power_of_two(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

Error require(bool condition, const std::string& otherwise) {
  return condition ? Error::kOk : fail(Error::kInvalidArgument, otherwise);
}

// Where the product runs and what it fills.
struct Place {
  Device device;
  cudaStream_t stream = nullptr;
  std::unique_ptr<Tensor> result;
};

Error make_place(const Operand& self, int64_t n, Place* place) {
  place->device = self.tensor().device();
  SHIMS_TRY(current_stream(place->device.index, &place->stream));
  const int64_t sizes[2] = {self.size(0), n};
  Shape shape;
  SHIMS_TRY(Shape::make(2, sizes, nullptr, &shape));
  return empty(std::move(shape), DType::kBFloat16, place->device, &place->result);
}

struct PlainArguments {
  AtenTensorHandle self = nullptr;
  AtenTensorHandle low = nullptr;
  AtenTensorHandle high = nullptr;
  AtenTensorHandle scale = nullptr;
  AtenTensorHandle scale_step = nullptr;
  AtenTensorHandle zero = nullptr;
  AtenTensorHandle zero_step = nullptr;
  int64_t group_size = 0;
};

// What differs between the formats, beside the arithmetic.
struct PlainRules {
  PlainFormat format;
  int64_t low_weights;   // weights in a byte of `low`
  int64_t high_weights;  // weights in a byte of `high`; 0: there is none
  int64_t smallest_group;
  bool steps;  // float16 for each 256 weights
  bool zeros;
  bool groups_first;  // scale and zero are [K/g, N]
};
constexpr PlainRules kInt4Rules{PlainFormat::kInt4, 2, 0, 32, true, true, false};
constexpr PlainRules kInt4WideRules{PlainFormat::kInt4Wide, 2, 0, 32, false, true, true};
constexpr PlainRules kInt5Rules{PlainFormat::kInt5, 2, 8, 32, true, true, false};
constexpr PlainRules kInt6Rules{PlainFormat::kInt6, 2, 4, 8, true, false, false};
constexpr PlainRules kInt8Rules{PlainFormat::kInt8, 1, 0, 32, false, true, false};

Error run_plain(const PlainRules& rules, const PlainArguments& arguments, AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  Operand self("self", arguments.self);
  Operand low(rules.high_weights != 0 ? "ql" : "qdata", arguments.low);
  Operand high("qh", arguments.high);
  Operand scale("scale", arguments.scale);
  Operand scale_step("scale_step", arguments.scale_step);
  Operand zero("zero", arguments.zero);
  Operand zero_step("zero_point_step", arguments.zero_step);

  SHIMS_TRY(self.check({DType::kBFloat16}, 2));
  const bool bytes_as_int8 = rules.format == PlainFormat::kInt8;
  const bool codes = rules.steps;
  const std::initializer_list<DType> byte_types = {DType::kUInt8, DType::kInt8};
  const std::initializer_list<DType> int8_only = {DType::kInt8};
  const std::initializer_list<DType> bfloat_only = {DType::kBFloat16};
  SHIMS_TRY(low.check(bytes_as_int8 ? int8_only : byte_types, 2));
  const int64_t n = low.size(0);
  const int64_t k = self.size(1);
  const int64_t g = arguments.group_size;
  SHIMS_TRY(
      require(is_power_of_two(g) && g >= rules.smallest_group, "group size " + std::to_string(g)));
  SHIMS_TRY(require(k % 32 == 0 && k % g == 0 && (!rules.steps || k % 256 == 0),
                    "K = " + std::to_string(k) + " with groups of " + std::to_string(g)));
  SHIMS_TRY(require(k <= INT32_MAX && n <= INT32_MAX, "more than 2^31 rows or columns"));
  SHIMS_TRY(low.expect({n, k / rules.low_weights}));
  SHIMS_TRY(scale.check(!codes                               ? bfloat_only
                        : rules.format == PlainFormat::kInt6 ? int8_only
                                                             : byte_types,
                        2));
  const auto expect_groups = [&](Operand& operand) {
    return rules.groups_first ? operand.expect({k / g, n}) : operand.expect({n, k / g});
  };
  SHIMS_TRY(expect_groups(scale));
  if (rules.high_weights != 0) {
    SHIMS_TRY(high.check(byte_types, 2));
    SHIMS_TRY(high.expect({n, k / rules.high_weights}));
  }
  if (rules.zeros) {
    SHIMS_TRY(zero.check(rules.groups_first ? bfloat_only
                         : bytes_as_int8    ? int8_only
                                            : byte_types,
                         2));
    SHIMS_TRY(expect_groups(zero));
  }
  if (rules.steps) {
    SHIMS_TRY(scale_step.check({DType::kFloat16}, 2));
    SHIMS_TRY(scale_step.expect({n, k / 256}));
    if (rules.zeros) {
      SHIMS_TRY(zero_step.check({DType::kFloat16}, 2));
      SHIMS_TRY(zero_step.expect({n, k / 256}));
    }
  }

  Place place;
  SHIMS_TRY(make_place(self, n, &place));
  PlainProduct product;
  product.m = self.size(0);
  product.n = n;
  product.k = k;
  product.group_size = g;
  product.result = place.result->data();
  if (product.m != 0 && n != 0) {
    const DeviceScope scope(place.device.index);
    SHIMS_TRY(scope.error());
    if (k == 0) {
      SHIMS_CUDA(cudaMemsetAsync(product.result, 0, place.result->storage->bytes(), place.stream));
    } else {
      const auto prepare = [&](Operand& operand, const void** data) {
        return operand.prepare(place.device, place.stream, data);
      };
      SHIMS_TRY(prepare(self, &product.activations));
      SHIMS_TRY(prepare(low, &product.low));
      SHIMS_TRY(prepare(scale, &product.scale));
      if (rules.high_weights != 0) {
        SHIMS_TRY(prepare(high, &product.high));
      }
      if (rules.zeros) {
        SHIMS_TRY(prepare(zero, &product.zero));
      }
      if (rules.steps) {
        SHIMS_TRY(prepare(scale_step, &product.scale_step));
        if (rules.zeros) {
          SHIMS_TRY(prepare(zero_step, &product.zero_step));
        }
      }
      Scratch scratch;
      SHIMS_TRY(scratch.allocate(place.device.index, place.stream,
                                 plain_mm_scratch_bytes(rules.format, product.m, n, k)));
      SHIMS_TRY(
          plain_mm(rules.format, product, scratch.as<void>(), place.device.index, place.stream));
    }
  }
  *ret = to_handle(place.result.release());
  return Error::kOk;
}

Error run_packed(AtenTensorHandle self_handle, AtenTensorHandle packed_handle, int64_t group_size,
                 AtenTensorHandle scales_handle, AtenTensorHandle* ret) {
  SHIMS_TRY(checked_result(ret));
  Operand self("self", self_handle);
  Operand packed("mat2", packed_handle);
  Operand scales("qScaleAndZeros", scales_handle);
  SHIMS_TRY(self.check({DType::kBFloat16}, 2));
  SHIMS_TRY(packed.check({DType::kInt32}, 4));
  SHIMS_TRY(scales.check({DType::kBFloat16}, 3));
  const int64_t k = self.size(1);
  const int64_t n = packed.size(0) * 8;
  const int64_t inner = packed.size(3) * 2;
  SHIMS_TRY(require(inner == 2 || inner == 4 || inner == 8,
                    std::to_string(inner) + " inner tiles; there can be 2, 4 or 8"));
  SHIMS_TRY(require(group_size == 32 || group_size == 64 || group_size == 128 || group_size == 256,
                    "group size " + std::to_string(group_size)));
  SHIMS_TRY(require(k % (16 * inner) == 0 && k % group_size == 0,
                    "K = " + std::to_string(k) + " with " + std::to_string(inner) +
                        " inner tiles and groups of " + std::to_string(group_size)));
  SHIMS_TRY(require(k <= INT32_MAX && n <= INT32_MAX && self.size(0) <= INT32_MAX,
                    "2^31 rows or columns"));
  SHIMS_TRY(packed.expect({n / 8, k / (16 * inner), 32, inner / 2}));
  SHIMS_TRY(scales.expect({k / group_size, n, 2}));

  Place place;
  SHIMS_TRY(make_place(self, n, &place));
  PackedProduct product;
  product.m = self.size(0);
  product.n = n;
  product.k = k;
  product.group_size = group_size;
  product.inner_tiles = inner;
  product.result = place.result->data();
  if (product.m != 0 && n != 0) {
    const DeviceScope scope(place.device.index);
    SHIMS_TRY(scope.error());
    if (k == 0) {
      SHIMS_CUDA(cudaMemsetAsync(product.result, 0, place.result->storage->bytes(), place.stream));
    } else {
      SHIMS_TRY(self.prepare(place.device, place.stream, &product.activations));
      SHIMS_TRY(packed.prepare(place.device, place.stream, &product.weights));
      SHIMS_TRY(scales.prepare(place.device, place.stream, &product.scales_and_zeros));
      Scratch scratch;
      SHIMS_TRY(scratch.allocate(place.device.index, place.stream,
                                 packed_mm_scratch_bytes(product.m, k)));
      SHIMS_TRY(packed_mm(product, scratch.as<void>(), place.device.index, place.stream));
    }
  }
  *ret = to_handle(place.result.release());
  return Error::kOk;
}

}  // namespace
}  // namespace shims

AOTITorchError aoti_torch_cuda__weight_int4pack_mm(AtenTensorHandle self, AtenTensorHandle packed,
                                                   int64_t group_size,
                                                   AtenTensorHandle scales_and_zeros,
                                                   AtenTensorHandle* ret) {
  return shims::shim(
      __func__, [&] { return shims::run_packed(self, packed, group_size, scales_and_zeros, ret); });
}

AOTITorchError aoti_torch_cuda_int4_plain_mm(AtenTensorHandle self, AtenTensorHandle qdata,
                                             AtenTensorHandle scale,
                                             AtenTensorHandle scale_step_or_zero,
                                             AtenTensorHandle zero_or_group_size,
                                             AtenTensorHandle zero_step_or_ret, int64_t group_size,
                                             AtenTensorHandle* ret) {
  return shims::shim("aoti_torch_cuda_int4_plain_mm", [&] {
    // No handle lies in the first pages of the address space, and no group is that large.
    const auto fifth = reinterpret_cast<std::uintptr_t>(zero_or_group_size);
    constexpr std::uintptr_t kLargestGroup = 4096;
    if (fifth != 0 && fifth <= kLargestGroup) {
      // The six-argument form: the last two are not arguments at all and are not read.
      return shims::run_plain(shims::kInt4WideRules,
                              {.self = self,
                               .low = qdata,
                               .scale = scale,
                               .zero = scale_step_or_zero,
                               .group_size = static_cast<int64_t>(fifth)},
                              reinterpret_cast<AtenTensorHandle*>(zero_step_or_ret));
    }
    return shims::run_plain(shims::kInt4Rules,
                            {.self = self,
                             .low = qdata,
                             .scale = scale,
                             .scale_step = scale_step_or_zero,
                             .zero = zero_or_group_size,
                             .zero_step = zero_step_or_ret,
                             .group_size = group_size},
                            ret);
  });
}

AOTITorchError aoti_torch_cuda_int5_plain_mm(AtenTensorHandle self, AtenTensorHandle ql,
                                             AtenTensorHandle qh, AtenTensorHandle scale,
                                             AtenTensorHandle scale_step, AtenTensorHandle zero,
                                             AtenTensorHandle zero_step, int64_t group_size,
                                             AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::run_plain(shims::kInt5Rules,
                            {self, ql, qh, scale, scale_step, zero, zero_step, group_size}, ret);
  });
}

AOTITorchError aoti_torch_cuda_int6_plain_mm(AtenTensorHandle self, AtenTensorHandle ql,
                                             AtenTensorHandle qh, AtenTensorHandle scale,
                                             AtenTensorHandle steps, int64_t group_size,
                                             AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::run_plain(shims::kInt6Rules,
                            {.self = self,
                             .low = ql,
                             .high = qh,
                             .scale = scale,
                             .scale_step = steps,
                             .group_size = group_size},
                            ret);
  });
}

AOTITorchError aoti_torch_cuda_int8_plain_mm(AtenTensorHandle self, AtenTensorHandle qdata,
                                             AtenTensorHandle scale, AtenTensorHandle zero,
                                             int64_t group_size, AtenTensorHandle* ret) {
  return shims::shim(__func__, [&] {
    return shims::run_plain(
        shims::kInt8Rules,
        {.self = self, .low = qdata, .scale = scale, .zero = zero, .group_size = group_size}, ret);
  });
}
