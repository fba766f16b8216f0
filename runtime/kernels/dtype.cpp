#include "runtime/kernels/dtype.h"

#include <bit>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <limits>

namespace executorch::kernels {

Compute compute_of(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::Bool:
    case ScalarType::UInt16:
    case ScalarType::UInt32:
    case ScalarType::UInt64:
      return Compute::kInt;
    case ScalarType::Half:
    case ScalarType::BFloat16:
    case ScalarType::Float:
      return Compute::kFloat;
    case ScalarType::Double:
      return Compute::kDouble;
    default:
      return Compute::kNone;
  }
}

bool is_floating(ScalarType type) {
  const Compute compute = compute_of(type);
  return compute == Compute::kFloat || compute == Compute::kDouble;
}

bool is_integral(ScalarType type, bool with_bool) {
  return compute_of(type) == Compute::kInt && (with_bool || type != ScalarType::Bool);
}

int integer_bits(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return 1;
    case ScalarType::Byte:
    case ScalarType::Char:
      return 8;
    case ScalarType::Short:
    case ScalarType::UInt16:
      return 16;
    case ScalarType::Int:
    case ScalarType::UInt32:
      return 32;
    default:
      return 64;
  }
}

bool is_unsigned(ScalarType type) {
  return type == ScalarType::Byte || type == ScalarType::Bool || type == ScalarType::UInt16 ||
         type == ScalarType::UInt32 || type == ScalarType::UInt64;
}

const char* name_of(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
      return "uint8";
    case ScalarType::Char:
      return "int8";
    case ScalarType::Short:
      return "int16";
    case ScalarType::Int:
      return "int32";
    case ScalarType::Long:
      return "int64";
    case ScalarType::Half:
      return "float16";
    case ScalarType::Float:
      return "float32";
    case ScalarType::Double:
      return "float64";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::BFloat16:
      return "bfloat16";
    case ScalarType::UInt16:
      return "uint16";
    case ScalarType::UInt32:
      return "uint32";
    case ScalarType::UInt64:
      return "uint64";
    default:
      return "a type without arithmetic";
  }
}

ScalarType promote(ScalarType a, ScalarType b) {
  if (compute_of(a) == Compute::kNone || compute_of(b) == Compute::kNone) {
    return ScalarType::Undefined;
  }
  if (a == b) return a;
  const bool float_a = is_floating(a);
  const bool float_b = is_floating(b);
  if (float_a && float_b) {
    if (a == ScalarType::Double || b == ScalarType::Double) return ScalarType::Double;
    return ScalarType::Float;  // also for Half with BFloat16
  }
  if (float_a || float_b) return float_a ? a : b;
  if (a == ScalarType::Bool) return b;
  if (b == ScalarType::Bool) return a;
  const int bits_a = integer_bits(a);
  const int bits_b = integer_bits(b);
  if (is_unsigned(a) && is_unsigned(b)) return bits_a > bits_b ? a : b;
  if (is_unsigned(a) || is_unsigned(b)) {
    const ScalarType with_sign = is_unsigned(a) ? b : a;
    const ScalarType without = is_unsigned(a) ? a : b;
    if (integer_bits(with_sign) > integer_bits(without)) return with_sign;
    // Only uint8 has a signed type for it in torch.
    return without == ScalarType::Byte ? ScalarType::Short : ScalarType::Undefined;
  }
  return bits_a > bits_b ? a : b;
}

namespace {

ScalarType promote_known(ScalarType a, ScalarType b) {
  if (a == ScalarType::Undefined) return b;
  if (b == ScalarType::Undefined) return a;
  return promote(a, b);
}

// A lower rank decides only when it is of a higher kind (bool < integer < real).
ScalarType combine(ScalarType higher, ScalarType lower) {
  if (higher == ScalarType::Undefined) return lower;
  if (is_floating(higher) || lower == ScalarType::Undefined) return higher;
  if (higher == ScalarType::Bool || is_floating(lower)) return promote_known(higher, lower);
  return higher;
}

}  // namespace

