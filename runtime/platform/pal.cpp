#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
namespace executorch::runtime {
namespace {

// Constant-initialised, so that a static initialiser of another library may replace functions
// before this library's own initialisers ran. Calling through the et_pal_ names lets a program's
// definitions take the place of the weak ones.
PalImpl pal{
    et_pal_init,
    et_pal_abort,
    et_pal_current_ticks,
    et_pal_ticks_to_ns_multiplier,
    et_pal_emit_log_message,
    et_pal_allocate,
    et_pal_free,
    __FILE__,
};

template <typename Function>
void replace(Function& current, Function replacement) {
  if (replacement != nullptr) {
    current = replacement;
  }
}

}  // namespace

PalImpl PalImpl::create(pal_emit_log_message_method emit_log_message, const char* source_filename) {
  return create(nullptr, nullptr, nullptr, nullptr, emit_log_message, nullptr, nullptr,
                source_filename);
}

PalImpl PalImpl::create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
                        pal_emit_log_message_method emit_log_message, pal_allocate_method allocate,
                        pal_free_method free, const char* source_filename) {
  return {init,     abort, current_ticks,  ticks_to_ns_multiplier, emit_log_message,
          allocate, free,  source_filename};
}

bool register_pal(PalImpl impl) {
  replace(pal.init, impl.init);
  replace(pal.abort, impl.abort);
  replace(pal.current_ticks, impl.current_ticks);
  replace(pal.ticks_to_ns_multiplier, impl.ticks_to_ns_multiplier);
  replace(pal.emit_log_message, impl.emit_log_message);
  replace(pal.allocate, impl.allocate);
  replace(pal.free, impl.free);
  replace(pal.source_filename, impl.source_filename);
  return true;
}

const PalImpl* get_pal_impl() { return &pal; }

void pal_init() { pal.init(); }

void pal_abort() {
  pal.abort();
  // A replacement that returns must not let the caller go on.
  __builtin_trap();
}

et_timestamp_t pal_current_ticks() { return pal.current_ticks(); }

et_tick_ratio_t pal_ticks_to_ns_multiplier() { return pal.ticks_to_ns_multiplier(); }

void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                          const char* function, size_t line, const char* message, size_t length) {
  pal.emit_log_message(timestamp, level, filename, function, line, message, length);
}

void* pal_allocate(size_t size) { return pal.allocate(size); }

void pal_free(void* ptr) { pal.free(ptr); }

void runtime_init() {
  static const bool initialized = [] {
    pal_init();
    return true;
  }();
  (void)initialized;
}

}  // namespace executorch::runtime
