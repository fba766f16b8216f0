#include "rules/testing_judge.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using testing::Elf;
using testing::FindingAt;
using testing::HasLevel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::WheelBuilder;

constexpr const char* kStream = "_ZN10executorch9extension4cuda15getCallerStreamEv";
constexpr const char* kSetStream =
    "_ZN10executorch8backends4cuda20setCurrentCUDAStreamEP11CUstream_sta";
constexpr const char* kGetStream = "_ZN10executorch8backends4cuda20getCurrentCUDAStreamEa";
constexpr const char* kGuard =
    "_ZN10executorch8backends4cuda15CUDAStreamGuard6createEP11CUstream_sta";
constexpr const char* kLoadLibrary =
    "_ZN10executorch8backends4cuda12load_libraryERKNSt10filesystem7__cxx114pathE";
constexpr const char* kRegister = "_ZN10executorch7runtime16register_backendERKNS0_7BackendE";
constexpr const char* kCount = "_ZN10executorch7runtime27get_num_registered_backendsEv";
constexpr const char* kClass = "_ZN10executorch7runtime17get_backend_classEPKc";
constexpr const char* kPool = "_ZN10executorch9extension10threadpool14get_threadpoolEv";
constexpr const char* kQuantize =
    "_ZN5torch8executor6native23quantize_per_tensor_outERN10executorch7runtime20KernelRuntimeContex"
    "tERKNS3_7etensor6TensorEdlllNS6_10ScalarTypeERS7_";
constexpr const char* kDequantize =
    "_ZN5torch8executor6native25dequantize_per_tensor_outERN10executorch7runtime20KernelRuntimeCont"
    "extERKNS3_7etensor6TensorEdlllNS6_10ScalarTypeESt8optionalISA_ERS7_";
constexpr const char* kKernels[] = {
    "aoti_torch_cuda__weight_int4pack_mm", "aoti_torch_cuda_int4_plain_mm",
    "aoti_torch_cuda_int5_plain_mm",       "aoti_torch_cuda_int6_plain_mm",
    "aoti_torch_cuda_int8_plain_mm",       "aoti_torch_cuda_rand",
    "aoti_torch_cuda_randint_low_out",     "aoti_torch_cuda_sort_stable",
    "aoti_torch_cuda_guard_set_index"};

constexpr const char* kHelper = "executorch/lib/libexecutorch_extension_cuda.so";
constexpr const char* kDelegate = "executorch/lib/libexecutorch_backend_cuda.so";
constexpr const char* kShims = "executorch/backends/cuda/libaoti_cuda_shims.so";
constexpr const char* kRuntime = "executorch/lib/libexecutorch.so";
constexpr const char* kExtension =
    "executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so";

Elf helper() { return Elf().defines(kStream); }
Elf delegate() {
  return Elf().defines(kLoadLibrary).imports(kStream).imports(kSetStream).imports(kGetStream);
}
Elf shims() {
  Elf elf;
  for (const char* kernel : kKernels) elf.defines(kernel);
  return elf.defines("aoti_torch_empty_strided")
      .defines("aoti_torch_delete_tensor_object")
      .defines(kGuard)
      .defines(kSetStream)
      .defines(kGetStream)
      .imports(kStream);
}

WheelBuilder cuda_wheel(Elf helper_elf = helper(), Elf delegate_elf = delegate(),
                        Elf shims_elf = shims()) {
  WheelBuilder wheel("executorch-1.5.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf(kHelper, std::move(helper_elf))
      .elf(kDelegate, std::move(delegate_elf))
      .elf(kShims, std::move(shims_elf))
      .file("executorch/exir/__init__.py");
  return wheel;
}

constexpr const char* kFamily[] = {"symbol-duplicate",        "symbol-wrong-owner",
                                   "symbol-group-incomplete", "symbol-weak-owner",
                                   "symbol-not-exported",     "symbol-hidden-duplicate",
                                   "symbol-import-missing",   "hidden-state-trace"};

TEST(Ownership, TheRightLayoutIsClean) {
  WheelBuilder wheel = cuda_wheel();
  for (const char* slug : kFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
}

TEST(OneDefiner, TwoGlobalDefinitions) {
  WheelBuilder wheel = cuda_wheel(helper(), delegate().defines(kStream));
  const auto findings = judge("symbol-duplicate", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kDelegate, kStream)));
  EXPECT_EQ(findings[0].level, Level::error);
  EXPECT_THAT(findings[0].provided_by, ElementsAre(kHelper, kDelegate));
  EXPECT_THAT(judge("symbol-wrong-owner", wheel), IsEmpty());
}

