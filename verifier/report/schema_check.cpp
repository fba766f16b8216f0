#include "verifier/report/schema_check.h"

#include <algorithm>
#include <regex>

namespace wheelcheck::testing {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

class Walk {
 public:
  explicit Walk(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      check_keyword(keyword, rule, schema, value, at);
    }
  }
  std::vector<std::string> faults;

 private:
  void fault(const std::string& at, const std::string& what) {
    faults.push_back((at.empty() ? "(root)" : at) + ": " + what);
  }

  void check_keyword(const std::string& keyword, const Json& rule, const Json& schema,
                     const Json& value, const std::string& at) {
    static const std::vector<std::string> kSilent = {"$schema", "$id", "title", "description",
                                                     "$defs"};
    if (std::find(kSilent.begin(), kSilent.end(), keyword) != kSilent.end()) return;
    if (keyword == "$ref") {
      check(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    } else if (keyword == "type") {
      const Json types = rule.is_array() ? rule : Json::array({rule});
      if (std::none_of(types.begin(), types.end(),
                       [&](const Json& type) { return has_type(value, type); })) {
        fault(at, "is not of type " + rule.dump());
      }
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) {
        fault(at, value.dump() + " is none of " + rule.dump());
      }
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) {
        fault(at, value.dump() + " does not match " + rule.dump());
      }
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>()) fault(at, "is too small");
    } else if (keyword == "required") {
      for (const Json& name : rule) {
        if (value.is_object() && !value.contains(name.get<std::string>())) {
          fault(at, "lacks " + name.dump());
        }
      }
    } else if (keyword == "properties") {
      for (const auto& [name, sub] : rule.items()) {
        if (value.is_object() && value.contains(name)) check(sub, value[name], at + "/" + name);
      }
    } else if (keyword == "additionalProperties" && rule == false) {
      for (const auto& [name, ignored] : value.items()) {
        if (value.is_object() && !schema["properties"].contains(name)) {
          fault(at, "has the undescribed field " + name);
        }
      }
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        check(rule, value[i], at + "/" + std::to_string(i));
      }
    } else if (keyword == "anyOf") {
      const bool any = std::any_of(rule.begin(), rule.end(), [&](const Json& choice) {
        Walk attempt(root_);
        attempt.check(choice, value, at);
        return attempt.faults.empty();
      });
      if (!any) fault(at, "fits none of the alternatives");
    } else {
      fault(at, "the schema has a keyword that this check does not know: " + keyword);
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_faults(const Json& schema, const Json& value) {
  Walk walk(schema);
  walk.check(schema, value, "");
  return walk.faults;
}

}  // namespace wheelcheck::testing
