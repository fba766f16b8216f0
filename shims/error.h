#pragma once

#include <cstdint>
#include <string>

#include "cuda_runtime_api.h"
#include "shims/abi.h"

namespace shims {

/// The runtime's codes, which the functions of abi.h return.
enum class Error : int32_t {
  kOk = 0x00,
  kInternal = 0x01,
  kInvalidState = 0x02,
  kNotSupported = 0x10,
  kInvalidArgument = 0x12,
  kInvalidType = 0x13,
  kNotFound = 0x20,
  kMemoryAllocationFailed = 0x21,
};

/// Records `message` as this thread's last error and hands `code` back.
[[nodiscard]] Error fail(Error code, std::string message);
/// The same for a failed CUDA call: says which call, and CUDA's name and words for the result.
/// Takes the pending error off the runtime, so that a later unrelated check does not see it.
[[nodiscard]] Error fail(cudaError_t result, const char* call);

/// Runs the body of a shim: no exception leaves it.
template <typename Body>
AOTITorchError shim(const char* name, Body body) noexcept;

const std::string& last_error();
void clear_last_error();

namespace detail {
AOTITorchError finish(const char* name, Error code) noexcept;
AOTITorchError finish_exception(const char* name) noexcept;
}  // namespace detail

template <typename Body>
AOTITorchError shim(const char* name, Body body) noexcept {
  try {
    const Error code = body();
    return code == Error::kOk ? 0 : detail::finish(name, code);
  } catch (...) {
    return detail::finish_exception(name);
  }
}

}  // namespace shims

/// Returns from the enclosing function unless the expression is Error::kOk.
#define SHIMS_TRY(expression)                                                                \
  do {                                                                                       \
    if (const ::shims::Error shims_code = (expression); shims_code != ::shims::Error::kOk) { \
      return shims_code;                                                                     \
    }                                                                                        \
  } while (false)
/// The same for a call of the CUDA runtime.
#define SHIMS_CUDA(call)                                                        \
  do {                                                                          \
    if (const cudaError_t shims_result = (call); shims_result != cudaSuccess) { \
      return ::shims::fail(shims_result, #call);                                \
    }                                                                           \
  } while (false)
