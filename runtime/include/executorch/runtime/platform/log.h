#pragma once

// ET_LOG(Info, "loaded %zu methods", n) writes a message through the platform.
//
// ET_MIN_LOG_LEVEL (default Info) drops what lies below it when compiled; ET_LOG_ENABLED=0 drops
// everything and evaluates no argument.

#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/types.h>

#ifndef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info
#endif
#ifndef ET_LOG_ENABLED
#define ET_LOG_ENABLED 1
#endif

namespace executorch::runtime {

enum class LogLevel : uint8_t {
  Debug,
  Info,
  Error,
  Fatal,
  NumLevels,
};

namespace internal {

/// The time to stamp a message with.
ET_API et_timestamp_t get_log_timestamp();

/// Formats a message, cutting it at 255 bytes, and hands it to the platform.
ET_PRINTFLIKE(6, 0)
ET_API void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename,
                  const char* function, size_t line, const char* format, va_list args);

ET_PRINTFLIKE(6, 7)
inline void logf(LogLevel level, et_timestamp_t timestamp, const char* filename,
                 const char* function, size_t line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vlogf(level, timestamp, filename, function, line, format, args);
  va_end(args);
}

}  // namespace internal
}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::LogLevel;
}  // namespace torch::executor

/// Arguments are evaluated only when the message is written; they are compiled always.
#define ET_LOG(level, ...)                                                                         \
  do {                                                                                             \
    if (ET_LOG_ENABLED && ::executorch::runtime::LogLevel::level >=                                \
                              ::executorch::runtime::LogLevel::ET_MIN_LOG_LEVEL) {                 \
      ::executorch::runtime::internal::logf(::executorch::runtime::LogLevel::level,                \
                                            ::executorch::runtime::internal::get_log_timestamp(),  \
                                            ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, __VA_ARGS__); \
    }                                                                                              \
  } while (0)

/// Logs the message when the condition does not hold, and goes on.
#define ET_CHECK_OR_LOG_ERROR(condition, ...) \
  do {                                        \
    if (!(condition)) {                       \
      ET_LOG(Error, __VA_ARGS__);             \
    }                                         \
  } while (0)
