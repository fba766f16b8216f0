#include "nlohmann/json.hpp"

#include "verifier/report/escape.h"
#include "verifier/report/report.h"
#include "verifier/why/json_text.h"
#include "verifier/why/tree.h"

namespace wheelcheck {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchemaVersion = "1.1";  // of docs/tree.schema.json

/// "by RUNPATH $ORIGIN/lib", "found by luck of the order, named by ..."
std::string how(const TreeLine& line) {
  switch (line.verdict) {
    case Verdict::own_path:
    case Verdict::inherited: {
      std::string text = line.verdict == Verdict::inherited ? "inherited " : "";
      text += tag_words(line.tag);
      return line.entry.empty() ? text : text + " " + line.entry;
    }
    case Verdict::system:
      return "system";
    case Verdict::luck:
      return "LUCK: another object named it first";
    case Verdict::environment:
      return "LD_LIBRARY_PATH only";
    case Verdict::working_directory:
      return "WORKING DIRECTORY only";
    case Verdict::fatal:
      return "what is found cannot be loaded";
    case Verdict::not_found:
      break;
  }
  return "NOT FOUND";
}

std::string line_text(const TreeLaterLine& line) {
  std::string text = "  opens " + line.name + " when it is used";
  if (!line.file.empty()) text += " => " + line.file;
  text += "  (" + line.priority;
  if (!line.feature.empty()) text += ", " + line.feature;
  if (!line.firm && line.verdict != Verdict::luck) text += ", NOT FOUND";
  return text + "), for " + line.asker;
}

std::string line_text(const TreeLine& line) {
  std::string text(2 * line.depth, ' ');
  text += line.name;
  if (!line.file.empty()) text += " => " + line.file;
  text += "  (" + how(line);
  if (!line.firm || line.depth > 1) text += ", for " + line.asker;
  return text + ")";
}

}  // namespace

std::string text_of(const TreeReport& report) {
  std::string out;
  for (const RootReport& root : report.roots) {
    out += printable(root.file) + "  (" + std::string(role_id(root.role)) + ")\n";
    for (const TreeLine& line : root.lines) out += printable(line_text(line)) + "\n";
    for (const TreeLaterLine& line : root.later) out += printable(line_text(line)) + "\n";
  }
  for (const Error& error : report.unread) out += "unread: " + printable(error.message()) + "\n";
  if (report.over_budget) out += "too many files load one another: this is not all\n";
  return out;
}

std::string json_of(const TreeReport& report) {
  Json json{{"schema_version", kSchemaVersion},
            {"tool", {{"name", "wheelcheck"}, {"version", tool_version()}}},
            {"subject", valid_utf8(report.subject)},
            {"system", valid_utf8(report.system)}};
  json["roots"] = Json::array();
  for (const RootReport& root : report.roots) {
    Json one{{"file", valid_utf8(root.file)}, {"role", role_id(root.role)}, {"firm", root.firm}};
    one["objects"] = Json::array();
    for (const TreeLine& line : root.lines) {
      one["objects"].push_back({{"name", valid_utf8(line.name)},
                                {"asker", valid_utf8(line.asker)},
                                {"depth", line.depth},
                                {"file", text_or_null(line.file)},
                                {"verdict", verdict_id(line.verdict)},
                                {"firm", line.firm},
                                {"tag", tag_id(line.tag)},
                                {"entry", text_or_null(line.entry)},
                                {"loads", line.loads}});
    }
    one["later"] = Json::array();
    for (const TreeLaterLine& line : root.later) {
      one["later"].push_back({{"name", valid_utf8(line.name)},
                              {"asker", valid_utf8(line.asker)},
                              {"feature", valid_utf8(line.feature)},
                              {"priority", valid_utf8(line.priority)},
                              {"file", text_or_null(line.file)},
                              {"verdict", verdict_id(line.verdict)},
                              {"firm", line.firm}});
    }
    json["roots"].push_back(std::move(one));
  }
  json["complete"] = !report.over_budget && report.unread.empty();
  json["unread"] = Json::array();
  for (const Error& error : report.unread) {
    json["unread"].push_back({{"where", valid_utf8(error.where)},
                              {"what", valid_utf8(error.what)},
                              {"offset", error.offset ? Json(*error.offset) : Json(nullptr)}});
  }
  json["firm"] = report.firm();
  json["exit_code"] = report.exit_code();
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace wheelcheck
