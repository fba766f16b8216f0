#include "verifier/foreign/foreign.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/foreign/sample_files.h"

namespace wheelcheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kArm64 = 0x0100000c, kX86 = 0x01000007;

ForeignFacts read(const std::string& file) {
  auto facts = read_foreign("pkg/ext.so", as_bytes(file));
  EXPECT_TRUE(facts.ok()) << facts.error().message();
  return facts.ok() ? *std::move(facts) : ForeignFacts{{ForeignImage{}}};
}

std::string complaint(const std::string& file) {
  const auto facts = read_foreign("pkg/ext.so", as_bytes(file));
  EXPECT_FALSE(facts.ok());
  return facts.ok() ? std::string() : facts.error().message();
}

sample::MachO library() {
  sample::MachO what;
  what.identity = "@rpath/libfoo.1.dylib";
  what.libraries = {"@loader_path/libbar.dylib", "/usr/lib/libSystem.B.dylib"};
  what.weak_libraries = {"/System/Library/Frameworks/Metal.framework/Metal"};
  what.rpaths = {"@loader_path/../lib", "/Users/runner/work/build/lib"};
  return what;
}

TEST(MachO, ALibrarySaysWhatItIsAndNeeds) {
  const ForeignFacts facts = read(sample::write_mach_o(library()));
  ASSERT_EQ(facts.images.size(), 1u);
  const ForeignImage& image = facts.images[0];
  EXPECT_EQ(image.format, "Mach-O");
  EXPECT_EQ(image.machine, "arm64");
  EXPECT_EQ(image.kind, ForeignKind::shared_library);
  EXPECT_EQ(image.identity, "@rpath/libfoo.1.dylib");
  EXPECT_THAT(image.libraries,
              ElementsAre("@loader_path/libbar.dylib", "/usr/lib/libSystem.B.dylib",
                          "/System/Library/Frameworks/Metal.framework/Metal"));
  EXPECT_THAT(image.weak_libraries,
              ElementsAre("/System/Library/Frameworks/Metal.framework/Metal"));
  EXPECT_THAT(image.rpaths, ElementsAre("@loader_path/../lib", "/Users/runner/work/build/lib"));
  EXPECT_EQ(image.minimum_os, "11.0");
  EXPECT_EQ(image.platform, "macos");
}

TEST(MachO, ABundleHasNoIdentity) {
  sample::MachO what;
  what.file_type = 8;
  const ForeignFacts facts = read(sample::write_mach_o(what));
  EXPECT_EQ(facts.images[0].kind, ForeignKind::shared_library);
  EXPECT_EQ(facts.images[0].identity, "");
  EXPECT_THAT(facts.images[0].libraries, IsEmpty());
}

TEST(MachO, OlderFilesStateTheirMinimumOsInAnotherCommand) {
  sample::MachO what;
  what.platform = 0;
  what.version_min_macosx = 0x000a0d04;
  const ForeignFacts facts = read(sample::write_mach_o(what));
  EXPECT_EQ(facts.images[0].minimum_os, "10.13.4");
  EXPECT_EQ(facts.images[0].platform, "macos");
}

TEST(MachO, WithoutAVersionCommandTheMinimumOsIsUnknown) {
  sample::MachO what;
  what.platform = 0;
  const ForeignFacts facts = read(sample::write_mach_o(what));
  EXPECT_EQ(facts.images[0].minimum_os, "");
  EXPECT_EQ(facts.images[0].platform, "");
}

TEST(MachO, OtherPlatformsAreNamed) {
  sample::MachO what;
  what.platform = 7;
  EXPECT_EQ(read(sample::write_mach_o(what)).images[0].platform, "ios-simulator");
}

TEST(MachO, VariantsOfAMachineAreKeptApart) {
  struct Case {
    std::uint32_t cpu, subtype;
    const char* name;
  };
  for (const Case& one :
       {Case{kX86, 3, "x86_64"}, Case{kX86, 8, "x86_64h"}, Case{kArm64, 0, "arm64"},
        Case{kArm64, 0x80000002, "arm64e"}, Case{0x0200000c, 1, "arm64_32"},
        Case{0x0100abcd, 0, "unknown (0x100abcd)"}}) {
    sample::MachO what;
    what.cpu = one.cpu;
    what.subtype = one.subtype;
    EXPECT_EQ(read(sample::write_mach_o(what)).images[0].machine, one.name);
  }
}

class Universal : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(TableWidth, Universal, testing::Bool());

