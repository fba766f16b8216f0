#include "verifier/report/json_writer.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "verifier/report/sample_report.h"
#include "verifier/report/schema_check.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;
using ::testing::Not;
using wheelcheck::testing::sample_wheel;
using wheelcheck::testing::schema_faults;

json schema() {
  std::ifstream file(WHEELCHECK_SOURCE_DIR "/docs/report.schema.json");
  return json::parse(file);
}

Report full_report() {
  Report report;
  report.rules_run = 3;
  report.wheels.push_back(sample_wheel());
  report.wheels[0].unread.push_back({"a.so", Error{"a.so: .dynsym", "truncated", 17}});
  WheelReport unreadable;
  unreadable.file = "broken.whl";
  unreadable.unreadable = Error{"broken.whl", "not a zip archive", {}};
  report.wheels.push_back(unreadable);
  report.with_errors.push_back(Error{"torch.whl", "no such file", {}});
  report.run = RunStats{0.5, 0.75, 50 << 20, 0};
  return report;
}

TEST(Json, FullReportHoldsToItsSchema) {
  EXPECT_THAT(schema_faults(schema(), json::parse(json_of(full_report()))), IsEmpty());
  EXPECT_THAT(schema_faults(schema(), json::parse(json_of(Report{}))), IsEmpty());
}

TEST(Json, SchemaCheckSeesMissingWrongAndUndescribedFields) {
  const json good = json::parse(json_of(full_report()));
  const auto broken = [&good](const char* pointer, const json& value) {
    json copy = good;
    copy[json::json_pointer(pointer)] = value;
    return schema_faults(schema(), copy);
  };
  EXPECT_THAT(broken("/wheels/0/findings/0/rule", "101"), Not(IsEmpty()));
  EXPECT_THAT(broken("/wheels/0/findings/0/level", "fatal"), Not(IsEmpty()));
  EXPECT_THAT(broken("/wheels/0/findings/0/count", 0), Not(IsEmpty()));
  EXPECT_THAT(broken("/wheels/0/findings/0/searched", json::array({1})), Not(IsEmpty()));
  EXPECT_THAT(broken("/wheels/1/unreadable", "text"), Not(IsEmpty()));
  EXPECT_THAT(broken("/exit_code", 2), Not(IsEmpty()));
  EXPECT_THAT(broken("/surprise", 1), Not(IsEmpty()));
  json lacking = good;
  lacking.erase("summary");
  EXPECT_THAT(schema_faults(schema(), lacking), Not(IsEmpty()));
}

TEST(Json, FindingHasEveryFieldInReadingOrder) {
  Report report;
  report.wheels.push_back(sample_wheel());
  const auto parsed = nlohmann::ordered_json::parse(json_of(report));
  EXPECT_EQ(parsed["wheels"][0]["findings"][1].dump(2), R"({
  "rule": "WC101",
  "slug": "needed-not-found",
  "level": "error",
  "place": "demo/libx.so",
  "subject": "libcudart.so.12",
  "what": "libcudart.so.12",
  "needed_by": [
    "demo/liby.so"
  ],
  "searched": [
    "$ORIGIN: demo: no such file",
    "the system libraries of manylinux_2_28"
  ],
  "provided_by": [
    "nvidia-cuda-runtime-cu12, which the wheel does not require"
  ],
  "fix": "require nvidia-cuda-runtime-cu12",
  "count": 1
})");
  EXPECT_EQ(parsed["wheels"][0]["findings"][2]["fix"], "Remove the entry.") << "the catalogue's";
  EXPECT_EQ(parsed["summary"].dump(),
            R"({"wheels":1,"incomplete":0,"errors":1,"warnings":2,"notes":1})");
  EXPECT_EQ(parsed["exit_code"], 1);
  EXPECT_FALSE(parsed.contains("run")) << "only with --stats";
}

TEST(Json, UntrustedNamesStayOneAsciiDocument) {
  Report report;
  report.wheels.push_back(sample_wheel());
  Finding& finding = report.wheels[0].findings[0];
  finding.place = "a\"\\\n\033[2J\xff\u202E\x7f";
  const std::string text = json_of(report);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << int{c};
  EXPECT_EQ(json::parse(text)["wheels"][0]["findings"][0]["place"],
            "a\"\\\n\033[2J\\xff\u202E\x7f");
}

}  // namespace
}  // namespace wheelcheck
