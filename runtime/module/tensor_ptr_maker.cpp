#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <random>

#include "runtime/module/element_types.h"

namespace executorch::extension {

using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;

namespace {

std::mt19937_64& generator() {
  thread_local std::mt19937_64 numbers{std::random_device{}()};
  return numbers;
}

// A new tensor with each element made by next(), a double or integer.
template <typename Next>
TensorPtr generate(std::vector<SizesType>&& sizes, std::vector<StridesType>&& strides,
                   ScalarType type, aten::TensorShapeDynamism dynamism, Next next) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  internal::visit_number_type(type, [&](auto element) {
    using T = decltype(element);
    T* const data = tensor->mutable_data_ptr<T>();
    for (ssize_t i = 0; i < tensor->numel(); ++i) {
      data[i] = runtime::convert<T, decltype(next())>(next());
    }
  });
  return tensor;
}

}  // namespace

TensorPtr empty_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, aten::TensorShapeDynamism dynamism) {
  const auto numel = aten::compute_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  size_t bytes = 0;
  ET_CHECK_MSG(
      !__builtin_mul_overflow(static_cast<size_t>(numel), runtime::elementSize(type), &bytes),
      "a tensor of %zd elements is too large", numel);
  return make_tensor_ptr(std::move(sizes), std::vector<uint8_t>(bytes), {}, std::move(strides),
                         type, dynamism);
}

TensorPtr full_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       aten::Scalar fill_value, ScalarType type,
                       aten::TensorShapeDynamism dynamism) {
  if (fill_value.isFloatingPoint()) {
    return generate(std::move(sizes), std::move(strides), type, dynamism,
                    [value = fill_value.to<double>()] { return value; });
  }
  return generate(std::move(sizes), std::move(strides), type, dynamism,
                  [value = fill_value.to<int64_t>()] { return value; });
}

TensorPtr rand_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       ScalarType type, aten::TensorShapeDynamism dynamism) {
  std::uniform_real_distribution<double> distribution(0.0, 1.0);
  return generate(std::move(sizes), std::move(strides), type, dynamism,
                  [&] { return distribution(generator()); });
}

TensorPtr randn_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type, aten::TensorShapeDynamism dynamism) {
  std::normal_distribution<double> distribution(0.0, 1.0);
  return generate(std::move(sizes), std::move(strides), type, dynamism,
                  [&] { return distribution(generator()); });
}

TensorPtr randint_strided(int64_t low, int64_t high, std::vector<SizesType> sizes,
                          std::vector<StridesType> strides, ScalarType type,
                          aten::TensorShapeDynamism dynamism) {
  ET_CHECK_MSG(low < high, "no integers lie in %lld .. %lld", static_cast<long long>(low),
               static_cast<long long>(high));
  std::uniform_int_distribution<int64_t> distribution(low, high - 1);
  return generate(std::move(sizes), std::move(strides), type, dynamism,
                  [&] { return distribution(generator()); });
}

}  // namespace executorch::extension
