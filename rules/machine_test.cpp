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

constexpr const char* kX86 = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kArm = "pkg-1.0-cp312-cp312-manylinux_2_28_aarch64.whl";
constexpr const char* kAny = "pkg-1.0-py3-none-any.whl";
constexpr const char* kMac = "pkg-1.0-cp312-cp312-macosx_11_0_arm64.whl";

TEST(Machine, TagAndFileAgree) {
  WheelBuilder wheel(kX86);
  wheel.elf("pkg/a.so", Elf());
  EXPECT_THAT(judge("machine-mismatch", wheel), IsEmpty());
  WheelBuilder arm(kArm);
  arm.elf("pkg/a.so", Elf().machine(183));
  EXPECT_THAT(judge("machine-mismatch", arm), IsEmpty());
}

TEST(Machine, AnotherProcessorAnotherClassAndNone) {
  WheelBuilder wheel(kArm);
  wheel.elf("pkg/a.so", Elf()).elf("pkg/b.so", Elf().machine(0));
  EXPECT_THAT(judge("machine-mismatch", wheel),
              ElementsAre(AllOf(FindingAt("pkg/a.so", "x86_64"), HasLevel(Level::error)),
                          AllOf(FindingAt("pkg/b.so", "64-bit little-endian machine 0"),
                                HasLevel(Level::error))));
  WheelBuilder narrow(kX86);
  narrow.elf("pkg/a.so", Elf().machine(62, false));  // x32
  EXPECT_EQ(judge("machine-mismatch", narrow).size(), 1U);
}

TEST(Machine, EveryTagOfACompoundIsAPromise) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-manylinux2014_x86_64.manylinux2014_aarch64.whl");
  wheel.elf("pkg/a.so", Elf());
  const auto findings = judge("machine-mismatch", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, HasSubstr("manylinux2014_aarch64"));
}

TEST(Machine, FirmwareAndTestDataAreMild) {
  WheelBuilder wheel(kX86);
  Elf firmware = Elf().machine(40, false);
  firmware.facts().type = 2;
  firmware.facts().has_dynamic = false;
  Elf cubin = Elf().machine(190);
  wheel.elf("pkg/fw.elf", std::move(firmware))
      .elf("pkg/tests/arm.so", Elf().machine(183))
      .elf("pkg/kernel.cubin", std::move(cubin));
  EXPECT_THAT(judge("machine-mismatch", wheel),
              ElementsAre(HasLevel(Level::warning), HasLevel(Level::warning)));
}

TEST(NativeInPure, ALibraryForOneMachine) {
  WheelBuilder wheel(kAny);
  wheel.elf("pkg/libx.so", Elf());
  EXPECT_THAT(judge("native-in-pure", wheel), ElementsAre(HasLevel(Level::error)));
  WheelBuilder tagged(kX86);
  tagged.elf("pkg/libx.so", Elf());
  EXPECT_THAT(judge("native-in-pure", tagged), IsEmpty());
}

TEST(NativeInPure, AChoiceOfMachinesAndTestDataAreMild) {
  WheelBuilder wheel(kAny);
  wheel.elf("pkg/x64.so", Elf()).elf("pkg/arm.so", Elf().machine(183));
  EXPECT_THAT(judge("native-in-pure", wheel),
              ElementsAre(HasLevel(Level::warning), HasLevel(Level::warning)));
  WheelBuilder data(kAny);
  data.elf("pkg/tests/a.so", Elf());
  EXPECT_THAT(judge("native-in-pure", data), ElementsAre(HasLevel(Level::warning)));
}

ForeignImage image(const char* format, const char* machine) {
  ForeignImage result;
  result.format = format;
  result.machine = machine;
  result.kind = ForeignKind::shared_library;
  return result;
}
void add_foreign(WheelBuilder& wheel, const char* path, std::vector<ForeignImage> images) {
  wheel.file(path, images[0].format == "PE" ? ContentKind::pe : ContentKind::mach_o);
  wheel.last().foreign = std::make_unique<ForeignFacts>();
  wheel.last().foreign->images = std::move(images);
}

TEST(ForeignMachine, AgainstTheTag) {
  WheelBuilder good(kMac);
  add_foreign(good, "pkg/a.so", {image("Mach-O", "arm64")});
  add_foreign(good, "pkg/b.so", {image("Mach-O", "x86_64"), image("Mach-O", "arm64e")});
  EXPECT_THAT(judge("foreign-machine-mismatch", good), IsEmpty());
  WheelBuilder bad(kMac);
  add_foreign(bad, "pkg/a.so", {image("Mach-O", "x86_64")});
  EXPECT_THAT(judge("foreign-machine-mismatch", bad), ElementsAre(HasLevel(Level::error)));
}

