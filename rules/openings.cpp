#include "rules/openings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "rules/dlopen_note.h"
#include "rules/glob.h"
#include "rules/need_judge.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

using Json = nlohmann::json;

/// Names that the code of a file may give to dlopen. What it needs is there before it runs, and its
/// own name is in it as a matter of course.
std::vector<DlopenName> names_in(const TreeFile& file) {
  std::vector<DlopenName> names;
  const auto add = [&](const std::string& name, bool opens) {
    const auto known = std::find_if(names.begin(), names.end(),
                                    [&](const DlopenName& one) { return one.name == name; });
    if (known == names.end()) {
      names.push_back({name, opens});
    } else {
      known->opens = known->opens || opens;
    }
  };
  for (const DlopenNote& note : dlopen_notes(*file.elf)) {
    for (const std::string& name : note.sonames) add(name, note.priority != "suggested");
  }
  if (file.member == nullptr) return names;
  const std::vector<std::string>& needed = file.elf->needed;
  for (const std::string& name : file.member->sibling_names) {
    const bool own = library_stem(name) == library_stem(base_name_of(file.path));
    if (own || std::find(needed.begin(), needed.end(), name) != needed.end()) continue;
    add(name, false);
  }
  return names;
}

}  // namespace

Result<OpeningTable> OpeningTable::parse(std::string_view json) {
  OpeningTable table;
  try {  // the library's way to say what is wrong; its exceptions end here
    const Json document = Json::parse(json);
    for (const Json& entry : document.at("rows")) {
      OpeningRow row;
      row.distribution = entry.at("distribution").get<std::string>();
      for (const Json& library : entry.at("opens")) {
        row.libraries.push_back({library.at("path").get<std::string>(),
                                 library.at("global").get<bool>(),
                                 library.at("by").get<std::string>()});
      }
      table.rows_.push_back(std::move(row));
    }
  } catch (const Json::exception& problem) {
    return Error{"openings.json", problem.what(), std::nullopt};
  }
  return table;
}

void add_openings(LoaderOptions& options, const InstallTree& tree, const OpeningTable& table,
                  const std::vector<std::string>& directories,
                  const std::function<bool(std::size_t)>& owned) {
  const auto is_at = [&](std::string_view path, const std::string& glob) {
    return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
      return path.starts_with(directory + "/") &&
             glob_match(glob, path.substr(directory.size() + 1));
    });
  };
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < tree.files().size(); ++file) {
    const TreeFile& candidate = tree.files()[file];
    if (!owned(file) || candidate.elf == nullptr || !candidate.elf->loadable()) continue;
    files.push_back(file);
    auto names = names_in(candidate);
    if (!names.empty()) options.dlopens.emplace(file, std::move(names));
  }
  const std::string& distribution = tree.packages().front().distribution;
  for (const OpeningRow& row : table.rows()) {
    if (!distribution.empty() && distribution != row.distribution) continue;
    for (const OpeningRow::Library& library : row.libraries) {
      for (const std::size_t file : files) {
        if (!is_at(tree.files()[file].path, library.path)) continue;
        options.openings.push_back({file, library.global});
      }
    }
  }
}

void add_openings(LoaderOptions& options, const InstallTree& tree, const OpeningTable& table) {
  add_openings(options, tree, table, tree.module_directories(),
               [&](std::size_t file) { return tree.files()[file].package == 0; });
}

}  // namespace wheelcheck
