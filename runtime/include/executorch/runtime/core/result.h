#pragma once

// Result<T>: a T, or the Error that kept it from being made.

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>
#include <new>
#include <type_traits>
#include <utility>

namespace executorch::runtime {

/// A value or an error. Move-only. Reading the value of an error ends the process.
template <typename T>
class Result final {
 public:
  using value_type = T;

  /// An error. Error::Ok is no error without a value, and becomes Internal.
  /* implicit */ Result(Error error)
      : error_(error == Error::Ok ? Error::Internal : error), has_value_(false) {}
  /* implicit */ Result(const T& value) : value_(value), has_value_(true) {}
  /* implicit */ Result(T&& value) : value_(std::move(value)), has_value_(true) {}
  Result(Result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      new (const_cast<std::remove_const_t<T>*>(&value_)) T(std::move(other.value_));
    } else {
      error_ = other.error_;
    }
  }
  ~Result() {
    if (has_value_) {
      value_.~T();
    }
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;

  /// Whether there is a value.
  ET_NODISCARD bool ok() const { return has_value_; }
  /// The error; Ok when there is a value.
  ET_NODISCARD Error error() const { return has_value_ ? Error::Ok : error_; }

  T& get() {
    check_ok();
    return value_;
  }
  const T& get() const {
    check_ok();
    return value_;
  }
  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  void check_ok() const {
    ET_CHECK_MSG(has_value_, "the value of a Result that holds %s", to_string(error_));
  }

  union {
    T value_;
    Error error_;
  };
  const bool has_value_;
};

namespace internal {
/// What std::move(*result) is. GCC 13 calls that redundant where T is const, in code that uses the
/// macros below.
template <typename T>
T&& take_value(Result<T>& result) {
  return static_cast<T&&>(*result);
}
}  // namespace internal

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Result;
}  // namespace torch::executor

/// ET_UNWRAP(result [, format, ...]): an expression with the value of `result`; on error the
/// enclosing function returns the error, after logging the message if there is one.
#define ET_UNWRAP(...)                                                                 \
  ET_INTERNAL_SELECT(ET_INTERNAL_UNWRAP_QUIET, ET_INTERNAL_UNWRAP_LOGGED, __VA_ARGS__) \
  (__VA_ARGS__)
#define ET_INTERNAL_UNWRAP_QUIET(result)                     \
  __extension__({                                            \
    auto et_result_ = (result);                              \
    if ET_UNLIKELY (!et_result_.ok()) {                      \
      return et_result_.error();                             \
    }                                                        \
    ::executorch::runtime::internal::take_value(et_result_); \
  })
#define ET_INTERNAL_UNWRAP_LOGGED(result, ...)               \
  __extension__({                                            \
    auto et_result_ = (result);                              \
    if ET_UNLIKELY (!et_result_.ok()) {                      \
      ET_LOG(Error, __VA_ARGS__);                            \
      return et_result_.error();                             \
    }                                                        \
    ::executorch::runtime::internal::take_value(et_result_); \
  })

/// ET_ASSIGN_OR_RETURN(variable, result [, format, ...]): declares `variable` with the value of
/// `result`, or returns the error as ET_UNWRAP does.
#define ET_ASSIGN_OR_RETURN(variable, ...)                                             \
  ET_INTERNAL_SELECT(ET_INTERNAL_ASSIGN_QUIET, ET_INTERNAL_ASSIGN_LOGGED, __VA_ARGS__) \
  (variable, __VA_ARGS__)
#define ET_INTERNAL_ASSIGN_QUIET(variable, result) \
  auto et_result_##variable = (result);            \
  if ET_UNLIKELY (!et_result_##variable.ok()) {    \
    return et_result_##variable.error();           \
  }                                                \
  auto variable = ::executorch::runtime::internal::take_value(et_result_##variable)
#define ET_INTERNAL_ASSIGN_LOGGED(variable, result, ...) \
  auto et_result_##variable = (result);                  \
  if ET_UNLIKELY (!et_result_##variable.ok()) {          \
    ET_LOG(Error, __VA_ARGS__);                          \
    return et_result_##variable.error();                 \
  }                                                      \
  auto variable = ::executorch::runtime::internal::take_value(et_result_##variable)
