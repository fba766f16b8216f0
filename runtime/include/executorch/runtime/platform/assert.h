#pragma once

// Checks that end the process: for broken promises of the caller, never for bad input.

#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::runtime::internal {

/// Logs what was asserted where, with a message, and ends the process.
ET_NORETURN ET_API ET_NOINLINE ET_PRINTFLIKE(5, 6) void check_failed(const char* filename,
                                                                     const char* function,
                                                                     size_t line,
                                                                     const char* condition,
                                                                     const char* format, ...);

}  // namespace executorch::runtime::internal

/// Ends the process with a message unless the condition holds. Active in every build.
#define ET_CHECK_MSG(cond, ...)                                                              \
  do {                                                                                       \
    if ET_UNLIKELY (!(cond)) {                                                               \
      ::executorch::runtime::internal::check_failed(ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, \
                                                    #cond, __VA_ARGS__);                     \
    }                                                                                        \
  } while (0)

/// ET_CHECK_MSG without a message.
#define ET_CHECK(cond) ET_CHECK_MSG(cond, "%s", "")

// The same, active only without NDEBUG.
#ifdef NDEBUG
#define ET_DCHECK_MSG(cond, ...) ((void)0)
#define ET_DCHECK(cond) ((void)0)
#define ET_DEBUG_ONLY [[maybe_unused]]
#else
#define ET_DCHECK_MSG(cond, ...) ET_CHECK_MSG(cond, __VA_ARGS__)
#define ET_DCHECK(cond) ET_CHECK(cond)
#define ET_DEBUG_ONLY
#endif

/// Marks a place that no execution reaches.
#define ET_ASSERT_UNREACHABLE()                                    \
  do {                                                             \
    ET_CHECK_MSG(false, "%s", "this place should not be reached"); \
    ET_UNREACHABLE();                                              \
  } while (0)
#define ET_ASSERT_UNREACHABLE_MSG(...) \
  do {                                 \
    ET_CHECK_MSG(false, __VA_ARGS__);  \
    ET_UNREACHABLE();                  \
  } while (0)
