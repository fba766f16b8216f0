#pragma once

// What the runtime asks of its platform: start-up, abort, clock, log and memory.
//
// The library holds weak definitions of the et_pal_ functions. A program replaces one by
// defining a function of that name, or all of them at run time through register_pal().

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/types.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {

/// Nanoseconds in a tick, as numerator / denominator.
typedef struct {
  uint64_t numerator;
  uint64_t denominator;
} et_tick_ratio_t;

/// Severity of a message; the value is the letter that is printed.
typedef enum {
  kDebug = 'D',
  kInfo = 'I',
  kError = 'E',
  kFatal = 'F',
  kUnknown = '?',
} et_pal_log_level_t;

/// Called once, before any other of these functions.
ET_API void et_pal_init(void);
/// Ends the process. Must not return.
ET_NORETURN ET_API void et_pal_abort(void);
/// The current time of a monotonic clock.
ET_API et_timestamp_t et_pal_current_ticks(void);
/// The length of a tick.
ET_API et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void);
/// Writes one message of `length` bytes, NUL-terminated, without a line end.
ET_API void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                                    const char* filename, const char* function, size_t line,
                                    const char* message, size_t length);
/// Allocates `size` bytes aligned for any fundamental type; null when there are none.
ET_API void* et_pal_allocate(size_t size);
/// Frees what et_pal_allocate() returned; null is allowed.
ET_API void et_pal_free(void* ptr);

using pal_init_method = void (*)();
using pal_abort_method = void (*)();
typedef et_timestamp_t (*et_pal_current_ticks_t)(void);
using pal_current_ticks_method = et_timestamp_t (*)();
using pal_ticks_to_ns_multiplier_method = et_tick_ratio_t (*)();
using pal_emit_log_message_method = void (*)(et_timestamp_t timestamp, et_pal_log_level_t level,
                                             const char* filename, const char* function,
                                             size_t line, const char* message, size_t length);
using pal_allocate_method = void* (*)(size_t size);
using pal_free_method = void (*)(void* ptr);

}  // extern "C"

namespace executorch::runtime {

/// A set of platform functions for register_pal(). A null member keeps the function in force.
struct ET_API PalImpl {
  /// Only the log is replaced. `source_filename` says in messages who did it.
  static PalImpl create(pal_emit_log_message_method emit_log_message, const char* source_filename);
  /// All functions; any may be null.
  static PalImpl create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename);

  pal_init_method init = nullptr;
  pal_abort_method abort = nullptr;
  pal_current_ticks_method current_ticks = nullptr;
  pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier = nullptr;
  pal_emit_log_message_method emit_log_message = nullptr;
  pal_allocate_method allocate = nullptr;
  pal_free_method free = nullptr;
  const char* source_filename = nullptr;
};

/// Puts the non-null functions of `impl` in force. Call it before other threads use the runtime,
/// best from a static initialiser. Returns whether the functions are in force.
ET_API bool register_pal(PalImpl impl);
/// The functions in force.
ET_API const PalImpl* get_pal_impl();

// The functions in force, called.
ET_API void pal_init();
ET_NORETURN ET_API void pal_abort();
ET_API et_timestamp_t pal_current_ticks();
ET_API et_tick_ratio_t pal_ticks_to_ns_multiplier();
ET_API void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                                 const char* filename, const char* function, size_t line,
                                 const char* message, size_t length);
ET_API void* pal_allocate(size_t size);
ET_API void pal_free(void* ptr);

}  // namespace executorch::runtime
