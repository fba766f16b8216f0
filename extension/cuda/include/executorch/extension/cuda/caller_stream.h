#pragma once

#include <executorch/extension/cuda/export.h>
#include <optional>
#include <type_traits>

// The same opaque handle that cuda_runtime.h declares; repeating the declaration is allowed, so
// this header works with or without the toolkit, before or after its headers.
struct CUstream_st;
typedef struct CUstream_st* cudaStream_t;

namespace executorch::extension::cuda {

/// The stream that the innermost CallerStreamGuard alive on this thread selects, or nullopt when
/// there is none. An explicitly selected null stream (the legacy default stream) is a value.
/// Makes no CUDA call.
EXECUTORCH_EXTENSION_CUDA_API std::optional<cudaStream_t> getCallerStream();

/// While alive, makes `stream` the one on which CUDA backends called from this thread enqueue their
/// work. Guards nest; each restores what it found. Other threads are not affected. The stream stays
/// the caller's: it must outlive the guard and the work.
class EXECUTORCH_EXTENSION_CUDA_API CallerStreamGuard {
 public:
  explicit CallerStreamGuard(cudaStream_t stream);
  ~CallerStreamGuard();

  CallerStreamGuard(const CallerStreamGuard&) = delete;
  CallerStreamGuard& operator=(const CallerStreamGuard&) = delete;
  CallerStreamGuard(CallerStreamGuard&&) = delete;
  CallerStreamGuard& operator=(CallerStreamGuard&&) = delete;

 private:
  std::optional<cudaStream_t> previous_;
};

// It is returned in two registers across the library's boundary; a build in which it is not would
// disagree with every other one.
static_assert(std::is_trivially_copyable<std::optional<cudaStream_t>>::value &&
                  sizeof(std::optional<cudaStream_t>) == 2 * sizeof(void*),
              "std::optional of a stream must be two plain words");

}  // namespace executorch::extension::cuda
