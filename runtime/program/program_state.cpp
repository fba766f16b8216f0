#include "runtime/program/program_state.h"

#include <cinttypes>
#include <cstring>
#include <executorch/runtime/platform/log.h>
#include <new>

#include "runtime/program/verify.h"

namespace executorch::runtime::internal {

using format::DelegateTable;
using format::PlanTable;
using format::ProgramTable;
using format::SegmentTable;
using format::SubsegmentsTable;
using format::TensorTable;
using Type = DataLoader::SegmentInfo::Type;

Result<std::unique_ptr<ProgramState>> ProgramState::load(const DataLoader* loader,
                                                         Program::Verification verification) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr, InvalidArgument, "%s", "no loader");
  ET_ASSIGN_OR_RETURN(tables,
                      format::load_tables(*loader, Type::Program, format::read_program_head));
  format::Refusal refusal;
  const ProgramTable program =
      format::verify_program(tables.bytes(), tables.extents,
                             verification == Program::Verification::InternalConsistency, refusal);
  if (!program) return format::logged(refusal, "program");
  ET_ASSIGN_OR_RETURN(constants, load_constants(*loader, program, tables.extents));
  std::unique_ptr<ProgramState> state(
      new (std::nothrow) ProgramState(*loader, std::move(tables), program, std::move(constants)));
  if (!state) return Error::MemoryAllocationFailed;
  return state;
}

ProgramState::ProgramState(const DataLoader& loader, format::LoadedTables&& tables,
                           const ProgramTable& program, FreeableBuffer&& constants)
    : loader_(loader),
      tables_(std::move(tables)),
      program_(program),
      constants_(std::move(constants)) {
  if (!program.named_data().empty()) {
    named_data_.emplace(loader, tables_.extents.segment_base, program);
  }
}

Result<FreeableBuffer> ProgramState::load_constants(const DataLoader& loader,
                                                    const ProgramTable& program,
                                                    const format::Extents& extents) {
  const SubsegmentsTable constants = program.constants();
  // One entry is the reserved one: no constants.
  if (!constants || constants.offsets().size() <= 1) return FreeableBuffer();
  const SegmentTable segment = program.segments()[constants.segment()];
  ET_ASSIGN_OR_RETURN(
      bytes, format::load_part(loader, extents.segment_base + segment.offset(), segment.size(),
                               DataLoader::SegmentInfo(Type::Constant, constants.segment())));
  // Constants are read by the processor.
  ET_CHECK_OK_OR_RETURN_ERROR(bytes.data_safe().error());
  return bytes;
}

bool ProgramState::constants_in_segment() const {
  const SubsegmentsTable constants = program_.constants();
  return constants && constants.offsets().size() > 1;
}

Result<PlanTable> ProgramState::plan(const char* name) const {
  const format::Tables<PlanTable> plans = program_.plans();
  for (std::uint32_t i = 0; name != nullptr && i < plans.size(); ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): verification requires it
    if (std::strcmp(plans[i].name().data, name) == 0) return plans[i];
  }
  ET_LOG(Error, "the program has no method '%s'", name == nullptr ? "(null)" : name);
  return Error::InvalidArgument;
}

const void* ProgramState::constant(const TensorTable& tensor) const {
  const std::uint32_t index = tensor.data_buffer_idx();
  if (!constants_in_segment()) return program_.inline_constants()[index].bytes().data();
  const void* base = constants_.data();
  if (base == nullptr) return nullptr;  // an empty segment: the tensor is empty too
  return static_cast<const std::uint8_t*>(base) + program_.constants().offsets()[index];
}

Result<const void*> ProgramState::constant_bytes(std::size_t index, std::size_t size) const {
  if (constants_in_segment()) {
    const auto offsets = program_.constants().offsets();
    ET_CHECK_OR_RETURN_ERROR(index < offsets.size(), InvalidArgument, "constant %zu of %zu", index,
                             offsets.size());
    const std::uint64_t room =
        offsets[index] <= constants_.size() ? constants_.size() - offsets[index] : 0;
    ET_CHECK_OR_RETURN_ERROR(size <= room, InvalidArgument,
                             "%zu bytes of constant %zu, which has at most %" PRIu64, size, index,
                             room);
    return static_cast<const std::uint8_t*>(constants_.data()) + offsets[index];
  }
  const auto buffers = program_.inline_constants();
  ET_CHECK_OR_RETURN_ERROR(index < buffers.size(), InvalidArgument, "constant %zu of %" PRIu32,
                           index, buffers.size());
  const auto bytes = buffers[index].bytes();
  ET_CHECK_OR_RETURN_ERROR(size <= bytes.size(), InvalidArgument,
                           "%zu bytes of constant %zu, which has %zu", size, index, bytes.size());
  return bytes.data();
}

Error ProgramState::load_state(const TensorTable& tensor, std::size_t size,
                               void* destination) const {
  const SubsegmentsTable states = program_.mutable_data()[0];
  const SegmentTable segment = program_.segments()[states.segment()];
  return format::load_part_into(
      loader_,
      tables_.extents.segment_base + segment.offset() + states.offsets()[tensor.data_buffer_idx()],
      size, DataLoader::SegmentInfo(Type::Mutable, states.segment()), destination);
}

Result<FreeableBuffer> ProgramState::load_delegate_data(const DelegateTable& delegate) const {
  const format::DelegateDataTable data = delegate.processed();
  if (data.location() == format::DataLocation::kInline) {
    const auto bytes = program_.inline_delegates()[data.index()].bytes();
    return FreeableBuffer(bytes.data(), bytes.size(), nullptr);
  }
  const SegmentTable segment = program_.segments()[data.index()];
  return format::load_part(
      loader_, tables_.extents.segment_base + segment.offset(), segment.size(),
      DataLoader::SegmentInfo(Type::Backend, data.index(), delegate.id().data));
}

}  // namespace executorch::runtime::internal
