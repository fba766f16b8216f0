#pragma once

// Facts about element types: sizes, kinds, promotion, and switches over them.

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/string_view.h>
#include <executorch/runtime/platform/assert.h>
#include <limits>
#include <type_traits>

namespace executorch::aten {
using runtime::etensor::ScalarType;
using string_view = std::string_view;
}  // namespace executorch::aten

namespace exec_aten = ::executorch::aten;

// Lists of element types: _(C++ type, name). The WITH variants pass further arguments first, the
// AND variants add types by name.

#define ET_INTERNAL_CTYPE(name) \
  ::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::name>::type

#define ET_FORALL_INT_TYPES(_) \
  _(uint8_t, Byte)             \
  _(int8_t, Char)              \
  _(int16_t, Short)            \
  _(int32_t, Int)              \
  _(int64_t, Long)

#define ET_FORALL_FLOAT_TYPES(_) \
  _(float, Float)                \
  _(double, Double)

#define ET_FORALL_REAL_TYPES(_) ET_FORALL_INT_TYPES(_) ET_FORALL_FLOAT_TYPES(_)

#define ET_FORALL_INT_TYPES_AND(T1, _) ET_FORALL_INT_TYPES(_) _(ET_INTERNAL_CTYPE(T1), T1)

#define ET_FORALL_INT_TYPES_AND2(T1, T2, _) \
  ET_FORALL_INT_TYPES_AND(T1, _) _(ET_INTERNAL_CTYPE(T2), T2)

#define ET_FORALL_FLOAT_TYPES_AND(T1, _) ET_FORALL_FLOAT_TYPES(_) _(ET_INTERNAL_CTYPE(T1), T1)

#define ET_FORALL_FLOAT_TYPES_AND2(T1, T2, _) \
  ET_FORALL_FLOAT_TYPES_AND(T1, _) _(ET_INTERNAL_CTYPE(T2), T2)

#define ET_FORALL_REAL_TYPES_AND(T1, _) ET_FORALL_REAL_TYPES(_) _(ET_INTERNAL_CTYPE(T1), T1)

#define ET_FORALL_REAL_TYPES_AND2(T1, T2, _) \
  ET_FORALL_REAL_TYPES_AND(T1, _) _(ET_INTERNAL_CTYPE(T2), T2)

#define ET_FORALL_REAL_TYPES_AND3(T1, T2, T3, _) \
  ET_FORALL_REAL_TYPES_AND2(T1, T2, _) _(ET_INTERNAL_CTYPE(T3), T3)

#define ET_FORALL_FLOATH_TYPES(_) ET_FORALL_FLOAT_TYPES_AND(Half, _)
#define ET_FORALL_FLOATHBF16_TYPES(_) ET_FORALL_FLOAT_TYPES_AND2(Half, BFloat16, _)
#define ET_FORALL_REALH_TYPES(_) ET_FORALL_REAL_TYPES_AND(Half, _)
#define ET_FORALL_REALHBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND2(Half, BFloat16, _)
#define ET_FORALL_REALHBBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND3(Bool, Half, BFloat16, _)

#define ET_FORALL_INT_TYPES_WITH(A1, _) \
  _(A1, uint8_t, Byte)                  \
  _(A1, int8_t, Char)                   \
  _(A1, int16_t, Short)                 \
  _(A1, int32_t, Int)                   \
  _(A1, int64_t, Long)

#define ET_FORALL_FLOAT_TYPES_WITH(A1, _) \
  _(A1, float, Float)                     \
  _(A1, double, Double)

#define ET_FORALL_REAL_TYPES_WITH(A1, _) \
  ET_FORALL_INT_TYPES_WITH(A1, _) ET_FORALL_FLOAT_TYPES_WITH(A1, _)

#define ET_FORALL_FLOATH_TYPES_WITH(A1, _) \
  ET_FORALL_FLOAT_TYPES_WITH(A1, _) _(A1, ::c10::Half, Half)

#define ET_FORALL_FLOATHBF16_TYPES_WITH(A1, _) \
  ET_FORALL_FLOATH_TYPES_WITH(A1, _) _(A1, ::c10::BFloat16, BFloat16)

#define ET_FORALL_REALHBF16_TYPES_WITH(A1, _) \
  ET_FORALL_INT_TYPES_WITH(A1, _) ET_FORALL_FLOATHBF16_TYPES_WITH(A1, _)

