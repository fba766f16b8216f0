#include "runtime/kernels/context.h"

#include <cstdarg>
#include <cstdio>
#include <executorch/runtime/platform/log.h>

namespace executorch::kernels {
namespace {

__attribute__((format(printf, 3, 0))) void report(Context& context, Error error, const char* format,
                                                  va_list arguments) {
  char text[256];
  if (std::vsnprintf(text, sizeof(text), format, arguments) < 0) text[0] = '\0';
  ET_LOG(Error, "kernel: %s", text);
  context.fail(error);
}

}  // namespace

bool refuse_with(Context& context, Error error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(context, error, format, arguments);
  va_end(arguments);
  return false;
}

bool refuse(Context& context, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(context, Error::InvalidArgument, format, arguments);
  va_end(arguments);
  return false;
}

}  // namespace executorch::kernels