TEST(OneDefiner, UniqueIfuncAndProtectedDefinitionsCount) {
  WheelBuilder unique =
      cuda_wheel(helper(), delegate().defines(kStream, SymbolBinding::gnu_unique));
  EXPECT_EQ(judge("symbol-duplicate", unique).size(), 1U);
  WheelBuilder ifunc =
      cuda_wheel(helper(), delegate().defines(kStream, SymbolBinding::global, SymbolType::ifunc));
  EXPECT_EQ(judge("symbol-duplicate", ifunc).size(), 1U);
  Elf guarded = delegate().defines(kStream);
  guarded.facts().dynamic_symbols.back().visibility = SymbolVisibility::protected_;
  WheelBuilder is_protected = cuda_wheel(helper(), std::move(guarded));
  EXPECT_EQ(judge("symbol-duplicate", is_protected).size(), 1U);
}

TEST(OneDefiner, AWeakSecondDefinitionCountsToo) {
  // ld.so takes the first definition it meets, weak or not.
  WheelBuilder wheel = cuda_wheel(helper(), delegate().defines(kStream, SymbolBinding::weak));
  EXPECT_EQ(judge("symbol-duplicate", wheel).size(), 1U);
  EXPECT_THAT(judge("symbol-weak-owner", wheel), IsEmpty());
}

TEST(OneDefiner, TwoVersionsInOneFileAreOneDefiner) {
  Elf versioned = helper().defines(kStream);
  versioned.facts().dynamic_symbols.back().version = 3;
  versioned.facts().dynamic_symbols.back().version_hidden = true;
  WheelBuilder wheel = cuda_wheel(std::move(versioned));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(OneDefiner, ALongerNameIsAnotherName) {
  WheelBuilder wheel = cuda_wheel(
      helper(), delegate().defines("_ZN10executorch9extension4cuda24getCallerStreamOrDefaultEv"),
      shims().defines("aoti_torch_create_cuda_guard").defines("aoti_torch_cuda_rand_like"));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(OneDefiner, ProgramsAndObjectsAreNotDefiners) {
  WheelBuilder wheel = cuda_wheel();
  wheel.elf("executorch/data/bin/run", Elf().program().defines(kStream));
  Elf object = Elf().defines(kStream);
  object.facts().type = 1;
  wheel.elf("executorch/lib/a.o", std::move(object));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(OneDefiner, StateThatExistsThreeTimes) {
  WheelBuilder wheel = cuda_wheel(helper(), delegate().defines(kGuard));
  wheel.elf(kExtension, Elf().imports(kCount).imports(kClass).imports(kPool).defines(kGuard));
  const auto findings = judge("symbol-duplicate", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kDelegate, kGuard)));
  EXPECT_THAT(findings[0].what, HasSubstr("3 files"));
}

TEST(OneDefiner, ExportCopiesOfQuantizedKernelsAreAllowed) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py")
      .elf("executorch/lib/libexecutorch_kernels_quantized.so",
           Elf().defines(kQuantize).defines(kDequantize))
      .elf("executorch/kernels/quantized/libquantized_ops_aot_lib.so",
           Elf().defines(kQuantize).defines(kDequantize));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
  wheel.elf(kExtension, Elf().defines(kQuantize));
  EXPECT_THAT(judge("symbol-duplicate", wheel), ElementsAre(FindingAt(kExtension, kQuantize)));
}

