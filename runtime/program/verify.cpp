#include "runtime/program/verify.h"

#include <cinttypes>

#include "runtime/program/verify_plan.h"

namespace executorch::runtime::format {

namespace {

constexpr Error kBad = Error::InvalidProgram;

bool verify_segments(const ProgramTable& program, const Extents& extents, Refusal& refusal) {
  const Tables<SegmentTable> segments = program.segments();
  for (std::uint32_t i = 0; i < segments.size(); ++i) {
    const std::uint64_t size = segments[i].size();
    // Of an empty segment nothing is read; writers place it behind padding that they leave out.
    if (size == 0) continue;
    std::uint64_t end = 0;
    if (__builtin_add_overflow(extents.segment_base, segments[i].offset(), &end) ||
        __builtin_add_overflow(end, size, &end) || end > extents.segment_limit) {
      return refusal.because(
          kBad,
          "segment %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64 "+%" PRIu64 " end behind %" PRIu64,
          i, size, extents.segment_base, segments[i].offset(), extents.segment_limit);
    }
  }
  return true;
}

bool verify_segment_index(const ProgramTable& program, std::uint32_t segment, const char* what,
                          std::uint32_t index, Refusal& refusal) {
  const std::uint32_t count = program.segments().size();
  return segment < count || refusal.because(kBad, "%s %" PRIu32 ": segment %" PRIu32 " of %" PRIu32,
                                            what, index, segment, count);
}

bool verify_data(const ProgramTable& program, Refusal& refusal) {
  if (const SubsegmentsTable constants = program.constants(); constants) {
    const std::size_t count = constants.offsets().size();
    if (count != 0 && !program.inline_constants().empty()) {
      return refusal.because(kBad, "%" PRIu32 " constants inline and %zu in a segment",
                             program.inline_constants().size(), count);
    }
    // One entry is the reserved one: there are no constants, and perhaps no segment.
    if (count > 1 && !verify_segment_index(program, constants.segment(), "constants", 0, refusal)) {
      return false;
    }
  }
  const Tables<SubsegmentsTable> states = program.mutable_data();
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    if (!states[i].offsets().empty() &&
        !verify_segment_index(program, states[i].segment(), "mutable data", i, refusal)) {
      return false;
    }
  }
  const Tables<NamedDataTable> named = program.named_data();
  for (std::uint32_t i = 0; i < named.size(); ++i) {
    if (!verify_segment_index(program, named[i].segment(), "named data", i, refusal)) return false;
  }
  return true;
}

}  // namespace

ProgramTable verify_program(std::span<const std::uint8_t> bytes, const Extents& extents, bool deep,
                            Refusal& refusal) {
  StructureVerifier structure(bytes, deep, kBad, refusal);
  if (!walk_program(structure)) return {};
  const ProgramTable program(bytes.data() + load_number<std::uint32_t>(bytes.data()));
  if (!verify_segments(program, extents, refusal) || !verify_data(program, refusal)) return {};
  const ProgramData data{program, bytes.data(), extents.segment_base};
  const Tables<PlanTable> plans = program.plans();
  for (std::uint32_t i = 0; i < plans.size(); ++i) {
    if (!verify_plan(plans[i], data, refusal)) return {};
  }
  return program;
}

bool check_supported(const PlanTable& plan, Refusal& refusal) {
  const Tables<ValueTable> values = plan.values();
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i].kind() != ValueKind::kTensor) continue;
    const TensorTable tensor = values[i].tensor();
    if (tensor.storage_offset() != 0) {
      return refusal.because(Error::NotSupported, "value %" PRIu32 ": storage offset %" PRId32, i,
                             tensor.storage_offset());
    }
    if (tensor.dynamism() == Dynamism::kUnbound) {
      return refusal.because(Error::NotSupported, "value %" PRIu32 ": unbounded shape", i);
    }
    if (tensor.layout() != 0) {
      return refusal.because(Error::NotSupported, "value %" PRIu32 ": layout %d is not strided", i,
                             tensor.layout());
    }
  }
  return true;
}

}  // namespace executorch::runtime::format
