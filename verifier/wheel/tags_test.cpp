#include "verifier/wheel/tags.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

struct ExpectedPlatform {
  const char* tag;
  PlatformKind kind;
  int major;
  int minor;
  const char* arch;
};

TEST(Platforms, EachTagPromisesItsSystem) {
  const ExpectedPlatform all[] = {
      {"any", PlatformKind::any, 0, 0, ""},
      {"linux_x86_64", PlatformKind::linux, 0, 0, "x86_64"},
      {"manylinux1_i686", PlatformKind::manylinux, 2, 5, "i686"},
      {"manylinux2010_x86_64", PlatformKind::manylinux, 2, 12, "x86_64"},
      {"manylinux2014_aarch64", PlatformKind::manylinux, 2, 17, "aarch64"},
      {"manylinux_2_28_x86_64", PlatformKind::manylinux, 2, 28, "x86_64"},
      {"musllinux_1_2_armv7l", PlatformKind::musllinux, 1, 2, "armv7l"},
      {"macosx_11_0_arm64", PlatformKind::macos, 11, 0, "arm64"},
      {"macosx_10_9_universal2", PlatformKind::macos, 10, 9, "universal2"},
      {"MacOSX_11_0_x86_64", PlatformKind::macos, 11, 0, "x86_64"},
      {"win32", PlatformKind::windows, 0, 0, "win32"},
      {"win_amd64", PlatformKind::windows, 0, 0, "amd64"},
      {"ios_13_0_arm64_iphoneos", PlatformKind::other, 0, 0, "arm64"},
      {"android_21_arm64_v8a", PlatformKind::other, 0, 0, "arm64_v8a"},
      {"emscripten_3_1_58_wasm32", PlatformKind::other, 0, 0, "wasm32"},
      {"manylinux_2_x86_64", PlatformKind::other, 0, 0, "x86_64"},
      {"manylinux_2_99999999999_x86_64", PlatformKind::other, 0, 0, "x86_64"},
      {"manylinux_2_28_", PlatformKind::other, 0, 0, ""},
      {"linux_", PlatformKind::other, 0, 0, ""},
      {"", PlatformKind::other, 0, 0, ""},
  };
  for (const ExpectedPlatform& expected : all) {
    SCOPED_TRACE(expected.tag);
    const Platform platform = parse_platform(expected.tag);
    EXPECT_EQ(platform.kind, expected.kind);
    EXPECT_EQ(platform.major, expected.major);
    EXPECT_EQ(platform.minor, expected.minor);
    EXPECT_EQ(platform.arch, expected.arch);
    EXPECT_EQ(platform.text, expected.tag);
  }
}

TEST(WheelFileNames, OnlyTheLastComponentCounts) {
  const auto name = parse_wheel_filename(
      "dist-x/nvidia_cuda_runtime-13.5.37-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->distribution, "nvidia_cuda_runtime");
  EXPECT_EQ(name->normalised, "nvidia-cuda-runtime");
  EXPECT_EQ(name->version->str(), "13.5.37");
  EXPECT_EQ(name->platforms.size(), 2u);
  ASSERT_EQ(name->tags().size(), 2u);
  EXPECT_EQ(name->tags()[0].str(), "py3-none-manylinux2014_x86_64");
}

TEST(WheelFileNames, AVersionThatIsNoneIsKeptAsText) {
  const auto name = parse_wheel_filename("x-1.0_weird-py3-none-any.whl");
  ASSERT_TRUE(name);
  EXPECT_FALSE(name->version);
  EXPECT_EQ(name->version_text, "1.0_weird");
}

TEST(WheelFileNames, ErrorsSayWhatIsWrong) {
  const auto what = [](const char* path) { return parse_wheel_filename(path).error().message(); };
  EXPECT_NE(what("x.zip").find(".whl"), std::string::npos);
  EXPECT_NE(what("x-1-any.whl").find("3 parts"), std::string::npos);
  EXPECT_NE(what("x-1-b1-py3-none-any.whl").find("build tag \"b1\""), std::string::npos);
  EXPECT_NE(what("x__y-1-py3-none-any.whl").find("\"x__y\""), std::string::npos);
}

TEST(Tags, ASetThatStandsForTooManyIsRefused) {
  std::string many = "py3";
  for (int i = 0; i < 70; ++i) many += ".p" + std::to_string(i);
  EXPECT_FALSE(parse_tag(many + "-" + many + "-any"));
  EXPECT_TRUE(parse_tag(many + "-none-any"));
}

struct ExpectedEnvironment {
  const char* platform;
  const char* python;
  const char* sys_platform;
  const char* machine;
  const char* python_version;
  const char* implementation;
};

TEST(MarkerEnvironments, AreThoseOfTheWheelsMachine) {
  const ExpectedEnvironment all[] = {
      {"manylinux_2_28_aarch64", "cp312", "linux", "aarch64", "3.12", "CPython"},
      {"macosx_11_0_arm64", "cp39", "darwin", "arm64", "3.9", "CPython"},
      {"macosx_10_9_universal2", "cp310", "darwin", "arm64", "3.10", "CPython"},
      {"win_amd64", "cp37", "win32", "AMD64", "3.7", "CPython"},
      {"win32", "pp310", "win32", "x86", "3.10", "PyPy"},
      {"win_arm64", "cp313", "win32", "ARM64", "3.13", "CPython"},
      {"musllinux_1_2_x86_64", "graalpy311", "linux", "x86_64", "3.11", "GraalVM"},
      {"any", "py3", "linux", "x86_64", "3.12", "CPython"},
      {"any", "py2", "linux", "x86_64", "2.7", "CPython"},
      {"any", "py38", "linux", "x86_64", "3.8", "CPython"},
      {"ios_13_0_arm64_iphoneos", "cp313", "ios", "arm64", "3.13", "CPython"},
      {"emscripten_3_1_58_wasm32", "cp311", "emscripten", "wasm32", "3.11", "CPython"},
      {"any", "weird", "linux", "x86_64", "3.12", "CPython"},
      {"any", "cp999999", "linux", "x86_64", "3.12", "CPython"},
  };
  for (const ExpectedEnvironment& expected : all) {
    SCOPED_TRACE(std::string(expected.platform) + " " + expected.python);
    const auto e = marker_environment(parse_platform(expected.platform), expected.python);
    EXPECT_EQ(e.sys_platform, expected.sys_platform);
    EXPECT_EQ(e.os_name, std::string(expected.sys_platform) == "win32" ? "nt" : "posix");
    EXPECT_EQ(e.platform_machine, expected.machine);
    EXPECT_EQ(e.python_version, expected.python_version);
    EXPECT_EQ(e.python_full_version, std::string(expected.python_version) + ".0");
    EXPECT_EQ(e.platform_python_implementation, expected.implementation);
  }
}

TEST(MarkerEnvironments, OfSeveralPythonsTheNewestIsTaken) {
  EXPECT_EQ(newest_python({"py2", "py3"}), "py3");
  EXPECT_EQ(newest_python({"cp39", "cp310", "cp311"}), "cp311");
  EXPECT_EQ(newest_python({"cp313", "py3"}), "cp313");
  EXPECT_EQ(newest_python({"py2"}), "py2");
  EXPECT_EQ(newest_python({}), "py3");
}

}  // namespace
}  // namespace wheelcheck