#define ET_FORALL_REALHBBF16_TYPES_WITH(A1, _) \
  ET_FORALL_REALHBF16_TYPES_WITH(A1, _) _(A1, bool, Bool)

#define ET_FORALL_INT_TYPES_WITH2(A1, A2, _) \
  _(A1, A2, uint8_t, Byte)                   \
  _(A1, A2, int8_t, Char)                    \
  _(A1, A2, int16_t, Short)                  \
  _(A1, A2, int32_t, Int)                    \
  _(A1, A2, int64_t, Long)

#define ET_FORALL_FLOAT_TYPES_WITH2(A1, A2, _) \
  _(A1, A2, float, Float)                      \
  _(A1, A2, double, Double)

#define ET_FORALL_REAL_TYPES_WITH2(A1, A2, _) \
  ET_FORALL_INT_TYPES_WITH2(A1, A2, _) ET_FORALL_FLOAT_TYPES_WITH2(A1, A2, _)

#define ET_FORALL_FLOATH_TYPES_WITH2(A1, A2, _) \
  ET_FORALL_FLOAT_TYPES_WITH2(A1, A2, _) _(A1, A2, ::c10::Half, Half)

#define ET_FORALL_FLOATHBF16_TYPES_WITH2(A1, A2, _) \
  ET_FORALL_FLOATH_TYPES_WITH2(A1, A2, _) _(A1, A2, ::c10::BFloat16, BFloat16)

#define ET_FORALL_REALHBF16_TYPES_WITH2(A1, A2, _) \
  ET_FORALL_INT_TYPES_WITH2(A1, A2, _) ET_FORALL_FLOATHBF16_TYPES_WITH2(A1, A2, _)

#define ET_FORALL_REALHBBF16_TYPES_WITH2(A1, A2, _) \
  ET_FORALL_REALHBF16_TYPES_WITH2(A1, A2, _) _(A1, A2, bool, Bool)

#define ET_FORALL_REAL_TYPES_AND_WITH(T1, A1, _) \
  ET_FORALL_REAL_TYPES_WITH(A1, _) _(A1, ET_INTERNAL_CTYPE(T1), T1)
#define ET_FORALL_QINT_TYPES(_)            \
  _(::torch::executor::qint8, QInt8)       \
  _(::torch::executor::quint8, QUInt8)     \
  _(::torch::executor::qint32, QInt32)     \
  _(::torch::executor::quint4x2, QUInt4x2) \
  _(::torch::executor::quint2x4, QUInt2x4)
#define ET_FORALL_COMPLEX_TYPES(_)       \
  _(::c10::complex<float>, ComplexFloat) \
  _(::c10::complex<double>, ComplexDouble)
#define ET_FORALL_COMPLEXH_TYPES(_) \
  _(::c10::complex<::c10::Half>, ComplexHalf) ET_FORALL_COMPLEX_TYPES(_)

