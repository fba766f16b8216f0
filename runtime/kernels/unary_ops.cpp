// Operators on one tensor, element by element.

#include <limits>

#include "runtime/kernels/block_io.h"
#include "runtime/kernels/boxed.h"
#include "runtime/kernels/math.h"
#include "runtime/kernels/nan.h"

namespace executorch::kernels {
namespace {

// Numbers that an operator takes besides the tensor.
struct Params {
  double a = 0;
  double b = 0;
  double c = 0;
};

enum class Typing : uint8_t {
  kSame,  // integers stay integers
  kReal,  // integers become float
  kBool,  // the result is 0 or 1
};

template <class C>
using Block = void (*)(C* out, const C* in, int64_t count, const Params& params);

struct UnaryOp {
  const char* name;
  Typing typing;
  bool takes_bool;
  Block<int64_t> on_int;
  Block<float> on_float;
  Block<double> on_double;
};

template <class C>
inline constexpr bool kIsInt = std::is_same_v<C, int64_t>;

#define REAL_FUNCTION(NAME, EXPRESSION)  \
  struct NAME {                          \
    template <class C>                   \
    static C apply(C x, const Params&) { \
      return EXPRESSION;                 \
    }                                    \
  }
REAL_FUNCTION(Acos, std::acos(x));
REAL_FUNCTION(Acosh, std::acosh(x));
REAL_FUNCTION(Asin, std::asin(x));
REAL_FUNCTION(Asinh, std::asinh(x));
REAL_FUNCTION(Atan, std::atan(x));
REAL_FUNCTION(Atanh, std::atanh(x));
REAL_FUNCTION(Cos, std::cos(x));
REAL_FUNCTION(Cosh, std::cosh(x));
REAL_FUNCTION(Erf, std::erf(x));
REAL_FUNCTION(Exp, fast_exp(x));
REAL_FUNCTION(Expm1, std::expm1(x));
REAL_FUNCTION(Log, std::log(x));
REAL_FUNCTION(Log10, std::log10(x));
REAL_FUNCTION(Log1p, std::log1p(x));
REAL_FUNCTION(Log2, std::log2(x));
REAL_FUNCTION(Reciprocal, C{1} / x);
REAL_FUNCTION(Rsqrt, C{1} / std::sqrt(x));
REAL_FUNCTION(Sigmoid, C{1} / (C{1} + fast_exp(-x)));
REAL_FUNCTION(Sin, std::sin(x));
REAL_FUNCTION(Sinh, std::sinh(x));
REAL_FUNCTION(Sqrt, std::sqrt(x));
REAL_FUNCTION(Tan, std::tan(x));
REAL_FUNCTION(Tanh, std::tanh(x));
// x * P(X <= x) of the normal distribution, exactly and by its usual approximation.
REAL_FUNCTION(Gelu, C(0.5) * x * (C{1} + std::erf(x * C(0.70710678118654752440))));
REAL_FUNCTION(GeluTanh,
              C(0.5) * x *
                  (C{1} + std::tanh(C(0.79788456080286535588) * (x + C(0.044715) * x * x * x))));
#undef REAL_FUNCTION

struct Logit {
  template <class C>
  static C apply(C x, const Params& params) {
    // a: eps, negative when there is none
    const C eps = static_cast<C>(params.a);
    C z = x;
    if (params.a >= 0) z = x < eps ? eps : (x > C{1} - eps ? C{1} - eps : x);
    return std::log(z / (C{1} - z));
  }
};
struct Elu {
  template <class C>
  static C apply(C x, const Params& params) {
    // a: alpha, b: scale, c: input scale
    const C negative = static_cast<C>(params.a) * static_cast<C>(params.b);
    if (x <= C{0}) return std::expm1(x * static_cast<C>(params.c)) * negative;
    return x * static_cast<C>(params.b);
  }
};
struct LeakyRelu {
  template <class C>
  static C apply(C x, const Params& params) {
    return x > C{0} ? x : x * static_cast<C>(params.a);
  }
};

struct Abs {
  template <class C>
  static C apply(C x, const Params&) {
    if constexpr (kIsInt<C>) {
      return x < 0 ? static_cast<C>(0 - static_cast<uint64_t>(x)) : x;
    } else {
      return std::fabs(x);
    }
  }
};
struct Neg {
  template <class C>
  static C apply(C x, const Params&) {
    if constexpr (kIsInt<C>) {
      return static_cast<C>(0 - static_cast<uint64_t>(x));
    } else {
      return -x;
    }
  }
};
struct Sign {
  template <class C>
  static C apply(C x, const Params&) {
    if constexpr (kIsInt<C>) {
      return (x > 0) - (x < 0);
    } else {
      return static_cast<C>((x > C{0}) - (x < C{0}));  // 0 for NaN, as torch has it
    }
  }
};
struct Relu {
  template <class C>
  static C apply(C x, const Params&) {
    return x < C{0} ? C{0} : x;  // keeps NaN
  }
};
#define ROUNDING(NAME, FUNCTION)         \
  struct NAME {                          \
    template <class C>                   \
    static C apply(C x, const Params&) { \
      if constexpr (kIsInt<C>) {         \
        return x;                        \
      } else {                           \
        return FUNCTION(x);              \
      }                                  \
    }                                    \
  }
ROUNDING(Ceil, std::ceil);
ROUNDING(Floor, std::floor);
ROUNDING(Round, std::nearbyint);
ROUNDING(Trunc, std::trunc);
#undef ROUNDING

struct BitwiseNot {
  static int64_t apply(int64_t x, const Params& params) {
    return params.a != 0 ? static_cast<int64_t>(x == 0) : ~x;  // a: the type is bool
  }
};
struct LogicalNot {
  template <class C>
  static C apply(C x, const Params&) {
    return static_cast<C>(x == C{0});
  }
};
struct IsNan {
  template <class C>
  static C apply(C x, const Params&) {
    return static_cast<C>(is_nan(x));
  }
};
struct IsInf {
  template <class C>
  static C apply(C x, const Params&) {
    if constexpr (kIsInt<C>) {
      return 0;
    } else {
      return static_cast<C>(std::fabs(x) == std::numeric_limits<C>::infinity());
    }
  }
};

template <class Op, class C>
void block(C* out, const C* in, int64_t count, const Params& given) {
  const Params params = given;
  for (int64_t i = 0; i < count; ++i) out[i] = Op::apply(in[i], params);
}

template <class Op>
constexpr UnaryOp real(const char* name) {
  return {name, Typing::kReal, true, nullptr, &block<Op, float>, &block<Op, double>};
}
// Real types only: integers are refused, as torch does.
template <class Op>
constexpr UnaryOp only_real(const char* name) {
  return {name, Typing::kSame, false, nullptr, &block<Op, float>, &block<Op, double>};
}
template <class Op>
constexpr UnaryOp same(const char* name, bool takes_bool) {
  return {
      name, Typing::kSame, takes_bool, &block<Op, int64_t>, &block<Op, float>, &block<Op, double>};
}
template <class Op>
constexpr UnaryOp flag(const char* name) {
  return {name, Typing::kBool, true, &block<Op, int64_t>, &block<Op, float>, &block<Op, double>};
}

template <class C>
void run(Context& context, const UnaryOp& op, const Tensor& in, ScalarType common, Block<C> block,
         const Params& params, Tensor& out) {
  if (block == nullptr) {
    refuse(context, "%s: not for %s", op.name, name_of(in.scalar_type()));
    return;
  }
  Reader<C> readers[1] = {Reader<C>({&in, nullptr}, common)};
  const Tensor* const inputs[] = {&in};
  const ScalarType result = op.typing == Typing::kBool ? kNative<C> : common;
  run_blocks<C>(elementwise_loop(out, inputs, 1), result, out.scalar_type(), readers,
                [&](C* target, const C* const* values, const bool* singles, int64_t count) {
                  if (!singles[0]) {
                    block(target, values[0], count, params);
                    return;
                  }
                  C value{};
                  block(&value, values[0], 1, params);
                  for (int64_t i = 0; i < count; ++i) target[i] = value;
                });
}

void unary(Context& context, const UnaryOp& op, const Tensor& in, const Params& params,
           Tensor& out) {
  const ScalarType type = in.scalar_type();
  const ScalarType common = op.typing == Typing::kReal ? float_result(type) : type;
  const ScalarType out_type = out.scalar_type();
  if (compute_of(type) == Compute::kNone || (!op.takes_bool && type == ScalarType::Bool)) {
    refuse(context, "%s: not for %s", op.name, name_of(type));
    return;
  }
  if (compute_of(out_type) == Compute::kNone ||
      (op.typing != Typing::kBool && !can_cast(common, out_type))) {
    refuse(context, "%s: a result of %s cannot be stored as %s", op.name, name_of(common),
           name_of(out_type));
    return;
  }
  if (!same_dim_order(context, in, out) || !resize_out(context, out, shape_of(in))) return;
  switch (compute_of(common)) {
    case Compute::kInt:
      run<int64_t>(context, op, in, common, op.on_int, params, out);
      break;
    case Compute::kFloat:
      run<float>(context, op, in, common, op.on_float, params, out);
      break;
    default:
      run<double>(context, op, in, common, op.on_double, params, out);
      break;
  }
}

constexpr UnaryOp kAbs = same<Abs>("abs", false);
constexpr UnaryOp kAcos = real<Acos>("acos");
constexpr UnaryOp kAcosh = real<Acosh>("acosh");
constexpr UnaryOp kAsin = real<Asin>("asin");
constexpr UnaryOp kAsinh = real<Asinh>("asinh");
constexpr UnaryOp kAtan = real<Atan>("atan");
constexpr UnaryOp kAtanh = real<Atanh>("atanh");
constexpr UnaryOp kCeil = same<Ceil>("ceil", false);
constexpr UnaryOp kCos = real<Cos>("cos");
constexpr UnaryOp kCosh = real<Cosh>("cosh");
constexpr UnaryOp kErf = real<Erf>("erf");
constexpr UnaryOp kExp = real<Exp>("exp");
constexpr UnaryOp kExpm1 = real<Expm1>("expm1");
constexpr UnaryOp kFloor = same<Floor>("floor", false);
constexpr UnaryOp kIsInf = flag<IsInf>("isinf");
constexpr UnaryOp kIsNan = flag<IsNan>("isnan");
constexpr UnaryOp kLog = real<Log>("log");
constexpr UnaryOp kLog10 = real<Log10>("log10");
constexpr UnaryOp kLog1p = real<Log1p>("log1p");
constexpr UnaryOp kLog2 = real<Log2>("log2");
constexpr UnaryOp kLogicalNot = flag<LogicalNot>("logical_not");
constexpr UnaryOp kNeg = same<Neg>("neg", false);
constexpr UnaryOp kReciprocal = real<Reciprocal>("reciprocal");
constexpr UnaryOp kRelu = same<Relu>("relu", false);
constexpr UnaryOp kRound = same<Round>("round", false);
constexpr UnaryOp kRsqrt = real<Rsqrt>("rsqrt");
constexpr UnaryOp kSigmoid = real<Sigmoid>("sigmoid");
constexpr UnaryOp kSign = same<Sign>("sign", true);
constexpr UnaryOp kSin = real<Sin>("sin");
constexpr UnaryOp kSinh = real<Sinh>("sinh");
constexpr UnaryOp kSqrt = real<Sqrt>("sqrt");
constexpr UnaryOp kTan = real<Tan>("tan");
constexpr UnaryOp kTanh = real<Tanh>("tanh");
constexpr UnaryOp kTrunc = same<Trunc>("trunc", false);
constexpr UnaryOp kBitwiseNot = {"bitwise_not", Typing::kSame, true, &block<BitwiseNot, int64_t>,
                                 nullptr,       nullptr};
constexpr UnaryOp kGelu = only_real<Gelu>("gelu");
constexpr UnaryOp kGeluTanh = only_real<GeluTanh>("gelu (tanh)");
constexpr UnaryOp kElu = only_real<Elu>("elu");
constexpr UnaryOp kLeakyRelu = only_real<LeakyRelu>("leaky_relu");
constexpr UnaryOp kLogit = real<Logit>("logit");

template <const UnaryOp& kOp>
void plain(Context& context, const Tensor& in, Tensor& out) {
  unary(context, kOp, in, {}, out);
}
void bitwise_not(Context& context, const Tensor& in, Tensor& out) {
  unary(context, kBitwiseNot, in, {in.scalar_type() == ScalarType::Bool ? 1.0 : 0.0, 0, 0}, out);
}
void gelu(Context& context, const Tensor& in, std::string_view approximate, Tensor& out) {
  if (approximate != "none" && approximate != "tanh") {
    refuse(context, "gelu: unknown approximation");
    return;
  }
  unary(context, approximate == "tanh" ? kGeluTanh : kGelu, in, {}, out);
}
void elu(Context& context, const Tensor& in, Scalar alpha, Scalar scale, Scalar input_scale,
         Tensor& out) {
  unary(context, kElu, in, {as_double(alpha), as_double(scale), as_double(input_scale)}, out);
}
void leaky_relu(Context& context, const Tensor& in, Scalar slope, Tensor& out) {
  unary(context, kLeakyRelu, in, {as_double(slope), 0, 0}, out);
}
void logit(Context& context, const Tensor& in, std::optional<double> eps, Tensor& out) {
  unary(context, kLogit, in, {eps.value_or(-1.0), 0, 0}, out);
}

#define PLAIN(NAME, OP) \
  { "aten::" NAME ".out", &box<&plain<OP>> }

constexpr Operator kOperators[] = {
    PLAIN("abs", kAbs),
    PLAIN("acos", kAcos),
    PLAIN("acosh", kAcosh),
    PLAIN("asin", kAsin),
    PLAIN("asinh", kAsinh),
    PLAIN("atan", kAtan),
    PLAIN("atanh", kAtanh),
    PLAIN("ceil", kCeil),
    PLAIN("cos", kCos),
    PLAIN("cosh", kCosh),
    PLAIN("erf", kErf),
    PLAIN("exp", kExp),
    PLAIN("expm1", kExpm1),
    PLAIN("floor", kFloor),
    PLAIN("isinf", kIsInf),
    PLAIN("isnan", kIsNan),
    PLAIN("log", kLog),
    PLAIN("log10", kLog10),
    PLAIN("log1p", kLog1p),
    PLAIN("log2", kLog2),
    PLAIN("logical_not", kLogicalNot),
    PLAIN("neg", kNeg),
    PLAIN("reciprocal", kReciprocal),
    PLAIN("relu", kRelu),
    PLAIN("round", kRound),
    PLAIN("rsqrt", kRsqrt),
    PLAIN("sigmoid", kSigmoid),
    PLAIN("sign", kSign),
    PLAIN("sin", kSin),
    PLAIN("sinh", kSinh),
    PLAIN("sqrt", kSqrt),
    PLAIN("tan", kTan),
    PLAIN("tanh", kTanh),
    PLAIN("trunc", kTrunc),
    {"aten::bitwise_not.out", &box<&bitwise_not>},
    {"aten::gelu.out", &box<&gelu>},
    {"aten::elu.out", &box<&elu>},
    {"aten::leaky_relu.out", &box<&leaky_relu>},
    {"aten::logit.out", &box<&logit>},
};

}  // namespace

Operators unary_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels

// The name by which tools tell which library holds the CPU kernels.
namespace torch::executor::native {

using executorch::kernels::Context;
using executorch::kernels::Tensor;

__attribute__((visibility("default"))) Tensor& abs_out(Context& context, const Tensor& in,
                                                       Tensor& out);
Tensor& abs_out(Context& context, const Tensor& in, Tensor& out) {
  executorch::kernels::unary(context, executorch::kernels::kAbs, in, {}, out);
  return out;
}

}  // namespace torch::executor::native