TEST(ForeignMachine, HalfOfAUniversalWheel) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-macosx_11_0_universal2.whl");
  add_foreign(wheel, "pkg/a.so", {image("Mach-O", "x86_64"), image("Mach-O", "arm64")});
  EXPECT_THAT(judge("foreign-machine-mismatch", wheel), IsEmpty());
  add_foreign(wheel, "pkg/b.so", {image("Mach-O", "x86_64")});
  EXPECT_THAT(judge("foreign-machine-mismatch", wheel), ElementsAre(HasLevel(Level::warning)));
}

TEST(ForeignMachine, Windows) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-win_amd64.whl");
  add_foreign(wheel, "pkg/a.pyd", {image("PE", "amd64")});
  EXPECT_THAT(judge("foreign-machine-mismatch", wheel), IsEmpty());
  add_foreign(wheel, "pkg/b.dll", {image("PE", "win32")});
  EXPECT_THAT(judge("foreign-machine-mismatch", wheel),
              ElementsAre(FindingAt("pkg/b.dll", "win32")));
  WheelBuilder small("pkg-1.0-cp312-cp312-win32.whl");
  add_foreign(small, "pkg/a.pyd", {image("PE", "win32")});
  EXPECT_THAT(judge("foreign-machine-mismatch", small), IsEmpty());
}

TEST(ForeignSystem, IsANoteThatCounts) {
  WheelBuilder wheel(kX86);
  wheel.file("pkg/cli.exe", ContentKind::pe).file("pkg/gui.exe", ContentKind::pe);
  const auto findings = judge("foreign-system", wheel);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].count, 2U);
  WheelBuilder any(kAny);
  any.file("pkg/cli.exe", ContentKind::pe);
  EXPECT_THAT(judge("foreign-system", any), IsEmpty());
}

TEST(ForeignPaths, RunnersDirectories) {
  WheelBuilder wheel(kMac);
  ForeignImage bad = image("Mach-O", "arm64");
  bad.rpaths = {"/Users/runner/work/_temp/torch/lib"};
  add_foreign(wheel, "pkg/a.so", {bad});
  EXPECT_THAT(judge("foreign-build-path", wheel), ElementsAre(HasLevel(Level::error)));
  bad.rpaths.insert(bad.rpaths.begin(), "@loader_path/../torch/lib");
  WheelBuilder behind(kMac);
  add_foreign(behind, "pkg/a.so", {bad});
  EXPECT_THAT(judge("foreign-build-path", behind), ElementsAre(HasLevel(Level::warning)));
}

TEST(ForeignPaths, SystemLibrariesAndOwnNamesAreFine) {
  WheelBuilder wheel(kMac);
  ForeignImage good = image("Mach-O", "arm64");
  good.identity = "/Users/runner/work/libx.dylib";
  good.libraries = {"/usr/lib/libSystem.B.dylib", "@rpath/liby.dylib", good.identity,
                    "/System/Library/Frameworks/Metal.framework/Metal",
                    "/opt/local/lib/weak.dylib"};
  good.weak_libraries = {"/opt/local/lib/weak.dylib"};
  add_foreign(wheel, "pkg/libx.dylib", {good});
  EXPECT_THAT(judge("foreign-build-path", wheel), IsEmpty());
  good.libraries.push_back("/opt/homebrew/lib/libomp.dylib");
  WheelBuilder bad(kMac);
  add_foreign(bad, "pkg/libx.dylib", {good});
  EXPECT_THAT(judge("foreign-build-path", bad),
              ElementsAre(FindingAt("pkg/libx.dylib", "/opt/homebrew/lib/libomp.dylib")));
}

// --- Symbol versions
// ------------------------------------------------------------------------------

TEST(SymbolVersions, NewerThanTheTag) {
  WheelBuilder wheel(kX86);
  wheel.elf("pkg/a.so", Elf()
                            .needs_version("GLIBC_2.17", "libc.so.6")
                            .imports("pow")
                            .needs_version("GLIBC_2.29", "libm.so.6")
                            .versioned()
                            .imports("fstat")
                            .needs_version("GLIBC_2.33", "libc.so.6")
                            .versioned());
  const auto findings = judge("symbol-version-too-new", wheel);
  ASSERT_THAT(findings, ElementsAre(FindingAt("pkg/a.so", "GLIBC_2.33")));
  EXPECT_THAT(findings[0].what, AllOf(HasSubstr("of libc.so.6"), HasSubstr("manylinux_2_28"),
                                      HasSubstr("fstat@GLIBC_2.33"), HasSubstr("pow@GLIBC_2.29")));
}

