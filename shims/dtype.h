#pragma once

#include <cstddef>
#include <cstdint>

namespace shims {

/// Torch's scalar types, by their numbers.
enum class DType : int32_t {
  kUInt8 = 0,
  kInt8 = 1,
  kInt16 = 2,
  kInt32 = 3,
  kInt64 = 4,
  kFloat16 = 5,
  kFloat32 = 6,
  kFloat64 = 7,
  kComplex32 = 8,
  kComplex64 = 9,
  kComplex128 = 10,
  kBool = 11,
  kBFloat16 = 15,
  kFloat8e5m2 = 23,
  kFloat8e4m3fn = 24,
  kFloat8e5m2fnuz = 25,
  kFloat8e4m3fnuz = 26,
  kUInt16 = 27,
  kUInt32 = 28,
  kUInt64 = 29,
};

/// Every type once: (enumerator, torch's name, bytes).
#define SHIMS_FOR_EACH_DTYPE(X)          \
  X(kUInt8, uint8, 1)                    \
  X(kInt8, int8, 1)                      \
  X(kInt16, int16, 2)                    \
  X(kInt32, int32, 4)                    \
  X(kInt64, int64, 8)                    \
  X(kFloat16, float16, 2)                \
  X(kFloat32, float32, 4)                \
  X(kFloat64, float64, 8)                \
  X(kComplex32, complex32, 4)            \
  X(kComplex64, complex64, 8)            \
  X(kComplex128, complex128, 16)         \
  X(kBool, bool, 1)                      \
  X(kBFloat16, bfloat16, 2)              \
  X(kFloat8e5m2, float8_e5m2, 1)         \
  X(kFloat8e4m3fn, float8_e4m3fn, 1)     \
  X(kFloat8e5m2fnuz, float8_e5m2fnuz, 1) \
  X(kFloat8e4m3fnuz, float8_e4m3fnuz, 1) \
  X(kUInt16, uint16, 2)                  \
  X(kUInt32, uint32, 4)                  \
  X(kUInt64, uint64, 8)

/// Bytes of one element; 0 for a number that names no type.
constexpr std::size_t element_size(int32_t dtype) {
  switch (dtype) {
#define SHIMS_SIZE(enumerator, name, bytes)     \
  case static_cast<int32_t>(DType::enumerator): \
    return bytes;
    // NOLINTNEXTLINE(bugprone-branch-clone): a table
    SHIMS_FOR_EACH_DTYPE(SHIMS_SIZE)
#undef SHIMS_SIZE
    default:
      return 0;
  }
}

/// Torch's name; "unknown type" for a number that names none.
constexpr const char* dtype_name(DType dtype) {
  switch (dtype) {
#define SHIMS_NAME(enumerator, name, bytes) \
  case DType::enumerator:                   \
    return #name;
    SHIMS_FOR_EACH_DTYPE(SHIMS_NAME)
#undef SHIMS_NAME
  }
  return "unknown type";
}

}  // namespace shims
