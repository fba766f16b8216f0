#include <cinttypes>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/log.h>

#include "runtime/program/program_state.h"

namespace executorch::runtime {

Program::Program(std::unique_ptr<internal::ProgramState> state) : state_(std::move(state)) {}
Program::Program(Program&& other) noexcept = default;
Program::~Program() = default;

Result<Program> Program::load(DataLoader* loader, Verification verification) {
  ET_ASSIGN_OR_RETURN(state, internal::ProgramState::load(loader, verification));
  return Program(std::move(state));
}

Result<const void*> Program::get_constant_buffer_data(size_t buffer_idx, size_t nbytes) const {
  return state_->constant_bytes(buffer_idx, nbytes);
}

Result<const NamedDataMap*> Program::get_named_data_map() const {
  const NamedDataMap* map = state_->named_data();
  if (map == nullptr) return Error::NotFound;
  return map;
}

size_t Program::num_methods() const { return state_->tables().plans().size(); }

Result<const char*> Program::get_method_name(size_t method_index) const {
  const auto plans = state_->tables().plans();
  ET_CHECK_OR_RETURN_ERROR(method_index < plans.size(), InvalidArgument, "method %zu of %" PRIu32,
                           method_index, plans.size());
  return plans[method_index].name().data;
}

Result<MethodMeta> Program::method_meta(const char* method_name) const {
  ET_ASSIGN_OR_RETURN(plan, state_->plan(method_name));
  return MethodMeta(plan.address());
}

Result<const char*> Program::get_output_flattening_encoding(const char* method_name) const {
  ET_ASSIGN_OR_RETURN(plan, state_->plan(method_name));
  const format::ContainerTable container = plan.container();
  const format::Text outputs = container ? container.outputs() : format::Text{};
  if (!outputs) return Error::NotFound;
  return outputs.data;
}

Program::HeaderStatus Program::check_header(const void* data, size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  switch (format::probe_program_head({bytes, bytes == nullptr ? 0 : size})) {
    case format::HeadStatus::kCompatible:
      return CompatibleVersion;
    case format::HeadStatus::kOtherVersion:
      return IncompatibleVersion;
    case format::HeadStatus::kNotPresent:
      return NotPresent;
    case format::HeadStatus::kTooShort:
      break;
  }
  return ShortData;
}

}  // namespace executorch::runtime
