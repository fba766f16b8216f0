#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kShims = "executorch/backends/cuda/libaoti_cuda_shims.so";

std::unique_ptr<FatbinFacts> code(const std::vector<std::uint32_t>& sass,
                                  const std::vector<std::uint32_t>& ptx,
                                  const std::string& toolkit = "13.0") {
  auto facts = std::make_unique<FatbinFacts>();
  facts->containers = 1;
  const auto add = [&](DeviceCodeKind kind, std::uint32_t arch) {
    DeviceCode entry;
    entry.kind = kind;
    entry.arch = arch;
    entry.toolkit = kind == DeviceCodeKind::cubin ? toolkit : "";
    facts->entries.push_back(entry);
    facts->counts.push_back(1);
  };
  for (const std::uint32_t arch : sass) add(DeviceCodeKind::cubin, arch);
  for (const std::uint32_t arch : ptx) add(DeviceCodeKind::ptx, arch);
  return facts;
}

WheelBuilder executorch(const std::string& label) {
  WheelBuilder wheel("executorch-1.5.1+" + label + "-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py");
  return wheel;
}

constexpr const char* kCpuFamily[] = {
    "cpu-cuda-library",        "cpu-device-code",      "cpu-cuda-needed",   "cpu-cuda-header",
    "cpu-cuda-import-library", "cpu-cuda-requirement", "cpu-static-runtime"};

/// Everything that a CPU wheel must not hold, one of each.
void add_cuda(WheelBuilder& wheel) {
  wheel.elf(kShims, Elf().needs("libcudart.so.13"))
      .file("executorch/include/executorch/extension/cuda/caller_stream.h", ContentKind::text)
      .file("executorch/data/lib/aoti_cuda_shims.lib", ContentKind::coff_import)
      .elf("executorch/lib/libexecutorch_kernels_optimized.so",
           Elf().defines("cudaMalloc").defines("cudaLaunchKernel"))
      .requiring("nvidia-cuda-runtime>=13,<14; platform_system == 'Linux'");
  wheel.last().fatbin = code({90}, {});
}

TEST(CpuWheel, HoldsNothingOfCuda) {
  // A label that says nothing of CUDA, and none at all, mean CPU for this package.
  for (const char* label : {"cpu", "3a00cc1", "custom.1"}) {
    WheelBuilder wheel = executorch(label);
    add_cuda(wheel);
    for (const char* slug : kCpuFamily) EXPECT_EQ(judge(slug, wheel).size(), 1U) << slug << label;
  }
}

