#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using ::testing::ElementsAre;

// Writes down each call.
class Recorder final : public EventTracer {
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

TEST(EventTracerTest, ScopesStartAndEnd) {
  Recorder tracer;
  {
    internal::EventTracerProfileMethodScope method(&tracer, "method");
    internal::EventTracerProfileOpScope op(&tracer, "op");
  }
  EXPECT_THAT(tracer.calls, ElementsAre("start method", "start op", "end ", "end "));
}

TEST(EventTracerTest, TheMethodLevelLeavesOperatorsOut) {
  Recorder tracer;
  tracer.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  {
    internal::EventTracerProfileMethodScope method(&tracer, "method");
    internal::EventTracerProfileOpScope op(&tracer, "op");
  }
  EXPECT_THAT(tracer.calls, ElementsAre("start method", "end "));
}

TEST(EventTracerTest, AnInstructionScopeNamesTheInstruction) {
  Recorder tracer;
  {
    internal::EventTracerProfileInstructionScope scope(&tracer, 1, 7);
    EXPECT_EQ(tracer.current_chain_id(), 1);
    EXPECT_EQ(tracer.current_debug_handle(), 7u);
  }
  EXPECT_EQ(tracer.current_chain_id(), kUnsetChainId);
}

TEST(EventTracerTest, ValuesAreLoggedAtTheirLevel) {
  Recorder tracer;
  EValue value(int64_t{1});
  internal::event_tracer_log_evalue(&tracer, value);
  internal::event_tracer_log_evalue_output(&tracer, value);
  EXPECT_TRUE(tracer.calls.empty());
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kProgramOutputs);
  internal::event_tracer_log_evalue(&tracer, value);
  internal::event_tracer_log_evalue_output(&tracer, value);
  EXPECT_THAT(tracer.calls, ElementsAre("value output"));
  tracer.set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  internal::event_tracer_log_evalue(&tracer, value);
  EXPECT_EQ(tracer.calls.back(), "value intermediate");
}

TEST(EventTracerTest, DelegatesLogThroughTheirHooks) {
  Recorder tracer;
  const auto entry = event_tracer_start_profiling_delegate(&tracer, "part", -1);
  event_tracer_end_profiling_delegate(&tracer, entry);
  event_tracer_log_profiling_delegate(&tracer, "past", -1, 1, 2);
  event_tracer_log_output_delegate(&tracer, "n", -1, 3);
  event_tracer_log_output_delegate(&tracer, "b", -1, true);
  event_tracer_log_output_delegate(&tracer, "d", -1, 1.5);
  event_tracer_log_output_delegate(&tracer, "l", -1, ArrayRef<etensor::Tensor>());
  EXPECT_THAT(tracer.calls, ElementsAre("start delegate part", "end delegate ", "log delegate past",
                                        "int n", "bool b", "double d", "tensors l"));
}

TEST(EventTracerTest, WithoutATracerNothingHappens) {
  internal::EventTracerProfileOpScope op(nullptr, "op");
  internal::EventTracerProfileInstructionScope scope(nullptr, 1, 7);
  EValue value(int64_t{1});
  internal::event_tracer_log_evalue(nullptr, value);
  EXPECT_EQ(internal::event_tracer_track_allocator(nullptr, "name"), 0u);
  EXPECT_EQ(event_tracer_start_profiling_delegate(nullptr, "part", -1).event_id, 0);
}

}  // namespace
}  // namespace executorch::runtime
