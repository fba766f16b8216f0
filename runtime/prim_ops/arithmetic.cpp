// Arithmetic as Python does it, since the numbers are those of Python when a model is exported:
// divisions round down, remainders have the sign of the divisor, halves round to even.

#include <cmath>
#include <cstdint>
#include <executorch/runtime/platform/log.h>

#include "runtime/prim_ops/prim_ops.h"

namespace executorch::runtime::prim_ops {

namespace {

// An argument: an integer (a Bool counts as one) or a double.
struct Number {
  bool is_int = true;
  std::int64_t integer = 0;
  double real = 0;

  double as_double() const { return is_int ? static_cast<double>(integer) : real; }
};

bool read(KernelRuntimeContext& context, const EValue& value, Number& number) {
  switch (value.tag) {
    case Tag::Int:
      number.integer = value.toInt();
      return true;
    case Tag::Bool:
      number.integer = value.toBool() ? 1 : 0;
      return true;
    case Tag::Double:
      number.is_int = false;
      number.real = value.toDouble();
      return true;
    default:
      ET_LOG(Error, "a number is expected, the argument is %s", tag_to_string(value.tag));
      context.fail(Error::InvalidType);
      return false;
  }
}

// Python's integers don't overflow; where these would, the program means a size that can't be.
bool fits(KernelRuntimeContext& context, bool overflow) {
  if ET_LIKELY (!overflow) return true;
  ET_LOG(Error, "%s", "the result does not fit 64 bits");
  context.fail(Error::InvalidArgument);
  return false;
}

bool nonzero(KernelRuntimeContext& context, const Number& divisor) {
  if ET_LIKELY (divisor.as_double() != 0) return true;
  ET_LOG(Error, "%s", "a division by 0");
  context.fail(Error::InvalidArgument);
  return false;
}

bool to_int(KernelRuntimeContext& context, double value, std::int64_t& result) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!fits(context, !(value >= -kLimit && value < kLimit))) return false;
  result = static_cast<std::int64_t>(value);
  return true;
}

// Each operation: bool apply(context, a, b, result).
struct Add {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!a.is_int || !b.is_int) return r = EValue(a.as_double() + b.as_double()), true;
    std::int64_t sum = 0;
    if (!fits(context, __builtin_add_overflow(a.integer, b.integer, &sum))) return false;
    return r = EValue(sum), true;
  }
};
struct Sub {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!a.is_int || !b.is_int) return r = EValue(a.as_double() - b.as_double()), true;
    std::int64_t difference = 0;
    if (!fits(context, __builtin_sub_overflow(a.integer, b.integer, &difference))) return false;
    return r = EValue(difference), true;
  }
};
struct Mul {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!a.is_int || !b.is_int) return r = EValue(a.as_double() * b.as_double()), true;
    std::int64_t product = 0;
    if (!fits(context, __builtin_mul_overflow(a.integer, b.integer, &product))) return false;
    return r = EValue(product), true;
  }
};
struct FloorDiv {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!nonzero(context, b)) return false;
    if (!a.is_int || !b.is_int) return r = EValue(std::floor(a.as_double() / b.as_double())), true;
    if (!fits(context, a.integer == INT64_MIN && b.integer == -1)) return false;
    std::int64_t quotient = a.integer / b.integer;
    if (a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0)) --quotient;
    return r = EValue(quotient), true;
  }
};
struct TrueDiv {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!nonzero(context, b)) return false;
    return r = EValue(a.as_double() / b.as_double()), true;
  }
};
struct Mod {
  static bool apply(KernelRuntimeContext& context, const Number& a, const Number& b, EValue& r) {
    if (!nonzero(context, b)) return false;
    if (!a.is_int || !b.is_int) {
      double rest = std::fmod(a.as_double(), b.as_double());
      if (rest != 0 && (rest < 0) != (b.as_double() < 0)) rest += b.as_double();
      return r = EValue(rest), true;
    }
    std::int64_t rest = b.integer == -1 ? 0 : a.integer % b.integer;
    if (rest != 0 && (rest < 0) != (b.integer < 0)) rest += b.integer;
    return r = EValue(rest), true;
  }
};
struct Max {
  static bool apply(KernelRuntimeContext&, const Number& a, const Number& b, EValue& r) {
    if (!a.is_int || !b.is_int) return r = EValue(std::fmax(a.as_double(), b.as_double())), true;
    return r = EValue(a.integer > b.integer ? a.integer : b.integer), true;
  }
};
struct Min {
  static bool apply(KernelRuntimeContext&, const Number& a, const Number& b, EValue& r) {
    if (!a.is_int || !b.is_int) return r = EValue(std::fmin(a.as_double(), b.as_double())), true;
    return r = EValue(a.integer < b.integer ? a.integer : b.integer), true;
  }
};

