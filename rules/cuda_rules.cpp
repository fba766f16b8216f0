// WC5xx: CUDA libraries, device code, and wheels that must be free of both.

#include "rules/cuda_judges.h"

namespace wheelcheck {
namespace {

constexpr const char* kCpu =
    "Users choose the CPU wheel where there is no CUDA: it must load there, and not bring CUDA.";
constexpr const char* kLeaveOut =
    "Build with CUDA off in a clean directory, or label the wheel with its CUDA train.";

const Rule kRules[] = {
    {{"WC501", "cpu-cuda-library", Level::error, "A CPU wheel holds a CUDA library", kCpu,
      kLeaveOut},
     judge_cpu_library},
    {{"WC502", "cpu-device-code", Level::error, "A CPU wheel holds device code", kCpu, kLeaveOut},
     judge_cpu_device_code},
    {{"WC503", "cpu-cuda-needed", Level::error, "A library of a CPU wheel needs CUDA", kCpu,
      kLeaveOut},
     judge_cpu_need},
    {{"WC504", "cpu-cuda-header", Level::error, "A CPU wheel holds a header for CUDA",
      "Programs that find the header compile against what the wheel cannot give them.", kLeaveOut},
     judge_cpu_header},
    {{"WC505", "cpu-cuda-import-library", Level::error,
      "A CPU wheel holds an import library of CUDA code",
      "Programs link against a library that is not there.", kLeaveOut},
     judge_cpu_import_library},
    {{"WC506", "cpu-cuda-requirement", Level::error, "A CPU wheel requires CUDA packages",
      "Everyone who asked for the small wheel downloads the large packages.",
      "Declare the requirement only in wheels of a CUDA train."},
     judge_cpu_requirement},
    {{"WC507", "cpu-static-runtime", Level::error, "A CPU wheel contains the CUDA runtime", kCpu,
      kLeaveOut},
     judge_cpu_static_runtime},

    {{"WC511", "cuda-library-vendored", Level::error, "The wheel ships a CUDA library",
      "Two copies of the runtime in one process do not share contexts and streams; the copy in the "
      "wheel is also never updated.",
      "Require the package that ships the library."},
     judge_vendored_runtime},
    {{"WC512", "driver-bundled", Level::error, "The wheel ships a library of the CUDA driver",
      "It must match the kernel module of the user's machine; any other copy fails or crashes.",
      "Exclude it from the repair of the wheel; the driver installs it."},
     judge_driver_bundled},
    {{"WC513", "cuda-runtime-static", Level::warning,
      "A library contains a CUDA runtime of its own",
      "State of the runtime exists once per copy, and the runtime that the wheel requires goes "
      "unused.",
      "Link the shared runtime."},
     judge_static_runtime},
    {{"WC514", "label-without-cuda", Level::error, "A CUDA label stands on a wheel without CUDA",
      "Users get a CPU build under a CUDA name. The build most likely fell back without a word.",
      "Find out why the toolkit was not used, or label the wheel as what it is."},
     judge_label_without_cuda},
    {{"WC515", "cuda-majors-mixed", Level::error, "Two CUDA majors are needed together",
      "One process then holds two runtimes, or one of them is missing.",
      "Build everything with one toolkit."},
     judge_mixed_majors},

    {{"WC521", "device-code-missing", Level::error,
      "A library lacks machine code for a promised architecture",
      "On that GPU the first launch fails, or the driver compiles for minutes.",
      "Build with the architectures of the train."},
     judge_device_missing},
    {{"WC522", "device-code-unexpected", Level::error,
      "A library has machine code for an architecture that is not promised",
      "The build used other architectures than the train names, so other settings may differ too.",
      "Build with the architectures of the train."},
     judge_device_extra},
    {{"WC523", "ptx-mismatch", Level::error,
      "The portable device code is missing or not for the newest architecture",
      "Without it nothing runs on GPUs that come after the wheel.",
      "Embed PTX for the newest architecture of the train, and only that."},
     judge_ptx},
    {{"WC524", "toolkit-mismatch", Level::error,
      "Device code was compiled by another toolkit than the label names",
      "Two trains of one major differ only by that; drivers for the one may refuse the other.",
      "Build with the toolkit of the label."},
     judge_toolkit},
    {{"WC525", "toolkit-unknown", Level::note, "Device code does not name its toolkit",
      "The minor of the label could not be checked.", "Nothing, unless the label is in doubt."},
     judge_toolkit_unknown},
    {{"WC526", "device-code-unknown", Level::error, "Device code of an unknown layout",
      "What could not be read was not checked.", "Check it with cuobjdump, and report the layout."},
     judge_fatbin_unknown},
    {{"WC527", "device-code-absent", Level::error,
      "A library that holds the kernels has no device code",
      "The CUDA sources were left out of the build, which still linked.",
      "Build where a working CUDA compiler is found."},
     judge_device_absent},
    {{"WC528", "device-code-uneven", Level::warning,
      "One library lacks code for an architecture that others have",
      "The package loads on that GPU and fails in the part that the library serves.",
      "Build all libraries with one list of architectures, or embed PTX."},
     judge_device_uneven},
};

}  // namespace

std::span<const Rule> cuda_rules() { return kRules; }

}  // namespace wheelcheck
