// Program, MethodMeta and the data behind them, through a loader.

#include <algorithm>
#include <cstring>
#include <executorch/runtime/executor/program.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "runtime/program/program_state.h"
#include "runtime/testing/memory_loader.h"
#include "runtime/testing/program_writer.h"

// Deprecated and experimental functions are tested too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace executorch::runtime::testing {
namespace {

using internal::ProgramState;
using Type = DataLoader::SegmentInfo::Type;

ProgramSpec two_methods() {
  PlanSpec second = add_plan({3});
  second.name = "second";
  second.values.push_back(string_value("x"));
  second.values.push_back(tensor_value(
      {.type = ElementType::kLong, .sizes = {2}, .data = 2, .extra = ExtraInfo{.name = "table"}}));
  second.values.push_back(tensor_value({.sizes = {4},
                                        .allocation = Allocation{2, 0},
                                        .data = 1,
                                        .extra = ExtraInfo{.name = "cache"}}));
  second.values.push_back(int_list_value({3}));
  second.inputs = {4, 0};
  second.outputs = {2, 6, 7, 3};
  second.buffers.push_back(16);
  second.buffer_devices = {{.buffer = 2, .type = 1, .index = 3}};
  second.delegates = {{.id = "One", .processed = bytes_of<char>({'1'})},
                      {.id = "Two", .processed = bytes_of<char>({'2', '2'}), .inlined = true},
                      {.id = "One"}};
  ProgramSpec spec;
  spec.plans = {add_plan(), second};
  spec.constants = {bytes_of<float>({1, 2}), bytes_of<std::int64_t>({7, 8})};
  spec.states = {bytes_of<float>({5, 6, 7, 8})};
  spec.named_data = {{"key", bytes_of<char>({'a', 'b'})}, {"other", bytes_of<char>({'c'})}};
  return spec;
}

struct Loaded {
  explicit Loaded(const Bytes& file,
                  Program::Verification verification = Program::Verification::Minimal)
      : loader(file), program(Program::load(&loader, verification)) {}

  const ProgramState& state() { return ProgramState::of(*program); }
  format::TensorTable tensor(const char* method, std::uint32_t value) {
    return state().plan(method)->values()[value].tensor();
  }

  MemoryLoader loader;
  Result<Program> program;
};

TEST(Program, LoadsTablesAndConstantsAndNothingElse) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  ASSERT_EQ(loaded.loader.loads.size(), 3U);  // head, tables, constants
  EXPECT_EQ(loaded.loader.loads[0].size, Program::kMinHeadBytes);
  EXPECT_EQ(loaded.loader.loads[1].info.segment_type, Type::Program);
  EXPECT_EQ(loaded.loader.loads[2].info.segment_type, Type::Constant);
  EXPECT_EQ(loaded.loader.loads[2].size, 32U);
}

TEST(Program, NamesItsMethods) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  EXPECT_EQ(loaded.program->num_methods(), 2U);
  EXPECT_STREQ(*loaded.program->get_method_name(1), "second");
  EXPECT_EQ(loaded.program->get_method_name(2).error(), Error::InvalidArgument);
  EXPECT_EQ(loaded.program->method_meta("third").error(), Error::InvalidArgument);
  EXPECT_EQ(loaded.program->method_meta(nullptr).error(), Error::InvalidArgument);
}

TEST(Program, FirstOfTwoMethodsOfOneNameIsMeant) {
  ProgramSpec spec = two_methods();
  spec.plans[1].name = "forward";
  Loaded loaded(write_program(spec));
  ASSERT_TRUE(loaded.program.ok());
  EXPECT_EQ(loaded.program->method_meta("forward")->num_outputs(), 1U);
}

TEST(Program, IsMovedWithItsData) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  const Program moved(std::move(*loaded.program));
  EXPECT_STREQ(*moved.get_method_name(0), "forward");
  EXPECT_EQ(static_cast<const float*>(*moved.get_constant_buffer_data(1, 8))[1], 2.0F);
}

