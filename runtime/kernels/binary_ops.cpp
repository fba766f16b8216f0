#include "runtime/kernels/binary_ops.h"

#include <cmath>

#include "runtime/kernels/nan.h"

namespace executorch::kernels {
namespace {

template <class C>
inline constexpr bool kIsInt = std::is_same_v<C, int64_t>;

// Integer arithmetic wraps.
inline int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
inline uint64_t bits_of(int64_t value) { return static_cast<uint64_t>(value); }

template <class C>
C alpha_of(const BinaryParams& params) {
  if constexpr (kIsInt<C>) {
    return params.alpha_int;
  } else {
    return static_cast<C>(params.alpha);
  }
}

struct Add {
  template <class C>
  static C apply(C a, C b, const BinaryParams& params) {
    if constexpr (kIsInt<C>) {
      return wrap(bits_of(a) + bits_of(params.alpha_int) * bits_of(b));
    } else {
      return a + alpha_of<C>(params) * b;
    }
  }
};
struct PlainAdd {  // alpha is 1
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      return wrap(bits_of(a) + bits_of(b));
    } else {
      return a + b;
    }
  }
};
struct Sub {
  template <class C>
  static C apply(C a, C b, const BinaryParams& params) {
    if constexpr (kIsInt<C>) {
      return wrap(bits_of(a) - bits_of(params.alpha_int) * bits_of(b));
    } else {
      return a - alpha_of<C>(params) * b;
    }
  }
};
struct Rsub {
  template <class C>
  static C apply(C a, C b, const BinaryParams& params) {
    return Sub::apply(b, a, params);
  }
};
struct Mul {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      return wrap(bits_of(a) * bits_of(b));
    } else {
      return a * b;
    }
  }
};
struct Div {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    return a / b;
  }
};

// A divisor of 0 has been refused. Dividing by -1 is negation, which wraps.
inline int64_t quotient(int64_t a, int64_t b) {
  if (b == -1) return wrap(0 - bits_of(a));
  return b == 0 ? 0 : a / b;
}
inline int64_t rest(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

struct DivTrunc {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      return quotient(a, b);
    } else {
      return std::trunc(a / b);
    }
  }
};
struct DivFloor {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      const int64_t result = quotient(a, b);
      return rest(a, b) != 0 && ((a < 0) != (b < 0)) ? result - 1 : result;
    } else {
      // As Python: from the exact remainder, not from the rounded quotient.
      if (b == C{0}) return a / b;
      const C modulus = std::fmod(a, b);
      C result = (a - modulus) / b;
      if (modulus != C{0} && ((b < C{0}) != (modulus < C{0}))) result -= C{1};
      if (result == C{0}) return std::copysign(C{0}, a / b);
      const C floored = std::floor(result);
      return result - floored > C(0.5) ? floored + C{1} : floored;
    }
  }
};
struct Fmod {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      return rest(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};
struct Remainder {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      const int64_t result = rest(a, b);
      return result != 0 && ((result < 0) != (b < 0)) ? result + b : result;
    } else {
      const C result = std::fmod(a, b);
      return result != C{0} && ((b < C{0}) != (result < C{0})) ? result + b : result;
    }
  }
};
struct Maximum {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    return a > b || is_nan(a) ? a : b;  // NaN wins
  }
};
struct Minimum {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    return a < b || is_nan(a) ? a : b;
  }
};
struct Pow {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    if constexpr (kIsInt<C>) {
      if (b < 0) {
        if (a == 1) return 1;
        if (a == -1) return b % 2 == 0 ? 1 : -1;
        return 0;
      }
      uint64_t result = 1;
      uint64_t power = bits_of(a);
      for (uint64_t n = bits_of(b); n != 0; n >>= 1) {
        if ((n & 1) != 0) result *= power;
        power *= power;
      }
      return wrap(result);
    } else {
      return std::pow(a, b);
    }
  }
};
struct Atan2 {
  template <class C>
  static C apply(C a, C b, const BinaryParams&) {
    return std::atan2(a, b);
  }
};

struct Eq {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a == b;
  }
};
struct Ne {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a != b;
  }
};
struct Lt {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a < b;
  }
};
struct Le {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a <= b;
  }
};
struct Gt {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a > b;
  }
};
struct Ge {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return a >= b;
  }
};
struct LogicalAnd {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return (a != C{0}) & (b != C{0});
  }
};
struct LogicalOr {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return (a != C{0}) | (b != C{0});
  }
};
struct LogicalXor {
  template <class C>
  static bool apply(C a, C b, const BinaryParams&) {
    return (a != C{0}) != (b != C{0});
  }
};
struct BitwiseAnd {
  static int64_t apply(int64_t a, int64_t b, const BinaryParams&) { return a & b; }
};
struct BitwiseOr {
  static int64_t apply(int64_t a, int64_t b, const BinaryParams&) { return a | b; }
};
struct BitwiseXor {
  static int64_t apply(int64_t a, int64_t b, const BinaryParams&) { return a ^ b; }
};
struct ShiftLeft {
  static int64_t apply(int64_t a, int64_t b, const BinaryParams& params) {
    return b < 0 || b >= params.bits ? 0 : wrap(bits_of(a) << b);
  }
};
struct ShiftRight {
  static int64_t apply(int64_t a, int64_t b, const BinaryParams& params) {
    const int last = params.is_unsigned ? params.bits : params.bits - 1;
    return a >> (b < 0 || b >= last ? (last < 63 ? last : 63) : b);
  }
};

