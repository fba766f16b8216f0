#include "shims/error.h"

#include <exception>
#include <new>
#include <utility>

namespace shims {
namespace {

thread_local std::string last;

}  // namespace

Error fail(Error code, std::string message) {
  last = std::move(message);
  return code;
}

Error fail(cudaError_t result, const char* call) {
  static_cast<void>(cudaGetLastError());
  // "cudaMemcpyAsync(a, b, ...)" -> the function's name is what a reader needs.
  const std::string text(call);
  last = text.substr(0, text.find('(')) + ": " + cudaGetErrorName(result) + ": " +
         cudaGetErrorString(result);
  return result == cudaErrorMemoryAllocation ? Error::kMemoryAllocationFailed : Error::kInternal;
}

const std::string& last_error() { return last; }
void clear_last_error() { last.clear(); }

namespace detail {

AOTITorchError finish(const char* name, Error code) noexcept {
  try {
    last.insert(0, std::string(name) + ": ");
  } catch (...) {
    // The code still says that it failed.
  }
  return static_cast<AOTITorchError>(code);
}

AOTITorchError finish_exception(const char* name) noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      last = "out of host memory";
      return finish(name, Error::kMemoryAllocationFailed);
    } catch (const std::exception& exception) {
      last = exception.what();
    } catch (...) {
      last = "unknown exception";
    }
  } catch (...) {
    return static_cast<AOTITorchError>(Error::kInternal);
  }
  return finish(name, Error::kInternal);
}

}  // namespace detail
}  // namespace shims

const char* executorch_cuda_shims_last_error() { return shims::last_error().c_str(); }
void executorch_cuda_shims_clear_last_error() { shims::clear_last_error(); }