TEST(Program, RefusesWhatVerificationRefuses) {
  Bytes file = write_program(two_methods());
  put_number(file, 0, ~std::uint32_t{0});
  EXPECT_EQ(Loaded(file).program.error(), Error::InvalidProgram);
  EXPECT_EQ(Program::load(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(Loaded(Bytes(63)).program.error(), Error::InvalidArgument);
}

TEST(Program, DebugTablesMatterToInternalConsistencyOnly) {
  ProgramSpec spec = two_methods();
  spec.edit = [](Node& program) {
    // A stack trace of which the vector of frames holds a frame that is too short a table.
    Node& chain = program.child(program_field::kPlans).child(plan_field::kChains);
    chain.set(3, Field::numbers(std::vector<std::uint32_t>{1U << 20}));
  };
  const Bytes file = write_program(spec);
  EXPECT_TRUE(Loaded(file).program.ok());
  EXPECT_EQ(Loaded(file, Program::Verification::InternalConsistency).program.error(),
            Error::InvalidProgram);
}

TEST(Program, LoaderThatFailsIsReported) {
  const Bytes file = write_program(two_methods());
  for (std::size_t calls = 0; calls < 3; ++calls) {
    MemoryLoader loader(file);
    loader.fail_after = calls;
    EXPECT_EQ(Program::load(&loader).error(), Error::AccessFailed) << calls;
  }
  MemoryLoader loader(file);
  loader.truncate = true;
  EXPECT_EQ(Program::load(&loader).error(), Error::AccessFailed);
}

// Tables are read in place, and their alignments count from the beginning of the file.
class Unaligned final : public DataLoader {
 public:
  explicit Unaligned(const Bytes& file) : size_(file.size()), bytes_(shifted(file)) {}
  Result<FreeableBuffer> load(std::size_t offset, std::size_t size,
                              const SegmentInfo& /*info*/) const override {
    return FreeableBuffer(bytes_.view().data() + 8 + offset, size, nullptr);
  }
  Result<std::size_t> size() const override { return size_; }

 private:
  static Bytes shifted(const Bytes& file) {
    Bytes bytes(8 + file.size());
    std::copy(file.begin(), file.end(), bytes.begin() + 8);
    return bytes;
  }
  std::size_t size_;
  AlignedBytes bytes_;
};

TEST(Program, UnalignedDataIsRefused) {
  Unaligned loader(write_program(two_methods()));
  EXPECT_EQ(Program::load(&loader).error(), Error::InvalidArgument);
}

TEST(Program, GivesConstantsWithinBounds) {
  for (const bool inlined : {false, true}) {
    ProgramSpec spec = two_methods();
    spec.inline_constants = inlined;
    Loaded loaded(write_program(spec));
    ASSERT_TRUE(loaded.program.ok());
    const Program& program = *loaded.program;
    ASSERT_TRUE(program.get_constant_buffer_data(2, 16).ok());
    EXPECT_EQ(static_cast<const std::int64_t*>(*program.get_constant_buffer_data(2, 16))[1], 8);
    EXPECT_EQ(program.get_constant_buffer_data(2, 17).error(), Error::InvalidArgument);
    EXPECT_EQ(program.get_constant_buffer_data(2, SIZE_MAX).error(), Error::InvalidArgument);
    EXPECT_EQ(program.get_constant_buffer_data(3, 0).error(), Error::InvalidArgument);
    EXPECT_EQ(loaded.state().constant(loaded.tensor("second", 5)),
              *program.get_constant_buffer_data(2, 16));
  }
}

TEST(Program, WithoutConstantsThereAreNone) {
  ProgramSpec spec;
  spec.plans = {add_plan()};
  Loaded loaded(write_program(spec));
  ASSERT_TRUE(loaded.program.ok());
  EXPECT_EQ(loaded.program->get_constant_buffer_data(1, 0).error(), Error::InvalidArgument);
  EXPECT_EQ(loaded.program->get_constant_buffer_data(0, 1).error(), Error::InvalidArgument);
}

TEST(Program, LoadsInitialStates) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  for (const bool direct : {true, false}) {
    loaded.loader.can_load_into = direct;
    float place[5] = {};
    EXPECT_EQ(loaded.state().load_state(loaded.tensor("second", 6), 16, place), Error::Ok);
    EXPECT_EQ(place[3], 8.0F);
    EXPECT_EQ(place[4], 0.0F);
    EXPECT_EQ(loaded.loader.loads.back().info.segment_type, Type::Mutable);
  }
}

TEST(Program, LoadsDelegateData) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  const auto delegates = loaded.state().plan("second")->delegates();
  const Result<FreeableBuffer> segment = loaded.state().load_delegate_data(delegates[0]);
  ASSERT_TRUE(segment.ok());
  EXPECT_EQ(std::string(static_cast<const char*>(segment->data()), segment->size()), "1");
  EXPECT_EQ(loaded.loader.loads.back().info.segment_type, Type::Backend);
  EXPECT_STREQ(loaded.loader.loads.back().info.descriptor, "One");
  const Result<FreeableBuffer> inlined = loaded.state().load_delegate_data(delegates[1]);
  ASSERT_TRUE(inlined.ok());
  EXPECT_EQ(std::string(static_cast<const char*>(inlined->data()), inlined->size()), "22");
  const Result<FreeableBuffer> empty = loaded.state().load_delegate_data(delegates[2]);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->size(), 0U);
}

