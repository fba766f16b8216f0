// Writes the small programs of the Python tests: write_programs FOLDER.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/testing/program_writer.h"

namespace executorch::runtime::testing {
namespace {

constexpr std::uint64_t kSlot = 64;

// Two values of any type, of which the second is an output that is the first input.
PlanSpec same_plan(ElementType type, bool planned) {
  PlanSpec plan;
  TensorSpec tensor{.type = type, .sizes = {2, 3}};
  if (planned) {
    tensor.allocation = Allocation{};
    plan.buffers = {kSlot * 2};
  }
  plan.values = {tensor_value(tensor)};
  plan.inputs = {0};
  plan.outputs = {0};
  return plan;
}

// x + y, of any shape; with `planned` in memory of the method's.
PlanSpec sum_plan(TensorSpec tensor, bool planned) {
  PlanSpec plan;
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (planned) tensor.allocation = Allocation{1, i * kSlot * 4};
    plan.values.push_back(tensor_value(tensor));
  }
  if (planned) plan.buffers = {kSlot * 12};
  plan.values.push_back(int_value(1));
  plan.inputs = {0, 1};
  plan.outputs = {2};
  plan.operators = {{"aten::add", "out"}};
  plan.instructions = {kernel_call(0, {0, 1, 3, 2, 2})};
  return plan;
}

// Gives back every kind of value that an input can be, and lists.
PlanSpec values_plan() {
  PlanSpec plan;
  plan.values = {null_value(),
                 int_value(-3),
                 bool_value(true),
                 double_value(1.5),
                 string_value("gelu"),
                 int_list_value({1, 1}),
                 double_list_value({0.5, -2}),
                 bool_list_value({1, 0, 1}),
                 tensor_value({.sizes = {2}, .data = 1}),
                 tensor_list_value({8, 8}),
                 optional_tensor_list_value({-1, 8})};
  plan.inputs = {0, 1, 2, 3, 4};
  plan.outputs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  return plan;
}

// Adds y to the caller's own x, and gives x back.
PlanSpec in_place_plan() {
  PlanSpec plan = sum_plan({.sizes = {2, 3}}, false);
  plan.values.erase(plan.values.begin() + 2);
  plan.outputs = {0};
  plan.instructions = {kernel_call(0, {0, 1, 2, 0, 0})};
  return plan;
}

// Adds x to a state in the second buffer, and gives a copy of the state back. Its x and its output
// lie in the first buffer.
PlanSpec state_plan(const std::string& name) {
  PlanSpec plan;
  plan.name = name;
  plan.values = {
      tensor_value({.sizes = {2}, .allocation = Allocation{1, 0}}),
      tensor_value({.sizes = {2},
                    .allocation = Allocation{2, 0},
                    .data = 1,
                    .extra = ExtraInfo{.name = "state"}}),
      tensor_value({.sizes = {2}, .allocation = Allocation{1, kSlot}}),
      int_value(1),
  };
  plan.inputs = {0};
  plan.outputs = {2};
  plan.operators = {{"aten::add", "out"}, {"aten::alias_copy", "out"}};
  plan.instructions = {kernel_call(0, {1, 0, 3, 1, 1}), kernel_call(1, {1, 2, 2})};
  plan.buffers = {kSlot * 2, kSlot};
  return plan;
}

// From the host to the device and back, the device's part in memory that was planned there.
PlanSpec across_plan() {
  PlanSpec plan;
  const ExtraInfo on_device{.device_type = 1};
  plan.values = {
      tensor_value({.sizes = {2, 3}, .allocation = Allocation{1, 0}}),
      tensor_value({.sizes = {2, 3}, .allocation = Allocation{2, 0}, .extra = on_device}),
      tensor_value({.sizes = {2, 3}, .allocation = Allocation{1, kSlot}}),
  };
  plan.inputs = {0};
  plan.outputs = {2};
  plan.operators = {{"et_copy::_h2d_copy", "out"}, {"et_copy::_d2h_copy", "out"}};
  plan.instructions = {kernel_call(0, {0, 1, 1}), kernel_call(1, {1, 2, 2})};
  plan.buffers = {kSlot * 2, kSlot};
  plan.buffer_devices = {{.buffer = 2}};
  return plan;
}

// To the device, where the output stays: in memory that was planned, or that nobody planned.
PlanSpec stays_plan(bool planned) {
  PlanSpec plan = across_plan();
  plan.values.pop_back();
  plan.outputs = {1};
  plan.instructions.pop_back();
  if (!planned) {
    plan.values[1] = tensor_value({.sizes = {2, 3}, .extra = ExtraInfo{.device_type = 1}});
    plan.buffers.pop_back();
    plan.buffer_devices.clear();
  }
  return plan;
}

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }

  void write(const std::string& name, const ProgramSpec& program) {
    const Bytes bytes = write_program(program);
    std::ofstream file(path_ / (name + ".pte"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    good_ = good_ && file.flush().good();
  }
  void write(const std::string& name, const PlanSpec& plan) {
    ProgramSpec program;
    program.plans = {plan};
    write(name, program);
  }
  bool good() const { return good_; }

 private:
  std::filesystem::path path_;
  bool good_ = true;
};

bool write_all(const std::filesystem::path& path) {
  Folder folder(path);
  const std::pair<const char*, int> types[] = {
      {"uint8", 0},       {"int8", 1},      {"int16", 2},   {"int32", 3},   {"int64", 4},
      {"float16", 5},     {"float32", 6},   {"float64", 7}, {"bool", 11},   {"complex64", 9},
      {"complex128", 10}, {"bfloat16", 15}, {"uint16", 27}, {"uint32", 28}, {"uint64", 29},
  };
  for (const auto& [name, number] : types) {
    const auto type = static_cast<ElementType>(number);
    folder.write(std::string("same_planned_") + name, same_plan(type, true));
    folder.write(std::string("same_") + name, same_plan(type, false));
  }
  const std::vector<std::uint8_t> channels_last = {0, 2, 3, 1};
  folder.write("sum_planned", sum_plan({.sizes = {2, 3}}, true));
  folder.write("sum", sum_plan({.sizes = {2, 3}}, false));
  folder.write("sum_bounded", sum_plan({.sizes = {4, 8}, .shape = Shape::kBound}, false));
  folder.write("sum_bounded_planned", sum_plan({.sizes = {4, 8}, .shape = Shape::kBound}, true));
  folder.write("sum_scalar", sum_plan({}, true));
  folder.write("sum_empty", sum_plan({.sizes = {0, 3}}, false));
  folder.write("sum_4d", sum_plan({.sizes = {1, 2, 3, 4}}, false));
  folder.write("sum_channels_last",
               sum_plan({.sizes = {1, 2, 3, 4}, .dim_order = channels_last}, false));
  folder.write("sum_bfloat16", sum_plan({.type = ElementType::kBFloat16, .sizes = {2, 3}}, true));
  folder.write("in_place", in_place_plan());
  folder.write("across", across_plan());
  folder.write("stays_planned", stays_plan(true));
  folder.write("stays", stays_plan(false));

  ProgramSpec values;
  values.plans = {values_plan()};
  values.constants = {bytes_of<float>({7, 8})};
  folder.write("values", values);

  ProgramSpec state;
  state.plans = {state_plan("first"), state_plan("second")};
  state.states = {bytes_of<float>({10, 20})};
  folder.write("state", state);

  PlanSpec unknown = sum_plan({.sizes = {2, 3}}, true);
  unknown.operators = {{"mine::unknown", "out"}};
  folder.write("unknown_operator", unknown);

  PlanSpec delegated = sum_plan({.sizes = {2, 3}}, true);
  delegated.delegates = {{.id = "AbsentBackend"}};
  delegated.instructions = {delegate_call(0, {0, 1, 2})};
  folder.write("absent_backend", delegated);
  return folder.good();
}

}  // namespace
}  // namespace executorch::runtime::testing

int main(int argc, char** argv) {
  if (argc != 2 || !executorch::runtime::testing::write_all(argv[1])) {
    std::fprintf(stderr, "write_programs FOLDER: the programs could not be written\n");
    return 1;
  }
  return 0;
}
