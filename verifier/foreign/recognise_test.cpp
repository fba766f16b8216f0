#include "verifier/foreign/recognise.h"

#include "gtest/gtest.h"

#include "verifier/foreign/sample_files.h"

namespace wheelcheck {
namespace {

using std::string_literals::operator""s;

ForeignFormat recognised(const std::string& bytes) { return recognise_foreign(as_bytes(bytes)); }

std::string class_file(std::uint16_t minor, std::uint16_t major) {
  sample::Image file(true);
  file.u32(0xcafebabe).u16(minor).u16(major).u16(29).u8(10).u16(6).u16(15);
  return file.bytes();
}

TEST(Recognise, EachFormatByItsFirstBytes) {
  EXPECT_EQ(recognised(sample::write_mach_o({})), ForeignFormat::mach_o);
  EXPECT_EQ(recognised(sample::write_universal({{7, 3, "x"}})), ForeignFormat::mach_o_universal);
  EXPECT_EQ(recognised(sample::write_universal({{7, 3, "x"}}, true)),
            ForeignFormat::mach_o_universal);
  EXPECT_EQ(recognised("\xfe\xed\xfa\xce\0\0\0\x12"s), ForeignFormat::mach_o) << "big-endian";
  EXPECT_EQ(recognised(sample::write_pe({})), ForeignFormat::pe);
  EXPECT_EQ(recognised("!<arch>\nfoo.o/"), ForeignFormat::ar_archive);
  EXPECT_EQ(recognised("!<thin>\nfoo.o/"), ForeignFormat::ar_archive);
}

TEST(Recognise, ClassFilesAreNoUniversalBinaries) {
  for (const int major : {45, 52, 65, 70}) {
    EXPECT_EQ(recognised(class_file(0, static_cast<std::uint16_t>(major))),
              ForeignFormat::java_class)
        << major;
  }
  EXPECT_EQ(recognised(class_file(65535, 65)), ForeignFormat::java_class) << "preview features";
  EXPECT_EQ(recognised(class_file(3, 45)), ForeignFormat::java_class);
}

TEST(Recognise, ManySlicesDoNotMakeAClassFile) {
  sample::Image file(true);
  file.u32(0xcafebabe).u32(52).u32(0x01000007).u32(3).u32(4096).u32(4096).u32(12);
  EXPECT_EQ(recognised(file.bytes()), ForeignFormat::mach_o_universal);
}

TEST(Recognise, ImportStubsAreNotAnonymousObjects) {
  EXPECT_EQ(recognised("\0\0\xff\xff\0\0\x64\x86"s), ForeignFormat::coff_import);
  EXPECT_EQ(recognised("\0\0\xff\xff\x02\0\x64\x86"s), ForeignFormat::none) << "bigobj";
}

TEST(Recognise, DosProgramsAreNotPe) {
  sample::Image file;
  file.text("MZ").pad_to(0x3c).u32(0x40).text("NE").pad_to(0x80);
  EXPECT_EQ(recognised(file.bytes()), ForeignFormat::none);
}

TEST(Recognise, APeHeaderBeyondTheHeadIsLeftToTheReader) {
  sample::Image file;
  file.text("MZ").pad_to(0x3c).u32(0x10000).pad_to(0x80);
  EXPECT_EQ(recognised(file.bytes()), ForeignFormat::pe);
}

TEST(Recognise, ShortAndOtherFilesAreNone) {
  for (const std::string& bytes : {""s, "M"s, "MZ"s, "\xca\xfe"s,
                                   "\x7f"
                                   "ELF\x02\x01"s,
                                   "import os\n"s}) {
    EXPECT_EQ(recognised(bytes), ForeignFormat::none) << bytes;
  }
}

}  // namespace
}  // namespace wheelcheck
