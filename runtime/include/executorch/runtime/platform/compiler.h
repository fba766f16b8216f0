#pragma once

// Compiler facts and attributes that the public headers are written with.

#include <sys/types.h>  // ssize_t

#if !defined(__GNUC__) || (!defined(__clang__) && __GNUC__ < 9)
#error "The ExecuTorch headers need GCC 9 or Clang."
#endif
#if __cplusplus < 201703L
#error "The ExecuTorch headers need C++17: compile with -std=c++17 or newer."
#endif

// The libraries are built with hidden visibility; this marks what they offer.
#define ET_API __attribute__((visibility("default")))

#define ET_NORETURN [[noreturn]]
#define ET_NODISCARD [[nodiscard]]
#define ET_UNUSED [[maybe_unused]]
#define ET_FALLTHROUGH [[fallthrough]]
#define ET_DEPRECATED [[deprecated]]
#define ET_EXPERIMENTAL [[deprecated("experimental: may change without notice")]]

#define ET_NOINLINE __attribute__((noinline))
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_WEAK __attribute__((weak))
#define ET_RESTRICT __restrict__
#define ET_UNREACHABLE() __builtin_unreachable()
// Arguments: the 1-based positions of the format and of its first argument (0: a va_list).
#define ET_PRINTFLIKE(format_index, first_index) \
  __attribute__((format(printf, format_index, first_index)))

// Used in place of a condition's parentheses: `if ET_UNLIKELY (size == 0) {`.
#define ET_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define ET_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))

// Base name of the source file, so that a log carries no path of the build machine.
#if defined(__FILE_NAME__)
#define ET_SHORT_FILENAME __FILE_NAME__
#else
#define ET_SHORT_FILENAME (__builtin_strrchr("/" __FILE__, '/') + 1)
#endif
#define ET_LINE __LINE__
#define ET_FUNCTION __func__

#define ET_PRIsize_t "zu"
#define ET_PRIssize_t "zd"

#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 1

#if defined(__EXCEPTIONS)
#define ET_HAS_EXCEPTIONS 1
#else
#define ET_HAS_EXCEPTIONS 0
#endif

// Spellings of older releases.
#define __ET_DEPRECATED ET_DEPRECATED
#define __ET_FALLTHROUGH ET_FALLTHROUGH
#define __ET_FUNCTION ET_FUNCTION
#define __ET_HAVE_GNU_STATEMENT_EXPRESSIONS ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#define __ET_INLINE ET_INLINE
#define __ET_LIKELY ET_LIKELY
#define __ET_LINE ET_LINE
#define __ET_NODISCARD ET_NODISCARD
#define __ET_NOINLINE ET_NOINLINE
#define __ET_NORETURN ET_NORETURN
#define __ET_PRINTFLIKE ET_PRINTFLIKE
#define __ET_SHORT_FILENAME ET_SHORT_FILENAME
#define __ET_UNLIKELY ET_UNLIKELY
#define __ET_UNREACHABLE ET_UNREACHABLE
#define __ET_UNUSED ET_UNUSED
#define __ET_WEAK ET_WEAK