TEST(OneDefiner, RegistriesOfAnyOtherPackageAreAWarning) {
  WheelBuilder wheel("other-1.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf("other/a.so", Elf().defines(kRegister)).elf("other/b.so", Elf().defines(kRegister));
  EXPECT_THAT(judge("symbol-duplicate", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(OneDefiner, AlternatesOfWhichOneIsLoadedAreOne) {
  WheelBuilder wheel("other-1.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf("other/sm90/ops.so", Elf().defines(kRegister))
      .elf("other/sm80/ops.so", Elf().defines(kRegister));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(RightDefiner, AnotherFileDefinesIt) {
  WheelBuilder wheel = cuda_wheel(Elf(), delegate(), shims().defines(kStream));
  EXPECT_THAT(judge("symbol-wrong-owner", wheel), ElementsAre(FindingAt(kShims, kStream)));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(RightDefiner, TheDirectoryBelongsToTheOwner) {
  WheelBuilder wheel("executorch-1.5.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py")
      .elf(kHelper, helper())
      .elf("executorch/lib/libaoti_cuda_shims.so", shims());
  EXPECT_FALSE(judge("symbol-wrong-owner", wheel).empty());
}

TEST(RightDefiner, TheOldNameOfTheHelperIsRight) {
  WheelBuilder wheel("executorch-1.5.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py").elf("executorch/lib/libextension_cuda.so", helper());
  EXPECT_THAT(judge("symbol-wrong-owner", wheel), IsEmpty());
}

TEST(RightDefiner, AMonolithHasOneDefinerAndIsWrong) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py")
      .elf(kExtension, Elf().defines(kRegister).defines(kCount).defines(kClass));
  EXPECT_THAT(judge("symbol-wrong-owner", wheel), ElementsAre(FindingAt(kExtension, kRegister)));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(RightDefiner, OlderReleasesHaveNoSharedLayout) {
  WheelBuilder wheel("executorch-1.4.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf(kExtension, Elf().defines(kRegister).defines(kCount).defines(kClass));
  EXPECT_THAT(judge("symbol-wrong-owner", wheel), IsEmpty());
  // Two copies of the registry are wrong in any release.
  wheel.elf("executorch/backends/b.so", Elf().defines(kRegister));
  EXPECT_THAT(judge("symbol-duplicate", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(CompleteGroup, OnlyTheKernelOfTheCppFileIsLeft) {
  WheelBuilder wheel = cuda_wheel(
      helper(), delegate(), Elf().defines("aoti_torch_cuda_guard_set_index").imports(kStream));
  const auto findings = judge("symbol-group-incomplete", wheel);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].subject, "aoti_torch_cuda__weight_int4pack_mm");
  EXPECT_THAT(findings[0].what, HasSubstr("of the 9 symbols"));
}

TEST(CompleteGroup, AMisspeltNameIsAMissingOne) {
  Elf elf = shims();
  const auto at = elf.facts().names.find("aoti_torch_cuda__weight");
  elf.facts().names.replace(at, 23, "aoti_torch_cuda_xweight");
  WheelBuilder wheel = cuda_wheel(helper(), delegate(), std::move(elf));
  EXPECT_THAT(judge("symbol-group-incomplete", wheel),
              ElementsAre(FindingAt(kShims, "aoti_torch_cuda__weight_int4pack_mm")));
}

TEST(CompleteGroup, AnotherPackagesFunctionsOfThoseNamesAreItsOwn) {
  // torch defines some of the nine for its own tensors.
  WheelBuilder wheel("torch-2.13.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf("torch/lib/libtorch_cuda.so", Elf()
                                              .defines("aoti_torch_cuda_rand")
                                              .defines("aoti_torch_cuda_sort_stable")
                                              .defines("aoti_torch_cuda__weight_int4pack_mm"));
  for (const char* slug : kFamily) EXPECT_THAT(judge(slug, wheel), IsEmpty()) << slug;
}

TEST(StrongOwner, AWeakDefinitionAloneIsNoOwner) {
  WheelBuilder wheel = cuda_wheel(Elf().defines(kStream, SymbolBinding::weak));
  EXPECT_THAT(judge("symbol-weak-owner", wheel), ElementsAre(FindingAt(kHelper, kStream)));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(ExportedGroup, HiddenByADefaultVisibility) {
  Elf hidden;
  for (const char* kernel : kKernels) hidden.local(kernel);
  WheelBuilder wheel = cuda_wheel(helper(), delegate(), hidden.imports(kStream));
  const auto findings = judge("symbol-not-exported", wheel);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].place, kShims);
  EXPECT_THAT(findings[0].what, HasSubstr("local to the file"));
}

TEST(ExportedGroup, AnAbsentOwnerExportsNothing) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py");
  EXPECT_THAT(judge("symbol-not-exported", wheel), IsEmpty());
}

TEST(HiddenDuplicate, ALocalSymbolOfAnUnstrippedFile) {
  WheelBuilder wheel = cuda_wheel(helper(), delegate().local(kStream));
  EXPECT_THAT(judge("symbol-hidden-duplicate", wheel), ElementsAre(FindingAt(kDelegate, kStream)));
  EXPECT_THAT(judge("symbol-duplicate", wheel), IsEmpty());
}

TEST(HiddenDuplicate, AHiddenEntryOfTheDynamicTable) {
  Elf elf = delegate().defines(kStream);
  elf.facts().dynamic_symbols.back().visibility = SymbolVisibility::hidden;
  WheelBuilder wheel = cuda_wheel(helper(), std::move(elf));
  EXPECT_THAT(judge("symbol-hidden-duplicate", wheel), ElementsAre(FindingAt(kDelegate, kStream)));
}

TEST(HiddenDuplicate, TheStateWhereFunctionsWereInlined) {
  constexpr const char* kState = "_ZN10executorch9extension4cuda12_GLOBAL__N_114caller_stream_E";
  WheelBuilder good = cuda_wheel(helper().local(kState, SymbolType::tls));
  EXPECT_THAT(judge("symbol-hidden-duplicate", good), IsEmpty());
  WheelBuilder bad = cuda_wheel(helper().local(kState, SymbolType::tls),
                                delegate().local(kState, SymbolType::tls));
  EXPECT_THAT(judge("symbol-hidden-duplicate", bad), ElementsAre(FindingAt(kDelegate, kState)));
}

TEST(HiddenDuplicate, StorageWithoutAnImportBetraysAStrippedOne) {
  Elf stripped = Elf().defines(kLoadLibrary).imports(kSetStream).imports(kGetStream);
  stripped.facts().tls_size = 16;
  WheelBuilder wheel = cuda_wheel(helper(), std::move(stripped));
  const auto findings = judge("hidden-state-trace", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt(kDelegate, kStream)));
  EXPECT_THAT(findings[0].what, HasSubstr("16 bytes of thread-local storage"));
  EXPECT_THAT(judge("symbol-import-missing", wheel), ElementsAre(FindingAt(kDelegate, kStream)));
}

TEST(ImportProof, StorageOfOtherThingsIsFine) {
  Elf with_storage = delegate();
  with_storage.facts().tls_size = 16;
  WheelBuilder wheel = cuda_wheel(helper(), std::move(with_storage));
  EXPECT_THAT(judge("hidden-state-trace", wheel), IsEmpty());
  EXPECT_THAT(judge("symbol-import-missing", wheel), IsEmpty());
}

TEST(ImportProof, TheExtensionMustUseTheSharedRegistry) {
  WheelBuilder wheel("executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py")
      .elf(kRuntime, Elf())
      .elf(kExtension, Elf().imports(kCount).imports(kPool).imports(
                           "_ZN10executorch7runtime20get_backend_class_v2EPKc"));
  EXPECT_THAT(judge("symbol-import-missing", wheel), ElementsAre(FindingAt(kExtension, kClass)));
}

}  // namespace
}  // namespace wheelcheck
