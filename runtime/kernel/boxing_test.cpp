// Functions with C++ arguments as kernels.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::Tensor;

std::string& seen() {
  static std::string text;
  return text;
}

Tensor& everything(KernelRuntimeContext& context, const Tensor& a,
                   const std::optional<Tensor>& maybe, int64_t number, double real, bool flag,
                   const etensor::Scalar& scalar, ArrayRef<int64_t> list,
                   std::optional<ArrayRef<double>> doubles, std::string_view text,
                   std::optional<etensor::ScalarType> dtype, Tensor& out) {
  (void)context;
  seen() = std::to_string(a.numel()) + (maybe ? " tensor " : " none ") + std::to_string(number) +
           " " + std::to_string(real) + (flag ? " true " : " false ") +
           std::to_string(scalar.to<int64_t>()) + " " + std::to_string(list.size()) +
           (doubles ? " list " : " none ") + std::string(text) + (dtype ? " dtype" : " none");
  out.mutable_data_ptr<float>()[0] = 42;
  return out;
}
EXECUTORCH_LIBRARY(boxing, "everything.out", everything);

void without_context(const Tensor& a, Tensor& out) {
  out.mutable_data_ptr<float>()[0] = a.const_data_ptr<float>()[0] + 1;
}
EXECUTORCH_LIBRARY(boxing, "plain.out", without_context);

Tensor& failing(KernelRuntimeContext& context, const Tensor& a, Tensor& out) {
  ET_KERNEL_CHECK(context, a.numel() == 0, NotSupported, out);
  return out;
}
EXECUTORCH_LIBRARY(boxing, "failing.out", failing);

class BoxingTest : public ::testing::Test {
 protected:
  Error call(const char* name, std::vector<EValue> values) {
    std::vector<EValue*> stack;
    for (EValue& value : values) {
      stack.push_back(&value);
    }
    KernelRuntimeContext context;
    const auto function = get_op_function_from_registry(name);
    EXPECT_TRUE(function.ok());
    (*function)(context, {stack.data(), stack.size()});
    return context.failure_state();
  }

  int32_t sizes_[1] = {1};
  float in_ = 1;
  float out_ = 0;
  etensor::TensorImpl in_impl_{etensor::ScalarType::Float, 1, sizes_, &in_};
  etensor::TensorImpl out_impl_{etensor::ScalarType::Float, 1, sizes_, &out_};
  Tensor in_tensor_{&in_impl_};
  Tensor out_tensor_{&out_impl_};
};

TEST_F(BoxingTest, EveryKindOfArgumentArrives) {
  EValue number(int64_t{3});
  EValue* wrapped[] = {&number};
  int64_t room[1];
  BoxedEvalueList<int64_t> list(wrapped, room, 1);
  const std::string text = "text";
  ArrayRef<char> string(text.data(), text.size());
  EXPECT_EQ(call("boxing::everything.out",
                 {in_tensor_, EValue(), int64_t{7}, 0.5, true, int64_t{9}, &list, EValue(), &string,
                  int64_t{6}, out_tensor_, out_tensor_}),
            Error::Ok);
  EXPECT_EQ(seen(), "1 none 7 0.500000 true 9 1 none text dtype");
  EXPECT_EQ(out_, 42);
}

TEST_F(BoxingTest, TheContextMayBeLeftOut) {
  EXPECT_EQ(call("boxing::plain.out", {in_tensor_, out_tensor_, out_tensor_}), Error::Ok);
  EXPECT_EQ(out_, 2);
}

TEST_F(BoxingTest, AFailureOfTheFunctionIsTheCalls) {
  EXPECT_EQ(call("boxing::failing.out", {in_tensor_, out_tensor_}), Error::NotSupported);
}

TEST_F(BoxingTest, AWrongKindFailsTheCallWithoutMakingIt) {
  EXPECT_EQ(call("boxing::plain.out", {int64_t{1}, out_tensor_}), Error::InvalidType);
  EXPECT_EQ(call("boxing::plain.out", {in_tensor_, EValue()}), Error::InvalidType);
  EXPECT_EQ(out_, 0);
}

TEST_F(BoxingTest, TooFewArgumentsFailTheCall) {
  EXPECT_EQ(call("boxing::plain.out", {in_tensor_}), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::runtime
