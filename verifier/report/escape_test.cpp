#include "verifier/report/escape.h"

#include <string>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

TEST(Printable, LeavesOrdinaryNamesAlone) {
  EXPECT_EQ(printable("torch/lib/libx.so"), "torch/lib/libx.so");
  EXPECT_EQ(printable("pkg/Größe-数据-😀.txt"), "pkg/Größe-数据-😀.txt");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapeSequencesCannotReachTheTerminal) {
  EXPECT_EQ(printable("a\033[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("a\nb\r\tc\x7f"), "a\\x0ab\\x0d\\x09c\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  // U+009B is a whole "ESC [" to terminals that know C1.
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31m"),
            "a\\u{009b}31m");
}

TEST(Printable, CharactersThatReorderOrHideTextAreShown) {
  EXPECT_EQ(printable("lib\u202Eos.x"), "lib\\u{202e}os.x");
  EXPECT_EQ(printable("a\u2028b\u200bc\u2066d"), "a\\u{2028}b\\u{200b}c\\u{2066}d");
  EXPECT_EQ(printable("\U000E0041"), "\\u{e0041}");
}

TEST(Printable, BytesThatAreNotUtf8BecomeHex) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong, three bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
  EXPECT_EQ(printable("a\xe2\x82"), "a\\xe2\\x82") << "cut off";
}

TEST(ValidUtf8, ChangesNothingButBrokenBytes) {
  EXPECT_EQ(valid_utf8("a\033\u202E\n"), "a\033\u202E\n");
  EXPECT_EQ(valid_utf8("a\xff\x80z"), "a\\xff\\x80z");
}

}  // namespace
}  // namespace wheelcheck
