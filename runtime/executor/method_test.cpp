// Inputs, outputs, instructions and what must not be possible.

#include <gmock/gmock.h>

#include "runtime/executor/method_support.h"

// Stepwise execution is marked as experimental.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace executorch::runtime::testing {
namespace {

using extension::make_tensor_ptr;
using ::testing::ElementsAre;

// y = a + b, where both are inputs without a place of their own and y has none either.
PlanSpec unplanned_add(Shape shape = Shape::kStatic, std::int32_t size = 4) {
  PlanSpec plan;
  plan.values = {unplanned(size, shape), unplanned(size, shape), unplanned(size, shape),
                 int_value(1)};
  plan.inputs = {0, 1};
  plan.outputs = {2};
  plan.operators = {{"aten::add", "out"}};
  plan.instructions = {kernel_call(0, {0, 1, 3, 2, 2})};
  return plan;
}

TEST(Method, AddsPlannedInputs) {
  LoadedMethod method(add_plan({3}));
  ASSERT_EQ(method.error(), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F, 3.F}), 0), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({10.F, 20.F, 30.F}), 1), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(11, 22, 33));
}

TEST(Method, EveryInputHasToBeSetOnceSinceLoading) {
  LoadedMethod method(add_plan({1}));
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  ASSERT_EQ(method->set_input(make_tensor_ptr({2.F}), 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({5.F}), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(7));
}

TEST(Method, AnInputThatDoesNotFitIsRefusedAndTheMethodStaysUsable) {
  LoadedMethod method(add_plan({2}));
  EXPECT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 2), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(1.0), 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(make_tensor_ptr<double>({1, 2}), 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::NotSupported);
  EXPECT_EQ(method->set_input(make_tensor_ptr({1, 2}, {1.F, 2.F}), 0), Error::NotSupported);
  const EValue one[] = {EValue(*make_tensor_ptr({1.F, 2.F}))};
  EXPECT_EQ(method->set_inputs(ArrayRef<EValue>(one, 1)), Error::InvalidArgument);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 0), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F, 2.F}), 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
}

TEST(Method, NumbersHaveToBeThoseOfTheExport) {
  PlanSpec plan;
  plan.values = {int_value(3),      bool_value(true),
                 double_value(0.5), string_value("abc"),
                 null_value(),      double_value(std::numeric_limits<double>::quiet_NaN())};
  plan.inputs = {0, 1, 2, 3, 4, 5};
  plan.outputs = {0, 3};
  LoadedMethod method(plan);
  ASSERT_EQ(method.error(), Error::Ok);
  ArrayRef<char> abc("abc", 3);
  ArrayRef<char> abd("abd", 3);
  EXPECT_EQ(method->set_input(EValue(std::int64_t{4}), 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(false), 1), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(0.501), 2), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(&abd), 3), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(true), 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(0.0), 5), Error::InvalidArgument);
  EXPECT_EQ(method->set_input(EValue(std::int64_t{3}), 0), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(true), 1), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(0.50005), 2), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(&abc), 3), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(), 4), Error::Ok);
  EXPECT_EQ(method->set_input(EValue(std::numeric_limits<double>::quiet_NaN()), 5), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(method->get_output(1).toString(), "abc");
}

TEST(Method, OutputsGoIntoAnArrayOfAtLeastTheirNumber) {
  LoadedMethod method(add_plan({1}));
  EValue outputs[3] = {EValue(true), EValue(true), EValue(true)};
  EXPECT_EQ(method->get_outputs(outputs, 0), Error::InvalidArgument);
  ASSERT_EQ(method->get_outputs(outputs, 3), Error::Ok);
  EXPECT_TRUE(outputs[0].isTensor());
  EXPECT_TRUE(outputs[1].isNone());
  EXPECT_TRUE(outputs[2].isNone());
}

