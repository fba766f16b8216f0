#include <cstdarg>
#include <cstdio>
#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch::runtime {

void runtime_abort() { pal_abort(); }

namespace internal {

void check_failed(const char* filename, const char* function, size_t line, const char* condition,
                  const char* format, ...) {
  char message[256];
  const int used =
      std::snprintf(message, sizeof(message), "In %s(), assert failed (%s): ", function, condition);
  if (used > 0 && static_cast<size_t>(used) < sizeof(message)) {
    va_list args;
    va_start(args, format);
    std::vsnprintf(message + used, sizeof(message) - static_cast<size_t>(used), format, args);
    va_end(args);
  }
  logf(LogLevel::Fatal, get_log_timestamp(), filename, function, line, "%s", message);
  runtime_abort();
}

}  // namespace internal
}  // namespace executorch::runtime