namespace executorch::runtime {

/// Whether T is a floating-point type, the 16-bit ones included.
template <typename T>
struct is_reduced_floating_point
    : std::bool_constant<std::is_same_v<T, etensor::Half> || std::is_same_v<T, etensor::BFloat16>> {
};
template <typename T>
constexpr bool is_reduced_floating_point_v = is_reduced_floating_point<T>::value;
template <typename T>
struct is_floating_point
    : std::bool_constant<std::is_floating_point_v<T> || is_reduced_floating_point_v<T>> {};

/// From an element type to the C++ type, and back.
template <etensor::ScalarType N>
struct ScalarTypeToCppType;
template <typename T>
struct CppTypeToScalarType;
#define ET_INTERNAL_TYPE_MAP(ctype, name)                 \
  template <>                                             \
  struct ScalarTypeToCppType<etensor::ScalarType::name> { \
    using type = ctype;                                   \
  };                                                      \
  template <>                                             \
  struct CppTypeToScalarType<ctype>                       \
      : std::integral_constant<etensor::ScalarType, etensor::ScalarType::name> {};
ET_FORALL_SCALAR_TYPES(ET_INTERNAL_TYPE_MAP)
#undef ET_INTERNAL_TYPE_MAP

/// Whether the number is that of an element type.
constexpr bool isValid(etensor::ScalarType type) {
  return type >= etensor::ScalarType::Byte && type < etensor::ScalarType::Undefined;
}

/// The name of the type, for messages.
inline const char* toString(etensor::ScalarType type) {
#define ET_INTERNAL_NAME(ctype, name) \
  case etensor::ScalarType::name:     \
    return #name;
  switch (type) {
    ET_FORALL_SCALAR_TYPES(ET_INTERNAL_NAME)
    case etensor::ScalarType::Undefined:
      return "Undefined";
    case etensor::ScalarType::NumOptions:
      break;
  }
#undef ET_INTERNAL_NAME
  return "UNKNOWN_SCALAR";
}

namespace internal {

// Bytes of each type; 0 where the number names none.
struct ElementSizes {
  uint8_t bytes[128] = {};
  constexpr ElementSizes() {
#define ET_INTERNAL_SIZE(ctype, name) \
  bytes[static_cast<int>(etensor::ScalarType::name)] = sizeof(ctype);
    ET_FORALL_SCALAR_TYPES(ET_INTERNAL_SIZE)
#undef ET_INTERNAL_SIZE
  }
};
inline constexpr ElementSizes kElementSizes;

}  // namespace internal

/// Bytes of one element. A number that names no type ends the process.
inline size_t elementSize(etensor::ScalarType type) {
  ET_CHECK_MSG(isValid(type), "element type %d", static_cast<int>(type));
  return internal::kElementSizes.bytes[static_cast<size_t>(type)];
}

constexpr bool isIntegralType(etensor::ScalarType t, bool includeBool) {
  return (t >= etensor::ScalarType::Byte && t <= etensor::ScalarType::Long) ||
         (includeBool && t == etensor::ScalarType::Bool);
}
constexpr bool isFloatingType(etensor::ScalarType t) {
  return (t >= etensor::ScalarType::Half && t <= etensor::ScalarType::Double) ||
         t == etensor::ScalarType::BFloat16;
}
// Real: integers and floats of 32 bits and more; H, B and BF16 add Half, Bool and BFloat16.
constexpr bool isRealHType(etensor::ScalarType t) {
  return t >= etensor::ScalarType::Byte && t <= etensor::ScalarType::Double;
}
constexpr bool isRealType(etensor::ScalarType t) {
  return isRealHType(t) && t != etensor::ScalarType::Half;
}
constexpr bool isRealHBType(etensor::ScalarType t) {
  return isRealHType(t) || t == etensor::ScalarType::Bool;
}
constexpr bool isRealHBF16Type(etensor::ScalarType t) {
  return isRealHType(t) || t == etensor::ScalarType::BFloat16;
}
constexpr bool isRealHBBF16Type(etensor::ScalarType t) {
  return isRealHBType(t) || t == etensor::ScalarType::BFloat16;
}
constexpr bool isComplexType(etensor::ScalarType t) {
  return t >= etensor::ScalarType::ComplexHalf && t <= etensor::ScalarType::ComplexDouble;
}
constexpr bool isBitsType(etensor::ScalarType t) {
  return t >= etensor::ScalarType::Bits1x8 && t <= etensor::ScalarType::Bits16;
}
constexpr bool isQIntType(etensor::ScalarType t) {
  return (t >= etensor::ScalarType::QInt8 && t <= etensor::ScalarType::QInt32) ||
         t == etensor::ScalarType::QUInt4x2 || t == etensor::ScalarType::QUInt2x4;
}
constexpr bool isFloat8Type(etensor::ScalarType t) {
  return t >= etensor::ScalarType::Float8_e5m2 && t <= etensor::ScalarType::Float8_e4m3fnuz;
}
constexpr bool isBarebonesUnsignedType(etensor::ScalarType t) {
  return t >= etensor::ScalarType::UInt16 && t <= etensor::ScalarType::UInt64;
}

template <typename T, bool includeBool>
struct is_integral_type
    : std::bool_constant<isIntegralType(CppTypeToScalarType<T>::value, includeBool)> {};
template <typename T>
struct is_complex_type : std::bool_constant<isComplexType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_bits_type : std::bool_constant<isBitsType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_qint_type : std::bool_constant<isQIntType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_float8_type : std::bool_constant<isFloat8Type(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_barebones_unsigned_type
    : std::bool_constant<isBarebonesUnsignedType(CppTypeToScalarType<T>::value)> {};

/// Whether numbers of the type can be negative. Types without numbers end the process.
inline bool isSignedType(etensor::ScalarType t) {
  ET_CHECK_MSG(isRealHBBF16Type(t) || isComplexType(t) || isBarebonesUnsignedType(t),
               "%s has no sign", toString(t));
  return t != etensor::ScalarType::Byte && t != etensor::ScalarType::Bool &&
         !isBarebonesUnsignedType(t);
}

/// The quantised type of an integer type, and the integer type of a quantised one.
constexpr etensor::ScalarType toQIntType(etensor::ScalarType t) {
  return t == etensor::ScalarType::Byte   ? etensor::ScalarType::QUInt8
         : t == etensor::ScalarType::Char ? etensor::ScalarType::QInt8
         : t == etensor::ScalarType::Int  ? etensor::ScalarType::QInt32
                                          : t;
}
constexpr etensor::ScalarType toUnderlying(etensor::ScalarType t) {
  return t == etensor::ScalarType::QInt8    ? etensor::ScalarType::Char
         : t == etensor::ScalarType::QInt32 ? etensor::ScalarType::Int
         : isQIntType(t)                    ? etensor::ScalarType::Byte
                                            : t;
}
constexpr bool isUnderlying(etensor::ScalarType type, etensor::ScalarType qtype) {
  return type == toUnderlying(qtype);
}

/// The type of a complex number's parts.
constexpr etensor::ScalarType toRealValueType(etensor::ScalarType t) {
  return t == etensor::ScalarType::ComplexHalf     ? etensor::ScalarType::Half
         : t == etensor::ScalarType::ComplexFloat  ? etensor::ScalarType::Float
         : t == etensor::ScalarType::ComplexDouble ? etensor::ScalarType::Double
                                                   : t;
}
/// The complex type with such parts. A type that can't be a part ends the process.
constexpr etensor::ScalarType toComplexType(etensor::ScalarType t) {
  if (isComplexType(t)) {
    return t;
  }
  ET_CHECK_MSG(isFloatingType(t), "no complex type has parts of type %d", static_cast<int>(t));
  return t == etensor::ScalarType::Half     ? etensor::ScalarType::ComplexHalf
         : t == etensor::ScalarType::Double ? etensor::ScalarType::ComplexDouble
                                            : etensor::ScalarType::ComplexFloat;
}

/// Whether PyTorch lets a result of type `from` be stored as `to`: complex only as complex,
/// floating point not as integers, and only Bool as Bool.
constexpr bool canCast(const etensor::ScalarType from, const etensor::ScalarType to) {
  return (!isComplexType(from) || isComplexType(to)) &&
         (!isFloatingType(from) || !isIntegralType(to, false)) &&
         (from == etensor::ScalarType::Bool || to != etensor::ScalarType::Bool);
}
template <typename T1, typename T2>
struct can_cast
    : std::bool_constant<canCast(CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value)> {
};

/// A number as another type. Floating point becomes an integer through int64_t, so that small
/// unsigned types wrap like PyTorch's.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(static_cast<int64_t>(value));
  } else if constexpr (is_reduced_floating_point_v<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

namespace internal {

// Short names of types, as older code writes them.
using U1 = uint8_t;
using I1 = int8_t;
using I2 = int16_t;
using I4 = int32_t;
using I8 = int64_t;
using F2 = etensor::Half;
using F4 = float;
using F8 = double;
using C2 = etensor::complex<etensor::Half>;
using C4 = etensor::complex<float>;
using C8 = etensor::complex<double>;
using B1 = bool;
using BF = etensor::BFloat16;

// Bool, integers, floats, complex numbers: promotion goes to the higher kind.
constexpr int promotion_kind(etensor::ScalarType t) {
  return t == etensor::ScalarType::Bool ? 0
         : isIntegralType(t, false)     ? 1
         : isFloatingType(t)            ? 2
         : isComplexType(t)             ? 3
                                        : -1;
}

// The promotion of two different types of one kind.
constexpr etensor::ScalarType promote_same_kind(etensor::ScalarType a, etensor::ScalarType b) {
  using etensor::ScalarType;
  const ScalarType low = a < b ? a : b;
  const ScalarType high = a < b ? b : a;
  if (low == ScalarType::Byte && high == ScalarType::Char) {
    return ScalarType::Short;  // holds both
  }
  if (high == ScalarType::BFloat16) {
    return low == ScalarType::Half ? ScalarType::Float : low;
  }
  return high;
}

// The promotion of a complex type and a real one of type `real`.
constexpr etensor::ScalarType promote_complex(etensor::ScalarType complex,
                                              etensor::ScalarType real) {
  using etensor::ScalarType;
  if (!isFloatingType(real)) {
    return complex;
  }
  return toComplexType(
      toRealValueType(complex) == real ? real : promote_same_kind(toRealValueType(complex), real));
}

}  // namespace internal

/// PyTorch's common type of two types; with `half_to_float`, Float in place of a 16-bit float.
/// Types that PyTorch doesn't promote (quantised, bits, 8-bit floats, UInt16 and above) go only
/// with themselves; anything else ends the process.
constexpr etensor::ScalarType promoteTypes(etensor::ScalarType a, etensor::ScalarType b,
                                           bool half_to_float = false) {
  using etensor::ScalarType;
  ScalarType type = a;
  if (a != b) {
    const int kind_a = internal::promotion_kind(a);
    const int kind_b = internal::promotion_kind(b);
    ET_CHECK_MSG(kind_a >= 0 && kind_b >= 0, "no common type of types %d and %d",
                 static_cast<int>(a), static_cast<int>(b));
    if (kind_a == kind_b) {
      type = internal::promote_same_kind(a, b);
    } else if (kind_a == 3) {
      type = internal::promote_complex(a, b);
    } else if (kind_b == 3) {
      type = internal::promote_complex(b, a);
    } else {
      type = kind_a > kind_b ? a : b;
    }
  }
  if (half_to_float && (type == ScalarType::Half || type == ScalarType::BFloat16)) {
    type = ScalarType::Float;
  }
  return type;
}

template <typename T1, typename T2, bool half_to_float = false>
struct promote_types {
  using type = typename ScalarTypeToCppType<promoteTypes(
      CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value, half_to_float)>::type;
};

}  // namespace executorch::runtime

// Switches over element types:
//   ET_SWITCH_REAL_TYPES(type, context, "name", CTYPE, [&] { ... CTYPE ... });
// runs the code with CTYPE as the C++ type. Another type logs `name` and fails the context with
// InvalidArgument.
#define ET_INTERNAL_SWITCH_CASE(enum_type, CTYPE_ALIAS, ...)         \
  case enum_type: {                                                  \
    using CTYPE_ALIAS [[maybe_unused]] =                             \
        ::executorch::runtime::ScalarTypeToCppType<enum_type>::type; \
    return __VA_ARGS__();                                            \
  }
#define ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME, ...)                                  \
  [&] {                                                                               \
    const ::executorch::aten::ScalarType et_switch_type = TYPE;                       \
    const char* const et_switch_name = NAME;                                          \
    _Pragma("GCC diagnostic push")                                                    \
        _Pragma("GCC diagnostic ignored \"-Wswitch-enum\"") switch (et_switch_type) { \
      __VA_ARGS__                                                                     \
      default:                                                                        \
        ET_LOG(Error, "%s has no code for elements of type %s.", et_switch_name,      \
               ::executorch::runtime::toString(et_switch_type));                      \
        CONTEXT.fail(::executorch::runtime::Error::InvalidArgument);                  \
    }                                                                                 \
    _Pragma("GCC diagnostic pop")                                                     \
  }()

#define ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, ...)                                \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Byte, CTYPE_ALIAS, __VA_ARGS__)  \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Char, CTYPE_ALIAS, __VA_ARGS__)  \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Short, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Int, CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Long, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, ...)                                \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::UInt16, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::UInt32, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::UInt64, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, ...)                              \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Float, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, ...)                                   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::ComplexFloat, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::ComplexDouble, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, ...)                                  \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::QInt8, CTYPE_ALIAS, __VA_ARGS__)    \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::QUInt8, CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::QInt32, CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::QUInt4x2, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::QUInt2x4, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_BITS_TYPES(CTYPE_ALIAS, ...)                                 \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bits1x8, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bits2x4, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bits4x2, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bits8, CTYPE_ALIAS, __VA_ARGS__)   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bits16, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_TYPES(CTYPE_ALIAS, ...)                        \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Long, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_REAL_TYPES(CTYPE_ALIAS, ...)                   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Long, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_INTB_TYPES(CTYPE_ALIAS, ...)                   \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Long, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_FLOATB_TYPES(CTYPE_ALIAS, ...)                 \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Double, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::ComplexHalf, CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, ...)  \
  ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)

