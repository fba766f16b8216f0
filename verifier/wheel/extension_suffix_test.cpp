#include "verifier/wheel/extension_suffix.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

using Kind = ExtensionSuffix::Kind;

struct Expected {
  const char* path;
  const char* module;
  Kind kind;
  const char* implementation;
  int minor;
  const char* abi;
  const char* platform;
  bool free_threaded;
};

TEST(ExtensionSuffix, NamesAreTakenApart) {
  const Expected all[] = {
      {"a/foo.cpython-312-x86_64-linux-gnu.so", "foo", Kind::versioned, "cpython", 12, "",
       "x86_64-linux-gnu", false},
      {"foo.cpython-313t-x86_64-linux-gnu.so", "foo", Kind::versioned, "cpython", 13, "t",
       "x86_64-linux-gnu", true},
      {"foo.cpython-37m-darwin.so", "foo", Kind::versioned, "cpython", 7, "m", "darwin", false},
      {"foo.cpython-310.so", "foo", Kind::versioned, "cpython", 10, "", "", false},
      {"foo.cp312-win_amd64.pyd", "foo", Kind::versioned, "cpython", 12, "", "win_amd64", false},
      {"foo.cp314t-win_arm64.pyd", "foo", Kind::versioned, "cpython", 14, "t", "win_arm64", true},
      {"foo.pypy310-pp73-x86_64-linux-gnu.so", "foo", Kind::versioned, "pypy", 10, "pp73",
       "x86_64-linux-gnu", false},
      {"foo.graalpy242-311-native-x86_64-linux.so", "foo", Kind::versioned, "graalpy", 11, "242",
       "x86_64-linux", false},
      {"foo.abi3.so", "foo", Kind::stable_abi, "cpython", 0, "abi3", "", false},
      {"foo.abi3t.so", "foo", Kind::stable_abi, "cpython", 0, "abi3t", "", true},
      {"foo.so", "foo", Kind::plain, "", 0, "", "", false},
      {"foo.pyd", "foo", Kind::plain, "", 0, "", "", false},
      {"libfoo.1.2.so", "libfoo.1.2", Kind::plain, "", 0, "", "", false},
      {"foo.cpython-312x!.so", "foo.cpython-312x!", Kind::plain, "", 0, "", "", false},
      {"foo.cpython-.so", "foo.cpython-", Kind::plain, "", 0, "", "", false},
      {"foo.cpython-99999-x.so", "foo.cpython-99999-x", Kind::plain, "", 0, "", "", false},
      {"foo.pypy310-x86_64-linux-gnu.so", "foo.pypy310-x86_64-linux-gnu", Kind::plain, "", 0, "",
       "", false},
  };
  for (const Expected& expected : all) {
    SCOPED_TRACE(expected.path);
    const auto suffix = parse_extension_suffix(expected.path);
    ASSERT_TRUE(suffix);
    EXPECT_EQ(suffix->module, expected.module);
    EXPECT_EQ(suffix->kind, expected.kind);
    EXPECT_EQ(suffix->implementation, expected.implementation);
    EXPECT_EQ(suffix->minor, expected.minor);
    EXPECT_EQ(suffix->abi, expected.abi);
    EXPECT_EQ(suffix->platform, expected.platform);
    EXPECT_EQ(suffix->free_threaded(), expected.free_threaded);
    EXPECT_EQ("foo" + suffix->text,
              "foo" + std::string(expected.path)
                          .substr(std::string(expected.path).find(expected.module) +
                                  suffix->module.size()));
  }
}

TEST(ExtensionSuffix, VersionedLibrariesAndOtherFilesAreNoExtensions) {
  for (const char* path : {"libfoo.so.1", "foo.py", "foo", ".so", "a.so/b", "foo.dylib", ""})
    EXPECT_FALSE(parse_extension_suffix(path)) << path;
}

ExtensionFit fit(const char* path, const char* tags) {
  const auto suffix = parse_extension_suffix(path);
  const auto parsed = parse_tag(tags);
  EXPECT_TRUE(suffix && parsed);
  return extension_fit(*suffix, *parsed);
}

constexpr const char* kCpython312 = "f.cpython-312-x86_64-linux-gnu.so";