void ResultType::add(const Tensor& tensor) {
  ScalarType& rank = tensor.dim() > 0 ? dimensioned_ : zero_dim_;
  rank = promote_known(rank, tensor.scalar_type());
}

void ResultType::add(const Scalar& scalar) {
  const ScalarType type = scalar.isFloatingPoint() ? ScalarType::Float
                          : scalar.isBoolean()     ? ScalarType::Bool
                                                   : ScalarType::Long;
  scalar_ = promote_known(scalar_, type);
}

ScalarType ResultType::get() const { return combine(dimensioned_, combine(zero_dim_, scalar_)); }

bool can_cast(ScalarType from, ScalarType to) {
  if (compute_of(from) == Compute::kNone || compute_of(to) == Compute::kNone) return false;
  if (is_floating(from)) return is_floating(to);
  return to != ScalarType::Bool || from == ScalarType::Bool;
}

double as_double(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) return scalar.to<double>();
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1.0 : 0.0;
  return static_cast<double>(scalar.to<int64_t>());
}

int64_t as_int(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) return to_int64(scalar.to<double>());
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1 : 0;
  return scalar.to<int64_t>();
}

int64_t to_int64(double value) {
  // 2^63 is exact in double; the largest int64_t is not.
  if (value >= -9223372036854775808.0 && value < 9223372036854775808.0) {
    return static_cast<int64_t>(value);
  }
  return std::numeric_limits<int64_t>::min();
}

namespace {

// Types in memory. Each has `Stored`, get and put.
template <class T>
struct Plain {
  using Stored = T;
  template <class C>
  static C get(T value) {
    if constexpr (std::is_floating_point_v<T> && std::is_integral_v<C>) {
      return to_int64(static_cast<double>(value));
    } else {
      return static_cast<C>(value);
    }
  }
  template <class C>
  static T put(C value) {
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<C>) {
      return static_cast<T>(to_int64(static_cast<double>(value)));
    } else {
      return static_cast<T>(value);
    }
  }
};

struct Boolean {
  using Stored = uint8_t;
  template <class C>
  static C get(uint8_t value) {
    return static_cast<C>(value != 0 ? 1 : 0);
  }
  template <class C>
  static uint8_t put(C value) {
    return value != C{0} ? 1 : 0;  // NaN is true
  }
};

