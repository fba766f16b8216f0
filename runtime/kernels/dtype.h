#pragma once

// Element types: torch's promotion, and conversion between the types in memory and the three types
// that kernels compute in (int64_t, float, double).

#include "runtime/kernels/shape.h"

namespace executorch::kernels {

/// What a kernel computes in. Integers and bool widen to int64_t: wrapping back to the narrow type
/// when stored gives what arithmetic in the narrow type gives. Half and BFloat16 widen to float.
enum class Compute : uint8_t { kInt, kFloat, kDouble, kNone };

Compute compute_of(ScalarType type);
bool is_floating(ScalarType type);
bool is_integral(ScalarType type, bool with_bool);
/// Bits of an integer type.
int integer_bits(ScalarType type);
bool is_unsigned(ScalarType type);
const char* name_of(ScalarType type);

/// torch.promote_types; Undefined when there is none.
ScalarType promote(ScalarType a, ScalarType b);

/// torch.result_type: tensors with dimensions outrank 0-d tensors, which outrank Python scalars.
class ResultType {
 public:
  void add(const Tensor& tensor);
  void add(const Scalar& scalar);
  ScalarType get() const;

 private:
  ScalarType dimensioned_ = ScalarType::Undefined;
  ScalarType zero_dim_ = ScalarType::Undefined;
  ScalarType scalar_ = ScalarType::Undefined;
};

/// torch.can_cast: a result of type `from` may be stored as `to`.
bool can_cast(ScalarType from, ScalarType to);

/// Float for integers and bool, as torch's functions of real numbers do.
inline ScalarType float_result(ScalarType type) {
  return is_floating(type) ? type : ScalarType::Float;
}

double as_double(const Scalar& scalar);
/// Truncates; NaN and values out of range become INT64_MIN.
int64_t as_int(const Scalar& scalar);
int64_t to_int64(double value);

template <class C>
C scalar_as(const Scalar& scalar) {
  if constexpr (std::is_same_v<C, int64_t>) {
    return as_int(scalar);
  } else {
    return static_cast<C>(as_double(scalar));
  }
}

/// Reads `count` elements that stand `stride` bytes apart.
template <class C>
using LoadFunction = void (*)(C* to, const char* from, int64_t stride, int64_t count);
template <class C>
using StoreFunction = void (*)(char* to, int64_t stride, const C* from, int64_t count);

/// nullptr for types that have no arithmetic (quantised, complex, bits, 8-bit floats).
template <class C>
LoadFunction<C> loader(ScalarType type);
template <class C>
StoreFunction<C> storer(ScalarType type);

/// The type in memory that needs no conversion.
template <class C>
inline constexpr ScalarType kNative = ScalarType::Undefined;
template <>
inline constexpr ScalarType kNative<int64_t> = ScalarType::Long;
template <>
inline constexpr ScalarType kNative<float> = ScalarType::Float;
template <>
inline constexpr ScalarType kNative<double> = ScalarType::Double;

/// Rounds values that were read as C to what `type` can hold (in place).
template <class C>
void narrow_to(ScalarType type, C* values, int64_t count);

/// Calls `function` with a value of the type that `compute` names. False for kNone.
template <class F>
bool with_compute(Compute compute, F&& function) {
  switch (compute) {
    case Compute::kInt:
      function(int64_t{});
      return true;
    case Compute::kFloat:
      function(float{});
      return true;
    case Compute::kDouble:
      function(double{});
      return true;
    case Compute::kNone:
      break;
  }
  return false;
}

}  // namespace executorch::kernels
