#pragma once

// Calls to an EventTracer that may be null, as the runtime and kernels make them. They are always
// compiled in: without a tracer each costs a comparison.

#include <executorch/runtime/core/event_tracer.h>

namespace executorch::runtime::internal {

/// Records the time of a scope, when the tracer wants all events.
class EventTracerProfileOpScope final {
 public:
  EventTracerProfileOpScope(EventTracer* event_tracer, const char* name) {
    if (event_tracer != nullptr && event_tracer->event_tracer_profiling_level() >
                                       EventTracerProfilingLevel::kProfileMethodOnly) {
      event_tracer_ = event_tracer;
      entry_ = event_tracer->start_profiling(name);
    }
  }
  ~EventTracerProfileOpScope() {
    if (event_tracer_ != nullptr) {
      event_tracer_->end_profiling(entry_);
    }
  }
  EventTracerProfileOpScope(const EventTracerProfileOpScope&) = delete;
  EventTracerProfileOpScope& operator=(const EventTracerProfileOpScope&) = delete;

 private:
  EventTracer* event_tracer_ = nullptr;
  EventTracerEntry entry_{};
};

using EventTracerProfileScope = EventTracerProfileOpScope;

/// Records the time of a scope at every level.
class EventTracerProfileMethodScope final {
 public:
  EventTracerProfileMethodScope(EventTracer* event_tracer, const char* name)
      : event_tracer_(event_tracer) {
    if (event_tracer_ != nullptr) {
      entry_ = event_tracer_->start_profiling(name);
    }
  }
  ~EventTracerProfileMethodScope() {
    if (event_tracer_ != nullptr) {
      event_tracer_->end_profiling(entry_);
    }
  }
  EventTracerProfileMethodScope(const EventTracerProfileMethodScope&) = delete;
  EventTracerProfileMethodScope& operator=(const EventTracerProfileMethodScope&) = delete;

 private:
  EventTracer* event_tracer_;
  EventTracerEntry entry_{};
};

/// Names the instruction that the events of a scope belong to.
class EventTracerProfileInstructionScope final {
 public:
  EventTracerProfileInstructionScope(EventTracer* event_tracer, ChainID chain_idx,
                                     DebugHandle debug_handle)
      : event_tracer_(event_tracer) {
    if (event_tracer_ != nullptr) {
      event_tracer_->set_chain_debug_handle(chain_idx, debug_handle);
    }
  }
  ~EventTracerProfileInstructionScope() {
    if (event_tracer_ != nullptr) {
      event_tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
    }
  }
  EventTracerProfileInstructionScope(const EventTracerProfileInstructionScope&) = delete;
  EventTracerProfileInstructionScope& operator=(const EventTracerProfileInstructionScope&) = delete;

 private:
  EventTracer* event_tracer_;
};

/// Whether tracers are called at all.
inline bool event_tracer_enabled() { return true; }

inline void event_tracer_create_event_block(EventTracer* event_tracer, const char* name) {
  if (event_tracer != nullptr) {
    event_tracer->create_event_block(name);
  }
}

inline EventTracerEntry event_tracer_begin_profiling_event(EventTracer* event_tracer,
                                                           const char* name) {
  return event_tracer != nullptr ? event_tracer->start_profiling(name) : EventTracerEntry();
}

inline void event_tracer_end_profiling_event(EventTracer* event_tracer, EventTracerEntry event) {
  if (event_tracer != nullptr) {
    event_tracer->end_profiling(event);
  }
}

inline AllocatorID event_tracer_track_allocator(EventTracer* event_tracer, const char* name) {
  return event_tracer != nullptr ? event_tracer->track_allocator(name) : 0;
}

inline void event_tracer_track_allocation(EventTracer* event_tracer, AllocatorID id, size_t size) {
  if (event_tracer != nullptr) {
    event_tracer->track_allocation(id, size);
  }
}

/// Records an intermediate value, when the tracer wants those.
inline void event_tracer_log_evalue(EventTracer* event_tracer, EValue& evalue) {
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kIntermediateOutputs) {
    (void)event_tracer->log_evalue(evalue, LoggedEValueType::kIntermediateOutput);
  }
}

/// Records an output of the program, when the tracer wants those.
inline void event_tracer_log_evalue_output(EventTracer* event_tracer, const EValue& evalue) {
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >= EventTracerDebugLogLevel::kProgramOutputs) {
    (void)event_tracer->log_evalue(evalue, LoggedEValueType::kProgramOutput);
  }
}

inline void event_tracer_set_bundled_input_index(EventTracer* event_tracer,
                                                 int bundled_input_index) {
  if (event_tracer != nullptr) {
    event_tracer->set_bundled_input_index(bundled_input_index);
  }
}

}  // namespace executorch::runtime::internal

namespace torch::executor::internal {
using ::executorch::runtime::internal::event_tracer_begin_profiling_event;
using ::executorch::runtime::internal::event_tracer_create_event_block;
using ::executorch::runtime::internal::event_tracer_end_profiling_event;
using ::executorch::runtime::internal::event_tracer_log_evalue;
using ::executorch::runtime::internal::event_tracer_log_evalue_output;
using ::executorch::runtime::internal::event_tracer_set_bundled_input_index;
using ::executorch::runtime::internal::event_tracer_track_allocation;
using ::executorch::runtime::internal::event_tracer_track_allocator;
using ::executorch::runtime::internal::EventTracerProfileInstructionScope;
using ::executorch::runtime::internal::EventTracerProfileMethodScope;
using ::executorch::runtime::internal::EventTracerProfileOpScope;
using ::executorch::runtime::internal::EventTracerProfileScope;
}  // namespace torch::executor::internal
