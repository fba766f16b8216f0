#include "release/harness/loader_answers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "release/harness/shell.h"

namespace wheelcheck::harness {
namespace {

namespace fs = std::filesystem;

bool is_loader(const std::string& name) {
  return name.starts_with("linux-vdso") || name.starts_with("ld-linux") ||
         name.find("/ld-linux") != std::string::npos;
}

/// Below site-packages, or "" elsewhere; links followed, as hops may climb and come back.
std::string below(const std::string& file, const std::string& site) {
  const std::string place = fs::weakly_canonical(file).string();
  const std::string folder = fs::weakly_canonical(site).string() + "/";
  return place.starts_with(folder) ? place.substr(folder.size()) : std::string();
}

nlohmann::json ask(std::vector<std::string> command) {
  command.insert(command.end(), {"--format", "json"});
  const Outcome outcome = run_clean(command);
  auto document = nlohmann::json::parse(outcome.output, nullptr, false);
  // 1: something is not found, which is an answer.
  if (document.is_discarded() || (outcome.code != 0 && outcome.code != 1)) {
    throw std::runtime_error(outcome.output);
  }
  return document;
}

/// `object` has a name, a verdict, and its file as `member`; absolute files are the machine's own.
void add(const nlohmann::json& object, const char* member, Loaded& loaded) {
  const auto name = object.at("name").get<std::string>();
  if (is_loader(name)) return;
  const auto& file = object.at(member);
  std::string place = file.is_null() ? std::string() : file.get<std::string>();
  if (place.starts_with("/")) place.clear();
  loaded.emplace_back(name, object.at("verdict") == "not-found" ? "not found" : place);
}

}  // namespace

Loaded parse_ldd(const std::string& text, const std::string& site) {
  Loaded loaded;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string arrow;
    std::string file;
    words >> name >> arrow >> file;
    if (arrow != "=>" || is_loader(name)) continue;
    loaded.emplace_back(name, file == "not" ? "not found" : below(file, site));
  }
  return loaded;
}

Loaded loaded_by_system(const fs::path& library, const fs::path& site) {
  return parse_ldd(run_clean({"ldd", library.string()}).output, site.string());
}

std::map<std::string, Loaded> trees_of_wheelcheck(std::vector<std::string> command) {
  std::map<std::string, Loaded> answers;
  const nlohmann::json document = ask(std::move(command));
  for (const auto& root : document.at("roots")) {
    Loaded& loaded = answers[root.at("file").get<std::string>()];
    for (const auto& object : root.at("objects")) {
      const bool lost = object.at("verdict") == "not-found";
      if (lost || object.at("loads").get<bool>()) add(object, "file", loaded);
    }
  }
  return answers;
}

Loaded needs_of_wheelcheck(std::vector<std::string> command, const std::string& file) {
  Loaded needs;
  const nlohmann::json document = ask(std::move(command));
  for (const auto& object : document.at("objects")) {
    if (object.at("file") != file) continue;
    for (const auto& need : object.at("needs")) add(need, "found", needs);
  }
  return needs;
}

Loaded without_system(Loaded loaded) {
  std::erase_if(loaded, [](const auto& one) { return one.second.empty(); });
  return loaded;
}

Loaded only(const Loaded& loaded, const Loaded& names) {
  Loaded found;
  for (const auto& wanted : names) {
    for (const auto& one : loaded) {
      if (one.first == wanted.first) found.push_back(one);
    }
  }
  return found;
}

}  // namespace wheelcheck::harness
