#include "verifier/wheel/requirement.h"

#include <chrono>

#include "gtest/gtest.h"

#include "verifier/wheel/python_string.h"
#include "verifier/wheel/tags.h"

namespace wheelcheck {
namespace {

Requirement requirement(std::string_view text) {
  auto parsed = Requirement::parse(text);
  EXPECT_TRUE(parsed) << (parsed.ok() ? "" : parsed.error().message());
  return parsed ? *std::move(parsed) : Requirement();
}

TEST(Requirements, AnNvidiaRequirementIsTakenApart) {
  const Requirement r =
      requirement("Nvidia_CUDA.runtime[B,a_c] <14,>=13 ; platform_system == 'Linux'");
  EXPECT_EQ(r.name, "Nvidia_CUDA.runtime");
  EXPECT_EQ(r.normalised, "nvidia-cuda-runtime");
  EXPECT_EQ(r.extras, (std::vector<std::string>{"b", "a-c"}));
  EXPECT_TRUE(r.specifiers == *SpecifierSet::parse(">=13,<14"));
  ASSERT_TRUE(r.marker);
  EXPECT_EQ(r.marker->str(), "platform_system == \"Linux\"");
  EXPECT_FALSE(r.marker->uses_extra());
}

TEST(Requirements, AMarkerDecidesForTheWheelsMachine) {
  const Requirement r = requirement("x; platform_system == 'Linux' and platform_machine=='x86_64'");
  const auto linux_machine = marker_environment(parse_platform("manylinux_2_28_x86_64"), "cp312");
  const auto arm = marker_environment(parse_platform("manylinux_2_28_aarch64"), "cp312");
  const auto windows = marker_environment(parse_platform("win_amd64"), "cp312");
  EXPECT_TRUE(r.applies(linux_machine, {}));
  EXPECT_FALSE(r.applies(arm, {}));
  EXPECT_FALSE(r.applies(windows, {}));
}

TEST(Requirements, AnExtraMustBeAskedFor) {
  const Requirement r = requirement("nvidia-cuda-runtime>=13,<14; extra == 'GPU_x'");
  EXPECT_TRUE(r.marker->uses_extra());
  EXPECT_FALSE(r.applies({}, {}));
  EXPECT_FALSE(r.applies({}, {"other"}));
  EXPECT_TRUE(r.applies({}, {"other", "gpu.x"}));
  EXPECT_TRUE(requirement("x; extra != 'gpu'").applies({}, {}));
  MarkerEnvironment leftover;
  leftover.extra = "gpu-x";  // only `extras` counts
  EXPECT_FALSE(r.applies(leftover, {}));
}

TEST(Requirements, AMarkerWithoutAValueSaysSo) {
  const auto marker = Marker::parse("os_name ~= 'posix' or os_name == 'posix'");
  ASSERT_TRUE(marker);
  const auto value = marker->try_evaluate({});
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().what.find("~="), std::string::npos);
  EXPECT_FALSE(marker->evaluate({}));
  EXPECT_FALSE(Marker::parse("'x' in extras")->try_evaluate({}));
}

TEST(Requirements, ErrorsNameThePlace) {
  const auto broken = Requirement::parse("torch >= ; x");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().what.find("column 7"), std::string::npos) << broken.error().what;
}

TEST(Requirements, DeepAndLongInputIsRefusedInLittleTime) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t size = 1'000'000;
  EXPECT_FALSE(Requirement::parse("x; " + std::string(size, '(')));
  EXPECT_FALSE(Marker::parse(std::string(size, '(') + "os_name=='a'" + std::string(size, ')')));
  EXPECT_FALSE(Requirement::parse("x" + std::string(size, '[')));
  EXPECT_FALSE(Requirement::parse("x[" + std::string(size, 'a')));
  EXPECT_FALSE(Requirement::parse("x;" + std::string(size, '"') + "'"));
  std::string clauses = "x";
  std::string extras = "x[a";
  std::string marker = "os_name == 'a'";
  for (int i = 0; i < 50'000; ++i) {
    clauses += (i == 0 ? ">=" : ",>=") + std::to_string(i);
    extras += ",e" + std::to_string(i);
    marker += " or os_name == 'a'";
  }
  EXPECT_EQ(requirement(clauses).specifiers.clauses().size(), 50'000u);
  EXPECT_FALSE(Requirement::parse(extras + "]"));
  EXPECT_FALSE(Requirement::parse(clauses + ",>=x"));
  EXPECT_FALSE(Marker::parse(marker)->evaluate({}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Names, ValidNamesStartAndEndWithALetterOrDigit) {
  for (const char* name : {"a", "1", "a.b", "A_b-c"}) EXPECT_TRUE(is_valid_name(name)) << name;
  for (const char* name : {"", "a.", "-a", "_", "a b", "\xC3\xA9"})
    EXPECT_FALSE(is_valid_name(name)) << name;
}

TEST(PythonString, EscapesAreThoseOfPython) {
  EXPECT_EQ(*python_string(R"(a\x41\101\u00e9\U0001F600\n\q\\)"),
            "aAA\xC3\xA9\xF0\x9F\x98\x80\n\\q\\");
  for (const char* body : {"\\", "\\x4", "\\u12", "\\U00110000", "a\nb", "\\N{DASH}"})
    EXPECT_FALSE(python_string(body)) << body;
}

}  // namespace
}  // namespace wheelcheck