TEST(SymbolVersions, AllowedWeakAndOwnOnes) {
  WheelBuilder wheel(kX86);
  wheel
      .elf("pkg/a.so", Elf()
                           .needs_version("GLIBC_2.28", "libc.so.6")
                           .needs_version("GLIBC_2.34", "libc.so.6", true)
                           .needs_version("GLIBCXX_3.4.33", "libstdc++-1a2b.so.6")
                           .needs_version("LIBFOO_9", "libfoo.so.1"))
      .elf("pkg.libs/libstdc++-1a2b.so.6", Elf().soname("libstdc++-1a2b.so.6"));
  EXPECT_THAT(judge("symbol-version-too-new", wheel), IsEmpty());
}

TEST(SymbolVersions, TheStrictestTagCounts) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-manylinux_2_12_x86_64.manylinux_2_28_x86_64.whl");
  wheel.elf("pkg/a.so", Elf().needs_version("GLIBC_2.17", "libc.so.6"));
  EXPECT_EQ(judge("symbol-version-too-new", wheel).size(), 1U);
}

TEST(SymbolVersions, PlainLinuxPromisesNothing) {
  WheelBuilder wheel("pkg-1.0-cp312-cp312-linux_x86_64.whl");
  wheel.elf("pkg/a.so", Elf().needs_version("GLIBC_2.38", "libc.so.6"));
  EXPECT_THAT(judge("symbol-version-too-new", wheel), IsEmpty());
}

TEST(LibcMix, EachOtherLibc) {
  WheelBuilder glibc(kX86);
  glibc.elf("pkg/a.so", Elf().needs("libc.so.6"));
  EXPECT_THAT(judge("libc-mix", glibc), IsEmpty());
  glibc.elf("pkg/b.so", Elf().needs("libc.musl-x86_64.so.1"));
  EXPECT_THAT(judge("libc-mix", glibc),
              ElementsAre(FindingAt("pkg/b.so", "libc.musl-x86_64.so.1")));
  WheelBuilder musl("pkg-1.0-cp312-cp312-musllinux_1_2_x86_64.whl");
  musl.elf("pkg/a.so", Elf().needs("libc.so")).elf("pkg/b.so", Elf().needs("libc.so.6"));
  EXPECT_THAT(judge("libc-mix", musl), ElementsAre(FindingAt("pkg/b.so", "libc.so.6")));
}

// --- Interpreters
// ---------------------------------------------------------------------------------

TEST(ExtensionSuffix, OfAnotherVersion) {
  WheelBuilder wheel("pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl");
  wheel.elf("pkg/_C.cpython-311-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("extension-suffix", wheel), IsEmpty());
  wheel.elf("pkg/_D.cpython-312-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("extension-suffix", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(ExtensionSuffix, SpareBesideTheRightOneIsANote) {
  WheelBuilder wheel("pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl");
  wheel.elf("pkg/_C.cpython-311-x86_64-linux-gnu.so", Elf())
      .elf("pkg/_C.cpython-312-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("extension-suffix", wheel), ElementsAre(HasLevel(Level::note)));
}

TEST(ExtensionSuffix, PlainLibrariesAndStableAbiAreFine) {
  WheelBuilder wheel("pkg-1.0-cp37-abi3-manylinux_2_28_x86_64.whl");
  wheel.elf("pkg/_C.abi3.so", Elf()).elf("pkg/libx.so", Elf()).elf("pkg/liby.so.1", Elf());
  EXPECT_THAT(judge("extension-suffix", wheel), IsEmpty());
  EXPECT_THAT(judge("abi3-mismatch", wheel), IsEmpty());
}

TEST(ExtensionSuffix, TheGnuSuffixUnderMuslIsFine) {
  WheelBuilder wheel("ujson-4.2.0-cp39-cp39-musllinux_1_1_x86_64.whl");
  wheel.elf("ujson.cpython-39-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("extension-suffix", wheel), IsEmpty());
}

TEST(Abi3, PromisedAndNotKept) {
  WheelBuilder wheel("greenify-0.4.1-cp37-abi3-linux_x86_64.whl");
  wheel.elf("greenify.cpython-38-x86_64-linux-gnu.so", Elf());
  EXPECT_THAT(judge("abi3-mismatch", wheel), ElementsAre(HasLevel(Level::error)));
}

TEST(Abi3, KeptAndNotPromised) {
  WheelBuilder wheel("ctoon-0.7.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  wheel.elf("ctoon_py.abi3.so", Elf());
  EXPECT_THAT(judge("abi3-mismatch", wheel), ElementsAre(HasLevel(Level::note)));
}

}  // namespace
}  // namespace wheelcheck
