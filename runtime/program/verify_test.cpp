// Rules 3 to 12 of the format: programs whose tables are well formed, but do not fit together.
// Each case changes one thing of a program that has a bit of everything.

#include "runtime/program/verify.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "runtime/program/verify_support.h"
#include "runtime/testing/program_writer.h"

namespace executorch::runtime::testing {
namespace {

// Values of the program by their index.
enum : std::int32_t {
  kInput,
  kConstant,
  kState,
  kActivation,
  kOutput,
  kOne,
  kIntItems,
  kTensorItems,
  kMaybeItems,
  kNone,
  kFlag,
  kRatio,
  kWord,
  kExternal,
  kBools,
};

PlanSpec full_plan() {
  PlanSpec plan;
  plan.values = {
      tensor_value({.sizes = {2, 2}, .allocation = Allocation{1, 0}}),
      tensor_value({.sizes = {2, 2}, .data = 1}),
      tensor_value({.sizes = {3}, .allocation = Allocation{1, 16}, .data = 1}),
      tensor_value(
          {.sizes = {2, 2}, .allocation = Allocation{2, 0}, .extra = ExtraInfo{.device_type = 1}}),
      tensor_value({.sizes = {2, 2}, .shape = Shape::kBound}),
      int_value(1),
      int_list_value({kOne, kOne}),
      tensor_list_value({kInput, kConstant}),
      optional_tensor_list_value({-1, kNone, kInput}),
      null_value(),
      bool_value(false),
      double_value(0.5),
      string_value("word"),
      tensor_value({.sizes = {4}, .extra = ExtraInfo{.name = "weight", .external = true}}),
      bool_list_value({0, 1}),
  };
  plan.inputs = {kInput, kOne, kFlag, kRatio, kWord, kNone};
  plan.outputs = {kOutput, kState};
  plan.operators = {{"aten::add", "out"}, {"aten::sym_numel"}};
  plan.delegates = {
      {.id = "Demo", .processed = bytes_of<char>({'x'}), .compile_specs = {{"key", "value"}}},
      {.id = "Inline", .inlined = true}};
  plan.instructions = {
      kernel_call(0, {kInput, kConstant, kOne, kActivation, kActivation}),
      delegate_call(0, {kActivation, kOutput}),
      move_call(kInput, kOutput),
      jump_false_call(kFlag, 4),
      free_call(kActivation),
  };
  plan.buffers = {32, 16};
  plan.buffer_devices = {{.buffer = 2}};
  return plan;
}

ProgramSpec full_program() {
  ProgramSpec spec;
  spec.plans = {full_plan()};
  spec.constants = {bytes_of<float>({1, 2, 3, 4})};
  spec.states = {bytes_of<float>({5, 6, 7})};
  spec.named_data = {{"blob", bytes_of<char>({'a', 'b'})}};
  return spec;
}

using Spec = ProgramSpec;
using Spoil = std::function<void(Spec&)>;

// The spoils: of the description, of the plan in it, of the tree.
Spoil plan(const std::function<void(PlanSpec&)>& change) {
  return [=](Spec& s) { change(s.plans[0]); };
}
Spoil tree(const std::function<void(Node&)>& change) {
  return [=](Spec& s) { s.edit = change; };
}
Spoil plan_tree(const std::function<void(Node&)>& change) {
  return tree([=](Node& program) { change(program.child(program_field::kPlans)); });
}
Spoil tensor_tree(std::int32_t value, const std::function<void(Node&)>& change) {
  return plan_tree([=](Node& p) {
    change(p.child(plan_field::kValues, static_cast<std::size_t>(value)).child(1));
  });
}
Spoil without(unsigned field) {
  return plan_tree([=](Node& p) { p.erase(field); });
}
Spoil instruction(const Node& node) {
  return plan([=](PlanSpec& p) { p.instructions.push_back(node); });
}
Spoil value(std::int32_t index, const Node& node) {
  return plan([=](PlanSpec& p) { p.values[static_cast<std::size_t>(index)] = node; });
}

struct Case {
  const char* name;
  Spoil spoil;
  /// A part of the reason, or "" when the program is good.
  const char* words;
  Error error = Error::InvalidProgram;
};

class Verify : public ::testing::TestWithParam<Case> {};

TEST_P(Verify, SaysWhatTheRuleSays) {
  ProgramSpec spec = full_program();
  GetParam().spoil(spec);
  const Outcome outcome = verify(write_program(spec), true);
  const std::string words = GetParam().words;
  EXPECT_EQ(outcome.error, words.empty() ? Error::Ok : GetParam().error) << outcome.text;
  EXPECT_NE(outcome.text.find(words), std::string::npos) << outcome.text;
  EXPECT_EQ(words.empty(), outcome.text.empty()) << outcome.text;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

TEST(VerifyProgram, FullProgramIsAccepted) {
  const Outcome outcome = verify(write_program(full_program()), true);
  EXPECT_EQ(outcome.error, Error::Ok) << outcome.text;
}

// --- Rule 3: what must be there ---------------------------------------------

const std::vector<Case> kPresence = {
    {"NoPlans", tree([](Node& p) { p.erase(program_field::kPlans); }), "execution_plan is absent"},
    {"NoName", without(plan_field::kName), "name is absent"},
    {"NoValues", without(plan_field::kValues), "values is absent"},
    {"NoInputs", without(plan_field::kInputs), "inputs is absent"},
    {"NoOutputs", without(plan_field::kOutputs), "outputs is absent"},
    {"NoChains", without(plan_field::kChains), "chains is absent"},
    {"EmptyChains", plan_tree([](Node& p) { p.set(plan_field::kChains, Field::tables({})); }),
     "no chain"},
    {"NoInstructions", plan_tree([](Node& p) { p.child(plan_field::kChains).erase(2); }),
     "instructions is absent"},
    {"NoDelegates", without(plan_field::kDelegates), "delegates is absent"},
    {"NoBufferSizes", without(plan_field::kBufferSizes), "non_const_buffer_sizes is absent"},
    {"NoOperatorName", plan_tree([](Node& p) { p.child(plan_field::kOperators).erase(0); }),
     "name is absent"},
    {"NoDelegateId", plan_tree([](Node& p) { p.child(plan_field::kDelegates).erase(0); }),
     "id is absent"},
    {"NoProcessed", plan_tree([](Node& p) { p.child(plan_field::kDelegates).erase(1); }),
     "processed is absent"},
    {"NoSpecKey", plan_tree([](Node& p) { p.child(plan_field::kDelegates).child(2).erase(0); }),
     "key is absent"},
    {"NoSpecValue", plan_tree([](Node& p) { p.child(plan_field::kDelegates).child(2).erase(1); }),
     "value is absent"},
    {"NoNamedDataKey", tree([](Node& p) { p.child(program_field::kNamedData).erase(0); }),
     "key is absent"},
    {"NoOverloadIsGood", plan_tree([](Node& p) { p.child(plan_field::kOperators).erase(1); }), ""},
    {"NoSpecsIsGood", plan_tree([](Node& p) { p.child(plan_field::kDelegates).erase(2); }), ""},
    {"NoContainerIsGood", without(plan_field::kContainer), ""},
    {"NoInstructionIsGood", plan([](PlanSpec& p) { p.instructions.clear(); }), ""},
    {"NoDataIsGood",
     [](Spec& s) {
       s = {};
       s.plans = {add_plan()};
     },
     ""},
};
INSTANTIATE_TEST_SUITE_P(Rule3, Verify, ::testing::ValuesIn(kPresence), name_of);

// --- Rule 4: values, inputs, outputs ----------------------------------------

const std::vector<Case> kValues = {
    {"KindZero", value(kOne, Node().set(0, std::uint8_t{0})), "unknown kind 0"},
    {"KindUnknown", value(kOne, Node().set(0, std::uint8_t{12}).set(1, Field::table({}))),
     "unknown kind 12"},
    {"NoMember", value(kOne, Node().set(0, std::uint8_t{2})), "val is absent"},
    {"NullWithoutMemberIsGood", value(kNone, Node().set(0, std::uint8_t{1})), ""},
    {"EmptyIntIsZero", value(kOne, Node().set(0, std::uint8_t{2}).set(1, Field::table({}))), ""},
    {"InputBehindEnd", plan([](PlanSpec& p) { p.inputs[0] = 15; }), "input: value 15 of 15"},
    {"InputNegative", plan([](PlanSpec& p) { p.inputs[0] = -1; }), "input: value -1"},
    {"InputList", plan([](PlanSpec& p) { p.inputs[0] = kIntItems; }), "is of kind 7"},
    {"InputTensorList", plan([](PlanSpec& p) { p.inputs[0] = kTensorItems; }), "is of kind 10"},
    {"InputConstant", plan([](PlanSpec& p) { p.inputs[0] = kConstant; }), "is a constant"},
    {"InputExternal", plan([](PlanSpec& p) { p.inputs[0] = kExternal; }), "is a constant"},
    {"OutputBehindEnd", plan([](PlanSpec& p) { p.outputs[1] = 15; }), "output: value 15"},
    {"OutputNegative",
     plan([](PlanSpec& p) { p.outputs[1] = std::numeric_limits<std::int32_t>::min(); }),
     "output: value -2147483648"},
    {"OutputOfAnyKindIsGood", plan([](PlanSpec& p) {
       p.outputs = {kIntItems, kNone, kConstant};
     }),
     ""},
    {"StringAbsent",
     plan_tree([](Node& p) { p.child(plan_field::kValues, kWord).child(1).erase(0); }),
     "string_val is absent"},
};
INSTANTIATE_TEST_SUITE_P(Rule4, Verify, ::testing::ValuesIn(kValues), name_of);

// --- Rule 5: tensors --------------------------------------------------------

Node sized(std::vector<std::int32_t> sizes, ElementType type = ElementType::kFloat) {
  return tensor_value({.type = type, .sizes = std::move(sizes)});
}
constexpr std::int32_t kHuge = std::numeric_limits<std::int32_t>::max();

const std::vector<Case> kTensors = {
    {"TypeUnknown",
     tensor_tree(kInput, [](Node& t) { t.set(tensor_field::kType, std::int8_t{30}); }),
     "element type 30"},
    {"TypeNegative",
     tensor_tree(kInput, [](Node& t) { t.set(tensor_field::kType, std::int8_t{-1}); }),
     "element type -1"},
    {"NoSizes", tensor_tree(kInput, [](Node& t) { t.erase(tensor_field::kSizes); }),
     "sizes is absent"},
    {"NoDimOrder", tensor_tree(kInput, [](Node& t) { t.erase(tensor_field::kDimOrder); }),
     "dim_order is absent"},
    {"DimOrderShort", value(kOutput, tensor_value({.sizes = {2, 2}, .dim_order = Bytes{0}})),
     "2 sizes and 1"},
    {"DimOrderRepeats", value(kOutput, tensor_value({.sizes = {2, 2}, .dim_order = Bytes{1, 1}})),
     "not a permutation"},
    {"DimOrderTooLarge", value(kOutput, tensor_value({.sizes = {2, 2}, .dim_order = Bytes{0, 2}})),
     "not a permutation"},
    {"DimOrderHuge", value(kOutput, tensor_value({.sizes = {2, 2}, .dim_order = Bytes{0, 255}})),
     "not a permutation"},
    {"RankSeventeen", value(kOutput, sized(std::vector<std::int32_t>(17, 1))), "17 sizes"},
    {"RankSixteenIsGood", value(kOutput, sized(std::vector<std::int32_t>(16, 1))), ""},
    {"SizeNegative", value(kOutput, sized({2, -1})), "size -1"},
    {"ZeroSizedIsGood", value(kOutput, sized({0, 4})), ""},
    {"ChannelsLastIsGood",
     value(kOutput, tensor_value({.sizes = {1, 2, 3, 4}, .dim_order = Bytes{0, 2, 3, 1}})), ""},
    {"ElementsOverflow", value(kOutput, sized({kHuge, kHuge, kHuge})), "overflows"},
    {"BytesOverflow", value(kOutput, sized({kHuge, kHuge, 4}, ElementType::kDouble)), "overflows"},
    {"StrideOverflow", value(kOutput, sized({1, 65536, 65536})), "overflows"},
    {"LargestStrideIsGood", value(kOutput, sized({1, 1, kHuge})), ""},
    {"DynamismUnknown",
     tensor_tree(kOutput, [](Node& t) { t.set(tensor_field::kDynamism, std::int8_t{3}); }),
     "shape dynamism 3"},
    {"DynamismNegative",
     tensor_tree(kOutput, [](Node& t) { t.set(tensor_field::kDynamism, std::int8_t{-1}); }),
     "shape dynamism -1"},
    {"LocationUnknown",
     tensor_tree(kExternal, [](Node& t) { t.child(tensor_field::kExtra).set(2, std::int8_t{2}); }),
     "data location 2"},
    {"DeviceUnknown",
     tensor_tree(kExternal, [](Node& t) { t.child(tensor_field::kExtra).set(3, std::int8_t{2}); }),
     "device 2:0"},
    {"DeviceIndexNegative",
     tensor_tree(kExternal, [](Node& t) { t.child(tensor_field::kExtra).set(4, std::int8_t{-2}); }),
     "device 0:-2"},
    {"ExternalWithoutName",
     tensor_tree(kExternal, [](Node& t) { t.child(tensor_field::kExtra).erase(1); }),
     "without a name", Error::InvalidExternalData},
    // The bound of an input says nothing: it takes the shape that the caller brings.
    {"OversizedInputBoundIsGood", plan([](PlanSpec& p) {
       p.values[kInput] = tensor_value({.sizes = {kHuge, kHuge, kHuge}, .shape = Shape::kBound});
       p.instructions.clear();
     }),
     ""},
    {"OversizedStaticInput", plan([](PlanSpec& p) {
       p.values[kInput] = tensor_value({.sizes = {kHuge, kHuge, kHuge}});
     }),
     "overflows"},
    {"OversizedBoundOfNoInput",
     value(kOutput, tensor_value({.sizes = {kHuge, kHuge, kHuge}, .shape = Shape::kBound})),
     "overflows"},
    {"OversizedPlannedInput", plan([](PlanSpec& p) {
       p.values[kInput] = tensor_value({.sizes = {kHuge, kHuge, kHuge},
                                        .allocation = Allocation{1, 0},
                                        .shape = Shape::kBound});
     }),
     "overflows"},
};
INSTANTIATE_TEST_SUITE_P(Rule5, Verify, ::testing::ValuesIn(kTensors), name_of);

// --- Rules 6 and 7: planned memory ------------------------------------------

Node at(std::uint32_t memory, std::uint64_t offset, ElementType type = ElementType::kFloat) {
  return tensor_value({.type = type, .sizes = {4}, .allocation = Allocation{memory, offset}});
}
Spoil buffer(std::size_t index, std::int64_t size) {
  return plan([=](PlanSpec& p) { p.buffers[index] = size; });
}
Spoil devices(const std::vector<BufferDevice>& entries) {
  return plan([=](PlanSpec& p) { p.buffer_devices = entries; });
}

const std::vector<Case> kMemory = {
    {"MemoryZero", value(kActivation, at(0, 0)), "planned buffer 0 of 2"},
    {"MemoryBehindEnd", value(kActivation, at(3, 0)), "planned buffer 3 of 2"},
    {"MemoryLargest", value(kActivation, at(~std::uint32_t{0}, 0)), "planned buffer 4294967295"},
    {"EndBehindBuffer", value(kActivation, at(1, 20)), "16 bytes at 20"},
    {"OffsetBehindBuffer", value(kActivation, at(1, 36)), "16 bytes at 36"},
    {"OffsetWraps", value(kActivation, at(1, ~std::uint64_t{3})), "16 bytes at 184467440737095516"},
    {"HighHalfCounts", value(kActivation, at(1, std::uint64_t{1} << 32)), "bytes at 4294967296"},
    {"OffsetUnaligned", value(kActivation, at(1, 2)), "not aligned"},
    {"OverlapIsGood", value(kActivation, at(1, 0)), ""},
    {"EmptyAtEndIsGood",
     value(kActivation, tensor_value({.sizes = {0}, .allocation = Allocation{1, 32}})), ""},
    {"NoReservedEntry", plan_tree([](Node& p) {
       p.set(plan_field::kBufferSizes, Field::numbers(std::vector<std::int64_t>{}));
     }),
     "non_const_buffer_sizes is empty"},
    {"SizeNegative", buffer(0, -1), "planned buffer 1: -1 bytes"},
    {"SizeTooLarge", buffer(0, std::numeric_limits<std::int64_t>::max()), "planned buffer 1"},
    {"TotalTooLarge", plan([](PlanSpec& p) {
       p.buffers = {format::kMaxPlannedBytes, format::kMaxPlannedBytes};
     }),
     "planned buffer 2"},
    {"ReservedEntryIsIgnored", plan_tree([](Node& p) {
       p.set(plan_field::kBufferSizes, Field::numbers(std::vector<std::int64_t>{-9, 32, 16}));
     }),
     ""},
    {"DeviceOfReservedBuffer", devices({{.buffer = 0}}), "buffer 0 of 3"},
    {"DeviceOfNoBuffer", devices({{.buffer = 3}}), "buffer 3 of 3"},
    {"DeviceOfNegativeBuffer", devices({{.buffer = -1}}), "buffer -1 of 3"},
    {"DeviceTwice", devices({{.buffer = 1}, {.buffer = 1}}), "buffer 1 of 3 after 1"},
    {"DeviceUnknownType", devices({{.buffer = 1, .type = 2}}), "device 2:0"},
    {"DeviceNegativeIndex", devices({{.buffer = 1, .index = -2}}), "device 1:-2"},
    {"DevicesOfAllIsGood", devices({{.buffer = 1, .type = 0}, {.buffer = 2, .index = 1}}), ""},
};
INSTANTIATE_TEST_SUITE_P(Rules6And7, Verify, ::testing::ValuesIn(kMemory), name_of);

// --- Rule 8: constants, states, segments ------------------------------------

Spoil segment(std::size_t index, unsigned field, std::uint64_t number) {
  return tree([=](Node& p) { p.child(program_field::kSegments, index).set(field, number); });
}
Spoil offsets(unsigned of, const std::vector<std::uint64_t>& numbers) {
  return tree([=](Node& p) { p.child(of).set(1, Field::numbers(numbers)); });
}
Spoil constant(const TensorSpec& spec) { return value(kConstant, tensor_value(spec)); }
Spoil inline_constants(const std::function<void(Spec&)>& then = [](Spec&) {}) {
  return [=](Spec& s) {
    s.inline_constants = true;
    then(s);
  };
}

const std::vector<Case> kData = {
    {"ConstantBehindEnd", constant({.sizes = {2}, .data = 2}), "data 2 of 2"},
    {"ConstantTooLong", constant({.sizes = {5}, .data = 1}), "20 bytes at 0"},
    {"ConstantOffsetBehindSegment", offsets(program_field::kConstants, {0, 17}), "at 17"},
    {"ConstantOffsetWraps", offsets(program_field::kConstants, {0, ~std::uint64_t{7}}),
     "16 bytes at 1844674407370955160"},
    {"ConstantUnaligned",
     [](Spec& s) {
       s.plans[0].values[kConstant] = tensor_value({.sizes = {3}, .data = 1});
       offsets(program_field::kConstants, {0, 2})(s);
     },
     "not aligned"},
    {"NoConstants", offsets(program_field::kConstants, {0}), "constant 1 of 0"},
    {"NoConstantSegment", tree([](Node& p) { p.erase(program_field::kConstants); }),
     "constant 1 of 0"},
    {"ConstantSegmentUnknown",
     tree([](Node& p) { p.child(program_field::kConstants).set(0, std::uint32_t{4}); }),
     "segment 4 of 4"},
    {"ConstantsTwice", tree([](Node& p) {
       p.set(program_field::kInlineConstants,
             Field::tables({Node().set(0, Field::numbers(Bytes(16), 16))}));
     }),
     "1 constants inline and 2"},
    {"InlineIsGood", inline_constants(), ""},
    {"InlineBehindEnd", inline_constants(constant({.sizes = {2}, .data = 2})), "constant 2 of 2"},
    {"InlineTooLong", inline_constants(constant({.sizes = {5}, .data = 1})),
     "20 bytes of a constant of 16"},
    {"InlineAbsent",
     inline_constants(tree([](Node& p) { p.child(program_field::kInlineConstants, 1).erase(0); })),
     "16 bytes of a constant of 0"},
    {"EmptyConstantIsGood", constant({.sizes = {0}, .data = 1}), ""},
    {"StateBehindEnd",
     value(kState, tensor_value({.sizes = {3}, .allocation = Allocation{1, 16}, .data = 2})),
     "data 2 of 2"},
    {"StateTooLong",
     value(kState, tensor_value({.sizes = {4}, .allocation = Allocation{1, 16}, .data = 1})),
     "16 bytes at 0 of a segment of 12"},
    {"StateWithoutData", tree([](Node& p) { p.erase(program_field::kMutableData); }),
     "no mutable data"},
    {"StateWithoutOffsets", tree([](Node& p) { p.child(program_field::kMutableData).erase(1); }),
     "data 1 of 0"},
    {"StateSegmentUnknown",
     tree([](Node& p) { p.child(program_field::kMutableData).set(0, std::uint32_t{9}); }),
     "mutable data 0: segment 9"},
    {"StatesArePacked",
     [](Spec& s) {
       s.states.insert(s.states.begin(), bytes_of<std::uint8_t>({1}));
       s.plans[0].values[kState] =
           tensor_value({.sizes = {3}, .allocation = Allocation{1, 16}, .data = 2});
     },
     ""},
    {"NamedSegmentUnknown",
     tree([](Node& p) { p.child(program_field::kNamedData).set(1, std::uint32_t{4}); }),
     "named data 0: segment 4"},
    {"SegmentTooLong", segment(3, 1, 3), "segment 3: 3 bytes"},
    {"SegmentBehindEnd", segment(3, 0, 1 << 20), "segment 3"},
    {"SegmentOffsetWraps", segment(3, 0, ~std::uint64_t{0}), "segment 3"},
    {"SegmentSizeWraps", segment(3, 1, ~std::uint64_t{0}), "segment 3"},
    {"EmptySegmentAnywhereIsGood",
     [](Spec& s) {
       s.plans[0].delegates[0].processed.clear();
       segment(2, 0, 1 << 20)(s);
     },
     ""},
    {"SegmentsWithoutHeader", [](Spec& s) { s.header = ExtendedHeader::kNone; },
     "segment 0: 16 bytes"},
};
INSTANTIATE_TEST_SUITE_P(Rule8, Verify, ::testing::ValuesIn(kData), name_of);

// --- Rule 9: lists ----------------------------------------------------------

const std::vector<Case> kLists = {
    {"IntItemBehindEnd", value(kIntItems, int_list_value({15})), "list item 15 of 15"},
    {"IntItemNegative", value(kIntItems, int_list_value({-1})), "list item -1"},
    {"IntItemWide", value(kIntItems, int_list_value({std::int64_t{1} << 32})),
     "list item 4294967296"},
    {"IntItemOfOtherKind", value(kIntItems, int_list_value({kFlag})), "is of kind 3"},
    {"TensorItemBehindEnd", value(kTensorItems, tensor_list_value({15})), "list item 15"},
    {"TensorItemNone", value(kTensorItems, tensor_list_value({-1})), "list item -1"},
    {"TensorItemOfOtherKind", value(kTensorItems, tensor_list_value({kOne})), "is of kind 2"},
    {"TensorItemNull", value(kTensorItems, tensor_list_value({kNone})), "is of kind 1"},
    {"MaybeItemBehindEnd", value(kMaybeItems, optional_tensor_list_value({15})), "list item 15"},
    {"MaybeItemNegative", value(kMaybeItems, optional_tensor_list_value({-2})), "list item -2"},
    {"MaybeItemOfOtherKind", value(kMaybeItems, optional_tensor_list_value({kOne})),
     "is of kind 2"},
    {"ForwardReferenceIsGood", value(kTensorItems, tensor_list_value({kExternal})), ""},
    {"EmptyListsAreGood", plan([](PlanSpec& p) {
       p.values[kIntItems] = int_list_value({});
       p.values[kTensorItems] = tensor_list_value({});
       p.values[kMaybeItems] = optional_tensor_list_value({});
     }),
     ""},
    {"NoItems",
     plan_tree([](Node& p) { p.child(plan_field::kValues, kIntItems).child(1).erase(0); }),
     "items is absent"},
    {"BoolOfThree", value(kBools, bool_list_value({3})), "neither 0 nor 1"},
};
INSTANTIATE_TEST_SUITE_P(Rule9, Verify, ::testing::ValuesIn(kLists), name_of);

// --- Rule 10: instructions --------------------------------------------------

Spoil long_operator(std::size_t name, std::size_t overload) {
  return plan([=](PlanSpec& p) {
    p.operators[1] = {std::string(name, 'n'), std::string(overload, 'o')};
  });
}

const std::vector<Case> kInstructions = {
    {"KindZero", instruction(Node().set(0, std::uint8_t{0})), "unknown kind 0"},
    {"KindUnknown", instruction(Node().set(0, std::uint8_t{6}).set(1, Field::table({}))),
     "unknown kind 6"},
    {"NoMember", instruction(Node().set(0, std::uint8_t{1})), "instr_args is absent"},
    {"OperatorBehindEnd", instruction(kernel_call(2, {})), "operator 2 of 2"},
    {"OperatorNegative", instruction(kernel_call(-1, {})), "operator -1"},
    {"KernelArgumentBehindEnd", instruction(kernel_call(0, {0, 15})), "value 15 of 15"},
    {"KernelArgumentNegative", instruction(kernel_call(0, {-1})), "value -1"},
    {"KernelResultConstant", instruction(kernel_call(0, {kInput, kConstant, kConstant})),
     "writes to a constant"},
    {"KernelResultExternal", instruction(kernel_call(0, {kExternal, kInput, kExternal})),
     "writes to a constant"},
    {"ConstantAsOnlyLastArgumentIsGood", instruction(kernel_call(0, {kInput, kConstant})), ""},
    {"NoArgumentsIsGood",
     plan_tree([](Node& p) { p.child(plan_field::kChains).child(2, 0).child(1).erase(1); }), ""},
    {"OperatorNameTooLong", long_operator(100, 0), "a name of 100 characters"},
    {"OperatorNameWithOverloadTooLong", long_operator(50, 49), "a name of 100 characters"},
    {"LongestOperatorNameIsGood", long_operator(50, 48), ""},
    {"DelegateBehindEnd", instruction(delegate_call(2, {})), "delegate 2 of 2"},
    {"DelegateNegative", instruction(delegate_call(-1, {})), "delegate -1"},
    {"DelegateArgumentBehindEnd", instruction(delegate_call(0, {15})), "value 15"},
    {"MoveFromBehindEnd", instruction(move_call(15, 0)), "value 15"},
    {"MoveToBehindEnd", instruction(move_call(0, 15)), "value 15"},
    {"MoveToNegative", instruction(move_call(0, -1)), "value -1"},
    {"MoveToOtherKind", instruction(move_call(kOne, kInput)), "moves a value of kind 2"},
    {"ConditionBehindEnd", instruction(jump_false_call(15, 0)), "value 15"},
    {"JumpBehindEnd", instruction(jump_false_call(kFlag, 7)), "jumps to 7 of 6"},
    {"JumpNegative", instruction(jump_false_call(kFlag, -1)), "jumps to -1"},
    {"JumpToEndIsGood", instruction(jump_false_call(kFlag, 6)), ""},
    {"FreeBehindEnd", instruction(free_call(15)), "value 15"},
    {"FreeOfOtherKind", instruction(free_call(kOne)), "which is no tensor"},
};
INSTANTIATE_TEST_SUITE_P(Rule10, Verify, ::testing::ValuesIn(kInstructions), name_of);

// --- Rule 12: delegates -----------------------------------------------------

Spoil delegate_data(std::size_t delegate, const std::function<void(Node&)>& change) {
  return plan_tree([=](Node& p) { change(p.child(plan_field::kDelegates, delegate).child(1)); });
}

const std::vector<Case> kDelegates = {
    {"SegmentBehindEnd", delegate_data(0, [](Node& d) { d.set(1, std::uint32_t{4}); }),
     "data 4 of 4"},
    {"InlineBehindEnd", delegate_data(1, [](Node& d) { d.set(1, std::uint32_t{1}); }),
     "data 1 of 1"},
    {"InlineWithoutList", tree([](Node& p) { p.erase(program_field::kInlineDelegates); }),
     "data 0 of 0"},
    {"SegmentWithoutList",
     [](Spec& s) {
       s = {};
       s.plans = {add_plan()};
       s.plans[0].delegates = {{.id = "Demo"}};
       tree([](Node& p) { p.erase(program_field::kSegments); })(s);
     },
     "data 1 of 0"},
    {"LocationUnknown", delegate_data(0, [](Node& d) { d.set(0, std::int8_t{2}); }),
     "data location 2"},
    {"LocationNegative", delegate_data(0, [](Node& d) { d.set(0, std::int8_t{-1}); }),
     "data location -1"},
    {"EmptyInlineWithoutVectorIsGood",
     tree([](Node& p) { p.child(program_field::kInlineDelegates).erase(0); }), ""},
};
INSTANTIATE_TEST_SUITE_P(Rule12, Verify, ::testing::ValuesIn(kDelegates), name_of);

// --- Not supported: seen when the method is loaded --------------------------

struct Unsupported {
  const char* name;
  unsigned field;
  Field number;
};

class NotSupported : public ::testing::TestWithParam<Unsupported> {};

TEST_P(NotSupported, IsVerifiedButNotLoadable) {
  ProgramSpec spec;
  spec.plans = {add_plan()};
  tensor_tree(0, [](Node& t) { t.set(GetParam().field, GetParam().number); })(spec);
  const AlignedBytes file(write_program(spec));
  format::Refusal refusal;
  const auto program =
      format::verify_program(file.view(), {file.view().size(), 0, 0}, true, refusal);
  ASSERT_TRUE(program) << refusal.text;
  EXPECT_FALSE(format::check_supported(program.plans()[0], refusal));
  EXPECT_EQ(refusal.error, Error::NotSupported) << refusal.text;
}

const Unsupported kUnsupported[] = {
    {"StorageOffset", tensor_field::kStorageOffset, Field::number(std::int32_t{4})},
    {"UnboundShape", tensor_field::kDynamism, Field::number(std::int8_t{2})},
    {"Layout", tensor_field::kLayout, Field::number(std::int8_t{1})},
};
INSTANTIATE_TEST_SUITE_P(Rule5, NotSupported, ::testing::ValuesIn(kUnsupported),
                         [](const auto& test) { return test.param.name; });

// --- Every byte -------------------------------------------------------------

// Whatever one byte becomes, verification ends with a verdict and reads nothing outside; what it
// accepts can be walked.
TEST(VerifyProgram, SurvivesEverySingleByte) {
  const Bytes good = write_program(full_program());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      Bytes bad = good;
      bad[at] = static_cast<std::uint8_t>(bad[at] ^ flip);
      if (verify(bad, true).error != Error::Ok) ++refused;
    }
  }
  EXPECT_GT(refused, good.size() / 4);
}

TEST(VerifyProgram, SurvivesEveryTruncation) {
  const Bytes good = write_program(full_program());
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(verify(part).error, Error::Ok) << size;
  }
}

TEST(TensorSize, CountsElementsAndBytes) {
  const auto size = [](std::vector<std::int32_t> sizes, std::int8_t type) {
    std::vector<std::uint8_t> order(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint8_t>(i);
    return format::tensor_size(sizes, order, type);
  };
  EXPECT_EQ(size({}, 6)->bytes, 4U);
  EXPECT_EQ(size({2, 3}, 7)->bytes, 48U);
  EXPECT_EQ(size({2, 0, 3}, 6)->elements, 0U);
  EXPECT_FALSE(size({kHuge, kHuge, kHuge, 0}, 6)) << "its strides are computed all the same";
  EXPECT_EQ(size({kHuge, kHuge}, 0)->elements, 4611686014132420609U);
  EXPECT_FALSE(size({kHuge, kHuge}, 4));
}

}  // namespace
}  // namespace executorch::runtime::testing
