#pragma once

// The arithmetic of the binary operators: one functor each, instantiated for what they compute in.

#include "runtime/kernels/dtype.h"

namespace executorch::kernels {

/// What an operator needs besides its operands.
struct BinaryParams {
  int64_t alpha_int = 1;
  double alpha = 1.0;
  int bits = 64;  // of the common integer type, for shifts
  bool is_unsigned = false;
};

/// How operands and result are typed.
enum class Typing : uint8_t {
  kPromote,  // result in the common type
  kReal,     // integers become float first
  kCompare,  // computed in the common type, result bool
};

/// One block: `a` or `b` may be a single value (count 1) for all of `count` elements. `out` holds
/// bool for kCompare, else C.
template <class C>
using BinaryBlock = void (*)(void* out, const C* a, bool a_single, const C* b, bool b_single,
                             int64_t count, const BinaryParams& params);

struct BinaryOp {
  const char* name;  // for messages
  Typing typing;
  bool takes_bool;   // bool operands are allowed
  bool checks_zero;  // an integer divisor of 0 is an error
  BinaryBlock<int64_t> on_int;
  BinaryBlock<float> on_float;
  BinaryBlock<double> on_double;

  template <class C>
  BinaryBlock<C> block() const {
    if constexpr (std::is_same_v<C, int64_t>) {
      return on_int;
    } else if constexpr (std::is_same_v<C, float>) {
      return on_float;
    } else {
      return on_double;
    }
  }
};

enum class Binary : uint8_t {
  kAdd,
  kSub,
  kRsub,
  kMul,
  kDiv,
  kDivTrunc,
  kDivFloor,
  kFmod,
  kRemainder,
  kMaximum,
  kMinimum,
  kPow,
  kAtan2,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kShiftLeft,
  kShiftRight,
};

const BinaryOp& binary_op(Binary op);

}  // namespace executorch::kernels
