// For tests: an event tracer that writes down each call.

#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <string>
#include <vector>

namespace executorch::runtime::testing {

/// `calls` holds what was called and with which name: "start OPERATOR_CALL", "end ", "value
/// output".
class RecordingTracer final : public EventTracer {
 public:
  void create_event_block(const char* name) override { add("block", name); }
  EventTracerEntry start_profiling(const char* name, ChainID, DebugHandle) override {
    add("start", name);
    return {};
  }
  EventTracerEntry start_profiling_delegate(const char* name, DelegateDebugIntId) override {
    add("start delegate", name);
    return {};
  }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {
    add("end delegate", "");
  }
  void log_profiling_delegate(const char* name, DelegateDebugIntId, et_timestamp_t, et_timestamp_t,
                              const void*, size_t) override {
    add("log delegate", name);
  }
  void end_profiling(EventTracerEntry) override { add("end", ""); }
  void track_allocation(AllocatorID, size_t) override { add("allocation", ""); }
  AllocatorID track_allocator(const char* name) override {
    add("allocator", name);
    return 5;
  }
  Result<bool> log_evalue(const EValue&, LoggedEValueType type) override {
    add("value", type == LoggedEValueType::kProgramOutput ? "output" : "intermediate");
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const etensor::Tensor&) override {
    add("tensor", name);
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const ArrayRef<etensor::Tensor>) override {
    add("tensors", name);
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const int&) override {
    add("int", name);
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const bool&) override {
    add("bool", name);
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId,
                                                const double&) override {
    add("double", name);
    return true;
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}

  std::vector<std::string> calls;

 private:
  void add(const char* call, const char* name) { calls.push_back(std::string(call) + " " + name); }
};

}  // namespace executorch::runtime::testing
