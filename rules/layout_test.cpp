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

TEST(StrayTopLevel, TestsBesideAPackage) {
  WheelBuilder wheel("portalocker-1.7.0-py2.py3-none-any.whl");
  wheel.file("portalocker/__init__.py").file("tests/__init__.py").file("tests/a.py");
  EXPECT_THAT(judge("stray-top-level", wheel), ElementsAre(FindingAt("tests", "tests")));
}

TEST(StrayTopLevel, OwnPackagesDataAndPackagesCalledTests) {
  WheelBuilder wheel("torch-2.13.0-py3-none-any.whl");
  wheel.file("torch/testing/__init__.py")
      .file("functorch/__init__.py")
      .file("torch-2.13.0.data/data/docs/a.txt")
      .file("torch-2.13.0.data/scripts/torchrun");
  EXPECT_THAT(judge("stray-top-level", wheel), IsEmpty());
  WheelBuilder only("tests-1.0-py3-none-any.whl");
  only.file("tests/__init__.py");
  EXPECT_THAT(judge("stray-top-level", only), IsEmpty());
}

TEST(TopLevelText, NamesWhatIsThere) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.file("pkg/__init__.py").elf("_fast.cpython-312-x86_64-linux-gnu.so", Elf());
  wheel.facts().top_level = {"pkg", "_fast"};
  EXPECT_THAT(judge("top-level-unknown", wheel), IsEmpty());
  wheel.facts().top_level.push_back("@BUILT_FILE@/x");
  EXPECT_THAT(judge("top-level-unknown", wheel),
              ElementsAre(FindingAt("pkg-1.0.dist-info/top_level.txt", "@BUILT_FILE@/x")));
}

WheelBuilder upstream(const std::string& version) {
  WheelBuilder wheel("executorch-" + version + "-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.file("executorch/exir/__init__.py");
  return wheel;
}

TEST(RequiredFiles, OfACudaWheel) {
  WheelBuilder wheel = upstream("1.5.1+cu126");
  EXPECT_EQ(judge("required-file-missing", wheel).size(), 3U);
  wheel.elf("executorch/lib/libexecutorch_backend_cuda.so", Elf())
      .elf("executorch/lib/libextension_cuda.so", Elf())
      .elf("executorch/backends/cuda/libaoti_cuda_shims.so", Elf());
  EXPECT_THAT(judge("required-file-missing", wheel),
              ElementsAre(FindingAt("executorch/data/lib/aoti_cuda_shims.lib",
                                    "executorch/data/lib/aoti_cuda_shims.lib")));
  wheel.file("executorch/data/lib/aoti_cuda_shims.lib", ContentKind::coff_import);
  EXPECT_THAT(judge("required-file-missing", wheel), IsEmpty());
}

TEST(RequiredFiles, OfACpuAMinimalAndAnOldWheel) {
  WheelBuilder minimal = upstream("1.5.1+cpu");
  minimal.elf("executorch/data/bin/flatc", Elf().program());
  EXPECT_THAT(judge("required-file-missing", minimal), IsEmpty());
  minimal.elf("executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(
      judge("required-file-missing", minimal),
      ElementsAre(FindingAt("executorch/lib/libexecutorch.so", "executorch/lib/libexecutorch.so")));
  WheelBuilder old = upstream("1.4.0");
  old.elf("executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("required-file-missing", old), IsEmpty());
}

TEST(KnownLibraries, AStaleOneFromAnotherBuild) {
  WheelBuilder wheel = upstream("1.5.1");
  wheel.elf("executorch/lib/libexecutorch.so", Elf())
      .elf("executorch/lib/libextension_cuda.so", Elf())
      .file("executorch/lib/cmake/executorch/executorch-config.cmake")
      .elf("executorch/data/bin/flatc", Elf());
  EXPECT_THAT(judge("unexpected-library", wheel), IsEmpty());
  wheel.elf("executorch/lib/libexecutorch_portable.so", Elf())
      .elf("executorch/lib/libexecutorch.so.old.so.1", Elf());
  EXPECT_EQ(judge("unexpected-library", wheel).size(), 2U);
}

TEST(SonameIsName, VersionedAbsentAndRight) {
  WheelBuilder wheel = upstream("1.5.1");
  wheel.elf("executorch/lib/libexecutorch.so", Elf().soname("libexecutorch.so"));
  // Extensions are opened by their path.
  wheel.elf("executorch/codegen/tools/selective_build.so", Elf());
  EXPECT_THAT(judge("soname-not-file-name", wheel), IsEmpty());
  wheel.elf("executorch/lib/libexecutorch_etdump.so", Elf().soname("libexecutorch_etdump.so.1"))
      .elf("executorch/lib/libexecutorch_threadpool.so", Elf());
  const auto findings = judge("soname-not-file-name", wheel);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].what, HasSubstr("libexecutorch_etdump.so.1"));
  EXPECT_THAT(findings[1].what, HasSubstr("no SONAME"));
}

}  // namespace
}  // namespace wheelcheck