template <typename Compare>
struct Comparison {
  static bool apply(KernelRuntimeContext&, const Number& a, const Number& b, EValue& r) {
    const bool both = a.is_int && b.is_int;
    r = EValue(both ? Compare::of(a.integer, b.integer)
                    : Compare::of(a.as_double(), b.as_double()));
    return true;
  }
};
struct Equal {
  template <typename T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct Less {
  template <typename T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
template <typename Compare>
struct Swapped {
  template <typename T>
  static bool of(T a, T b) {
    return Compare::of(b, a);
  }
};
struct Unequal {
  template <typename T>
  static bool of(T a, T b) {
    return !(a == b);
  }
};

// Each operation on one number: bool apply(context, a, result).
struct Neg {
  static bool apply(KernelRuntimeContext& context, const Number& a, EValue& r) {
    if (!a.is_int) return r = EValue(-a.real), true;
    return Sub::apply(context, Number{}, a, r);
  }
};
struct ToFloat {
  static bool apply(KernelRuntimeContext&, const Number& a, EValue& r) {
    return r = EValue(a.as_double()), true;
  }
};
template <typename Round>
struct ToInt {
  static bool apply(KernelRuntimeContext& context, const Number& a, EValue& r) {
    std::int64_t result = a.integer;
    if (!a.is_int && !to_int(context, Round::of(a.real), result)) return false;
    return r = EValue(result), true;
  }
};
struct TowardsZero {
  static double of(double value) { return std::trunc(value); }
};
struct Up {
  static double of(double value) { return std::ceil(value); }
};
struct HalfToEven {
  static double of(double value) {
    const double down = std::floor(value);
    const double rest = value - down;
    if (rest != 0.5) return rest < 0.5 ? down : down + 1;
    return std::fmod(down, 2) == 0 ? down : down + 1;
  }
};
struct Not {
  static bool apply(KernelRuntimeContext&, const Number& a, EValue& r) {
    return r = EValue(a.as_double() == 0), true;
  }
};

template <typename Operation>
void binary(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 3)) return;
  Number a;
  Number b;
  EValue result;
  if (read(context, *stack[0], a) && read(context, *stack[1], b) &&
      Operation::apply(context, a, b, result)) {
    set_result(context, *stack[2], result);
  }
}

template <typename Operation>
void unary(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 2)) return;
  Number a;
  EValue result;
  if (read(context, *stack[0], a) && Operation::apply(context, a, result)) {
    set_result(context, *stack[1], result);
  }
}

// condition ? a : b
void choose(KernelRuntimeContext& context, Span<EValue*> stack) {
  if (!has_arguments(context, stack, 4)) return;
  Number condition;
  Number unused;
  if (read(context, *stack[0], condition) && read(context, *stack[1], unused) &&
      read(context, *stack[2], unused)) {
    set_result(context, *stack[3], condition.as_double() != 0 ? *stack[1] : *stack[2]);
  }
}

constexpr Kernel kKernels[] = {
    Kernel("executorch_prim::add.Scalar", binary<Add>),
    Kernel("executorch_prim::sub.Scalar", binary<Sub>),
    Kernel("executorch_prim::mul.Scalar", binary<Mul>),
    Kernel("executorch_prim::floordiv.Scalar", binary<FloorDiv>),
    Kernel("executorch_prim::floordiv.int", binary<FloorDiv>),
    Kernel("executorch_prim::truediv.Scalar", binary<TrueDiv>),
    Kernel("executorch_prim::mod.Scalar", binary<Mod>),
    Kernel("executorch_prim::mod.int", binary<Mod>),
    Kernel("executorch_prim::sym_max.Scalar", binary<Max>),
    Kernel("executorch_prim::sym_min.Scalar", binary<Min>),
    Kernel("executorch_prim::eq.Scalar", binary<Comparison<Equal>>),
    Kernel("executorch_prim::ne.Scalar", binary<Comparison<Unequal>>),
    Kernel("executorch_prim::lt.Scalar", binary<Comparison<Less>>),
    Kernel("executorch_prim::le.Scalar", binary<Comparison<LessEqual>>),
    Kernel("executorch_prim::gt.Scalar", binary<Comparison<Swapped<Less>>>),
    Kernel("executorch_prim::ge.Scalar", binary<Comparison<Swapped<LessEqual>>>),
    Kernel("executorch_prim::neg.Scalar", unary<Neg>),
    Kernel("executorch_prim::sym_float.Scalar", unary<ToFloat>),
    Kernel("executorch_prim::sym_int.Scalar", unary<ToInt<TowardsZero>>),
    Kernel("executorch_prim::trunc.Scalar", unary<ToInt<TowardsZero>>),
    Kernel("executorch_prim::ceil.Scalar", unary<ToInt<Up>>),
    Kernel("executorch_prim::round.Scalar", unary<ToInt<HalfToEven>>),
    Kernel("executorch_prim::sym_not.Scalar", unary<Not>),
    Kernel("executorch_prim::sym_ite.Scalar", choose),
};

}  // namespace

std::span<const Kernel> arithmetic_kernels() { return kKernels; }

}  // namespace executorch::runtime::prim_ops