TEST(Method, WritesToTheCallersMemory) {
  LoadedMethod method(unplanned_add());
  ASSERT_EQ(method.error(), Error::Ok);
  float result[4] = {};
  const auto a = make_tensor_ptr({1.F, 2.F, 3.F, 4.F});
  ASSERT_EQ(method->set_input(a, 0), Error::Ok);
  ASSERT_EQ(method->set_input(a, 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidState);  // where to?
  EXPECT_EQ(method->set_output_data_ptr(result, sizeof result - 1, 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_output_data_ptr(nullptr, sizeof result, 0), Error::InvalidArgument);
  EXPECT_EQ(method->set_output_data_ptr(result, sizeof result, 1), Error::InvalidArgument);
  ASSERT_EQ(method->set_output_data_ptr(result, sizeof result, 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(result, ElementsAre(2, 4, 6, 8));
}

TEST(Method, AnOutputWithAPlaceKeepsIt) {
  LoadedMethod method(add_plan({1}));
  float result = 0;
  EXPECT_EQ(method->set_output_data_ptr(&result, sizeof result, 0), Error::InvalidState);
  PlanSpec number;
  number.values = {int_value(3)};
  number.outputs = {0};
  LoadedMethod constant(number);
  EXPECT_EQ(constant->set_output_data_ptr(&result, sizeof result, 0), Error::InvalidArgument);
}

TEST(Method, ADynamicOutputStaysWithinTheCallersMemory) {
  LoadedMethod method(unplanned_add(Shape::kBound, 8));
  std::vector<float> result(8);
  ASSERT_EQ(method->set_output_data_ptr(result.data(), 32, 0), Error::Ok);
  const auto two = make_tensor_ptr({1.F, 2.F});
  ASSERT_EQ(method->set_input(two, 0), Error::Ok);
  ASSERT_EQ(method->set_input(two, 1), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(2, 4));
  // Now it is small, and takes small memory: in which larger inputs must not make it grow.
  auto small = std::make_unique<float[]>(2);
  ASSERT_EQ(method->set_output_data_ptr(small.get(), 8, 0), Error::Ok);
  const auto four = make_tensor_ptr({1.F, 2.F, 3.F, 4.F});
  ASSERT_EQ(method->set_input(four, 0), Error::Ok);
  ASSERT_EQ(method->set_input(four, 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::NotSupported);
  ASSERT_EQ(method->set_input(two, 0), Error::Ok);
  ASSERT_EQ(method->set_input(two, 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(small[1], 4);
}

TEST(Method, AnInputStaysWithinTheCallersMemory) {
  // A program that writes to its input, which is larger in the program than at the caller's.
  PlanSpec plan = unplanned_add(Shape::kBound, 8);
  plan.operators = {{"test::join", "out"}};
  plan.instructions = {kernel_call(0, {1, 1, 0, 0})};
  plan.outputs = {0};
  LoadedMethod method(plan);
  ASSERT_EQ(method.error(), Error::Ok);
  const auto two = make_tensor_ptr({1.F, 2.F});
  ASSERT_EQ(method->set_input(two, 0), Error::Ok);
  ASSERT_EQ(method->set_input(two, 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::NotSupported);
  EXPECT_EQ(method->set_input(make_tensor_ptr(std::vector<float>(9)), 0), Error::NotSupported);
}

TEST(Method, DynamicShapesFollowTheInputs) {
  PlanSpec plan = add_plan({4});
  plan.values = {planned(4, 0, Shape::kBound), planned(4, 16, Shape::kBound),
                 planned(4, 32, Shape::kBound), int_value(1)};
  LoadedMethod method(plan);
  for (const std::vector<float>& input : {std::vector<float>{1, 2, 3, 4}, {5, 6}, {}, {7, 8, 9}}) {
    const auto tensor = make_tensor_ptr(input);
    ASSERT_EQ(method->set_input(tensor, 0), Error::Ok);
    ASSERT_EQ(method->set_input(tensor, 1), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    ASSERT_EQ(floats(method->get_output(0)).size(), input.size());
    if (!input.empty()) {
      EXPECT_EQ(floats(method->get_output(0)).back(), 2 * input.back());
    }
  }
  EXPECT_EQ(method->set_input(make_tensor_ptr(std::vector<float>(5)), 0), Error::NotSupported);
}

TEST(Method, ABoundThatOverflowsTakesWhatItIsGiven) {
  PlanSpec plan;
  plan.values = {tensor_value({.sizes = {65536, 65536, 65536, 65536}, .shape = Shape::kBound}),
                 planned(4, 0), int_value(1)};
  plan.inputs = {0};
  plan.outputs = {0};
  plan.buffers = {16};
  LoadedMethod method(plan);
  ASSERT_EQ(method.error(), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
  const auto given = make_tensor_ptr({1, 1, 2, 1}, {1.F, 2.F});
  ASSERT_EQ(method->set_input(given, 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(1, 2));
}

TEST(Method, MissingOperatorsAreAllNamedWithTheCure) {
  PlanSpec plan = add_plan({1});
  plan.operators = {{"aten::nothing", "out"}, {"my::thing"}};
  plan.instructions = {kernel_call(0, {0, 1, 2, 2}), kernel_call(1, {0, 1, 2, 2})};
  ::testing::internal::CaptureStderr();
  LoadedMethod method(plan);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(method.error(), Error::OperatorMissing);
  EXPECT_THAT(log, ::testing::HasSubstr("Missing operator: aten::nothing.out"));
  EXPECT_THAT(log, ::testing::HasSubstr("kernels_optimized"));
  EXPECT_THAT(log, ::testing::HasSubstr("Missing operator: my::thing"));
}

TEST(Method, AKernelThatFailsEndsTheExecutionOnly) {
  PlanSpec plan = add_plan({1});
  plan.operators.push_back({"test::fail"});
  plan.instructions.push_back(kernel_call(1, {0}));
  LoadedMethod method(plan);
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({2.F}), 1), Error::Ok);
  next_failure() = Error::OutOfResources;
  EXPECT_EQ(method->execute(), Error::OutOfResources);
  EXPECT_EQ(method->execute(), Error::OutOfResources);
  next_failure() = Error::Ok;
  ASSERT_EQ(method->set_input(make_tensor_ptr({3.F}), 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(5));
}

TEST(Method, StepsThroughItsInstructions) {
  PlanSpec plan = add_plan({1});
  plan.instructions.push_back(kernel_call(0, {2, 1, 3, 2, 2}));
  LoadedMethod method(plan);
  EXPECT_EQ(method->step(), Error::InvalidArgument);  // inputs are missing
  ASSERT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::Ok);
  ASSERT_EQ(method->set_input(make_tensor_ptr({2.F}), 1), Error::Ok);
  EXPECT_FALSE(method->in_progress());
  ASSERT_EQ(method->step(), Error::Ok);
  EXPECT_TRUE(method->in_progress());
  EXPECT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::InvalidState);
  EXPECT_EQ(method->reset_execution(), Error::InvalidState);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(3));
  ASSERT_EQ(method->step(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(5));
  EXPECT_EQ(method->step(), Error::EndOfMethod);
  EXPECT_EQ(method->reset_execution(), Error::Ok);
  EXPECT_FALSE(method->in_progress());
  EXPECT_EQ(method->execute(), Error::Ok);
}

TEST(Method, AMethodWithoutInstructionsReturnsItsValues) {
  PlanSpec plan;
  plan.values = {int_value(64), bool_value(true), double_value(0.25), int_list_value({0, 0})};
  plan.outputs = {0, 1, 2, 3};
  LoadedMethod method(plan);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(method->get_output(0).toInt(), 64);
  EXPECT_TRUE(method->get_output(1).toBool());
  EXPECT_EQ(method->get_output(2).toDouble(), 0.25);
  EXPECT_THAT(method->get_output(3).toIntList(), ElementsAre(64, 64));
}

TEST(Method, TemporaryMemoryIsTakenBackAfterEachInstruction) {
  PlanSpec plan;
  plan.values = {int_value(600)};
  plan.operators = {{"test::temporary"}};
  plan.instructions = {kernel_call(0, {0}), kernel_call(0, {0}), kernel_call(0, {0})};
  MemoryLoader loader(write_program({.plans = {plan}}));
  auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  extension::MallocMemoryAllocator memory;
  for (const std::uint32_t size : {1000U, 500U}) {
    std::vector<std::uint8_t> block(size);
    MemoryAllocator temporary(size, block.data());
    MemoryManager manager(&memory, nullptr, &temporary);
    auto method =
        program->load_method("forward", &manager, nullptr, nullptr, nullptr, kTestKernels);
    ASSERT_TRUE(method.ok());
    EXPECT_EQ(method->execute(), size >= 600 ? Error::Ok : Error::MemoryAllocationFailed);
  }
  MemoryManager without(&memory);
  auto method = program->load_method("forward", &without, nullptr, nullptr, nullptr, kTestKernels);
  ASSERT_TRUE(method.ok());
  EXPECT_EQ(method->execute(), Error::Ok);  // the platform's memory
}

TEST(Method, WantsMemory) {
  MemoryLoader loader(write_program({.plans = {add_plan()}}));
  auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->load_method("forward", nullptr).error(), Error::InvalidArgument);
  extension::MallocMemoryAllocator memory;
  MemoryManager none(&memory);
  EXPECT_EQ(program->load_method("forward", &none).error(), Error::InvalidArgument);
  std::uint8_t little[16];
  Span<std::uint8_t> spans[] = {{little, sizeof little}};
  HierarchicalAllocator arenas{Span<Span<std::uint8_t>>(spans)};
  MemoryManager small(&memory, &arenas);
  EXPECT_EQ(program->load_method("forward", &small).error(), Error::MemoryAllocationFailed);
  std::uint8_t few[64];
  MemoryAllocator tiny(sizeof few, few);
  MemoryManager tight(&tiny);
  EXPECT_EQ(program->load_method("forward", &tight).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(program->load_method("backward", &none).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::runtime::testing