TEST(CpuWheel, CudaWheelsMayHoldIt) {
  WheelBuilder wheel = executorch("cu130");
  add_cuda(wheel);
  for (const char* slug : kCpuFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
}

TEST(CpuWheel, OfAnyPackageMakesItsPromiseByLabel) {
  WheelBuilder none("other-1.0-cp312-cp312-linux_x86_64.whl");
  none.elf("other/_C.so", Elf().needs("libcudart.so.13"));
  EXPECT_THAT(judge("cpu-cuda-needed", none), IsEmpty());
  WheelBuilder cpu("other-1.0+cpu-cp312-cp312-linux_x86_64.whl");
  cpu.elf("other/_C.so", Elf().needs("libcudart.so.13").needs("libc10_cuda.so"))
      .elf("other/lib/libcublas-1a2b3c4d.so.12", Elf())
      .file("other/include/cuda_runtime.h", ContentKind::text)
      .requiring("nvidia-cublas-cu12")
      .requiring("cuda-toolkit[cudart]==13.*");
  EXPECT_THAT(judge("cpu-cuda-needed", cpu),
              ElementsAre(FindingAt("other/_C.so", "libcudart.so.13")));
  EXPECT_EQ(judge("cpu-cuda-library", cpu).size(), 1U);
  EXPECT_EQ(judge("cpu-cuda-header", cpu).size(), 1U);
  EXPECT_EQ(judge("cpu-cuda-requirement", cpu).size(), 2U);
}

TEST(CpuWheel, WhatIsOnlyCalledAlikeIsFine) {
  WheelBuilder wheel = executorch("cpu");
  wheel.file("executorch/backends/cuda/cuda_partitioner.py", ContentKind::text)
      .text("executorch/include/c10/util/BFloat16.h", "#include <cuda_bf16.h>\n")
      .file("executorch/examples/cuda/export.py", ContentKind::text)
      .elf("executorch/lib/libexecutorch.so", Elf().imports("cudaMalloc").defines("cudaHelper"))
      .extra("gpu")
      .requiring("nvidia-cuda-runtime; extra == 'gpu'")
      .requiring("nvidia-ml-py")
      .requiring("nvidia-cuda-runtime; platform_system == 'Windows'");
  for (const char* slug : kCpuFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
}

TEST(CpuWheel, OlderReleasesShippedTheImportLibrary) {
  WheelBuilder wheel("executorch-1.4.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/data/lib/aoti_cuda_shims.lib", ContentKind::coff_import);
  EXPECT_THAT(judge("cpu-cuda-import-library", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(CpuWheel, StaticRuntimeMayBeLocal) {
  WheelBuilder wheel = executorch("cpu");
  wheel.elf("executorch/lib/libx.so", Elf().local("cudaMalloc").local("cudaLaunchKernel"));
  EXPECT_EQ(judge("cpu-static-runtime", wheel).size(), 1U);
}

// --- Libraries
// ------------------------------------------------------------------------------------

TEST(Vendored, ByTheRequirementOfTheSame) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("other.libs/libcudart-d0da41ae.so.11.0", Elf());
  EXPECT_THAT(judge("cuda-library-vendored", wheel), ElementsAre(HasLevel(Level::note)));
  wheel.requiring("nvidia-cuda-runtime-cu11");
  EXPECT_THAT(judge("cuda-library-vendored", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(Vendored, ATrainRequiresItInstead) {
  WheelBuilder wheel = executorch("cu126");
  wheel.elf("executorch/lib/libcudart.so.12", Elf());
  EXPECT_THAT(judge("cuda-library-vendored", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(Vendored, PackagesThatExistForItMay) {
  WheelBuilder wheel("nvidia_cuda_runtime_cu12-12.9.79-py3-none-manylinux1_x86_64.whl");
  wheel.elf("nvidia/cuda_runtime/lib/libcudart.so.12", Elf());
  EXPECT_THAT(judge("cuda-library-vendored", wheel), IsEmpty());
}

TEST(Driver, IsNeverShipped) {
  WheelBuilder wheel("nixl-0.3.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("nixl.libs/libcuda-1a2b3c4d.so.1", Elf())
      .elf("nixl.libs/libnvidia-ml.so.1", Elf())
      .elf("nixl/stubs/libcuda.so", Elf());
  EXPECT_THAT(judge("driver-bundled", wheel),
              ElementsAre(HasLevel(Level::error), HasLevel(Level::error), HasLevel(Level::note)));
}

TEST(Driver, LooksAlike) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("other/libcudart.so.12", Elf()).elf("other/libcudacompat.so", Elf());
  EXPECT_THAT(judge("driver-bundled", wheel), IsEmpty());
}

TEST(StaticRuntime, IsAWarningWhereOneIsRequired) {
  WheelBuilder wheel = executorch("cu130");
  wheel.elf(kShims, Elf().local("cudaMalloc"));
  EXPECT_THAT(judge("cuda-runtime-static", wheel), ElementsAre(HasLevel(Level::warning)));
  WheelBuilder other("other-1.0-cp312-cp312-linux_x86_64.whl");
  other.elf("other/_C.so", Elf().local("cudaMalloc"))
      .elf("other/_D.so", Elf().imports("cudaMalloc"));
  EXPECT_THAT(judge("cuda-runtime-static", other), ElementsAre(HasLevel(Level::note)));
}

TEST(LabelWithoutCuda, AFallBackToCpu) {
  WheelBuilder wheel = executorch("cu130");
  wheel.elf("executorch/lib/libexecutorch.so", Elf());
  EXPECT_THAT(judge("label-without-cuda", wheel), ElementsAre(HasLevel(Level::error)));
  wheel.elf(kShims, Elf().needs("libcudart.so.13"));
  EXPECT_THAT(judge("label-without-cuda", wheel), IsEmpty());
}

TEST(LabelWithoutCuda, OnTopOfAnotherCudaPackage) {
  WheelBuilder wheel("ext-1.0+cu126-cp312-cp312-linux_x86_64.whl");
  wheel.elf("ext/_C.so", Elf().needs("libtorch_cuda.so"));
  EXPECT_THAT(judge("label-without-cuda", wheel), IsEmpty());
  WheelBuilder pure("ext-1.0+cu126-py3-none-any.whl");
  EXPECT_THAT(judge("label-without-cuda", pure), ElementsAre(HasLevel(Level::warning)));
}

TEST(MixedMajors, InOneFileAndInOneWheel) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("other/a.so", Elf().needs("libcudart.so.12").needs("libcublas.so.12"));
  EXPECT_THAT(judge("cuda-majors-mixed", wheel), IsEmpty());
  wheel.elf("other/b.so", Elf().needs("libcudart.so.13"));
  EXPECT_THAT(judge("cuda-majors-mixed", wheel), ElementsAre(HasLevel(Level::warning)));
  wheel.elf("other/c.so", Elf().needs("libcudart.so.12").needs("libnvrtc.so.13"));
  EXPECT_THAT(judge("cuda-majors-mixed", wheel),
              ElementsAre(AllOf(FindingAt("other/c.so", "libnvrtc.so.13"), HasLevel(Level::error)),
                          HasLevel(Level::warning)));
}

TEST(MixedMajors, OneLibraryPerReleaseIsAChoice) {
  WheelBuilder wheel("bitsandbytes-0.46.1-py3-none-manylinux_2_24_x86_64.whl");
  wheel.elf("bitsandbytes/libbitsandbytes_cuda118.so", Elf().needs("libcudart.so.11.0"))
      .elf("bitsandbytes/libbitsandbytes_cuda126.so", Elf().needs("libcudart.so.12"));
  EXPECT_THAT(judge("cuda-majors-mixed", wheel), IsEmpty());
}

// --- Device code
// ----------------------------------------------------------------------------------

constexpr const char* kDeviceFamily[] = {
    "device-code-missing", "device-code-unexpected", "ptx-mismatch",       "toolkit-mismatch",
    "toolkit-unknown",     "device-code-unknown",    "device-code-absent", "device-code-uneven"};

WheelBuilder with_code(std::unique_ptr<FatbinFacts> facts, const std::string& label = "cu130") {
  WheelBuilder wheel = executorch(label);
  wheel.elf(kShims, Elf());
  wheel.last().fatbin = std::move(facts);
  // Libraries without device code promise none.
  wheel.elf("executorch/lib/libexecutorch_extension_cuda.so", Elf());
  return wheel;
}

TEST(DeviceCode, OfTheTrainIsClean) {
  WheelBuilder cu130 = with_code(code({80, 86, 89, 90, 100, 120}, {120}));
  WheelBuilder cu132 = with_code(code({80, 86, 89, 90, 100, 120}, {120}, "13.2"), "cu132");
  for (const char* slug : kDeviceFamily) {
    EXPECT_THAT(judge(slug, cu130), IsEmpty()) << slug;
    EXPECT_THAT(judge(slug, cu132), IsEmpty()) << slug;
  }
}

TEST(DeviceCode, IsAnotherListOnAnotherMachine) {
  WheelBuilder wheel("executorch-1.5.1+cu126-cp312-cp312-manylinux_2_28_aarch64.whl");
  wheel.file("executorch/exir/__init__.py").elf(kShims, Elf().machine(183));
  wheel.last().fatbin = code({80, 87, 90}, {90}, "12.6");
  for (const char* slug : kDeviceFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
}

TEST(DeviceCode, MissingAndUnexpected) {
  WheelBuilder wheel = with_code(code({75, 80, 86, 89, 100, 120}, {120}));
  EXPECT_THAT(judge("device-code-missing", wheel), ElementsAre(FindingAt(kShims, "sm_90")));
  EXPECT_THAT(judge("device-code-unexpected", wheel), ElementsAre(FindingAt(kShims, "sm_75")));
}

TEST(DeviceCode, AVariantIsNoMachineCodeForTheArchitecture) {
  auto facts = code({80, 86, 89, 100, 120}, {120});
  facts->entries.push_back({});
  facts->entries.back().kind = DeviceCodeKind::cubin;
  facts->entries.back().arch = 90;
  facts->entries.back().variant = 'a';
  facts->counts.push_back(1);
  WheelBuilder wheel = with_code(std::move(facts));
  EXPECT_THAT(judge("device-code-missing", wheel), ElementsAre(FindingAt(kShims, "sm_90")));
}

TEST(DeviceCode, IsJudgedPerLibrary) {
  WheelBuilder wheel = with_code(code({80, 86, 89, 90, 100, 120}, {120}));
  wheel.elf("executorch/lib/libexecutorch_backend_cuda.so", Elf());
  wheel.last().fatbin = code({80}, {120});
  EXPECT_EQ(judge("device-code-missing", wheel).size(), 1U);
}

TEST(Ptx, ForTheNewestAndNothingElse) {
  WheelBuilder missing = with_code(code({80, 86, 89, 90, 100, 120}, {}));
  EXPECT_THAT(judge("ptx-mismatch", missing), ElementsAre(FindingAt(kShims, "compute_120")));
  WheelBuilder old = with_code(code({80, 86, 89, 90, 100, 120}, {80}));
  EXPECT_THAT(judge("ptx-mismatch", old)[0].what, HasSubstr("compute_80"));
}

TEST(Toolkit, TheMinorTellsTwoTrainsApart) {
  WheelBuilder wheel = with_code(code({80, 86, 89, 90, 100, 120}, {120}, "13.0"), "cu132");
  EXPECT_THAT(judge("toolkit-mismatch", wheel), ElementsAre(FindingAt(kShims, "13.0")));
  WheelBuilder unknown = with_code(code({80, 86, 89, 90, 100, 120}, {120}, ""));
  EXPECT_THAT(judge("toolkit-mismatch", unknown), IsEmpty());
  EXPECT_THAT(judge("toolkit-unknown", unknown), ElementsAre(HasLevel(Level::note)));
}

TEST(DeviceCodeUnknown, IsNotAbsent) {
  auto facts = std::make_unique<FatbinFacts>();
  facts->unknown.push_back("version 9 at 0x40");
  WheelBuilder wheel = with_code(std::move(facts));
  EXPECT_THAT(judge("device-code-unknown", wheel), ElementsAre(HasLevel(Level::error)));
  EXPECT_THAT(judge("device-code-absent", wheel), IsEmpty());
  WheelBuilder other("other-1.0-cp312-cp312-linux_x86_64.whl");
  other.elf("other/_C.so", Elf());
  other.last().fatbin = std::make_unique<FatbinFacts>();
  other.last().fatbin->unknown.push_back("version 9 at 0x40");
  EXPECT_THAT(judge("device-code-unknown", other), ElementsAre(HasLevel(Level::warning)));
}

TEST(DeviceCodeAbsent, AKernelLibraryWithoutKernels) {
  WheelBuilder wheel = with_code(nullptr);
  EXPECT_THAT(judge("device-code-absent", wheel), ElementsAre(FindingAt(kShims, ".nv_fatbin")));
}

TEST(DeviceCodeUneven, OneLibraryStopsShort) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("other/main.so", Elf());
  wheel.last().fatbin = code({80, 90, 120}, {});
  wheel.elf("other/flash.so", Elf());
  wheel.last().fatbin = code({80, 90}, {});
  EXPECT_THAT(judge("device-code-uneven", wheel),
              ElementsAre(FindingAt("other/flash.so", "sm_120")));
}

TEST(DeviceCodeUneven, ALowerMinorAndPtxRunOnIt) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_aarch64.whl");
  wheel.elf("other/a.so", Elf());
  wheel.last().fatbin = code({87}, {});
  wheel.elf("other/b.so", Elf());
  wheel.last().fatbin = code({80}, {});  // runs on 8.7
  wheel.elf("other/c.so", Elf());
  wheel.last().fatbin = code({}, {75});  // is compiled for it
  EXPECT_THAT(judge("device-code-uneven", wheel), IsEmpty());
}

}  // namespace
}  // namespace wheelcheck
