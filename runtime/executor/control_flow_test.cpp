// Moves, jumps and frees, and the values that they share.

#include <gmock/gmock.h>

#include "runtime/executor/method_support.h"

namespace executorch::runtime::testing {
namespace {

using extension::make_tensor_ptr;
using ::testing::ElementsAre;

// condition ? a + a : b, as the exporter writes it; the result is `out`.
PlanSpec choice(Node out) {
  PlanSpec plan;
  plan.values = {tensor_value({.type = ElementType::kBool, .sizes = {1}}),
                 unplanned(2),
                 unplanned(2),
                 planned(2, 0),
                 std::move(out),
                 int_value(1),
                 bool_value(false)};
  plan.inputs = {0, 1, 2};
  plan.outputs = {4};
  plan.operators = {{"aten::add", "out"}};
  plan.instructions = {jump_false_call(0, 4), kernel_call(0, {1, 1, 5, 3, 3}), move_call(3, 4),
                       jump_false_call(6, 5), move_call(2, 4)};
  plan.buffers = {32};
  return plan;
}

TEST(ControlFlow, ChoosesABranchAnewInEachRun) {
  LoadedMethod method(choice(planned(2, 16)));
  ASSERT_EQ(method.error(), Error::Ok);
  const auto a = make_tensor_ptr({1.F, 2.F});
  const auto b = make_tensor_ptr({5.F, 6.F});
  ASSERT_EQ(method->set_input(a, 1), Error::Ok);
  ASSERT_EQ(method->set_input(b, 2), Error::Ok);
  for (const bool condition : {true, false, false, true}) {
    const auto flag = make_tensor_ptr<bool>({condition});
    ASSERT_EQ(method->set_input(flag, 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_THAT(floats(method->get_output(0)), condition ? ElementsAre(2, 4) : ElementsAre(5, 6));
  }
}

TEST(ControlFlow, AMovedOutputReachesTheCallersMemory) {
  LoadedMethod method(choice(unplanned(2)));
  ASSERT_EQ(method.error(), Error::Ok);
  float result[2] = {};
  ASSERT_EQ(method->set_output_data_ptr(result, sizeof result, 0), Error::Ok);
  const auto a = make_tensor_ptr({1.F, 2.F});
  const auto b = make_tensor_ptr({5.F, 6.F});
  ASSERT_EQ(method->set_input(a, 1), Error::Ok);
  ASSERT_EQ(method->set_input(b, 2), Error::Ok);
  for (const bool condition : {true, false, true}) {
    const auto flag = make_tensor_ptr<bool>({condition});
    ASSERT_EQ(method->set_input(flag, 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_THAT(result, condition ? ElementsAre(2, 4) : ElementsAre(5, 6));
    EXPECT_EQ(method->get_output(0).toTensor().const_data_ptr(), result);
  }
}

TEST(ControlFlow, AConditionIsABoolOrATensorOfThem) {
  const auto run = [](Node condition, const EValue* input) {
    PlanSpec plan;
    plan.values = {std::move(condition), int_value(1), int_value(2)};
    plan.instructions = {jump_false_call(0, 2), move_call(2, 1)};
    plan.outputs = {1};
    if (input != nullptr) plan.inputs = {0};
    LoadedMethod method(plan);
    if (input != nullptr) {
      EXPECT_EQ(method->set_input(*input, 0), Error::Ok);
    }
    const Error error = method->execute();
    return std::pair(error, method->get_output(0).toInt());
  };
  EXPECT_EQ(run(bool_value(true), nullptr), std::pair(Error::Ok, std::int64_t{2}));
  EXPECT_EQ(run(bool_value(false), nullptr), std::pair(Error::Ok, std::int64_t{1}));
  const Node bools = tensor_value({.type = ElementType::kBool, .sizes = {2}});
  const auto both = make_tensor_ptr<bool>({true, true});
  const auto one = make_tensor_ptr<bool>({true, false});
  const EValue both_value(both);
  const EValue one_value(one);
  EXPECT_EQ(run(bools, &both_value).second, 2);
  EXPECT_EQ(run(bools, &one_value).second, 1);
  EXPECT_EQ(run(bools, nullptr).first, Error::InvalidState);
  EXPECT_EQ(run(int_value(1), nullptr).first, Error::InvalidProgram);
  const auto numbers = make_tensor_ptr({1.F, 1.F});
  const EValue numbers_value(numbers);
  EXPECT_EQ(run(unplanned(2), &numbers_value).first, Error::InvalidProgram);
}

TEST(ControlFlow, AnEndlessLoopEnds) {
  PlanSpec plan;
  plan.values = {bool_value(false)};
  plan.instructions = {jump_false_call(0, 0)};
  LoadedMethod method(plan);
  internal::MethodState::of(*method).set_instruction_limit(1000);
  EXPECT_EQ(method->execute(), Error::InvalidProgram);
  EXPECT_FALSE(internal::MethodState::of(*method).in_progress());
}

TEST(ControlFlow, ALoopCountsByPrimOperators) {
  // i = 0; do { i = i + 1; total = total + x; } while (!(i >= 3)); i = i - 3
  PlanSpec plan;
  plan.values = {unplanned(1), planned(1, 0),     int_value(0),  int_value(1),
                 int_value(3), bool_value(false), planned(1, 16)};
  plan.inputs = {0};
  plan.outputs = {1, 2};
  plan.operators = {{"executorch_prim::add", "Scalar"},
                    {"aten::add", "out"},
                    {"executorch_prim::ge", "Scalar"},
                    {"executorch_prim::sub", "Scalar"}};
  plan.instructions = {kernel_call(0, {2, 3, 2}), kernel_call(1, {1, 0, 3, 1, 1}),
                       kernel_call(2, {2, 4, 5}), jump_false_call(5, 0), kernel_call(3, {2, 4, 2})};
  plan.buffers = {32};
  LoadedMethod method(plan);
  ASSERT_EQ(method.error(), Error::Ok);
  const auto x = make_tensor_ptr({2.F});
  ASSERT_EQ(method->set_input(x, 0), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(6));
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_THAT(floats(method->get_output(0)), ElementsAre(12));
  EXPECT_EQ(method->get_output(1).toInt(), 0);
}

TEST(ControlFlow, AFreedTensorIsNotUsed) {
  for (const Shape shape : {Shape::kStatic, Shape::kBound}) {
    PlanSpec plan = add_plan({1});
    plan.values[2] = planned(1, 32, shape);
    plan.instructions.insert(plan.instructions.begin(), free_call(2));
    LoadedMethod method(plan);
    ASSERT_EQ(method->set_input(make_tensor_ptr({1.F}), 0), Error::Ok);
    ASSERT_EQ(method->set_input(make_tensor_ptr({1.F}), 1), Error::Ok);
    EXPECT_NE(method->execute(), Error::Ok);
  }
}

TEST(ControlFlow, AMoveKeepsTheElementType) {
  PlanSpec plan;
  plan.values = {unplanned(4), tensor_value({.type = ElementType::kByte, .sizes = {4}})};
  plan.instructions = {move_call(0, 1)};
  EXPECT_EQ(LoadedMethod(plan).error(), Error::InvalidProgram);
}

// Constants may lie in memory that can't be written to.
TEST(ControlFlow, NothingWritesToAConstant) {
  PlanSpec plan = add_plan({1});
  plan.values.push_back(tensor_value({.sizes = {1}, .data = 1}));  // 4
  plan.values.push_back(planned(1, 32));                           // 5
  plan.values.push_back(tensor_list_value({4}));                   // 6
  const auto load = [&](std::vector<Node> instructions) {
    PlanSpec changed = plan;
    changed.instructions = std::move(instructions);
    return LoadedMethod(ProgramSpec{.plans = {changed}, .constants = {bytes_of<float>({7})}})
        .error();
  };
  EXPECT_EQ(load({kernel_call(0, {0, 4, 3, 2, 2})}), Error::Ok);
  EXPECT_EQ(load({kernel_call(0, {0, 1, 3, 4, 4})}), Error::InvalidProgram);
  // As the result of another argument's name, of a list, and behind a move.
  EXPECT_EQ(load({kernel_call(0, {0, 1, 3, 4, 0})}), Error::InvalidProgram);
  EXPECT_EQ(load({kernel_call(0, {0, 1, 3, 4, 6})}), Error::InvalidProgram);
  EXPECT_EQ(load({move_call(4, 5), kernel_call(0, {0, 1, 3, 2, 2})}), Error::Ok);
  EXPECT_EQ(load({move_call(4, 5), kernel_call(0, {0, 1, 3, 5, 5})}), Error::InvalidProgram);
  EXPECT_EQ(load({kernel_call(0, {0, 1, 3, 5, 5}), move_call(4, 5)}), Error::InvalidProgram);
}

TEST(ControlFlow, AConstantIsFollowedThroughManyMoves) {
  constexpr std::int32_t kMoves = 20000;
  PlanSpec plan = add_plan({1});
  plan.values.push_back(tensor_value({.sizes = {1}, .data = 1}));  // 4
  plan.instructions.clear();
  for (std::int32_t i = 0; i < kMoves; ++i) {
    plan.values.push_back(planned(1, 32));
    // Backwards: a pass over the instructions learns of one move only.
    plan.instructions.push_back(move_call(4 + kMoves - 1 - i, 4 + kMoves - i));
  }
  const auto load = [&] {
    return LoadedMethod(ProgramSpec{.plans = {plan}, .constants = {bytes_of<float>({7})}}).error();
  };
  EXPECT_EQ(load(), Error::Ok);
  plan.instructions.push_back(kernel_call(0, {0, 1, 3, 4 + kMoves, 4 + kMoves}));
  EXPECT_EQ(load(), Error::InvalidProgram);
}

// y = x.view(-1, 2), as the exporter writes it for dynamic sizes.
PlanSpec view_plan() {
  PlanSpec plan;
  plan.values = {unplanned(8, Shape::kBound),
                 tensor_value({.sizes = {4, 2}, .shape = Shape::kBound}), int_value(-1),
                 int_value(2), int_list_value({2, 3})};
  plan.inputs = {0};
  plan.outputs = {1};
  plan.operators = {{"executorch_prim::et_view", "default"}};
  plan.instructions = {kernel_call(0, {0, 4, 1})};
  return plan;
}

TEST(Views, ReferToTheInputOfTheRun) {
  LoadedMethod method(view_plan());
  ASSERT_EQ(method.error(), Error::Ok);
  for (const std::vector<float>& input : {std::vector<float>{1, 2, 3, 4}, {5, 6}}) {
    const auto tensor = make_tensor_ptr(input);
    ASSERT_EQ(method->set_input(tensor, 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    const etensor::Tensor& view = method->get_output(0).toTensor();
    EXPECT_EQ(view.const_data_ptr(), tensor->const_data_ptr());
    EXPECT_THAT(view.sizes(), ElementsAre(input.size() / 2, 2));
  }
  const auto odd = make_tensor_ptr({1.F, 2.F, 3.F});
  ASSERT_EQ(method->set_input(odd, 0), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidArgument);
}

TEST(Views, ThatAreOutputsReachTheCallersMemory) {
  LoadedMethod method(view_plan());
  ASSERT_EQ(method.error(), Error::Ok);
  float result[8] = {};
  ASSERT_EQ(method->set_output_data_ptr(result, sizeof result, 0), Error::Ok);
  for (const std::vector<float>& input : {std::vector<float>{1, 2, 3, 4}, {5, 6}}) {
    const auto tensor = make_tensor_ptr(input);
    ASSERT_EQ(method->set_input(tensor, 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_EQ(method->get_output(0).toTensor().const_data_ptr(), result);
    EXPECT_EQ(floats(method->get_output(0)), input);
  }
}

TEST(Views, AreNotReadBeforeTheyAreMade) {
  // The first instruction reads the view that the last run left behind.
  PlanSpec plan = view_plan();
  plan.values.push_back(tensor_value(
      {.sizes = {4, 2}, .allocation = Allocation{1, 0}, .shape = Shape::kBound}));  // 5
  plan.operators.push_back({"aten::add", "out"});
  plan.instructions = {jump_false_call(6, 2), kernel_call(1, {1, 1, 3, 5, 5}),
                       kernel_call(0, {0, 4, 1})};
  plan.values.push_back(tensor_value({.type = ElementType::kBool, .sizes = {1}}));  // 6
  plan.inputs = {0, 6};
  plan.buffers = {32};
  LoadedMethod method(plan);
  ASSERT_EQ(method.error(), Error::Ok);
  const auto no = make_tensor_ptr<bool>({false});
  const auto yes = make_tensor_ptr<bool>({true});
  auto input = make_tensor_ptr({1.F, 2.F});
  ASSERT_EQ(method->set_input(input, 0), Error::Ok);
  ASSERT_EQ(method->set_input(no, 1), Error::Ok);
  ASSERT_EQ(method->execute(), Error::Ok);
  const auto other = make_tensor_ptr({1.F, 2.F});
  ASSERT_EQ(method->set_input(other, 0), Error::Ok);
  input.reset();
  ASSERT_EQ(method->set_input(yes, 1), Error::Ok);
  EXPECT_EQ(method->execute(), Error::InvalidState);
}

}  // namespace
}  // namespace executorch::runtime::testing
