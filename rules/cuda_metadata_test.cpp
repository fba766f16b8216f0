#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kMetadata = "executorch-1.5.1+cu130.dist-info/METADATA";
constexpr const char* kShims = "executorch/backends/cuda/libaoti_cuda_shims.so";

WheelBuilder labelled(const std::string& label,
                      const std::string& platform = "manylinux_2_28_x86_64") {
  WheelBuilder wheel("executorch-1.5.1+" + label + "-cp312-cp312-" + platform + ".whl");
  wheel.file("executorch/exir/__init__.py");
  return wheel;
}

constexpr const char* kFamily[] = {"label-unsupported",       "cuda-requirement-missing",
                                   "cuda-requirement-wrong",  "cuda-requirement-ineffective",
                                   "cuda-requirement-unused", "cuda-requirement-undeclared",
                                   "cuda-major-mismatch",     "cuda-requirement-major"};

TEST(CudaTrain, RightWheelsAreClean) {
  WheelBuilder old_train = labelled("cu126");
  old_train.requiring("nvidia-cuda-runtime-cu12<13,>=12; platform_system == \"Linux\"")
      .elf(kShims, Elf().needs("libcudart.so.12"));
  // Another spelling of the name, another order of the bounds.
  WheelBuilder new_train = labelled("cu132", "manylinux_2_28_aarch64");
  new_train.requiring("NVIDIA_cuda.runtime<14,>=13; platform_system == 'Linux'")
      .elf(kShims, Elf().needs("libcudart.so.13").needs("libcurand.so.10"))
      .requiring("nvidia-curand");
  for (const char* slug : kFamily) {
    EXPECT_THAT(judge(slug, old_train), IsEmpty()) << slug;
    EXPECT_THAT(judge(slug, new_train), IsEmpty()) << slug;
  }
}

