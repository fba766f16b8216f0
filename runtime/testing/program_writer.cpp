#include "runtime/testing/program_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace executorch::runtime::testing {

namespace {

// Discriminants of the unions; not taken from the reader, which would hide a slip in its own.
enum : std::uint8_t {
  kNull = 1,
  kInt,
  kBool,
  kDouble,
  kTensor,
  kString,
  kIntList,
  kDoubleList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
};
enum : std::uint8_t { kKernelCall = 1, kDelegateCall, kMoveCall, kJumpFalseCall, kFreeCall };

Node in_union(std::uint8_t kind, Node member) {
  return Node().set(0, kind).set(1, Field::table(std::move(member)));
}

Node list(std::uint8_t kind, Field items) {
  return in_union(kind, Node().set(0, std::move(items)));
}

Node call(std::uint8_t kind, std::int32_t callee, const std::vector<std::int32_t>& arguments) {
  return in_union(kind, Node().set(0, callee).set(1, Field::numbers(arguments)));
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The data behind the tables, and where each part of it begins.
class Segments {
 public:
  explicit Segments(std::uint64_t alignment) : alignment_(alignment) {}

  std::uint32_t add(const Bytes& bytes) {
    data_.resize(align_up(data_.size(), alignment_));
    nodes_.push_back(Node()
                         .set(0, static_cast<std::uint64_t>(data_.size()))
                         .set(1, static_cast<std::uint64_t>(bytes.size())));
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  const Bytes& data() const { return data_; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::uint64_t alignment_;
  Bytes data_;
  std::vector<Node> nodes_;
};

// Packs blobs behind the reserved entry 0; each offset is a multiple of `alignment`.
Node subsegments(const std::vector<Bytes>& blobs, std::uint64_t alignment, Segments& segments) {
  Bytes packed;
  std::vector<std::uint64_t> offsets = {0};
  for (const Bytes& blob : blobs) {
    packed.resize(align_up(packed.size(), alignment));
    offsets.push_back(packed.size());
    packed.insert(packed.end(), blob.begin(), blob.end());
  }
  const std::uint32_t segment = segments.add(packed);
  return Node().set(0, segment).set(1, Field::numbers(offsets));
}

Node operator_node(const OperatorSpec& spec) {
  return Node().set(0, spec.name.c_str()).set(1, spec.overload.c_str());
}

Node compile_spec_node(const std::pair<std::string, std::string>& spec) {
  return Node()
      .set(0, spec.first.c_str())
      .set(1, Field::numbers(Bytes(spec.second.begin(), spec.second.end())));
}

Node delegate_node(const DelegateSpec& spec, std::vector<Node>& inlined, Segments& segments) {
  std::uint32_t index = 0;
  if (spec.inlined) {
    index = static_cast<std::uint32_t>(inlined.size());
    inlined.push_back(Node().set(0, Field::numbers(spec.processed, 16)));
  } else {
    index = segments.add(spec.processed);
  }
  std::vector<Node> specs;
  for (const auto& entry : spec.compile_specs) specs.push_back(compile_spec_node(entry));
  const auto location = static_cast<std::int8_t>(spec.inlined ? 0 : 1);
  return Node()
      .set(0, spec.id.c_str())
      .set(1, Field::table(Node().set(0, location).set(1, index)))
      .set(2, Field::tables(std::move(specs)));
}

Node plan_node(const PlanSpec& spec, std::vector<Node>& inlined, Segments& segments) {
  std::vector<Node> operators;
  for (const OperatorSpec& op : spec.operators) operators.push_back(operator_node(op));
  std::vector<Node> delegates;
  for (const DelegateSpec& delegate : spec.delegates) {
    delegates.push_back(delegate_node(delegate, inlined, segments));
  }
  std::vector<std::int64_t> buffers = {0};
  buffers.insert(buffers.end(), spec.buffers.begin(), spec.buffers.end());
  Node chain;
  chain.set(0, Field::numbers(std::vector<std::int32_t>{}))
      .set(1, Field::numbers(std::vector<std::int32_t>{}))
      .set(2, Field::tables(spec.instructions));
  Node plan;
  plan.set(plan_field::kName, spec.name.c_str())
      .set(plan_field::kValues, Field::tables(spec.values))
      .set(plan_field::kInputs, Field::numbers(spec.inputs))
      .set(plan_field::kOutputs, Field::numbers(spec.outputs))
      .set(plan_field::kChains, Field::tables({std::move(chain)}))
      .set(plan_field::kOperators, Field::tables(std::move(operators)))
      .set(plan_field::kDelegates, Field::tables(std::move(delegates)))
      .set(plan_field::kBufferSizes, Field::numbers(buffers))
      .set(plan_field::kContainer, Field::table(Node().set(0, "inputs").set(1, "outputs")));
  if (!spec.buffer_devices.empty()) {
    std::vector<Node> devices;
    for (const BufferDevice& device : spec.buffer_devices) {
      devices.push_back(Node().set(0, device.buffer).set(1, device.type).set(2, device.index));
    }
    plan.set(plan_field::kBufferDevices, Field::tables(std::move(devices)));
  }
  return plan;
}

Node constants_node(const ProgramSpec& spec, Node& program, Segments& segments) {
  constexpr std::uint64_t kConstantAlignment = 16;
  if (!spec.inline_constants) return subsegments(spec.constants, kConstantAlignment, segments);
  std::vector<Node> buffers = {Node().set(0, Field::numbers(Bytes{}, kConstantAlignment))};
  for (const Bytes& constant : spec.constants) {
    buffers.push_back(Node().set(0, Field::numbers(constant, kConstantAlignment)));
  }
  program.set(program_field::kInlineConstants, Field::tables(std::move(buffers)));
  return {};
}

Node program_node(const ProgramSpec& spec, Segments& segments) {
  Node program;
  program.set(0, std::uint32_t{0});
  Node constants = constants_node(spec, program, segments);
  if (!constants.fields().empty()) {
    program.set(program_field::kConstants, Field::table(std::move(constants)));
  }
  if (!spec.states.empty()) {
    program.set(program_field::kMutableData,
                Field::tables({subsegments(spec.states, 1, segments)}));
  }
  std::vector<Node> inlined;
  std::vector<Node> plans;
  for (const PlanSpec& plan : spec.plans) plans.push_back(plan_node(plan, inlined, segments));
  std::vector<Node> named;
  for (const NamedBlob& blob : spec.named_data) {
    named.push_back(Node().set(0, blob.key.c_str()).set(1, segments.add(blob.data)));
  }
  if (!named.empty()) program.set(program_field::kNamedData, Field::tables(std::move(named)));
  return program.set(program_field::kPlans, Field::tables(std::move(plans)))
      .set(program_field::kInlineDelegates, Field::tables(std::move(inlined)))
      .set(program_field::kSegments, Field::tables(segments.nodes()));
}

}  // namespace

Node null_value() { return in_union(kNull, {}); }
Node int_value(std::int64_t value) { return in_union(kInt, Node().set(0, value)); }
Node bool_value(bool value) {
  return in_union(kBool, Node().set(0, static_cast<std::uint8_t>(value)));
}
Node double_value(double value) { return in_union(kDouble, Node().set(0, value)); }
Node string_value(const std::string& value) {
  return in_union(kString, Node().set(0, Field::string(value)));
}

Node tensor_value(const TensorSpec& spec) {
  std::vector<std::uint8_t> order(spec.sizes.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  Node tensor;
  tensor.set(tensor_field::kType, static_cast<std::int8_t>(spec.type))
      .set(tensor_field::kSizes, Field::numbers(spec.sizes))
      .set(tensor_field::kDimOrder, Field::numbers(spec.dim_order.value_or(order)))
      .set(tensor_field::kDynamism, static_cast<std::int8_t>(spec.shape));
  if (spec.data != 0) tensor.set(tensor_field::kData, spec.data);
  if (spec.allocation) {
    constexpr unsigned kHalf = 32;
    tensor.set(
        tensor_field::kAllocation,
        Field::table(Node()
                         .set(0, spec.allocation->memory_id)
                         .set(1, static_cast<std::uint32_t>(spec.allocation->offset))
                         .set(2, static_cast<std::uint32_t>(spec.allocation->offset >> kHalf))));
  }
  if (spec.extra) {
    Node extra;
    if (spec.extra->name) extra.set(1, spec.extra->name->c_str());
    extra.set(2, static_cast<std::int8_t>(spec.extra->external ? 1 : 0))
        .set(3, spec.extra->device_type)
        .set(4, spec.extra->device_index);
    tensor.set(tensor_field::kExtra, Field::table(std::move(extra)));
  }
  return in_union(kTensor, std::move(tensor));
}

Node int_list_value(const std::vector<std::int64_t>& items) {
  return list(kIntList, Field::numbers(items));
}
Node double_list_value(const std::vector<double>& items) {
  return list(kDoubleList, Field::numbers(items));
}
Node bool_list_value(const std::vector<std::uint8_t>& items) {
  return list(kBoolList, Field::numbers(items));
}
Node tensor_list_value(const std::vector<std::int32_t>& items) {
  return list(kTensorList, Field::numbers(items));
}
Node optional_tensor_list_value(const std::vector<std::int32_t>& items) {
  return list(kOptionalTensorList, Field::numbers(items));
}

Node kernel_call(std::int32_t op, const std::vector<std::int32_t>& arguments) {
  return call(kKernelCall, op, arguments);
}
Node delegate_call(std::int32_t delegate, const std::vector<std::int32_t>& arguments) {
  return call(kDelegateCall, delegate, arguments);
}
Node move_call(std::int32_t from, std::int32_t to) {
  return in_union(kMoveCall, Node().set(0, from).set(1, to));
}
Node jump_false_call(std::int32_t condition, std::int32_t destination) {
  return in_union(kJumpFalseCall, Node().set(0, condition).set(1, destination));
}
Node free_call(std::int32_t value) { return in_union(kFreeCall, Node().set(0, value)); }

Bytes write_program(const ProgramSpec& spec) {
  Segments segments(spec.segment_alignment);
  Node program = program_node(spec, segments);
  if (spec.edit) spec.edit(program);
  // Files with the short header reserve as much: the header is padded to the widest alignment.
  constexpr std::size_t kReserved = 32;
  constexpr std::size_t kHeaderAt = 8;
  const bool extended = spec.header != ExtendedHeader::kNone;
  Bytes file = write_flatbuffer(program, "ET12", extended ? kReserved : 0);
  const std::uint64_t tables = file.size();
  const std::uint64_t base = segments.data().empty() ? 0 : align_up(tables, spec.segment_alignment);
  if (extended) {
    const bool full = spec.header == ExtendedHeader::kFull;
    std::copy_n("eh00", 4, file.begin() + kHeaderAt);
    put_number(file, kHeaderAt + 4, std::uint32_t{full ? 32U : 24U});
    put_number(file, kHeaderAt + 8, tables);
    put_number(file, kHeaderAt + 16, base);
    if (full) put_number(file, kHeaderAt + 24, std::uint64_t{segments.data().size()});
  }
  if (base != 0) {
    file.resize(base);
    file.insert(file.end(), segments.data().begin(), segments.data().end());
  }
  return file;
}

PlanSpec add_plan(const std::vector<std::int32_t>& sizes) {
  std::int64_t bytes = sizeof(float);
  for (const std::int32_t size : sizes) bytes *= size;
  constexpr std::int64_t kPlanningAlignment = 16;
  const auto slot = static_cast<std::uint64_t>((bytes + kPlanningAlignment - 1) /
                                               kPlanningAlignment * kPlanningAlignment);
  PlanSpec plan;
  for (std::uint64_t i = 0; i < 3; ++i) {
    plan.values.push_back(tensor_value({.sizes = sizes, .allocation = Allocation{1, i * slot}}));
  }
  plan.values.push_back(int_value(1));
  plan.inputs = {0, 1};
  plan.outputs = {2};
  plan.operators = {{"aten::add", "out"}};
  plan.instructions = {kernel_call(0, {0, 1, 3, 2, 2})};
  plan.buffers = {static_cast<std::int64_t>(3 * slot)};
  return plan;
}

}  // namespace executorch::runtime::testing
