#include "rules/build_path_judges.h"

#include <algorithm>
#include <array>

#include "rules/build_machine.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

constexpr std::size_t kExamples = 8;

Finding start(const CatalogueRow& row, Level level, std::string place) {
  Finding finding;
  finding.rule = &row;
  finding.level = level;
  finding.place = std::move(place);
  return finding;
}

/// How a text member is read when it is used: by a build, by an interpreter, by a person.
enum class TextUse { build, python, other };

struct TextKind {
  TextUse use;
  std::string_view comment;
};

TextKind text_kind(std::string_view path) {
  constexpr std::array<std::string_view, 3> kHash = {".cmake", ".pc", ".mk"};
  constexpr std::array<std::string_view, 3> kHashToo = {".la", ".prl", ".pri"};
  const auto ends = [&](std::string_view end) { return path.ends_with(end); };
  if (std::any_of(kHash.begin(), kHash.end(), ends) ||
      std::any_of(kHashToo.begin(), kHashToo.end(), ends) ||
      base_name_of(path) == "CMakeLists.txt" || base_name_of(path).ends_with("-config")) {
    return {TextUse::build, "#"};
  }
  if (ends(".py")) return {TextUse::python, "#"};
  return {TextUse::other, ""};
}

/// What a module says of how it was built is meant for people: numpy's and scipy's __config__.py.
bool is_build_record(std::string_view path) {
  const std::string_view name = base_name_of(path);
  return name.starts_with("__config__") || name.find("build") != name.npos ||
         name.find("version") != name.npos;
}

bool is_for_developers(std::string_view path) {
  return path.find("/test") != path.npos || path.find("/example") != path.npos ||
         path.find("/docs/") != path.npos;
}

/// Only what a runner of a build service has: in Python code a home or /tmp is an example.
bool is_runner_path(std::string_view path) {
  return path.starts_with("/__w/") || path.find("/actions-runner/") != path.npos ||
         path.find("/conda_environment_") != path.npos || path.find("/pip-build-env-") != path.npos;
}

/// Whether the hits of a file are all known to us. The reader keeps a few examples only.
std::vector<TextPath> paths_of(const MemberFacts& member, const TextKind& kind) {
  if (member.text_kept) return build_machine_paths(member.text, kind.comment);
  std::vector<TextPath> paths;
  for (const BuildPathHit& hit : member.build_paths.examples) {
    if (is_build_machine_path_in_text(hit.text)) paths.push_back({hit.text, hit.line});
  }
  return paths;
}

void describe(Finding& finding, const std::vector<TextPath>& paths) {
  finding.subject = paths.front().path;
  finding.count = paths.size();
  finding.what = "names a path of the build machine: " + paths.front().path;
  if (paths.front().line != 0) finding.what += " (line " + std::to_string(paths.front().line) + ")";
  if (paths.size() > 1) finding.what += " and " + std::to_string(paths.size() - 1) + " more";
  for (std::size_t i = 0; i < std::min(paths.size(), kExamples); ++i) {
    std::string line = paths[i].path;
    if (paths[i].line != 0) line = "line " + std::to_string(paths[i].line) + ": " + line;
    finding.searched.push_back(std::move(line));
  }
}

}  // namespace

std::vector<Finding> judge_soname_path(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (member.elf == nullptr || !member.elf->soname) continue;
    const std::string& soname = *member.elf->soname;
    if (soname.find('/') == std::string::npos) continue;
    Finding finding = start(row, row.level, member.entry.path);
    finding.subject = soname;
    finding.what = "SONAME " + soname + " is a path";
    if (is_build_machine_path(soname)) finding.what += " of the build machine";
    finding.fix = "set it to " + std::string(base_name_of(soname)) +
                  ", and replace it in what was linked to the library";
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_text_paths(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (member.build_paths.count == 0 && !member.text_kept) continue;
    if (member.elf != nullptr || member.install.path.empty()) continue;
    const std::string& path = member.entry.path;
    const TextKind kind = text_kind(path);
    if (kind.use == TextUse::other) continue;
    if (kind.use == TextUse::python && member.build_paths.count == 0) continue;
    if (kind.use == TextUse::python && (is_build_record(path) || is_for_developers(path))) continue;
    std::vector<TextPath> paths = paths_of(member, kind);
    if (kind.use == TextUse::python) {
      std::erase_if(paths, [](const TextPath& hit) { return !is_runner_path(hit.path); });
    }
    if (paths.empty()) continue;
    // A string in Python may be an example in a docstring; what a build reads is used as it is.
    const Level level = kind.use == TextUse::build ? Level::error : Level::warning;
    Finding finding = start(row, level, path);
    describe(finding, paths);
    finding.fix =
        "write it relative to the file (in CMake: CMAKE_CURRENT_LIST_DIR), or leave it "
        "out";
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_data_paths(const WheelContext& context, const CatalogueRow& row) {
  Finding finding = start(row, Level::note, {});
  finding.count = 0;
  std::size_t files = 0;
  for (const MemberFacts& member : context.wheel.members) {
    const bool binary = member.kind == ContentKind::elf || member.kind == ContentKind::ar_archive ||
                        member.kind == ContentKind::mach_o || member.kind == ContentKind::pe ||
                        member.kind == ContentKind::other;
    if (!binary || member.build_paths.count == 0) continue;
    ++files;
    finding.count += member.build_paths.count;
    if (finding.needed_by.size() < kExamples) {
      std::string line = member.entry.path + ": " + std::to_string(member.build_paths.count);
      if (!member.build_paths.examples.empty()) {
        line += ", such as " + member.build_paths.examples.front().text;
      }
      finding.needed_by.push_back(std::move(line));
    }
  }
  if (files == 0) return {};
  finding.subject = "read-only data";
  finding.what = std::to_string(finding.count) + " paths that look like a build machine's in the " +
                 "data of " + std::to_string(files) + (files == 1 ? " file" : " files");
  return {finding};
}

}  // namespace wheelcheck