TEST_P(Universal, EachSliceIsRead) {
  sample::MachO intel = library();
  intel.cpu = kX86;
  intel.subtype = 3;
  intel.minimum_os = 0x000a0900;
  const ForeignFacts facts = read(sample::write_universal(
      {{kX86, 3, sample::write_mach_o(intel)}, {kArm64, 0, sample::write_mach_o(library())}},
      GetParam()));
  ASSERT_EQ(facts.images.size(), 2u);
  EXPECT_EQ(facts.images[0].machine, "x86_64");
  EXPECT_EQ(facts.images[0].minimum_os, "10.9");
  EXPECT_EQ(facts.images[1].machine, "arm64");
  EXPECT_EQ(facts.images[1].minimum_os, "11.0");
  EXPECT_EQ(facts.images[1].libraries.size(), 3u);
}

TEST(MachO, ASliceMayBeAnArchive) {
  const ForeignFacts facts = read(sample::write_universal(
      {{kX86, 3, "!<arch>\n"}, {kArm64, 0, sample::write_mach_o(library())}}));
  ASSERT_EQ(facts.images.size(), 2u);
  EXPECT_EQ(facts.images[0].kind, ForeignKind::archive);
  EXPECT_EQ(facts.images[0].machine, "x86_64");
}

TEST(MachO, AbsurdCountsOfSlicesAreErrors) {
  for (const std::uint32_t count : {0u, 17u, 52u, 100'000u, 0xffffffffu}) {
    sample::Image file(true);
    file.u32(0xcafebabe).u32(count).u32(kArm64).u32(0).u32(4096).u32(64).u32(12).pad_to(8192);
    EXPECT_THAT(complaint(file.bytes()),
                HasSubstr("claims " + std::to_string(count) + " slices (offset 0x4)"));
  }
}

TEST(MachO, OverlappingSlicesAreErrors) {
  const std::string slice = sample::write_mach_o(library());
  sample::Image file(true);
  file.u32(0xcafebabe).u32(2);
  file.u32(kArm64).u32(0).u32(4096).u32(slice.size()).u32(12);
  file.u32(kArm64).u32(0).u32(4096).u32(slice.size()).u32(12);
  file.pad_to(4096).text(slice);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("overlap"));
}

TEST(MachO, SlicesOutsideTheFileAreErrors) {
  sample::Image file(true);
  file.u32(0xcafebabe).u32(1).u32(kArm64).u32(0).u32(4096).u32(4096).u32(12).pad_to(4200);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("runs beyond the file's 4200 bytes"));
}

TEST(MachO, ASliceThatCoversTheTableIsAnError) {
  sample::Image file(true);
  file.u32(0xcafebabe).u32(1).u32(kArm64).u32(0).u32(0).u32(64).u32(12).pad_to(4096);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("overlaps the table of slices"));
}

TEST(MachO, ATableThatNamesAnotherMachineIsAnError) {
  EXPECT_THAT(complaint(sample::write_universal({{kX86, 3, sample::write_mach_o(library())}})),
              HasSubstr("says x86_64, the slice itself arm64"));
}

TEST(MachO, EveryTruncationIsAnError) {
  const std::string file = sample::write_mach_o(library());
  const std::string both = sample::write_universal({{kArm64, 0, file}});
  for (const std::string* whole : {&file, &both}) {
    for (std::size_t size = 4; size < whole->size(); size += 61) {
      EXPECT_FALSE(read_foreign("cut", as_bytes(whole->substr(0, size))).ok()) << size;
    }
    EXPECT_FALSE(read_foreign("cut", as_bytes(whole->substr(0, whole->size() - 1))).ok());
  }
}

TEST(MachO, AStringThatDoesNotEndInsideItsCommandIsAnError) {
  sample::MachO what;
  what.platform = 0;
  what.rpaths = {"12345678901"};  // with its 12 bytes in front and its zero: 24
  std::string file = sample::write_mach_o(what);
  file[32 + 72 + 23] = 'x';
  EXPECT_THAT(complaint(file), HasSubstr("LC_RPATH holds a string that does not end"));
}

TEST(MachO, BigEndianIsSaidNotToBeRead) {
  sample::Image file(true);
  file.u32(0xfeedface).u32(18).u32(0).u32(6).u32(0).u32(0).u32(0).pad_to(4096);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("big-endian"));
}

TEST(Pe, ALibrarySaysWhatItIsAndNeeds) {
  sample::Pe what;
  what.export_name = "ext.pyd";
  what.imports = {"KERNEL32.dll", "python312.dll"};
  what.delay_imports = {"cublas64_12.dll"};
  what.debug_file = "D:\\a\\work\\ext.pdb";
  const ForeignFacts facts = read(sample::write_pe(what));
  ASSERT_EQ(facts.images.size(), 1u);
  const ForeignImage& image = facts.images[0];
  EXPECT_EQ(image.format, "PE");
  EXPECT_EQ(image.machine, "amd64");
  EXPECT_EQ(image.kind, ForeignKind::shared_library);
  EXPECT_EQ(image.identity, "ext.pyd");
  EXPECT_THAT(image.libraries, ElementsAre("KERNEL32.dll", "python312.dll"));
  EXPECT_THAT(image.delay_libraries, ElementsAre("cublas64_12.dll"));
  EXPECT_THAT(image.debug_files, ElementsAre("D:\\a\\work\\ext.pdb"));
}

