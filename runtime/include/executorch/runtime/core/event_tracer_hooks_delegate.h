#pragma once

// Calls to an EventTracer that may be null, as delegates make them.

#include <executorch/runtime/core/event_tracer.h>
#include <type_traits>

namespace executorch::runtime {

/// Starts an event of a delegate, named by a string or, when it is null, by a number.
inline EventTracerEntry event_tracer_start_profiling_delegate(EventTracer* event_tracer,
                                                              const char* name,
                                                              DelegateDebugIntId debug_id) {
  return event_tracer != nullptr ? event_tracer->start_profiling_delegate(name, debug_id)
                                 : EventTracerEntry();
}

inline void event_tracer_end_profiling_delegate(EventTracer* event_tracer, EventTracerEntry entry,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  if (event_tracer != nullptr) {
    event_tracer->end_profiling_delegate(entry, metadata, metadata_len);
  }
}

/// An event that is already over.
inline void event_tracer_log_profiling_delegate(EventTracer* event_tracer, const char* name,
                                                DelegateDebugIntId debug_id,
                                                et_timestamp_t start_time, et_timestamp_t end_time,
                                                const void* metadata = nullptr,
                                                size_t metadata_len = 0) {
  if (event_tracer != nullptr) {
    event_tracer->log_profiling_delegate(name, debug_id, start_time, end_time, metadata,
                                         metadata_len);
  }
}

/// An intermediate output of a delegate: int, bool, double, Tensor or ArrayRef<Tensor>.
template <typename T>
inline void event_tracer_log_output_delegate(EventTracer* event_tracer, const char* name,
                                             DelegateDebugIntId debug_id, const T& output) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, bool> || std::is_same_v<T, double> ||
                    std::is_same_v<T, etensor::Tensor> ||
                    std::is_same_v<T, ArrayRef<etensor::Tensor>>,
                "an intermediate output is an int, bool, double, Tensor or ArrayRef<Tensor>");
  if (event_tracer != nullptr) {
    (void)event_tracer->log_intermediate_output_delegate(name, debug_id, output);
  }
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::event_tracer_end_profiling_delegate;
using ::executorch::runtime::event_tracer_log_output_delegate;
using ::executorch::runtime::event_tracer_log_profiling_delegate;
using ::executorch::runtime::event_tracer_start_profiling_delegate;
}  // namespace torch::executor
