#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "runtime/testing/recording_tracer.h"

namespace executorch::runtime {
namespace {

using ::testing::ElementsAre;

using Recorder = testing::RecordingTracer;

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
