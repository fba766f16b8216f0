// Decodes the instructions of a method: kernels, arguments and targets are looked up once, and
// what no instruction may do is refused.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <executorch/runtime/platform/log.h>
#include <new>
#include <vector>

#include "runtime/executor/method_state.h"
#include "runtime/kernel/registry.h"
#include "runtime/program/verify.h"

namespace executorch::runtime::internal {

using etensor::Tensor;
using format::InstructionKind;
using format::InstructionTable;
using format::Storage;
using format::ValueKind;

namespace {

// More than any operator has; some work per call is more than linear in them.
constexpr std::size_t kMaxArguments = 256;

// What is known of a value, or of an item of a list, before the first run.
enum Trait : std::uint8_t {
  kConstant = 1,  // may refer to data that nobody writes to
  kMayLackData = 2,
};

// Operators of which more than their last, repeated argument is known.
enum class Special : std::uint8_t {
  kNone,
  kPrim,       ///< checks the data of its arguments itself
  kView,       ///< [self, size, out]: lets `out` refer to the data of `self`
  kCopyIndex,  ///< [to, from, index]: writes to `to`
};

class Operator {
 public:
  Operator() = default;
  explicit Operator(const format::OperatorTable& table) {
    const format::Text overload = table.overload();
    std::snprintf(name_, sizeof name_, "%s%s%s", table.name().data, overload.size == 0 ? "" : ".",
                  overload.size == 0 ? "" : overload.data);
    const std::string_view name = name_;
    if (name == "executorch_prim::et_view.default") {
      special_ = Special::kView;
    } else if (name == "executorch_prim::et_copy_index.tensor") {
      special_ = Special::kCopyIndex;
    } else if (name.starts_with("executorch_prim::") || name.starts_with("aten::sym_")) {
      special_ = Special::kPrim;
    }
  }
  const char* name() const { return name_; }
  Special special() const { return special_; }
  /// Whether its arguments are those of torch's schema, then the results again.
  bool has_known_arguments() const {
    const std::string_view name = name_;
    return special_ == Special::kNone &&
           (name.starts_with("aten::") || name.starts_with("dim_order_ops::") ||
            name.starts_with("et_copy::") || name.starts_with("quantized_decomposed::"));
  }
  bool is_in_place() const {
    const std::string_view name = name_;
    const std::string_view base = name.substr(0, name.find('.'));
    return base.ends_with('_');
  }

 private:
  // Shorter than that, as has been verified.
  char name_[format::kMaxOperatorName] = "";
  Special special_ = Special::kNone;
};

}  // namespace

class StepLoader {
 public:
  StepLoader(MethodState& state, Span<const Kernel> kernels)
      : state_(state), plan_(state.plan_), values_(plan_.values()), kernels_(kernels) {}

  Error load() {
    const auto operators = plan_.operators();
    operators_.reserve(operators.size());
    for (std::uint32_t i = 0; i < operators.size(); ++i) operators_.emplace_back(operators[i]);
    find_traits();
    ET_CHECK_OK_OR_RETURN_ERROR(allocate());
    for (std::uint32_t i = 0; i < plan_.chains().size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(chain(plan_.chains()[i], state_.chains_[i]));
    }
    // All that are missing have been named.
    return missing_ ? Error::OperatorMissing : Error::Ok;
  }

 private:
  struct Influence {
    std::int32_t from;
    std::int32_t to;
  };

  void find_traits();
  std::vector<Influence> find_influences() const;
  void spread_traits(const std::vector<Influence>& influences);
  Error allocate();
  Error chain(const format::ChainTable& table, MethodState::Chain& chain);
  Error step(const InstructionTable& table, Step& step);
  Error kernel_call(const InstructionTable& table, Step& step);
  Error move_call(const InstructionTable& table, Step& step);
  Error check_targets(const InstructionTable& table, const Operator& op);
  Error check_target(std::int32_t value, const Operator& op);
  OpFunction find_kernel(const Operator& op, std::span<const std::int32_t> arguments);
  bool may_lack_data(std::span<const std::int32_t> arguments) const;
  void note_view(std::int32_t value);

