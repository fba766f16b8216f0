#include "nlohmann/json.hpp"

#include "verifier/report/escape.h"
#include "verifier/report/report.h"
#include "verifier/why/explanation.h"
#include "verifier/why/json_text.h"

namespace wheelcheck {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchemaVersion = "1.0";  // of docs/why.schema.json

Json json_of(const NeedReport& need) {
  Json places = Json::array();
  for (const PlaceReport& place : need.places) {
    places.push_back({{"tag", tag_id(place.tag)},
                      {"entry", text_or_null(place.entry)},
                      {"carrier", text_or_null(place.carrier)},
                      {"path", text_or_null(place.path)},
                      {"result", result_id(place.result)}});
  }
  Json providers = Json::array();
  for (const std::string& provider : need.providers) providers.push_back(valid_utf8(provider));
  return {{"name", valid_utf8(need.name)},
          {"verdict", verdict_id(need.verdict)},
          {"firm", need.firm},
          {"preloaded", need.preloaded},
          {"hijackable", need.hijackable},
          {"words", valid_utf8(need.words)},
          {"found", text_or_null(need.found)},
          {"places", std::move(places)},
          {"providers", std::move(providers)}};
}

Json json_of(const ObjectReport& object) {
  Json json{{"file", valid_utf8(object.file)},   {"package", text_or_null(object.package)},
            {"role", role_id(object.role)},      {"root_role", role_id(object.root_role)},
            {"other_roots", object.other_roots}, {"loads", object.loaded}};
  json["chain"] = Json::array();
  for (const ChainStep& step : object.chain) {
    json["chain"].push_back({{"file", valid_utf8(step.file)},
                             {"name", text_or_null(step.name)},
                             {"verdict", step.found ? Json(verdict_id(*step.found)) : Json()}});
  }
  json["needs"] = Json::array();
  for (const NeedReport& need : object.needs) json["needs"].push_back(json_of(need));
  json["further"] = Json::array();
  for (const FurtherNeed& further : object.further) {
    json["further"].push_back(
        {{"file", valid_utf8(further.file)}, {"need", json_of(further.need)}});
  }
  json["later"] = Json::array();
  for (const LaterNeed& later : object.later) {
    json["later"].push_back({{"name", valid_utf8(later.name)},
                             {"feature", text_or_null(later.feature)},
                             {"priority", valid_utf8(later.priority)},
                             {"verdict", verdict_id(later.verdict)},
                             {"firm", later.firm},
                             {"found", text_or_null(later.found)}});
  }
  return json;
}

Json json_of(const Change& change) {
  return {{"kind", change_id(change.kind)},
          {"file", text_or_null(change.file)},
          {"command", text_or_null(change.command)},
          {"requirement", text_or_null(change.requirement)},
          {"words", valid_utf8(change.words)}};
}

Json json_of(const Complaint& complaint) {
  return {{"kind", complaint_id(complaint.kind)},
          {"file", text_or_null(complaint.file)},
          {"asker", text_or_null(complaint.asker)},
          {"symbol", text_or_null(complaint.symbol)},
          {"version", text_or_null(complaint.version)}};
}

}  // namespace

std::string json_of(const Explanation& answer) {
  Json json{{"schema_version", kSchemaVersion},
            {"tool", {{"name", "wheelcheck"}, {"version", tool_version()}}},
            {"subject", valid_utf8(answer.subject)},
            {"system", valid_utf8(answer.system)},
            {"question", valid_utf8(answer.question)}};
  json["message"] = answer.complaint ? json_of(*answer.complaint) : Json(nullptr);
  json["objects"] = Json::array();
  for (const ObjectReport& object : answer.objects) json["objects"].push_back(json_of(object));
  json["remarks"] = Json::array();
  for (const std::string& remark : answer.remarks) json["remarks"].push_back(valid_utf8(remark));
  json["changes"] = Json::array();
  for (const Change& change : answer.changes) json["changes"].push_back(json_of(change));
  json["changes_suffice"] = answer.changes_suffice;
  json["unread"] = Json::array();
  for (const Error& error : answer.unread) {
    json["unread"].push_back({{"where", valid_utf8(error.where)},
                              {"what", valid_utf8(error.what)},
                              {"offset", error.offset ? Json(*error.offset) : Json(nullptr)}});
  }
  json["firm"] = answer.firm;
  json["exit_code"] = answer.exit_code();
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace wheelcheck
