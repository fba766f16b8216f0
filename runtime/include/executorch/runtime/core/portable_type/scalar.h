#pragma once

#include <cstdint>
#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/half.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>
#include <type_traits>

namespace executorch::runtime::etensor {

/// An integer, a floating-point number or a Boolean.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, bool> = true>
  /* implicit */ Scalar(T value) : tag_(Tag::Int) {
    value_.as_int = static_cast<int64_t>(value);
  }
  /* implicit */ Scalar(bool value) : tag_(Tag::Bool) { value_.as_bool = value; }
  /* implicit */ Scalar(double value) : tag_(Tag::Double) { value_.as_double = value; }
  /* implicit */ Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  /* implicit */ Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}

  /// The value as double, int64_t or bool. A value of another kind ends the process, except that
  /// a Boolean reads as an integer.
  template <typename T>
  T to() const;

  bool isIntegral(bool includeBool) const {
    return tag_ == Tag::Int || (includeBool && tag_ == Tag::Bool);
  }
  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isBoolean() const { return tag_ == Tag::Bool; }

 private:
  union Value {
    double as_double;
    int64_t as_int;
    bool as_bool;
  };

  Tag tag_;
  Value value_{};
};

template <>
inline double Scalar::to<double>() const {
  ET_CHECK_MSG(isFloatingPoint(), "the Scalar is %s, not a Double", tag_to_string(tag_));
  return value_.as_double;
}
template <>
inline int64_t Scalar::to<int64_t>() const {
  if (isBoolean()) {
    return value_.as_bool ? 1 : 0;
  }
  ET_CHECK_MSG(tag_ == Tag::Int, "the Scalar is %s, not an Int", tag_to_string(tag_));
  return value_.as_int;
}
template <>
inline bool Scalar::to<bool>() const {
  ET_CHECK_MSG(isBoolean(), "the Scalar is %s, not a Bool", tag_to_string(tag_));
  return value_.as_bool;
}

}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::Scalar;
}  // namespace torch::executor