  EValue* value(std::int32_t index) { return &state_.values_[MethodState::value_index(index)]; }
  std::uint8_t& trait(std::int32_t index) { return traits_[MethodState::value_index(index)]; }
  ValueKind kind(std::int32_t index) const {
    return values_[MethodState::value_index(index)].kind();
  }
  const Operator& operator_of(const InstructionTable& kernel_call) const {
    return operators_[static_cast<std::size_t>(kernel_call.first())];
  }
  template <typename Visit>
  void for_each_instruction(Visit visit) const {
    for (std::uint32_t i = 0; i < plan_.chains().size(); ++i) {
      const auto instructions = plan_.chains()[i].instructions();
      for (std::uint32_t k = 0; k < instructions.size(); ++k) visit(instructions[k]);
    }
  }

  MethodState& state_;
  format::PlanTable plan_;
  format::Tables<format::ValueTable> values_;
  Span<const Kernel> kernels_;
  std::vector<Operator> operators_;
  std::vector<std::uint8_t> traits_;
  std::vector<TensorMeta> metas_;
  EValue** arguments_ = nullptr;
  MethodState::View* views_ = nullptr;
  std::size_t views_used_ = 0;
  bool missing_ = false;
};

void StepLoader::find_traits() {
  traits_.assign(values_.size(), 0);
  for (std::uint32_t i = 0; i < values_.size(); ++i) {
    if (values_[i].kind() != ValueKind::kTensor) continue;
    const Storage storage = values_[i].tensor().storage();
    if (storage == Storage::kConstant || storage == Storage::kExternal) traits_[i] = kConstant;
    if (storage == Storage::kNone) traits_[i] = kMayLackData;
  }
  bool frees = false;
  for_each_instruction([&](const InstructionTable& instruction) {
    frees = frees || instruction.kind() == InstructionKind::kFreeCall;
  });
  if (frees) {
    // Whatever shares a tensor with the freed value loses its data too.
    for (std::uint8_t& traits : traits_) traits |= kMayLackData;
  }
  spread_traits(find_influences());
}

// Which value's traits become those of which other: by a move, by a view, by being in a list.
std::vector<StepLoader::Influence> StepLoader::find_influences() const {
  std::vector<Influence> influences;
  for_each_instruction([&](const InstructionTable& instruction) {
    if (instruction.kind() == InstructionKind::kMoveCall) {
      influences.push_back({instruction.first(), instruction.second()});
    } else if (instruction.kind() == InstructionKind::kKernelCall &&
               operator_of(instruction).special() == Special::kView) {
      const auto arguments = instruction.arguments();
      if (arguments.size() >= 3) influences.push_back({arguments[0], arguments[2]});
    }
  });
  for (std::uint32_t i = 0; i < values_.size(); ++i) {
    const ValueKind kind = values_[i].kind();
    if (kind != ValueKind::kTensorList && kind != ValueKind::kOptionalTensorList) continue;
    const auto items = values_[i].tensor_items();
    for (const std::int32_t item : items) {
      if (item >= 0) influences.push_back({item, static_cast<std::int32_t>(i)});
    }
  }
  std::ranges::sort(influences, {}, &Influence::from);
  return influences;
}

// Each value is looked at again only when it has got a trait, of which there are two.
void StepLoader::spread_traits(const std::vector<Influence>& influences) {
  std::vector<std::int32_t> open;
  for (const Influence& influence : influences) {
    if (trait(influence.from) != 0 && (open.empty() || open.back() != influence.from)) {
      open.push_back(influence.from);
    }
  }
  while (!open.empty()) {
    const std::int32_t from = open.back();
    open.pop_back();
    // Not std::ranges::equal_range: clang 14 can't compile its result.
    auto next = std::ranges::lower_bound(influences, from, {}, &Influence::from);
    for (; next != influences.end() && next->from == from; ++next) {
      const Influence& influence = *next;
      const auto traits = static_cast<std::uint8_t>(trait(from) | trait(influence.to));
      if (traits == trait(influence.to)) continue;
      trait(influence.to) = traits;
      open.push_back(influence.to);
    }
  }
}

Error StepLoader::allocate() {
  std::size_t steps = 0;
  std::size_t arguments = 0;
  std::size_t views = 0;
  for_each_instruction([&](const InstructionTable& instruction) {
    ++steps;
    if (instruction.kind() == InstructionKind::kKernelCall ||
        instruction.kind() == InstructionKind::kDelegateCall) {
      arguments += instruction.arguments().size();
    }
    if (instruction.kind() == InstructionKind::kKernelCall &&
        operator_of(instruction).special() == Special::kView) {
      ++views;
    }
  });
  const std::size_t chain_count = plan_.chains().size();
  MethodState::Chain* chains = nullptr;
  Step* next = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(state_.allocate(chain_count, &chains));
  ET_CHECK_OK_OR_RETURN_ERROR(state_.allocate(steps, &next));
  ET_CHECK_OK_OR_RETURN_ERROR(state_.allocate(arguments, &arguments_));
  ET_CHECK_OK_OR_RETURN_ERROR(state_.allocate(views, &views_));
  for (std::uint32_t i = 0; i < chain_count; ++i) {
    const std::uint32_t count = plan_.chains()[i].instructions().size();
    new (&chains[i]) MethodState::Chain{next, count};
    next += count;
  }
  state_.chains_ = {chains, chain_count};
  return Error::Ok;
}

Error StepLoader::chain(const format::ChainTable& table, MethodState::Chain& chain) {
  const auto instructions = table.instructions();
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    new (&chain.steps[i]) Step{};
    ET_CHECK_OK_OR_RETURN_ERROR(step(instructions[i], chain.steps[i]),
                                "instruction %" PRIu32 " of method '%s' can't be prepared", i,
                                plan_.name().data);
  }
  state_.views_ = {views_, views_used_};
  return Error::Ok;
}

