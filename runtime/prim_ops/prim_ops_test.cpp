#include "runtime/prim_ops/prim_ops.h"

#include <cmath>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace executorch::runtime::prim_ops {
namespace {

using extension::make_tensor_ptr;
using ::testing::ElementsAre;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Calls an operator; the arguments include the result.
Error call(const char* name, std::vector<EValue>& arguments) {
  const auto op = get_op_function_from_registry(name);
  if (!op.ok()) return op.error();
  std::vector<EValue*> stack;
  for (EValue& argument : arguments) stack.push_back(&argument);
  KernelRuntimeContext context;
  (*op)(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}

// The result of an operator on numbers, or None when it fails.
EValue compute(const char* name, std::vector<EValue> arguments) {
  arguments.emplace_back(std::int64_t{0});
  return call(name, arguments) == Error::Ok ? arguments.back() : EValue();
}
EValue operator""_v(unsigned long long value) { return EValue(static_cast<std::int64_t>(value)); }
EValue integer(std::int64_t value) { return EValue(value); }
EValue real(double value) { return EValue(value); }

bool equal(const EValue& a, const EValue& b) {
  if (a.tag != b.tag) return false;
  switch (a.tag) {
    case Tag::Int:
      return a.toInt() == b.toInt();
    case Tag::Bool:
      return a.toBool() == b.toBool();
    case Tag::Double:
      return a.toDouble() == b.toDouble();
    default:
      return a.isNone();
  }
}

TEST(PrimArithmetic, ComputesAsPythonDoes) {
  struct Case {
    const char* name;
    std::vector<EValue> arguments;
    EValue expected;
  };
  const Case cases[] = {
      {"executorch_prim::add.Scalar", {3_v, 4_v}, 7_v},
      {"executorch_prim::add.Scalar", {3_v, real(0.5)}, real(3.5)},
      {"executorch_prim::add.Scalar", {integer(kMax), 1_v}, EValue()},
      {"executorch_prim::sub.Scalar", {3_v, 4_v}, integer(-1)},
      {"executorch_prim::sub.Scalar", {integer(kMin), 1_v}, EValue()},
      {"executorch_prim::mul.Scalar", {3_v, integer(-4)}, integer(-12)},
      {"executorch_prim::mul.Scalar", {integer(kMax), 2_v}, EValue()},
      {"executorch_prim::floordiv.Scalar", {7_v, 2_v}, 3_v},
      {"executorch_prim::floordiv.Scalar", {integer(-7), 2_v}, integer(-4)},
      {"executorch_prim::floordiv.int", {7_v, integer(-2)}, integer(-4)},
      {"executorch_prim::floordiv.Scalar", {integer(-8), integer(-2)}, 4_v},
      {"executorch_prim::floordiv.Scalar", {real(-7.5), 2_v}, real(-4)},
      {"executorch_prim::floordiv.Scalar", {7_v, 0_v}, EValue()},
      {"executorch_prim::floordiv.Scalar", {integer(kMin), integer(-1)}, EValue()},
      {"executorch_prim::truediv.Scalar", {7_v, 2_v}, real(3.5)},
      {"executorch_prim::truediv.Scalar", {7_v, 0_v}, EValue()},
      {"executorch_prim::mod.Scalar", {7_v, 3_v}, 1_v},
      {"executorch_prim::mod.int", {integer(-7), 3_v}, 2_v},
      {"executorch_prim::mod.Scalar", {7_v, integer(-3)}, integer(-2)},
      {"executorch_prim::mod.Scalar", {integer(kMin), integer(-1)}, 0_v},
      {"executorch_prim::mod.Scalar", {real(-7), 3_v}, real(2)},
      {"executorch_prim::mod.Scalar", {7_v, 0_v}, EValue()},
      {"executorch_prim::sym_max.Scalar", {7_v, 9_v}, 9_v},
      {"executorch_prim::sym_min.Scalar", {7_v, 9_v}, 7_v},
      {"executorch_prim::eq.Scalar", {7_v, 7_v}, EValue(true)},
      {"executorch_prim::eq.Scalar", {7_v, real(7)}, EValue(true)},
      {"executorch_prim::eq.Scalar", {integer(kMax), integer(kMax - 1)}, EValue(false)},
      {"executorch_prim::ne.Scalar", {7_v, 7_v}, EValue(false)},
      {"executorch_prim::lt.Scalar", {6_v, 7_v}, EValue(true)},
      {"executorch_prim::lt.Scalar", {7_v, 7_v}, EValue(false)},
      {"executorch_prim::le.Scalar", {7_v, 7_v}, EValue(true)},
      {"executorch_prim::gt.Scalar", {8_v, 7_v}, EValue(true)},
      {"executorch_prim::gt.Scalar", {7_v, 7_v}, EValue(false)},
      {"executorch_prim::ge.Scalar", {7_v, 7_v}, EValue(true)},
      {"executorch_prim::ge.Scalar", {6_v, 7_v}, EValue(false)},
      {"executorch_prim::ge.Scalar", {real(NAN), 7_v}, EValue(false)},
      {"executorch_prim::neg.Scalar", {7_v}, integer(-7)},
      {"executorch_prim::neg.Scalar", {integer(kMin)}, EValue()},
      {"executorch_prim::neg.Scalar", {real(1.5)}, real(-1.5)},
      {"executorch_prim::sym_float.Scalar", {7_v}, real(7)},
      {"executorch_prim::sym_int.Scalar", {real(-1.9)}, integer(-1)},
      {"executorch_prim::trunc.Scalar", {real(1.9)}, 1_v},
      {"executorch_prim::ceil.Scalar", {real(1.1)}, 2_v},
      {"executorch_prim::ceil.Scalar", {real(-1.1)}, integer(-1)},
      {"executorch_prim::round.Scalar", {real(2.5)}, 2_v},
      {"executorch_prim::round.Scalar", {real(3.5)}, 4_v},
      {"executorch_prim::round.Scalar", {real(-0.6)}, integer(-1)},
      {"executorch_prim::round.Scalar", {real(1e300)}, EValue()},
      {"executorch_prim::sym_int.Scalar", {real(NAN)}, EValue()},
      {"executorch_prim::sym_not.Scalar", {EValue(false)}, EValue(true)},
      {"executorch_prim::sym_not.Scalar", {EValue(true)}, EValue(false)},
      {"executorch_prim::sym_ite.Scalar", {EValue(true), 1_v, 2_v}, 1_v},
      {"executorch_prim::sym_ite.Scalar", {EValue(false), 1_v, real(2)}, real(2)},
      {"executorch_prim::add.Scalar", {3_v, EValue()}, EValue()},
      {"executorch_prim::add.Scalar", {3_v}, EValue()},
      {"executorch_prim::neg.Scalar", {3_v, 4_v}, EValue()},
  };
  int number = 0;
  for (const Case& c : cases) {
    EXPECT_TRUE(equal(compute(c.name, c.arguments), c.expected)) << c.name << ", case " << number;
    ++number;
  }
}

TEST(PrimArithmetic, AResultReplacesNumbersOnly) {
  const auto tensor = make_tensor_ptr({1.F});
  std::vector<EValue> arguments = {1_v, 2_v, EValue(tensor)};
  EXPECT_EQ(call("executorch_prim::add.Scalar", arguments), Error::InvalidType);
  EXPECT_TRUE(arguments[2].isTensor());
  arguments[2] = EValue(true);
  EXPECT_EQ(call("executorch_prim::add.Scalar", arguments), Error::Ok);
  EXPECT_EQ(arguments[2].toInt(), 3);
}

TEST(PrimTensors, TellSizesAndElements) {
  const auto tensor = make_tensor_ptr({2, 3}, std::vector<float>(6));
  EXPECT_TRUE(equal(compute("aten::sym_size.int", {EValue(tensor), 1_v}), 3_v));
  EXPECT_TRUE(equal(compute("aten::sym_size.int", {EValue(tensor), integer(-2)}), 2_v));
  EXPECT_TRUE(compute("aten::sym_size.int", {EValue(tensor), 2_v}).isNone());
  EXPECT_TRUE(compute("aten::sym_size.int", {3_v, 2_v}).isNone());
  EXPECT_TRUE(equal(compute("aten::sym_numel", {EValue(tensor)}), 6_v));
  EXPECT_TRUE(compute("aten::_local_scalar_dense", {EValue(tensor)}).isNone());
  const auto check = [](const extension::TensorPtr& one, const EValue& expected) {
    EXPECT_TRUE(equal(compute("aten::_local_scalar_dense", {EValue(one)}), expected))
        << toString(one->scalar_type());
  };
  check(make_tensor_ptr(std::int64_t{-5}), integer(-5));
  check(make_tensor_ptr(std::int32_t{-5}), integer(-5));
  check(make_tensor_ptr(std::uint8_t{200}), 200_v);
  check(make_tensor_ptr(std::int8_t{-3}), integer(-3));
  check(make_tensor_ptr(2.5F), real(2.5));
  check(make_tensor_ptr(2.5), real(2.5));
  check(make_tensor_ptr(true), EValue(true));
  check(extension::full({1}, 1.5, aten::ScalarType::BFloat16), real(1.5));
  check(extension::full({1}, 1.5, aten::ScalarType::Half), real(1.5));
}

// A list of integers as a program has it.
class IntList {
 public:
  explicit IntList(const std::vector<std::int64_t>& items) : scratch_(items.size()) {
    values_.reserve(items.size());
    for (const std::int64_t item : items) {
      values_.emplace_back(item);
      wrapped_.push_back(&values_.back());
    }
    list_ = BoxedEvalueList<std::int64_t>(wrapped_.data(), scratch_.data(),
                                          static_cast<int>(items.size()));
  }
  EValue value() { return EValue(&list_); }

 private:
  std::vector<EValue> values_;
  std::vector<EValue*> wrapped_;
  std::vector<std::int64_t> scratch_;
  BoxedEvalueList<std::int64_t> list_;
};

TEST(PrimView, RefersToTheSameDataInOtherSizes) {
  const auto self = make_tensor_ptr({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto view = [&self](const std::vector<std::int64_t>& sizes,
                            const extension::TensorPtr& out) {
    IntList list(sizes);
    std::vector<EValue> arguments = {EValue(self), list.value(), EValue(out)};
    return call("executorch_prim::et_view.default", arguments);
  };
  const auto out = extension::make_tensor_ptr({8, 8}, nullptr, aten::ScalarType::Float);
  ASSERT_EQ(view({3, -1}, out), Error::Ok);
  EXPECT_EQ(out->const_data_ptr(), self->const_data_ptr());
  EXPECT_EQ(out->size(0), 3);
  EXPECT_EQ(out->size(1), 2);
  EXPECT_EQ(out->strides()[0], 2);
  // It can't outgrow what is behind it, though it was made for more.
  const std::int32_t larger[] = {4, 2};
  EXPECT_EQ(resize_tensor(*out, ArrayRef<std::int32_t>(larger, 2)), Error::NotSupported);
  EXPECT_EQ(view({1, 6}, out), Error::Ok);
  EXPECT_NE(view({-1, -1}, out), Error::Ok);
  EXPECT_NE(view({4, -1}, out), Error::Ok);
  EXPECT_NE(view({0, -1}, out), Error::Ok);
  EXPECT_NE(view({2, 2}, out), Error::Ok);
  EXPECT_NE(view({6}, out), Error::Ok);
  EXPECT_NE(view({-2, -3}, out), Error::Ok);
  const auto bytes = extension::make_tensor_ptr({8, 8}, nullptr, aten::ScalarType::Byte);
  EXPECT_NE(view({3, 2}, bytes), Error::Ok);
}

TEST(PrimCopyIndex, FillsASliceAndGrows) {
  const auto to = make_tensor_ptr({3, 2}, std::vector<float>(6, -1));
  const auto copy = [&to](const extension::TensorPtr& from, std::int64_t index) {
    std::vector<EValue> arguments = {EValue(to), EValue(from), EValue(index)};
    return call("executorch_prim::et_copy_index.tensor", arguments);
  };
  ASSERT_EQ(copy(make_tensor_ptr({1.F, 2.F}), 0), Error::Ok);
  EXPECT_EQ(to->size(0), 1);
  ASSERT_EQ(copy(make_tensor_ptr({3.F, 4.F}), 1), Error::Ok);
  EXPECT_EQ(to->size(0), 2);
  EXPECT_THAT(std::vector<float>(to->const_data_ptr<float>(), to->const_data_ptr<float>() + 4),
              ElementsAre(1, 2, 3, 4));
  EXPECT_NE(copy(make_tensor_ptr({3.F}), 1), Error::Ok);
  EXPECT_NE(copy(make_tensor_ptr({3.F, 4.F}), 3), Error::Ok);
  EXPECT_NE(copy(make_tensor_ptr({3.F, 4.F}), -1), Error::Ok);
  EXPECT_NE(copy(make_tensor_ptr<double>({3, 4}), 1), Error::Ok);
  const auto fixed = make_tensor_ptr({2, 1}, std::vector<float>(2), {}, {}, aten::ScalarType::Float,
                                     TensorShapeDynamism::STATIC);
  const auto five = make_tensor_ptr({5.F});
  std::vector<EValue> arguments = {EValue(fixed), EValue(five), 1_v};
  ASSERT_EQ(call("executorch_prim::et_copy_index.tensor", arguments), Error::Ok);
  EXPECT_EQ(fixed->const_data_ptr<float>()[1], 5);
  arguments[2] = 2_v;
  EXPECT_NE(call("executorch_prim::et_copy_index.tensor", arguments), Error::Ok);
}

}  // namespace
}  // namespace executorch::runtime::prim_ops