TEST(CudaTrain, WheelsOfOtherKindsAreClean) {
  for (const char* label : {"cpu", "custom.1", "3a00cc1"}) {
    WheelBuilder wheel = labelled(label);
    for (const char* slug : kFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug << label;
  }
  // The trains are this package's; others support what they like.
  WheelBuilder other("vllm-0.21.0+cu129-cp38-abi3-manylinux1_x86_64.whl");
  other.elf("vllm/_C.abi3.so", Elf().needs("libcudart.so.12"));
  for (const char* slug : kFamily) EXPECT_THAT(judge(slug, other), IsEmpty()) << slug;
}

TEST(LabelSupported, NamesTheTrains) {
  for (const char* label : {"cu118", "cu125", "cu128", "cu13"}) {
    WheelBuilder wheel = labelled(label);
    const auto findings = judge("label-unsupported", wheel);
    ASSERT_EQ(findings.size(), 1U) << label;
    EXPECT_THAT(findings[0].what, HasSubstr("supported: cu126, cu130, cu132"));
  }
}

TEST(CudaRequirement, Missing) {
  WheelBuilder wheel = labelled("cu130");
  EXPECT_THAT(judge("cuda-requirement-missing", wheel),
              ElementsAre(FindingAt(kMetadata, "nvidia-cuda-runtime")));
}

TEST(CudaRequirement, OfAnotherTrain) {
  for (const char* line :
       {"nvidia-cuda-runtime-cu12>=12,<13; platform_system == 'Linux'", "nvidia-cuda-runtime-cu11",
        "nvidia-cuda-runtime", "nvidia-cuda-runtime==14.0", "nvidia-cuda-runtime<13"}) {
    WheelBuilder wheel = labelled("cu130");
    wheel.requiring(line);
    EXPECT_EQ(judge("cuda-requirement-wrong", wheel).size(), 1U) << line;
    EXPECT_THAT(judge("cuda-requirement-missing", wheel), IsEmpty()) << line;
  }
  WheelBuilder unbounded = labelled("cu130");
  unbounded.requiring("nvidia-cuda-runtime");
  EXPECT_THAT(judge("cuda-requirement-wrong", unbounded)[0].what, HasSubstr("without bounds"));
}

TEST(CudaRequirement, WithoutEffect) {
  for (const char* marker : {"extra == 'gpu'", "platform_system == 'Windows'"}) {
    WheelBuilder wheel = labelled("cu130");
    wheel.extra("gpu").requiring(std::string("nvidia-cuda-runtime>=13,<14; ") + marker);
    EXPECT_EQ(judge("cuda-requirement-ineffective", wheel).size(), 1U) << marker;
  }
}

TEST(CudaRequirement, UnusedAndUndeclared) {
  WheelBuilder wheel = labelled("cu130");
  wheel.requiring("nvidia-cuda-runtime>=13,<14")
      .requiring("nvidia-curand>=10")
      .elf(kShims, Elf().needs("libcudart.so.13").needs("libnvrtc.so.13"));
  EXPECT_THAT(judge("cuda-requirement-unused", wheel),
              ElementsAre(FindingAt(kMetadata, "nvidia-curand")));
  EXPECT_THAT(judge("cuda-requirement-undeclared", wheel),
              ElementsAre(FindingAt(kMetadata, "libnvrtc.so.13")));
}

TEST(CudaMajor, LabelAgainstLibraries) {
  WheelBuilder wheel = labelled("cu126");
  wheel.elf(kShims, Elf().needs("libcudart.so.13"));
  EXPECT_THAT(judge("cuda-major-mismatch", wheel),
              ElementsAre(FindingAt(kShims, "libcudart.so.13")));
  // In any package, for any release.
  WheelBuilder other("other-1.0+cu118-cp312-cp312-linux_x86_64.whl");
  other.elf("other/_C.so", Elf().needs("libcublas.so.12").needs("libcurand.so.10"));
  EXPECT_THAT(judge("cuda-major-mismatch", other),
              ElementsAre(FindingAt("other/_C.so", "libcublas.so.12")));
}

TEST(CudaMajor, TheNameOfTheDistributionIsALabelToo) {
  WheelBuilder wheel("transformer_engine_cu12-2.6.0-py3-none-manylinux_2_28_x86_64.whl");
  wheel.elf("transformer_engine/libtransformer_engine.so", Elf().needs("libcublas.so.13"));
  EXPECT_EQ(judge("cuda-major-mismatch", wheel).size(), 1U);
}

TEST(CudaMajor, ImportedDllsCount) {
  WheelBuilder wheel("llama_cpp_python-0.3.16+cuda12.1.sm86.ampere-cp312-cp312-win_amd64.whl");
  wheel.file("llama_cpp/lib/ggml-cuda.dll", ContentKind::pe);
  ForeignImage image;
  image.format = "PE";
  image.libraries = {"cublas64_13.dll"};
  wheel.last().foreign = std::make_unique<ForeignFacts>();
  wheel.last().foreign->images.push_back(image);
  EXPECT_THAT(judge("cuda-major-mismatch", wheel),
              ElementsAre(FindingAt("llama_cpp/lib/ggml-cuda.dll", "cublas64_13.dll")));
}

TEST(CudaMajor, OneLibraryPerReleaseIsAChoice) {
  WheelBuilder wheel("bitsandbytes-0.46.1+cu126-py3-none-manylinux_2_24_x86_64.whl");
  wheel.elf("bitsandbytes/libbitsandbytes_cuda118.so", Elf().needs("libcudart.so.11.0"))
      .elf("bitsandbytes/libbitsandbytes_cuda126.so", Elf().needs("libcudart.so.12"));
  EXPECT_THAT(judge("cuda-major-mismatch", wheel), IsEmpty());
  EXPECT_THAT(judge("cuda-requirement-major", wheel), IsEmpty());
}

TEST(CudaRequirementMajor, LibraryAgainstRequirement) {
  WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.requiring("nvidia-cuda-runtime-cu12").elf("other/_C.so", Elf().needs("libcudart.so.13"));
  EXPECT_THAT(judge("cuda-requirement-major", wheel),
              ElementsAre(FindingAt("other/_C.so", "libcudart.so.13")));
  // A choice for the user.
  wheel.requiring("nvidia-cuda-runtime>=13");
  EXPECT_THAT(judge("cuda-requirement-major", wheel), IsEmpty());
}

TEST(CudaRequirementMajor, BoundsOfANameWithoutMajor) {
  for (const auto& [line, findings] : {std::pair{"nvidia-cuda-runtime>=13,<14", 0U},
                                       {"nvidia-cuda-runtime==13.0.96", 0U},
                                       {"nvidia-cuda-runtime~=13.0", 0U},
                                       {"nvidia-cuda-runtime", 0U},
                                       {"nvidia-cuda-runtime==13.*", 0U},
                                       {"nvidia-cuda-runtime==12.9.79", 1U},
                                       {"nvidia-cuda-runtime>=12,<13", 1U},
                                       {"nvidia-cuda-runtime==14.0", 0U + 1U}}) {
    WheelBuilder wheel("other-1.0-cp312-cp312-linux_x86_64.whl");
    wheel.requiring(line).elf("other/_C.so", Elf().needs("libcudart.so.13"));
    EXPECT_EQ(judge("cuda-requirement-major", wheel).size(), findings) << line;
  }
}

}  // namespace
}  // namespace wheelcheck
