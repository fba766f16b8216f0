#pragma once

// The error codes of the runtime, and macros that return them.

#include <executorch/runtime/platform/log.h>
#include <stdint.h>

namespace executorch::runtime {

typedef uint32_t error_code_t;

/// What went wrong. The numbers are part of the interface.
enum class Error : error_code_t {
  Ok = 0x00,

  // The runtime as a whole.
  Internal = 0x01,
  InvalidState = 0x02,
  EndOfMethod = 0x03,
  AlreadyLoaded = 0x04,

  // What was asked for.
  NotSupported = 0x10,
  NotImplemented = 0x11,
  InvalidArgument = 0x12,
  InvalidType = 0x13,
  OperatorMissing = 0x14,
  RegistrationExceedingMaxKernels = 0x15,
  RegistrationAlreadyRegistered = 0x16,

  // Files and memory.
  NotFound = 0x20,
  MemoryAllocationFailed = 0x21,
  AccessFailed = 0x22,
  InvalidProgram = 0x23,
  InvalidExternalData = 0x24,
  OutOfResources = 0x25,

  // Delegates.
  DelegateInvalidCompatibility = 0x30,
  DelegateMemoryAllocationFailed = 0x31,
  DelegateInvalidHandle = 0x32,
};

/// "Error::<Name>", or "Error::Unknown" for a number that names none.
constexpr const char* to_string(const Error error) {
#define ET_INTERNAL_ERROR_NAME(name) \
  case Error::name:                  \
    return "Error::" #name
  switch (error) {
    ET_INTERNAL_ERROR_NAME(Ok);
    ET_INTERNAL_ERROR_NAME(Internal);
    ET_INTERNAL_ERROR_NAME(InvalidState);
    ET_INTERNAL_ERROR_NAME(EndOfMethod);
    ET_INTERNAL_ERROR_NAME(AlreadyLoaded);
    ET_INTERNAL_ERROR_NAME(NotSupported);
    ET_INTERNAL_ERROR_NAME(NotImplemented);
    ET_INTERNAL_ERROR_NAME(InvalidArgument);
    ET_INTERNAL_ERROR_NAME(InvalidType);
    ET_INTERNAL_ERROR_NAME(OperatorMissing);
    ET_INTERNAL_ERROR_NAME(RegistrationExceedingMaxKernels);
    ET_INTERNAL_ERROR_NAME(RegistrationAlreadyRegistered);
    ET_INTERNAL_ERROR_NAME(NotFound);
    ET_INTERNAL_ERROR_NAME(MemoryAllocationFailed);
    ET_INTERNAL_ERROR_NAME(AccessFailed);
    ET_INTERNAL_ERROR_NAME(InvalidProgram);
    ET_INTERNAL_ERROR_NAME(InvalidExternalData);
    ET_INTERNAL_ERROR_NAME(OutOfResources);
    ET_INTERNAL_ERROR_NAME(DelegateInvalidCompatibility);
    ET_INTERNAL_ERROR_NAME(DelegateMemoryAllocationFailed);
    ET_INTERNAL_ERROR_NAME(DelegateInvalidHandle);
  }
#undef ET_INTERNAL_ERROR_NAME
  return "Error::Unknown";
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Error;
using ::executorch::runtime::error_code_t;
}  // namespace torch::executor

/// Logs the message and returns Error::<error> unless the condition holds.
#define ET_CHECK_OR_RETURN_ERROR(cond, error, ...) \
  do {                                             \
    if ET_UNLIKELY (!(cond)) {                     \
      ET_LOG(Error, __VA_ARGS__);                  \
      return ::executorch::runtime::Error::error;  \
    }                                              \
  } while (0)

/// Logs the condition and the message and returns false unless the condition holds.
#define ET_CHECK_OR_RETURN_FALSE(cond, ...)       \
  do {                                            \
    if ET_UNLIKELY (!(cond)) {                    \
      ET_LOG(Error, "Check failed (%s):", #cond); \
      ET_LOG(Error, __VA_ARGS__);                 \
      return false;                               \
    }                                             \
  } while (0)

// Picks `one` for a single argument and `many` for two to ten.
#define ET_INTERNAL_ONE_OR_MANY(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, NAME, ...) NAME
#define ET_INTERNAL_SELECT(one, many, ...)                                                        \
  ET_INTERNAL_ONE_OR_MANY(__VA_ARGS__, many, many, many, many, many, many, many, many, many, one, \
                          unused)

/// ET_CHECK_OK_OR_RETURN_ERROR(error [, format, ...]): returns the error, after logging the
/// message if there is one, unless it is Ok.
#define ET_CHECK_OK_OR_RETURN_ERROR(...)                                                   \
  ET_INTERNAL_SELECT(ET_INTERNAL_CHECK_OK_QUIET, ET_INTERNAL_CHECK_OK_LOGGED, __VA_ARGS__) \
  (__VA_ARGS__)
#define ET_INTERNAL_CHECK_OK_QUIET(error)                            \
  do {                                                               \
    const ::executorch::runtime::Error et_error_ = (error);          \
    if ET_UNLIKELY (et_error_ != ::executorch::runtime::Error::Ok) { \
      return et_error_;                                              \
    }                                                                \
  } while (0)
#define ET_INTERNAL_CHECK_OK_LOGGED(error, ...)                      \
  do {                                                               \
    const ::executorch::runtime::Error et_error_ = (error);          \
    if ET_UNLIKELY (et_error_ != ::executorch::runtime::Error::Ok) { \
      ET_LOG(Error, __VA_ARGS__);                                    \
      return et_error_;                                              \
    }                                                                \
  } while (0)