Error StepLoader::step(const InstructionTable& table, Step& step) {
  step.kind = table.kind();
  switch (step.kind) {
    case InstructionKind::kKernelCall:
      return kernel_call(table, step);
    case InstructionKind::kDelegateCall: {
      const auto arguments = table.arguments();
      step.delegate = static_cast<std::uint32_t>(table.first());
      step.count = static_cast<std::uint32_t>(arguments.size());
      step.arguments = arguments_;
      for (const std::int32_t argument : arguments) *arguments_++ = value(argument);
      return Error::Ok;
    }
    case InstructionKind::kMoveCall:
      return move_call(table, step);
    case InstructionKind::kJumpFalseCall:
      step.value = value(table.first());
      step.destination = static_cast<std::uint32_t>(table.second());
      return Error::Ok;
    case InstructionKind::kFreeCall:
      step.value = value(table.first());
      return Error::Ok;
  }
  return Error::InvalidProgram;
}

Error StepLoader::kernel_call(const InstructionTable& table, Step& step) {
  const Operator& op = operator_of(table);
  const auto arguments = table.arguments();
  ET_CHECK_OR_RETURN_ERROR(arguments.size() <= kMaxArguments, InvalidProgram,
                           "%s has %zu arguments", op.name(), arguments.size());
  ET_CHECK_OK_OR_RETURN_ERROR(check_targets(table, op));
  step.op = find_kernel(op, arguments);
  if (step.op == nullptr) {
    log_missing_operator(op.name());
    missing_ = true;
    return Error::Ok;
  }
  step.count = static_cast<std::uint32_t>(arguments.size());
  step.arguments = arguments_;
  for (const std::int32_t argument : arguments) *arguments_++ = value(argument);
  step.data_may_lack = op.special() == Special::kNone && may_lack_data(arguments);
  if (op.special() == Special::kView && arguments.size() >= 3) note_view(arguments[2]);
  return Error::Ok;
}