TEST(Pe, WithoutDirectoriesThereIsNothingToImport) {
  sample::Pe what;
  what.dll = false;
  const ForeignFacts facts = read(sample::write_pe(what));
  EXPECT_EQ(facts.images[0].kind, ForeignKind::executable);
  EXPECT_THAT(facts.images[0].libraries, IsEmpty());
  EXPECT_EQ(facts.images[0].identity, "");
}

TEST(Pe, MachinesAreNamedAsPlatformTagsNameThem) {
  for (const auto& [machine, name] : {std::pair<int, const char*>{0x8664, "amd64"},
                                      {0x014c, "win32"},
                                      {0xaa64, "arm64"},
                                      {0x1234, "unknown (0x1234)"}}) {
    sample::Pe what;
    what.machine = static_cast<std::uint16_t>(machine);
    EXPECT_EQ(read(sample::write_pe(what)).images[0].machine, name);
  }
}

TEST(Pe, TruncationsThatLoseSectionDataAreErrors) {
  sample::Pe what;
  what.imports = {"KERNEL32.dll"};
  const std::string file = sample::write_pe(what);
  // The section holds fewer bytes than its padded size: padding may go missing, data may not.
  const std::size_t data_end = 0x400 + 0x68;
  for (std::size_t size = 0x40; size < data_end; size += 13) {
    EXPECT_FALSE(read_foreign("cut", as_bytes(file.substr(0, size))).ok()) << size;
  }
}

TEST(Pe, ALibraryNameThatLiefDropsMakesTheFileUnread) {
  sample::Pe what;
  what.imports = {"KERNEL32.dll", "a.d"};  // LIEF takes names of less than four bytes for noise
  EXPECT_THAT(complaint(sample::write_pe(what)),
              HasSubstr("LIEF reports 1 imported DLLs of the 2 in the file"));
}

TEST(Pe, AnImportDirectoryOutsideAllSectionsIsAnError) {
  sample::Pe what;
  what.imports = {"KERNEL32.dll"};
  std::string file = sample::write_pe(what);
  sample::Image address;
  address.u32(0x00700000);
  file.replace(0x80 + 24 + 112 + 8, 4, address.bytes());
  EXPECT_THAT(complaint(file), HasSubstr("the import directory lies outside all sections"));
}

TEST(Pe, ADosProgramIsSaidToHaveNoPeHeader) {
  sample::Image file;
  file.text("MZ").pad_to(0x3c).u32(0x7fffffff).pad_to(0x100);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("PE header at 0x7fffffff lies beyond"));
}

TEST(Foreign, OtherFormatsAreErrors) {
  EXPECT_THAT(complaint("!<arch>\n"), HasSubstr("neither a Mach-O nor a PE"));
  EXPECT_THAT(complaint(""), HasSubstr("neither a Mach-O nor a PE"));
}

// A file of a megabyte that LIEF turns into gigabytes: it copies the bytes of every segment.
TEST(Foreign, SegmentsThatShareTheirBytesExhaustTheWorkerOnly) {
  if (!kMemoryLimitEnforced) GTEST_SKIP() << "no memory limit under this sanitizer";
  constexpr std::uint32_t kSegments = 2'000, kSize = 1u << 20;
  sample::Image file;
  file.u32(0xfeedfacf)
      .u32(kArm64)
      .u32(0)
      .u32(6)
      .u32(kSegments)
      .u32(std::uint64_t{kSegments} * 72)
      .u32(0)
      .u32(0);
  for (std::uint32_t i = 0; i < kSegments; ++i) {
    file.u32(0x19).u32(72).field("__TEXT", 16).u64(0).u64(kSize).u64(0).u64(kSize).u64(0).u64(0);
  }
  file.pad_to(kSize);
  EXPECT_THAT(complaint(file.bytes()), HasSubstr("LIEF needed more than its 516 MiB of memory"));
}

TEST(Foreign, MemoryLimitsHoldForRealFilesToo) {
  if (!kMemoryLimitEnforced) GTEST_SKIP() << "no memory limit under this sanitizer";
  const std::string file = sample::write_mach_o(library()) + std::string(64u << 20, 'x');
  ChildLimits limits;
  limits.memory_bytes = 64u << 20;
  limits.memory_per_file_byte = 0;
  const auto facts = read_foreign("big.dylib", as_bytes(file), limits);
  ASSERT_FALSE(facts.ok());
  EXPECT_THAT(facts.error().what, HasSubstr("LIEF needed more than its 64 MiB"));
}

}  // namespace
}  // namespace wheelcheck
