// What every kernel refuses before it runs, whatever the operator: a program may hold any call.

#include <cstring>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include "runtime/kernels/testdata/call.h"

namespace executorch::kernels {
namespace {

using aten::ScalarType;
using aten::Tensor;
using aten::TensorImpl;
using runtime::Error;
using runtime::EValue;

Error run(const char* name, std::vector<EValue> values) {
  const auto function = runtime::get_op_function_from_registry(name);
  if (!function.ok()) return function.error();
  std::vector<EValue*> pointers;
  for (EValue& value : values) pointers.push_back(&value);
  testing::HeapAllocator temp;
  runtime::KernelRuntimeContext context(nullptr, &temp);
  (*function)(context, runtime::Span<EValue*>(pointers.data(), pointers.size()));
  return context.failure_state();
}

struct Row {
  int32_t sizes[1];
  uint8_t order[1] = {0};
  int32_t strides[1] = {1};
  float data[4] = {1, 2, 3, 4};
  TensorImpl impl;
  explicit Row(int32_t size = 4, bool with_memory = true,
               aten::DeviceType device = aten::DeviceType::CPU)
      : sizes{size},
        impl(ScalarType::Float, 1, sizes, with_memory ? data : nullptr, order, strides,
             aten::TensorShapeDynamism::STATIC, device) {}
  EValue value() { return EValue(Tensor(&impl)); }
};

TEST(Refusals, ACallWithTooFewOrTooManyArguments) {
  Row a;
  Row out;
  EXPECT_EQ(run("aten::relu.out", {a.value()}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::relu.out", {}), Error::InvalidArgument);
  EXPECT_EQ(run("aten::relu.out", {a.value(), out.value(), out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::relu.out", {a.value(), out.value(), out.value()}), Error::Ok);
}

TEST(Refusals, AnArgumentOfTheWrongKind) {
  Row a;
  Row out;
  const EValue alpha(static_cast<int64_t>(1));
  EXPECT_EQ(run("aten::add.out", {a.value(), alpha, alpha, out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::add.out", {a.value(), a.value(), EValue(), out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::add.out", {a.value(), a.value(), a.value(), out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::permute_copy.out", {a.value(), alpha, out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::gelu.out", {a.value(), alpha, out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::cat.out", {a.value(), alpha, out.value(), out.value()}),
            Error::InvalidArgument);
}

TEST(Refusals, ATensorWithoutMemory) {
  Row nothing(4, false);
  Row a;
  Row out;
  EXPECT_EQ(run("aten::relu.out", {nothing.value(), out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::relu.out", {a.value(), nothing.value(), nothing.value()}),
            Error::InvalidArgument);
  Row empty(0, false);
  Row empty_out(0, false);
  EXPECT_EQ(run("aten::relu.out", {empty.value(), empty_out.value(), empty_out.value()}),
            Error::Ok);
}

TEST(Refusals, ATensorOnADevice) {
  Row device(4, true, aten::DeviceType::CUDA);
  Row a;
  Row out;
  EXPECT_EQ(run("aten::relu.out", {device.value(), out.value(), out.value()}),
            Error::InvalidArgument);
  EXPECT_EQ(run("aten::relu.out", {a.value(), device.value(), device.value()}),
            Error::InvalidArgument);
}

TEST(Refusals, AStaticOutputOfAnotherShapeIsNotTouched) {
  Row a;
  Row out(3);
  EXPECT_EQ(run("aten::relu.out", {a.value(), out.value(), out.value()}), Error::InvalidArgument);
  EXPECT_EQ(out.data[0], 1);
}

TEST(Refusals, TemporaryMemoryThatIsNotThere) {
  // Conversion of the float input to columns needs temporary memory; the context has none.
  int32_t in_sizes[] = {1, 1, 2};
  int32_t out_sizes[] = {1, 1, 3};
  int32_t weight_sizes[] = {1, 1, 2};
  uint8_t order[] = {0, 1, 2};
  int32_t in_strides[] = {2, 2, 1};
  int32_t out_strides[] = {3, 3, 1};
  uint16_t half[4] = {};
  TensorImpl in(ScalarType::Half, 3, in_sizes, half, order, in_strides);
  TensorImpl weight(ScalarType::Half, 3, weight_sizes, half, order, in_strides);
  TensorImpl out(ScalarType::Half, 3, out_sizes, half, order, out_strides);
  const auto function = runtime::get_op_function_from_registry("aten::_softmax.out");
  ASSERT_TRUE(function.ok());
  EValue in_value{Tensor(&in)};
  EValue dim(static_cast<int64_t>(0));
  EValue no(false);
  TensorImpl same(ScalarType::Half, 3, in_sizes, half, order, in_strides);
  EValue out_value{Tensor(&same)};
  EValue* values[] = {&in_value, &dim, &no, &out_value, &out_value};
  runtime::KernelRuntimeContext context;
  (*function)(context, runtime::Span<EValue*>(values, 5));
  EXPECT_NE(context.failure_state(), Error::Ok);
}

}  // namespace
}  // namespace executorch::kernels