#define ET_INTERNAL_SWITCH_CASE_ALL_TYPES(CTYPE_ALIAS, ...)                                   \
  ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)                                \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__)     \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16, CTYPE_ALIAS, __VA_ARGS__) \
  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__)     \
  ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__)                            \
  ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, __VA_ARGS__)                                \
  ET_INTERNAL_SWITCH_CASE_BITS_TYPES(CTYPE_ALIAS, __VA_ARGS__)

#define ET_SWITCH_ALL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                          \
                     ET_INTERNAL_SWITCH_CASE_ALL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                           \
                     ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_INT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                          \
                     ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                            \
                     ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEX_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                              \
                     ET_INTERNAL_SWITCH_CASE_COMPLEX_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_COMPLEXH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                               \
                     ET_INTERNAL_SWITCH_CASE_COMPLEXH_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_QINT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                           \
                     ET_INTERNAL_SWITCH_CASE_QINT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                 \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_REAL_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                      \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_INTB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                      \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_INTB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_SCALAR_OBJ_FLOATB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(TYPE, CONTEXT, NAME,                                        \
                     ET_INTERNAL_SWITCH_CASE_SCALAR_OBJ_FLOATB_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES_AND(T1, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                       \
      TYPE, CONTEXT, NAME,                                                  \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)          \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES_AND2(T1, T2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)            \
  ET_INTERNAL_SWITCH(                                                                       \
      TYPE, CONTEXT, NAME,                                                                  \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE( \
          ::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)                     \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REAL_TYPES_AND3(T1, T2, T3, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)            \
  ET_INTERNAL_SWITCH(                                                                           \
      TYPE, CONTEXT, NAME,                                                                      \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE(     \
          ::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)                         \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T3, CTYPE_ALIAS,          \
                                      __VA_ARGS__))

#define ET_SWITCH_INT_TYPES_AND(T1, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                      \
      TYPE, CONTEXT, NAME,                                                 \
      ET_INTERNAL_SWITCH_CASE_INT_TYPES(CTYPE_ALIAS, __VA_ARGS__)          \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND(T1, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                        \
      TYPE, CONTEXT, NAME,                                                   \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)          \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND2(T1, T2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)            \
  ET_INTERNAL_SWITCH(                                                                        \
      TYPE, CONTEXT, NAME,                                                                   \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE( \
          ::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)                      \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES_AND3(T1, T2, T3, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)           \
  ET_INTERNAL_SWITCH(                                                                           \
      TYPE, CONTEXT, NAME,                                                                      \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE(    \
          ::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)                         \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T3, CTYPE_ALIAS,          \
                                      __VA_ARGS__))

#define ET_SWITCH_REALH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                \
      TYPE, CONTEXT, NAME,                                           \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                          \
  ET_INTERNAL_SWITCH(                                                                             \
      TYPE, CONTEXT, NAME,                                                                        \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)                                \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16, CTYPE_ALIAS,      \
                                      __VA_ARGS__))

