#include "runtime/program/schema.h"

#include "runtime/program/spec.h"

namespace executorch::runtime::format {

namespace {

using enum Presence;
using namespace spec;

// Each table is followed by the one-element list by which its users name it.
#define WHEELCHECK_TABLE(identifier, name, ...)                        \
  constexpr FieldSpec identifier##Fields[] = {__VA_ARGS__};            \
  constexpr TableSpec identifier{name, std::span(identifier##Fields)}; \
  [[maybe_unused]] constexpr const TableSpec* identifier##Of[] = {&identifier}

// --- Values -----------------------------------------------------------------

WHEELCHECK_TABLE(kAllocation, "AllocationDetails", scalar("memory_id", 4),
                 scalar("memory_offset_low", 4), scalar("memory_offset_high", 4));
WHEELCHECK_TABLE(kExtra, "ExtraTensorInfo", scalar("mutable_data_segments_idx", 8),
                 string("fully_qualified_name"), scalar("location", 1), scalar("device_type", 1),
                 scalar("device_index", 1));
WHEELCHECK_TABLE(kTensor, "Tensor", scalar("scalar_type", 1), scalar("storage_offset", 4),
                 numbers("sizes", 4, kRequired), numbers("dim_order", 1, kRequired),
                 scalar("requires_grad", 1), scalar("data_buffer_idx", 4),
                 table("allocation_info", kAllocationOf), scalar("layout", 1),
                 scalar("shape_dynamism", 1), table("extra_tensor_info", kExtraOf));
WHEELCHECK_TABLE(kInt, "Int", scalar("int_val", 8));
WHEELCHECK_TABLE(kBool, "Bool", scalar("bool_val", 1));
WHEELCHECK_TABLE(kDouble, "Double", scalar("double_val", 8));
WHEELCHECK_TABLE(kStringValue, "String", string("string_val", kRequired));
WHEELCHECK_TABLE(kIntList, "IntList", numbers("items", 8, kRequired));
WHEELCHECK_TABLE(kDoubleList, "DoubleList", numbers("items", 8, kRequired));
WHEELCHECK_TABLE(kBoolList, "BoolList", FieldSpec{"items", kBools, 1, kRequired, nullptr});
WHEELCHECK_TABLE(kTensorList, "TensorList", numbers("items", 4, kRequired));
WHEELCHECK_TABLE(kOptionalTensorList, "OptionalTensorList", numbers("items", 4, kRequired));
constexpr TableSpec kNull{"Null", {}};
// In the order of ValueKind.
constexpr const TableSpec* kValueKinds[] = {&kNull,
                                            &kInt,
                                            &kBool,
                                            &kDouble,
                                            &kTensor,
                                            &kStringValue,
                                            &kIntList,
                                            &kDoubleList,
                                            &kBoolList,
                                            &kTensorList,
                                            &kOptionalTensorList};
WHEELCHECK_TABLE(kValue, "EValue", scalar("val_type", 1), one_of("val", kValueKinds));

// --- Instructions -----------------------------------------------------------

WHEELCHECK_TABLE(kKernelCall, "KernelCall", scalar("op_index", 4), numbers("args", 4));
WHEELCHECK_TABLE(kDelegateCall, "DelegateCall", scalar("delegate_index", 4), numbers("args", 4));
WHEELCHECK_TABLE(kMoveCall, "MoveCall", scalar("move_from", 4), scalar("move_to", 4));
WHEELCHECK_TABLE(kJumpFalseCall, "JumpFalseCall", scalar("cond_value_index", 4),
                 scalar("destination_instruction", 4));
WHEELCHECK_TABLE(kFreeCall, "FreeCall", scalar("value_index", 4));
// In the order of InstructionKind.
constexpr const TableSpec* kInstructionKinds[] = {&kKernelCall, &kDelegateCall, &kMoveCall,
                                                  &kJumpFalseCall, &kFreeCall};
WHEELCHECK_TABLE(kInstruction, "Instruction", scalar("instr_args_type", 1),
                 one_of("instr_args", kInstructionKinds));
WHEELCHECK_TABLE(kFrame, "Frame", string("filename"), scalar("lineno", 4), string("name"),
                 string("context"));
WHEELCHECK_TABLE(kFrames, "FrameList", tables("items", kFrameOf));
WHEELCHECK_TABLE(kChain, "Chain", numbers("inputs", 4, kDebugOnly),
                 numbers("outputs", 4, kDebugOnly),
                 tables("instructions", kInstructionOf, kRequired),
                 tables("stacktrace", kFramesOf, kDebugOnly));

// --- Plans ------------------------------------------------------------------

WHEELCHECK_TABLE(kContainer, "ContainerMetadata", string("encoded_inp_str"),
                 string("encoded_out_str"));
WHEELCHECK_TABLE(kOperator, "Operator", string("name", kRequired), string("overload"));
WHEELCHECK_TABLE(kProcessed, "BackendDelegateDataReference", scalar("location", 1),
                 scalar("index", 4));
WHEELCHECK_TABLE(kCompileSpec, "CompileSpec", string("key", kRequired),
                 numbers("value", 1, kRequired));
WHEELCHECK_TABLE(kDelegate, "BackendDelegate", string("id", kRequired),
                 table("processed", kProcessedOf, kRequired),
                 tables("compile_specs", kCompileSpecOf));
WHEELCHECK_TABLE(kBufferDevice, "NonConstBufferDevice", scalar("buffer_idx", 4),
                 scalar("device_type", 1), scalar("device_index", 1));
WHEELCHECK_TABLE(kPlan, "ExecutionPlan", string("name", kRequired),
                 table("container_meta_type", kContainerOf), tables("values", kValueOf, kRequired),
                 numbers("inputs", 4, kRequired), numbers("outputs", 4, kRequired),
                 tables("chains", kChainOf, kRequired), tables("operators", kOperatorOf),
                 tables("delegates", kDelegateOf, kRequired),
                 numbers("non_const_buffer_sizes", 8, kRequired),
                 tables("non_const_buffer_device", kBufferDeviceOf));

// --- The program ------------------------------------------------------------

WHEELCHECK_TABLE(kBuffer, "Buffer", numbers("storage", 1));
WHEELCHECK_TABLE(kInlineBlob, "BackendDelegateInlineData", numbers("data", 1));
WHEELCHECK_TABLE(kSegmentTable, "DataSegment", scalar("offset", 8), scalar("size", 8));
WHEELCHECK_TABLE(kSubsegments, "SubsegmentOffsets", scalar("segment_index", 4),
                 numbers("offsets", 8));
WHEELCHECK_TABLE(kNamedData, "NamedData", string("key", kRequired), scalar("segment_index", 4));

constexpr FieldSpec kProgramFields[] = {
    scalar("version", 4),
    tables("execution_plan", kPlanOf, kRequired),
    tables("constant_buffer", kBufferOf),
    tables("backend_delegate_data", kInlineBlobOf),
    tables("segments", kSegmentTableOf),
    table("constant_segment", kSubsegmentsOf),
    tables("mutable_data_segments", kSubsegmentsOf),
    tables("named_data", kNamedDataOf),
};

#undef WHEELCHECK_TABLE

constexpr TableSpec kProgram{"Program", std::span(kProgramFields)};

}  // namespace

bool walk_program(StructureVerifier& verifier) { return verifier.walk<kProgram>(); }

}  // namespace executorch::runtime::format
