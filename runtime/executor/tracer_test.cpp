// What an event tracer is told while a method is loaded and run.

#include <gmock/gmock.h>

#include "runtime/executor/method_support.h"
#include "runtime/testing/recording_tracer.h"

// Stepwise execution is marked as experimental.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace executorch::runtime::testing {
namespace {

using extension::make_tensor_ptr;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Traced : public ::testing::Test {
 protected:
  explicit Traced(PlanSpec plan = add_plan({2}))
      : method_(ProgramSpec{.plans = {std::move(plan)}}, "forward", nullptr, &tracer_) {
    EXPECT_EQ(method_.error(), Error::Ok);
  }
  void set_inputs() {
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(method_->set_input(make_tensor_ptr({1.F, 2.F}), i), Error::Ok);
    }
    tracer_.calls.clear();
  }

  RecordingTracer tracer_;
  LoadedMethod method_;
};

TEST_F(Traced, LoadingIsOneEventInABlockOfItsOwn) {
  EXPECT_EQ(method_->get_event_tracer(), &tracer_);
  EXPECT_THAT(tracer_.calls, ElementsAre("block Default", "start Method::init", "end "));
}

TEST_F(Traced, ARunIsABlockWithTheMethodAndEachCall) {
  set_inputs();
  for (int run = 0; run < 2; ++run) {
    tracer_.calls.clear();
    ASSERT_EQ(method_->execute(), Error::Ok);
    EXPECT_THAT(tracer_.calls, ElementsAre("block Execute", "start Method::execute",
                                           "start OPERATOR_CALL", "end ", "end "));
  }
}

TEST_F(Traced, OutputsAreLoggedBeforeTheRunEnds) {
  tracer_.set_event_tracer_debug_level(EventTracerDebugLogLevel::kProgramOutputs);
  set_inputs();
  ASSERT_EQ(method_->execute(), Error::Ok);
  EXPECT_THAT(tracer_.calls, ElementsAre("block Execute", "start Method::execute",
                                         "start OPERATOR_CALL", "end ", "value output", "end "));
}

TEST_F(Traced, AStepIsAnEventToo) {
  set_inputs();
  ASSERT_EQ(method_->step(), Error::Ok);
  EXPECT_THAT(tracer_.calls, ElementsAre("block Execute", "start Method::step",
                                         "start OPERATOR_CALL", "end ", "end "));
}

TEST_F(Traced, ARefusedRunIsNone) {
  tracer_.calls.clear();
  EXPECT_EQ(method_->execute(), Error::InvalidArgument);  // without inputs
  EXPECT_THAT(tracer_.calls, IsEmpty());
}

PlanSpec failing_plan() {
  PlanSpec plan = add_plan({2});
  plan.operators = {{"test::fail", ""}};
  plan.instructions = {kernel_call(0, {3})};
  return plan;
}

class TracedFailure : public Traced {
 protected:
  TracedFailure() : Traced(failing_plan()) {}
};

TEST_F(TracedFailure, WhatBeganEnds) {
  set_inputs();
  next_failure() = Error::Internal;
  EXPECT_EQ(method_->execute(), Error::Internal);
  next_failure() = Error::Ok;
  EXPECT_THAT(tracer_.calls, ElementsAre("block Execute", "start Method::execute",
                                         "start OPERATOR_CALL", "end ", "end "));
}

}  // namespace
}  // namespace executorch::runtime::testing
