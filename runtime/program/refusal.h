// Why a file was refused: the error that the caller gets, and the sentence for the log.

#pragma once

#include <cstdarg>
#include <cstdio>
#include <executorch/runtime/core/error.h>

namespace executorch::runtime::format {

/// The first thing that did not fit. `error` is `Error::Ok` while nothing was found.
struct Refusal {
  Error error = Error::Ok;
  char text[192] = "";

  bool refused() const { return error != Error::Ok; }

  /// Notes the reason, always returning false so that a check can `return refusal.because(...)`.
  /// The first reason wins: what follows it is a consequence.
#if defined(__GNUC__)
  __attribute__((format(printf, 3, 4), cold))
#endif
  bool
  because(Error code, const char* format, ...) {
    if (refused()) return false;
    error = code;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return false;
  }
};

}  // namespace executorch::runtime::format
