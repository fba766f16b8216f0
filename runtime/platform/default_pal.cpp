// The platform functions of a POSIX system. Weak: a program may define its own.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <executorch/runtime/platform/platform.h>

namespace {

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

extern "C" {

ET_WEAK void et_pal_init(void) {}

ET_NORETURN ET_WEAK void et_pal_abort(void) { std::abort(); }

ET_WEAK et_timestamp_t et_pal_current_ticks(void) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNanosecondsPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

ET_WEAK et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) { return {1, 1}; }

ET_WEAK void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                                     const char* filename, const char* function, size_t line,
                                     const char* message, size_t length) {
  (void)function;
  const uint64_t seconds = timestamp / kNanosecondsPerSecond;
  const uint64_t microseconds = timestamp % kNanosecondsPerSecond / 1000;
  std::fprintf(stderr,
               "%c %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%06" PRIu64
               " executorch:%s:%zu] %.*s\n",
               level, seconds / 3600, seconds / 60 % 60, seconds % 60, microseconds, filename, line,
               static_cast<int>(length), message);
  std::fflush(stderr);
}

ET_WEAK void* et_pal_allocate(size_t size) { return std::malloc(size); }

ET_WEAK void et_pal_free(void* ptr) { std::free(ptr); }

}  // extern "C"
