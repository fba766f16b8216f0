#include "verifier/report/json_writer.h"

#include "nlohmann/json.hpp"

#include "verifier/report/escape.h"

namespace wheelcheck {
namespace {

using Json = nlohmann::ordered_json;

Json texts(const std::vector<std::string>& lines) {
  Json array = Json::array();
  for (const std::string& line : lines) array.push_back(valid_utf8(line));
  return array;
}

Json json_of_error(const Error& error) {
  Json json{{"where", valid_utf8(error.where)}, {"what", valid_utf8(error.what)}};
  json["offset"] = error.offset ? Json(*error.offset) : Json(nullptr);
  return json;
}

Json json_of_finding(const Finding& finding) {
  return {
      {"rule", finding.rule->id},
      {"slug", finding.rule->slug},
      {"level", level_name(finding.level)},
      {"place", valid_utf8(finding.place)},
      {"subject", valid_utf8(finding.subject)},
      {"what", valid_utf8(finding.what)},
      {"needed_by", texts(finding.needed_by)},
      {"searched", texts(finding.searched)},
      {"provided_by", texts(finding.provided_by)},
      {"fix", valid_utf8(finding.fix.empty() ? finding.rule->fix : finding.fix)},
      {"count", finding.count},
  };
}

Json json_of_tally(const Tally& tally) {
  return {{"errors", tally.errors}, {"warnings", tally.warnings}, {"notes", tally.notes}};
}

Json json_of_stats(const WheelReport& wheel) {
  const ScanStats& stats = wheel.stats;
  return {
      {"archive_bytes", stats.archive_bytes},
      {"inflated_bytes", stats.inflated_bytes},
      {"hashed_bytes", stats.hashed_bytes},
      {"members", stats.members},
      {"elf_files", stats.elf_files},
      {"second_passes", stats.second_passes},
      {"second_pass_bytes", stats.second_pass_bytes},
      {"cross_checked", stats.cross_checked},
      {"cross_check_skipped", stats.cross_check_skipped},
      {"wall_seconds", wheel.wall_seconds},
  };
}

Json json_of_wheel(const WheelReport& wheel) {
  Json json{{"file", valid_utf8(wheel.file)}, {"complete", wheel.complete()}};
  json["unreadable"] = wheel.unreadable ? json_of_error(*wheel.unreadable) : Json(nullptr);
  if (wheel.unreadable) {
    json["profile"] = nullptr;
  } else {
    json["profile"] = {{"name", valid_utf8(wheel.profile)},
                       {"chosen_because", valid_utf8(wheel.profile_because)}};
  }
  json["surroundings"] = texts(wheel.surroundings);
  json["unread"] = Json::array();
  for (const Unread& unread : wheel.unread) {
    Json entry{{"place", valid_utf8(unread.place)}};
    entry.update(json_of_error(unread.error));
    json["unread"].push_back(std::move(entry));
  }
  json["findings"] = Json::array();
  for (const Finding& finding : wheel.findings) {
    json["findings"].push_back(json_of_finding(finding));
  }
  json["summary"] = json_of_tally(wheel.tally());
  json["stats"] = json_of_stats(wheel);
  return json;
}

}  // namespace

std::string json_of(const Report& report) {
  Json json{
      {"schema_version", kReportSchemaVersion},
      {"tool", {{"name", "wheelcheck"}, {"version", tool_version()}}},
      {"fail_on", fail_on_name(report.fail_on)},
      {"rules_run", report.rules_run},
  };
  json["wheels"] = Json::array();
  std::uint64_t incomplete = 0;
  for (const WheelReport& wheel : report.wheels) {
    json["wheels"].push_back(json_of_wheel(wheel));
    if (!wheel.complete()) ++incomplete;
  }
  json["with_errors"] = Json::array();
  for (const Error& error : report.with_errors) json["with_errors"].push_back(json_of_error(error));
  json["summary"] = {{"wheels", report.wheels.size()}, {"incomplete", incomplete}};
  json["summary"].update(json_of_tally(report.tally()));
  if (report.run) {
    json["run"] = {
        {"wall_seconds", report.run->wall_seconds},
        {"cpu_seconds", report.run->cpu_seconds},
        {"peak_memory_bytes", report.run->peak_memory},
        {"child_peak_memory_bytes", report.run->child_peak_memory},
        {"beside",
         {{"wheels_read", report.beside.read},
          {"wheels_cached", report.beside.cached},
          {"seconds", report.beside.seconds}}},
    };
  }
  json["exit_code"] = report.exit_code();
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace wheelcheck
