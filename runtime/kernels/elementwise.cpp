// Binary and ternary operators over broadcast tensors.

#include "runtime/kernels/binary_ops.h"
#include "runtime/kernels/block_io.h"
#include "runtime/kernels/boxed.h"

namespace executorch::kernels {
namespace {

template <class C>
void run_binary(const BinaryOp& op, const Loop& loop, ScalarType out_type, const Operand& a,
                const Operand& b, ScalarType common, const BinaryParams& params) {
  const auto block = op.block<C>();
  const bool compares = op.typing == Typing::kCompare;
  Reader<C> read_a(a, common);
  Reader<C> read_b(b, common);
  read_a.begin(loop.stride[1][0]);
  read_b.begin(loop.stride[2][0]);
  const int64_t out_stride = loop.stride[0][0];
  Writer<C> writer;
  writer.begin(out_type, out_stride);
  const bool narrows = !compares && narrows_result<C>(common, out_type);
  const bool direct_bool = compares && out_type == ScalarType::Bool && out_stride == 1;
  for_each_run(loop, [&](char* const* data, int64_t count) {
    if ((writer.direct || direct_bool) && writer.direct != compares && !narrows &&
        read_a.direct() && read_b.direct()) {
      block(data[0], reinterpret_cast<const C*>(data[1]), read_a.single(),
            reinterpret_cast<const C*>(data[2]), read_b.single(), count, params);
      return;
    }
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t n = count - begin < kBlock ? count - begin : kBlock;
      const C* from_a = read_a.read(data[1] + begin * read_a.stride, n);
      const C* from_b = read_b.read(data[2] + begin * read_b.stride, n);
      char* to = data[0] + begin * out_stride;
      if (compares) {
        bool flags[kBlock];
        bool* target = direct_bool ? reinterpret_cast<bool*>(to) : flags;
        block(target, from_a, read_a.single(), from_b, read_b.single(), n, params);
        if (direct_bool) continue;
        for (int64_t i = 0; i < n; ++i) writer.values[i] = static_cast<C>(flags[i]);
        writer.store(to, out_stride, writer.values, n);
      } else {
        C* target = writer.direct ? reinterpret_cast<C*>(to) : writer.values;
        block(target, from_a, read_a.single(), from_b, read_b.single(), n, params);
        if (narrows) narrow_to<C>(common, target, n);
        if (!writer.direct) writer.store(to, out_stride, writer.values, n);
      }
    }
  });
}

template <class C>
bool has_zero(const Tensor& tensor, ScalarType common) {
  const Tensor* const inputs[] = {&tensor};
  const Loop loop = elementwise_loop(tensor, inputs, 1);
  Reader<C> reader({&tensor, nullptr}, common);
  reader.begin(loop.stride[1][0]);
  bool found = false;
  for_each_run(loop, [&](char* const* data, int64_t count) {
    for (int64_t begin = 0; begin < count && !found; begin += kBlock) {
      const int64_t n = count - begin < kBlock ? count - begin : kBlock;
      const C* values = reader.read(data[1] + begin * reader.stride, n);
      for (int64_t i = 0; i < (reader.single() ? 1 : n); ++i) found = found || values[i] == C{0};
    }
  });
  return found;
}

void binary(Context& context, Binary which, const Operand& a, const Operand& b, const Scalar& alpha,
            Tensor& out) {
  const BinaryOp& op = binary_op(which);
  ResultType result;
  Shape shape;
  for (const Operand* operand : {&a, &b}) {
    if (operand->tensor == nullptr) {
      result.add(*operand->scalar);
      continue;
    }
    result.add(*operand->tensor);
    if (!broadcast(shape, shape_of(*operand->tensor))) {
      refuse(context, "%s: the shapes cannot be broadcast", op.name);
      return;
    }
    if (!same_dim_order(context, *operand->tensor, out)) return;
  }
  if (a.tensor != nullptr && b.tensor != nullptr &&
      !same_dim_order(context, *a.tensor, *b.tensor)) {
    return;
  }
  const ScalarType promoted = result.get();
  const ScalarType common = op.typing == Typing::kReal ? float_result(promoted) : promoted;
  const Compute compute = compute_of(common);
  if (compute == Compute::kNone || (!op.takes_bool && promoted == ScalarType::Bool)) {
    refuse(context, "%s: the operand types have no such operation", op.name);
    return;
  }
  const ScalarType out_type = out.scalar_type();
  if (compute_of(out_type) == Compute::kNone ||
      (op.typing != Typing::kCompare && !can_cast(common, out_type))) {
    refuse(context, "%s: a result of %s cannot be stored as %s", op.name, name_of(common),
           name_of(out_type));
    return;
  }
  if (is_integral(common, true) && alpha.isFloatingPoint()) {
    refuse(context, "%s: a real alpha with integer operands", op.name);
    return;
  }
  if (!resize_out(context, out, shape)) return;

  BinaryParams params;
  params.alpha_int = as_int(alpha);
  params.alpha = as_double(alpha);
  params.bits = is_integral(common, true) ? integer_bits(common) : 64;
  params.is_unsigned = is_unsigned(common);

  const bool ran = with_compute(compute, [&](auto zero) {
    using C = decltype(zero);
    if (op.block<C>() == nullptr) {
      refuse(context, "%s: %s operands have no such operation", op.name, name_of(common));
      return;
    }
    C constants[2] = {};
    if constexpr (std::is_same_v<C, int64_t>) {
      if (op.checks_zero) {
        const bool zero_divisor =
            b.tensor != nullptr ? has_zero<C>(*b.tensor, common) : scalar_as<C>(*b.scalar) == 0;
        if (zero_divisor) {
          refuse(context, "%s: division of an integer by zero", op.name);
          return;
        }
      }
    }
    if (a.tensor != nullptr && b.tensor != nullptr) {
      const Tensor* const inputs[] = {a.tensor, b.tensor};
      run_binary<C>(op, elementwise_loop(out, inputs, 2), out_type, a, b, common, params);
      return;
    }
    const bool a_is_scalar = a.tensor == nullptr;
    const Tensor* const inputs[] = {a_is_scalar ? b.tensor : a.tensor};
    Loop loop = elementwise_loop(out, inputs, 1);
    constants[0] = scalar_as<C>(a_is_scalar ? *a.scalar : *b.scalar);
    narrow_to<C>(is_integral(common, true) ? common : kNative<C>, constants, 1);
    loop.add_constant(constants);
    if (a_is_scalar) {
      std::swap(loop.data[1], loop.data[2]);
      std::swap(loop.stride[1], loop.stride[2]);
    }
    run_binary<C>(op, loop, out_type, a, b, common, params);
  });
  if (!ran) refuse(context, "%s: unsupported type", op.name);
}

template <Binary kOp>
void tensors(Context& context, const Tensor& a, const Tensor& b, Tensor& out) {
  binary(context, kOp, {&a, nullptr}, {&b, nullptr}, Scalar(1), out);
}
template <Binary kOp>
void tensors_alpha(Context& context, const Tensor& a, const Tensor& b, Scalar alpha, Tensor& out) {
  binary(context, kOp, {&a, nullptr}, {&b, nullptr}, alpha, out);
}
template <Binary kOp>
void with_scalar(Context& context, const Tensor& a, Scalar b, Tensor& out) {
  binary(context, kOp, {&a, nullptr}, {nullptr, &b}, Scalar(1), out);
}
template <Binary kOp>
void with_scalar_alpha(Context& context, const Tensor& a, Scalar b, Scalar alpha, Tensor& out) {
  binary(context, kOp, {&a, nullptr}, {nullptr, &b}, alpha, out);
}
template <Binary kOp>
void from_scalar(Context& context, Scalar a, const Tensor& b, Tensor& out) {
  binary(context, kOp, {nullptr, &a}, {&b, nullptr}, Scalar(1), out);
}

void pow_scalar(Context& context, const Tensor& a, Scalar exponent, Tensor& out) {
  if (is_integral(a.scalar_type(), true) && exponent.isIntegral(false) && as_int(exponent) < 0) {
    refuse(context, "pow: integers to a negative power");
    return;
  }
  with_scalar<Binary::kPow>(context, a, exponent, out);
}

bool rounding(Context& context, std::optional<std::string_view> mode, Binary& op) {
  if (!mode.has_value()) {
    op = Binary::kDiv;
  } else if (*mode == "trunc") {
    op = Binary::kDivTrunc;
  } else if (*mode == "floor") {
    op = Binary::kDivFloor;
  } else {
    return refuse(context, "div: unknown rounding mode");
  }
  return true;
}
void div_mode(Context& context, const Tensor& a, const Tensor& b,
              std::optional<std::string_view> mode, Tensor& out) {
  Binary op{};
  if (rounding(context, mode, op))
    binary(context, op, {&a, nullptr}, {&b, nullptr}, Scalar(1), out);
}
void div_scalar_mode(Context& context, const Tensor& a, Scalar b,
                     std::optional<std::string_view> mode, Tensor& out) {
  Binary op{};
  if (rounding(context, mode, op))
    binary(context, op, {&a, nullptr}, {nullptr, &b}, Scalar(1), out);
}

#define TENSORS(NAME, OP) \
  { "aten::" NAME, &box<&tensors<Binary::OP>> }
#define SCALAR(NAME, OP) \
  { "aten::" NAME, &box<&with_scalar<Binary::OP>> }
#define BOTH(NAME, OP) TENSORS(NAME ".Tensor_out", OP), SCALAR(NAME ".Scalar_out", OP)

constexpr Operator kOperators[] = {
    {"aten::add.out", &box<&tensors_alpha<Binary::kAdd>>},
    {"aten::add.Scalar_out", &box<&with_scalar_alpha<Binary::kAdd>>},
    {"aten::sub.out", &box<&tensors_alpha<Binary::kSub>>},
    {"aten::sub.Scalar_out", &box<&with_scalar_alpha<Binary::kSub>>},
    {"aten::rsub.Scalar_out", &box<&with_scalar_alpha<Binary::kRsub>>},
    TENSORS("mul.out", kMul),
    SCALAR("mul.Scalar_out", kMul),
    TENSORS("div.out", kDiv),
    SCALAR("div.Scalar_out", kDiv),
    {"aten::div.out_mode", &box<&div_mode>},
    {"aten::div.Scalar_mode_out", &box<&div_scalar_mode>},
    TENSORS("floor_divide.out", kDivFloor),
    BOTH("fmod", kFmod),
    BOTH("remainder", kRemainder),
    TENSORS("maximum.out", kMaximum),
    TENSORS("minimum.out", kMinimum),
    TENSORS("pow.Tensor_Tensor_out", kPow),
    {"aten::pow.Tensor_Scalar_out", &box<&pow_scalar>},
    {"aten::pow.Scalar_out", &box<&from_scalar<Binary::kPow>>},
    TENSORS("atan2.out", kAtan2),
    BOTH("eq", kEq),
    BOTH("ne", kNe),
    BOTH("lt", kLt),
    BOTH("le", kLe),
    BOTH("gt", kGt),
    BOTH("ge", kGe),
    TENSORS("logical_and.out", kLogicalAnd),
    TENSORS("logical_or.out", kLogicalOr),
    TENSORS("logical_xor.out", kLogicalXor),
    BOTH("bitwise_and", kBitwiseAnd),
    BOTH("bitwise_or", kBitwiseOr),
    BOTH("bitwise_xor", kBitwiseXor),
    TENSORS("bitwise_left_shift.Tensor_out", kShiftLeft),
    SCALAR("bitwise_left_shift.Tensor_Scalar_out", kShiftLeft),
    TENSORS("bitwise_right_shift.Tensor_out", kShiftRight),
    SCALAR("bitwise_right_shift.Tensor_Scalar_out", kShiftRight),
};

}  // namespace

Operators elementwise_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