#define ET_SWITCH_REALB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                \
      TYPE, CONTEXT, NAME,                                           \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHB_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                       \
  ET_INTERNAL_SWITCH(                                                                       \
      TYPE, CONTEXT, NAME,                                                                  \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE( \
          ::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__)                   \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                         \
  ET_INTERNAL_SWITCH(                                                                             \
      TYPE, CONTEXT, NAME,                                                                        \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE(       \
          ::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__)                         \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16, CTYPE_ALIAS,      \
                                      __VA_ARGS__))

#define ET_SWITCH_FLOATH_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...) \
  ET_INTERNAL_SWITCH(                                                 \
      TYPE, CONTEXT, NAME,                                            \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)   \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_FLOATHBF16_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                         \
  ET_INTERNAL_SWITCH(                                                                             \
      TYPE, CONTEXT, NAME,                                                                        \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__)                               \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16, CTYPE_ALIAS,      \
                                      __VA_ARGS__))

#define ET_SWITCH_FLOATHBF16_TYPES_AND(T1, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)            \
  ET_INTERNAL_SWITCH(                                                                        \
      TYPE, CONTEXT, NAME,                                                                   \
      ET_INTERNAL_SWITCH_CASE_FLOAT_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE( \
          ::executorch::aten::ScalarType::Half, CTYPE_ALIAS,                                 \
          __VA_ARGS__) ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16,     \
                                               CTYPE_ALIAS, __VA_ARGS__)                     \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_REALHBBF16_AND_UINT_TYPES(TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                \
  ET_INTERNAL_SWITCH(                                                                             \
      TYPE, CONTEXT, NAME,                                                                        \
      ET_INTERNAL_SWITCH_CASE_REAL_TYPES(CTYPE_ALIAS, __VA_ARGS__) ET_INTERNAL_SWITCH_CASE(       \
          ::executorch::aten::ScalarType::Half, CTYPE_ALIAS, __VA_ARGS__)                         \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::Bool, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::BFloat16, CTYPE_ALIAS,      \
                                      __VA_ARGS__)                                                \
                  ET_INTERNAL_SWITCH_CASE_UINT_TYPES(CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_TWO_TYPES(T1, T2, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                  \
  ET_INTERNAL_SWITCH(                                                                       \
      TYPE, CONTEXT, NAME,                                                                  \
      ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__) \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__))

#define ET_SWITCH_THREE_TYPES(T1, T2, T3, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)                \
  ET_INTERNAL_SWITCH(                                                                           \
      TYPE, CONTEXT, NAME,                                                                      \
      ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)     \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T3, CTYPE_ALIAS,          \
                                      __VA_ARGS__))

