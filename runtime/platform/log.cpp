#include <algorithm>
#include <cstdio>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch::runtime::internal {
namespace {

// Bytes of the longest message, its NUL included. On the stack: logging must work when there is no
// memory left.
constexpr size_t kMaxMessage = 256;

et_pal_log_level_t pal_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return kDebug;
    case LogLevel::Info:
      return kInfo;
    case LogLevel::Error:
      return kError;
    case LogLevel::Fatal:
      return kFatal;
    case LogLevel::NumLevels:
      break;
  }
  return kUnknown;
}

}  // namespace

et_timestamp_t get_log_timestamp() { return pal_current_ticks(); }

void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function,
           size_t line, const char* format, va_list args) {
  char message[kMaxMessage];
  const int needed = std::vsnprintf(message, sizeof(message), format, args);
  size_t length = 0;
  if (needed < 0) {
    length = static_cast<size_t>(
        std::snprintf(message, sizeof(message), "A message could not be formatted."));
  } else {
    length = std::min(static_cast<size_t>(needed), kMaxMessage - 1);
    if (static_cast<size_t>(needed) > length) {
      // Show that the end is missing.
      std::fill(message + kMaxMessage - 4, message + kMaxMessage - 1, '.');
    }
  }
  pal_emit_log_message(timestamp, pal_level(level), filename, function, line, message, length);
}

}  // namespace executorch::runtime::internal