template <class Op, class C>
void block(void* out, const C* a, bool a_single, const C* b, bool b_single, int64_t count,
           const BinaryParams& given) {
  const BinaryParams params = given;  // a copy, which stores through `out` cannot change
  using Result = decltype(Op::apply(C{}, C{}, params));
  auto* result = static_cast<Result*>(out);
  if (!a_single && !b_single) {
    for (int64_t i = 0; i < count; ++i) result[i] = Op::apply(a[i], b[i], params);
  } else if (b_single && !a_single) {
    const C value = *b;
    for (int64_t i = 0; i < count; ++i) result[i] = Op::apply(a[i], value, params);
  } else if (a_single && !b_single) {
    const C value = *a;
    for (int64_t i = 0; i < count; ++i) result[i] = Op::apply(value, b[i], params);
  } else {
    const Result value = Op::apply(*a, *b, params);
    for (int64_t i = 0; i < count; ++i) result[i] = value;
  }
}

// x^p for the exponents that models use, as torch computes them.
template <class C>
void pow_block(void* out, const C* a, bool a_single, const C* b, bool b_single, int64_t count,
               const BinaryParams& params) {
  auto* result = static_cast<C*>(out);
  if (b_single && !a_single) {
    const C exponent = *b;
    if (exponent == C{2}) {
      for (int64_t i = 0; i < count; ++i) result[i] = a[i] * a[i];
      return;
    }
    if (exponent == C{3}) {
      for (int64_t i = 0; i < count; ++i) result[i] = a[i] * a[i] * a[i];
      return;
    }
    if (exponent == C{0.5}) {
      for (int64_t i = 0; i < count; ++i) result[i] = std::sqrt(a[i]);
      return;
    }
    if (exponent == C{-0.5}) {
      for (int64_t i = 0; i < count; ++i) result[i] = C{1} / std::sqrt(a[i]);
      return;
    }
    if (exponent == C{-1}) {
      for (int64_t i = 0; i < count; ++i) result[i] = C{1} / a[i];
      return;
    }
    if (exponent == C{-2}) {
      for (int64_t i = 0; i < count; ++i) result[i] = C{1} / (a[i] * a[i]);
      return;
    }
  }
  block<Pow, C>(out, a, a_single, b, b_single, count, params);
}

// Without alpha the common case is one addition.
template <class C>
void add_block(void* out, const C* a, bool a_single, const C* b, bool b_single, int64_t count,
               const BinaryParams& params) {
  const auto chosen = alpha_of<C>(params) == C{1} ? &block<PlainAdd, C> : &block<Add, C>;
  chosen(out, a, a_single, b, b_single, count, params);
}

template <class Op>
constexpr BinaryOp on_all(const char* name, Typing typing, bool takes_bool, bool checks_zero) {
  return {name,
          typing,
          takes_bool,
          checks_zero,
          &block<Op, int64_t>,
          &block<Op, float>,
          &block<Op, double>};
}
template <class Op>
constexpr BinaryOp on_real(const char* name) {
  return {name, Typing::kReal, true, false, nullptr, &block<Op, float>, &block<Op, double>};
}
template <class Op>
constexpr BinaryOp on_bits(const char* name, bool takes_bool) {
  return {name, Typing::kPromote, takes_bool, false, &block<Op, int64_t>, nullptr, nullptr};
}

// In the order of Binary.
constexpr BinaryOp kOps[] = {
    {"add", Typing::kPromote, true, false, &add_block<int64_t>, &add_block<float>,
     &add_block<double>},
    on_all<Sub>("sub", Typing::kPromote, false, false),
    on_all<Rsub>("rsub", Typing::kPromote, false, false),
    on_all<Mul>("mul", Typing::kPromote, true, false),
    on_real<Div>("div"),
    on_all<DivTrunc>("div (trunc)", Typing::kPromote, false, true),
    on_all<DivFloor>("floor_divide", Typing::kPromote, false, true),
    on_all<Fmod>("fmod", Typing::kPromote, false, true),
    on_all<Remainder>("remainder", Typing::kPromote, false, true),
    on_all<Maximum>("maximum", Typing::kPromote, true, false),
    on_all<Minimum>("minimum", Typing::kPromote, true, false),
    {"pow", Typing::kPromote, true, false, &block<Pow, int64_t>, &pow_block<float>,
     &pow_block<double>},
    on_real<Atan2>("atan2"),
    on_all<Eq>("eq", Typing::kCompare, true, false),
    on_all<Ne>("ne", Typing::kCompare, true, false),
    on_all<Lt>("lt", Typing::kCompare, true, false),
    on_all<Le>("le", Typing::kCompare, true, false),
    on_all<Gt>("gt", Typing::kCompare, true, false),
    on_all<Ge>("ge", Typing::kCompare, true, false),
    on_all<LogicalAnd>("logical_and", Typing::kCompare, true, false),
    on_all<LogicalOr>("logical_or", Typing::kCompare, true, false),
    on_all<LogicalXor>("logical_xor", Typing::kCompare, true, false),
    on_bits<BitwiseAnd>("bitwise_and", true),
    on_bits<BitwiseOr>("bitwise_or", true),
    on_bits<BitwiseXor>("bitwise_xor", true),
    on_bits<ShiftLeft>("bitwise_left_shift", false),
    on_bits<ShiftRight>("bitwise_right_shift", false),
};
static_assert(std::size(kOps) == static_cast<size_t>(Binary::kShiftRight) + 1);

}  // namespace

const BinaryOp& binary_op(Binary op) { return kOps[static_cast<size_t>(op)]; }

}  // namespace executorch::kernels