TEST(Program, YieldsNamedData) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  const Result<const NamedDataMap*> found = loaded.program->get_named_data_map();
  ASSERT_TRUE(found.ok());
  const NamedDataMap& map = **found;
  EXPECT_EQ(*map.get_num_keys(), 2U);
  EXPECT_STREQ(*map.get_key(1), "other");
  EXPECT_EQ(map.get_key(2).error(), Error::InvalidArgument);
  EXPECT_EQ(map.get_data("key")->size(), 2U);
  EXPECT_EQ(map.get_data("ke").error(), Error::NotFound);
  EXPECT_EQ(map.get_tensor_layout("key").error(), Error::NotImplemented);
  EXPECT_EQ(map.load_data_into("key", nullptr, 0), Error::NotImplemented);

  ProgramSpec none;
  none.plans = {add_plan()};
  EXPECT_EQ(Loaded(write_program(none)).program->get_named_data_map().error(), Error::NotFound);
}

TEST(Program, YieldsTheNestingOfOutputs) {
  ProgramSpec spec = two_methods();
  spec.edit = [](Node& program) {
    program.child(program_field::kPlans, 1).erase(plan_field::kContainer);
  };
  Loaded loaded(write_program(spec));
  ASSERT_TRUE(loaded.program.ok());
  EXPECT_STREQ(*loaded.program->get_output_flattening_encoding(), "outputs");
  EXPECT_EQ(loaded.program->get_output_flattening_encoding("second").error(), Error::NotFound);
  EXPECT_EQ(loaded.program->get_output_flattening_encoding("third").error(),
            Error::InvalidArgument);
}

TEST(Program, ChecksHeaders) {
  Bytes file = write_program(two_methods());
  EXPECT_EQ(Program::check_header(file.data(), 64), Program::CompatibleVersion);
  EXPECT_EQ(Program::check_header(file.data(), 63), Program::ShortData);
  EXPECT_EQ(Program::check_header(nullptr, 64), Program::ShortData);
  std::memcpy(&file[4], "ET00", 4);
  EXPECT_EQ(Program::check_header(file.data(), 64), Program::IncompatibleVersion);
  std::memcpy(&file[4], "PK00", 4);
  EXPECT_EQ(Program::check_header(file.data(), 64), Program::NotPresent);
}

