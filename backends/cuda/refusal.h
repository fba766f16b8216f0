#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/log.h>

// How the delegate refuses: words in the log, and an error. Needs nothing of CUDA.

namespace executorch::backends::cuda {
using runtime::Error;
}  // namespace executorch::backends::cuda

/// Returns the error from the enclosing function unless it is Ok.
#define OK_OR_RETURN(expression)                                     \
  do {                                                               \
    if (const ::executorch::runtime::Error ok_result = (expression); \
        ok_result != ::executorch::runtime::Error::Ok) {             \
      return ok_result;                                              \
    }                                                                \
  } while (false)
/// Logs "CudaBackend: ..." and returns Error::NAME from the enclosing function.
#define REFUSE(NAME, ...)                       \
  do {                                          \
    ET_LOG(Error, "CudaBackend: " __VA_ARGS__); \
    return ::executorch::runtime::Error::NAME;  \
  } while (false)