Error StepLoader::move_call(const InstructionTable& table, Step& step) {
  const std::int32_t from = table.first();
  const std::int32_t to = table.second();
  if (kind(from) == ValueKind::kTensor) {
    // A kernel was chosen by the element type that the program gives for the value.
    const auto source = values_[MethodState::value_index(from)].tensor();
    const auto target = values_[MethodState::value_index(to)].tensor();
    ET_CHECK_OR_RETURN_ERROR(
        source.scalar_type() == target.scalar_type() &&
            source.sizes().size() == target.sizes().size(),
        InvalidProgram, "a tensor of type %d and rank %zu moved to one of type %d and rank %zu",
        source.scalar_type(), source.sizes().size(), target.scalar_type(), target.sizes().size());
  }
  step.value = value(from);
  step.target = value(to);
  return Error::Ok;
}

// Constants may lie in read-only memory, or in that of the tables.
Error StepLoader::check_target(std::int32_t index, const Operator& op) {
  ET_CHECK_OR_RETURN_ERROR((trait(index) & kConstant) == 0, InvalidProgram,
                           "%s writes to value %" PRId32 ", which is a constant", op.name(), index);
  return Error::Ok;
}

Error StepLoader::check_targets(const InstructionTable& table, const Operator& op) {
  const auto arguments = table.arguments();
  if (arguments.empty()) return Error::Ok;
  if (op.special() == Special::kCopyIndex) return check_target(arguments.front(), op);
  if (op.special() != Special::kNone) return Error::Ok;
  // The results come last: an argument that is named again, or a list of some.
  const std::int32_t last = arguments.back();
  const auto others = arguments.first(arguments.size() - 1);
  if (std::ranges::find(others, last) != others.end()) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_target(last, op));
  }
  // A program may lie about that. What kernels of ours write to is the arguments before, or the
  // first one when they work in place.
  if (!op.has_known_arguments()) return Error::Ok;
  if (op.is_in_place()) return check_target(arguments.front(), op);
  std::size_t results = 1;
  if (kind(last) == ValueKind::kTensorList) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_target(last, op));
    results = values_[MethodState::value_index(last)].tensor_items().size();
  }
  for (const std::int32_t argument : others.last(std::min(results, others.size()))) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_target(argument, op));
  }
  return Error::Ok;
}

OpFunction StepLoader::find_kernel(const Operator& op, std::span<const std::int32_t> arguments) {
  metas_.clear();
  for (const std::int32_t argument : arguments) {
    if (!value(argument)->isTensor()) continue;
    const Tensor& tensor = value(argument)->payload.as_tensor;
    const auto order = tensor.dim_order();
    metas_.emplace_back(
        tensor.scalar_type(),
        Span<Tensor::DimOrderType>(const_cast<Tensor::DimOrderType*>(order.data()), order.size()));
  }
  const auto found = get_op_function_from_registry(
      op.name(), Span<const TensorMeta>(metas_.data(), metas_.size()), kernels_);
  return found.ok() ? *found : nullptr;
}

bool StepLoader::may_lack_data(std::span<const std::int32_t> arguments) const {
  return std::ranges::any_of(arguments, [this](std::int32_t argument) {
    return (traits_[MethodState::value_index(argument)] & kMayLackData) != 0;
  });
}

void StepLoader::note_view(std::int32_t index) {
  if (kind(index) != ValueKind::kTensor) return;
  etensor::TensorImpl* const impl = value(index)->payload.as_tensor.unsafeGetTensorImpl();
  new (&views_[views_used_++])
      MethodState::View{impl, impl->mutable_data(), static_cast<std::uint64_t>(impl->numel())};
}

Error MethodState::load_steps(const LoadArguments& arguments) {
  return StepLoader(*this, arguments.kernels).load();
}

}  // namespace executorch::runtime::internal