#define ET_SWITCH_FOUR_TYPES(T1, T2, T3, T4, TYPE, CONTEXT, NAME, CTYPE_ALIAS, ...)             \
  ET_INTERNAL_SWITCH(                                                                           \
      TYPE, CONTEXT, NAME,                                                                      \
      ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T1, CTYPE_ALIAS, __VA_ARGS__)     \
          ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T2, CTYPE_ALIAS, __VA_ARGS__) \
              ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T3, CTYPE_ALIAS,          \
                                      __VA_ARGS__)                                              \
                  ET_INTERNAL_SWITCH_CASE(::executorch::aten::ScalarType::T4, CTYPE_ALIAS,      \
                                          __VA_ARGS__))

namespace executorch::aten {
using runtime::elementSize;
}  // namespace executorch::aten

namespace torch::executor {
using ::executorch::runtime::can_cast;
using ::executorch::runtime::canCast;
using ::executorch::runtime::convert;
using ::executorch::runtime::CppTypeToScalarType;
using ::executorch::runtime::elementSize;
using ::executorch::runtime::is_barebones_unsigned_type;
using ::executorch::runtime::is_bits_type;
using ::executorch::runtime::is_complex_type;
using ::executorch::runtime::is_float8_type;
using ::executorch::runtime::is_floating_point;
using ::executorch::runtime::is_integral_type;
using ::executorch::runtime::is_qint_type;
using ::executorch::runtime::is_reduced_floating_point;
using ::executorch::runtime::isBitsType;
using ::executorch::runtime::isComplexType;
using ::executorch::runtime::isFloatingType;
using ::executorch::runtime::isIntegralType;
using ::executorch::runtime::isQIntType;
using ::executorch::runtime::isRealHBType;
using ::executorch::runtime::isRealHType;
using ::executorch::runtime::isRealType;
using ::executorch::runtime::isValid;
using ::executorch::runtime::promote_types;
using ::executorch::runtime::promoteTypes;
using ::executorch::runtime::ScalarTypeToCppType;
using ::executorch::runtime::toString;
namespace internal {
using ::executorch::runtime::internal::B1;
using ::executorch::runtime::internal::C2;
using ::executorch::runtime::internal::C4;
using ::executorch::runtime::internal::C8;
using ::executorch::runtime::internal::F2;
using ::executorch::runtime::internal::F4;
using ::executorch::runtime::internal::F8;
using ::executorch::runtime::internal::I1;
using ::executorch::runtime::internal::I2;
using ::executorch::runtime::internal::I4;
using ::executorch::runtime::internal::I8;
using ::executorch::runtime::internal::U1;
}  // namespace internal
}  // namespace torch::executor