TEST(MethodMeta, DescribesInputsAndOutputs) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  const Result<MethodMeta> meta = loaded.program->method_meta("second");
  ASSERT_TRUE(meta.ok());
  EXPECT_STREQ(meta->name(), "second");
  EXPECT_EQ(meta->num_inputs(), 2U);
  EXPECT_EQ(*meta->input_tag(0), Tag::String);
  EXPECT_EQ(*meta->input_tag(1), Tag::Tensor);
  EXPECT_EQ(meta->input_tag(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta->input_tensor_meta(0).error(), Error::InvalidArgument);
  EXPECT_EQ(meta->input_tensor_meta(2).error(), Error::InvalidArgument);
  const Result<TensorInfo> input = meta->input_tensor_meta(1);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->sizes().size(), 1U);
  EXPECT_EQ(input->sizes()[0], 3);
  EXPECT_EQ(input->dim_order()[0], 0);
  EXPECT_EQ(input->scalar_type(), etensor::ScalarType::Float);
  EXPECT_TRUE(input->is_memory_planned());
  EXPECT_EQ(input->nbytes(), 12U);
  EXPECT_EQ(input->name(), "");

  EXPECT_EQ(meta->num_outputs(), 4U);
  EXPECT_EQ(*meta->output_tag(2), Tag::ListInt);
  EXPECT_EQ(meta->output_tag(4).error(), Error::InvalidArgument);
  EXPECT_EQ(meta->output_tensor_meta(3).error(), Error::InvalidArgument);
  EXPECT_EQ(meta->output_tensor_meta(1)->name(), "cache");
}

TEST(MethodMeta, DescribesMemoryBackendsAndAttributes) {
  Loaded loaded(write_program(two_methods()));
  ASSERT_TRUE(loaded.program.ok());
  const Result<MethodMeta> meta = loaded.program->method_meta("second");
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->num_memory_planned_buffers(), 2U);
  EXPECT_EQ(*meta->memory_planned_buffer_size(0), 48);
  EXPECT_EQ(*meta->memory_planned_buffer_size(1), 16);
  EXPECT_EQ(meta->memory_planned_buffer_size(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta->memory_planned_buffer_device(0)->type(), etensor::DeviceType::CPU);
  EXPECT_EQ(meta->memory_planned_buffer_device(1)->type(), etensor::DeviceType::CUDA);
  EXPECT_EQ(meta->memory_planned_buffer_device(1)->index(), 3);
  EXPECT_EQ(meta->memory_planned_buffer_device(2).error(), Error::InvalidArgument);

  EXPECT_EQ(meta->num_backends(), 3U);
  EXPECT_STREQ(*meta->get_backend_name(1), "Two");
  EXPECT_EQ(meta->get_backend_name(3).error(), Error::InvalidArgument);
  EXPECT_TRUE(meta->uses_backend("One"));
  EXPECT_FALSE(meta->uses_backend("Three"));
  EXPECT_EQ(meta->num_instructions(), 1U);

  EXPECT_EQ(meta->num_attributes(), 2U);
  EXPECT_EQ(meta->attribute_tensor_meta(0)->name(), "table");
  EXPECT_EQ(meta->attribute_tensor_meta(0)->scalar_type(), etensor::ScalarType::Long);
  EXPECT_EQ(meta->attribute_tensor_meta(1)->name(), "cache");
  EXPECT_EQ(meta->attribute_tensor_meta(2).error(), Error::InvalidArgument);
}

TEST(MethodMeta, OversizedBoundHasNoSize) {
  constexpr std::int32_t kHuge = 0x7fffffff;
  ProgramSpec spec;
  spec.plans = {add_plan()};
  spec.plans[0].values[0] = tensor_value({.sizes = {kHuge, kHuge, kHuge}, .shape = Shape::kBound});
  Loaded loaded(write_program(spec));
  ASSERT_TRUE(loaded.program.ok());
  EXPECT_EQ(loaded.program->method_meta("forward")->input_tensor_meta(0).error(),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::runtime::testing