TEST(ExtensionFit, AVersionedFileServesOneInterpreter) {
  EXPECT_EQ(fit(kCpython312, "cp312-cp312-manylinux_2_28_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit(kCpython312, "cp311-cp311-manylinux_2_28_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "cp313-cp313t-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "cp312-none-linux_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit(kCpython312, "py3-none-linux_x86_64"), ExtensionFit::some);
  EXPECT_EQ(fit(kCpython312, "py313-none-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "pp310-pypy310_pp73-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "py2-none-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "cp311.cp312-none-linux_x86_64"), ExtensionFit::some);
}

TEST(ExtensionFit, FreeThreadedAndOtherAbiFlagsMustAgree) {
  const char* const threaded = "f.cpython-313t-x86_64-linux-gnu.so";
  EXPECT_EQ(fit(threaded, "cp313-cp313t-linux_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit(threaded, "cp313-cp313-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.cpython-37m-x86_64-linux-gnu.so", "cp37-cp37m-linux_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-37m-x86_64-linux-gnu.so", "cp37-cp37-linux_x86_64"), ExtensionFit::none);
}

TEST(ExtensionFit, TheStableAbiServesItsVersionAndLater) {
  EXPECT_EQ(fit("f.abi3.so", "cp37-abi3-manylinux2014_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.abi3.so", "cp312-cp312-manylinux2014_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.abi3.so", "cp313-cp313t-manylinux2014_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.abi3.so", "pp310-pypy310_pp73-manylinux2014_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.abi3.so", "py3-none-manylinux2014_x86_64"), ExtensionFit::some);
  EXPECT_EQ(fit("f.abi3t.so", "cp315-abi3t-linux_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit(kCpython312, "cp37-abi3-linux_x86_64"), ExtensionFit::some);
  EXPECT_EQ(fit(kCpython312, "cp313-abi3-linux_x86_64"), ExtensionFit::none);
}

TEST(ExtensionFit, APlainNameServesEveryInterpreterOfItsSystem) {
  EXPECT_EQ(fit("f.so", "cp312-cp312-linux_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.so", "pp310-pypy310_pp73-macosx_11_0_arm64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.so", "cp312-cp312-win_amd64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.pyd", "cp37-abi3-win_amd64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.pyd", "cp312-cp312-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.so", "py3-none-any"), ExtensionFit::some);
}

TEST(ExtensionFit, ThePlatformOfTheSuffixMustBeThatOfTheTag) {
  EXPECT_EQ(fit(kCpython312, "cp312-cp312-musllinux_1_2_x86_64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-x86_64-linux-musl.so", "cp312-cp312-musllinux_1_2_x86_64"),
            ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-x86_64-linux-musl.so", "cp312-cp312-manylinux_2_17_x86_64"),
            ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "cp312-cp312-manylinux_2_28_aarch64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.cpython-312-i386-linux-gnu.so", "cp312-cp312-manylinux2014_i686"),
            ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-arm-linux-gnueabihf.so", "cp312-cp312-linux_armv7l"),
            ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-powerpc64le-linux-gnu.so", "cp312-cp312-manylinux2014_ppc64le"),
            ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-darwin.so", "cp312-cp312-macosx_11_0_arm64"), ExtensionFit::all);
  EXPECT_EQ(fit("f.cpython-312-darwin.so", "cp312-cp312-linux_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit(kCpython312, "cp312-cp312-macosx_11_0_x86_64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.cp312-win32.pyd", "cp312-cp312-win32"), ExtensionFit::all);
  EXPECT_EQ(fit("f.cp312-win_amd64.pyd", "cp312-cp312-win_arm64"), ExtensionFit::none);
  EXPECT_EQ(fit("f.pypy310-pp73-x86_64-linux-gnu.so", "pp310-pypy310_pp73-linux_x86_64"),
            ExtensionFit::all);
  EXPECT_EQ(fit("f.pypy310-pp72-x86_64-linux-gnu.so", "pp310-pypy310_pp73-linux_x86_64"),
            ExtensionFit::none);
}

TEST(ExtensionFit, WithoutTagsNothingFits) {
  EXPECT_EQ(extension_fit(*parse_extension_suffix("f.so"), {}), ExtensionFit::none);
}

}  // namespace
}  // namespace wheelcheck