struct BFloat {
  using Stored = uint16_t;
  static float widen(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static uint16_t round(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t even = bits + 0x7fff + ((bits >> 16) & 1);
    return static_cast<uint16_t>(value != value ? 0x7fc0 : even >> 16);
  }
  template <class C>
  static C get(uint16_t bits) {
    return Plain<float>::get<C>(widen(bits));
  }
  template <class C>
  static uint16_t put(C value) {
    return round(static_cast<float>(value));
  }
};

struct HalfFloat {
  using Stored = uint16_t;
  static float widen(uint16_t half) {
    const uint32_t sign = (half & 0x8000U) << 16;
    const uint32_t magnitude = half & 0x7fffU;
    // Normal numbers: move exponent and mantissa, then scale the exponent's bias away. That also
    // gives subnormals their value; infinity and NaN get the largest exponent back.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    const uint32_t bits =
        magnitude >= 0x7c00U ? (magnitude << 13) | 0x7f800000U : std::bit_cast<uint32_t>(scaled);
    return std::bit_cast<float>(bits | sign);
  }
  static uint16_t round(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (bits >> 16) & 0x8000U;
    const uint32_t magnitude = bits & 0x7fffffffU;
    uint32_t half = 0;
    if (magnitude > 0x7f800000U) {
      half = 0x7e00U;
    } else if (magnitude >= 0x477ff000U) {  // 65520 rounds up to infinity
      half = 0x7c00U;
    } else if (magnitude < 0x38800000U) {  // below 2^-14: subnormal; the addition rounds to even
      const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
      half = std::bit_cast<uint32_t>(aligned) - 0x3f000000U;
    } else {
      half = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
    }
    return static_cast<uint16_t>(half | sign);
  }
  template <class C>
  static C get(uint16_t bits) {
    return Plain<float>::get<C>(widen(bits));
  }
  template <class C>
  static uint16_t put(C value) {
    return round(static_cast<float>(value));
  }
};

template <class C, class Type>
void load(C* to, const char* from, int64_t stride, int64_t count) {
  using Stored = typename Type::Stored;
  if (stride == sizeof(Stored)) {
    const auto* source = reinterpret_cast<const Stored*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = Type::template get<C>(source[i]);
    return;
  }
  if (stride == 0) {
    const C value = Type::template get<C>(*reinterpret_cast<const Stored*>(from));
    for (int64_t i = 0; i < count; ++i) to[i] = value;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Type::template get<C>(*reinterpret_cast<const Stored*>(from + i * stride));
  }
}

template <class C, class Type>
void store(char* to, int64_t stride, const C* from, int64_t count) {
  using Stored = typename Type::Stored;
  if (stride == sizeof(Stored)) {
    auto* target = reinterpret_cast<Stored*>(to);
    for (int64_t i = 0; i < count; ++i) target[i] = Type::template put<C>(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<Stored*>(to + i * stride) = Type::template put<C>(from[i]);
  }
}

// One row a type that has arithmetic; F<C, Type>::value is the function.
template <template <class, class> class F, class C>
auto row_of(ScalarType type) -> decltype(F<C, Boolean>::value) {
  switch (type) {
    case ScalarType::Byte:
      return F<C, Plain<uint8_t>>::value;
    case ScalarType::Char:
      return F<C, Plain<int8_t>>::value;
    case ScalarType::Short:
      return F<C, Plain<int16_t>>::value;
    case ScalarType::Int:
      return F<C, Plain<int32_t>>::value;
    case ScalarType::Long:
      return F<C, Plain<int64_t>>::value;
    case ScalarType::Half:
      return F<C, HalfFloat>::value;
    case ScalarType::Float:
      return F<C, Plain<float>>::value;
    case ScalarType::Double:
      return F<C, Plain<double>>::value;
    case ScalarType::Bool:
      return F<C, Boolean>::value;
    case ScalarType::BFloat16:
      return F<C, BFloat>::value;
    case ScalarType::UInt16:
      return F<C, Plain<uint16_t>>::value;
    case ScalarType::UInt32:
      return F<C, Plain<uint32_t>>::value;
    case ScalarType::UInt64:
      return F<C, Plain<uint64_t>>::value;
    default:
      return nullptr;
  }
}

template <class C, class Type>
struct LoadOf {
  static constexpr LoadFunction<C> value = &load<C, Type>;
};
template <class C, class Type>
struct StoreOf {
  static constexpr StoreFunction<C> value = &store<C, Type>;
};

}  // namespace

template <class C>
LoadFunction<C> loader(ScalarType type) {
  return row_of<LoadOf, C>(type);
}

template <class C>
StoreFunction<C> storer(ScalarType type) {
  return row_of<StoreOf, C>(type);
}

template <class C>
void narrow_to(ScalarType type, C* values, int64_t count) {
  if (type == kNative<C>) return;
  const auto put = storer<C>(type);
  const auto get = loader<C>(type);
  if (put == nullptr || get == nullptr) return;
  constexpr int64_t kBlock = 64;
  alignas(8) char stored[kBlock * sizeof(double)];
  const int64_t size = static_cast<int64_t>(runtime::elementSize(type));
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = count - begin < kBlock ? count - begin : kBlock;
    put(stored, size, values + begin, n);
    get(values + begin, stored, size, n);
  }
}

#define INSTANTIATE(C)                             \
  template LoadFunction<C> loader<C>(ScalarType);  \
  template StoreFunction<C> storer<C>(ScalarType); \
  template void narrow_to<C>(ScalarType, C*, int64_t);
INSTANTIATE(int64_t)
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace executorch::kernels
