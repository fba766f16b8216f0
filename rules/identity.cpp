// The wheel says who it is in several places: they must agree.

#include <algorithm>
#include <cctype>
#include <set>

#include "rules/glob.h"
#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

std::string metadata_path(const WheelFacts& wheel) { return wheel.dist_info + "/METADATA"; }

/// "name" and "1.0" of "name-1.0.dist-info".
struct DistInfoName {
  std::string name;
  std::string version;
};
DistInfoName split_dist_info(std::string_view directory) {
  constexpr std::string_view kSuffix = ".dist-info";
  if (directory.ends_with(kSuffix)) directory.remove_suffix(kSuffix.size());
  const auto dash = directory.rfind('-');
  if (dash == std::string_view::npos) return {std::string(directory), {}};
  return {std::string(directory.substr(0, dash)), std::string(directory.substr(dash + 1))};
}

/// Versions as they are compared: normalised where they parse, as written where not. File and
/// directory names write '_' for '-'.
std::string comparable_version(std::string_view text) {
  std::string name(text);
  if (const auto version = Version::parse(name)) return version->str();
  std::replace(name.begin(), name.end(), '_', '-');
  if (const auto version = Version::parse(name)) return version->str();
  return name;
}

std::vector<Finding> text_problems(const CatalogueRow& row, const std::string& place,
                                   const std::vector<TextProblem>& problems) {
  std::vector<Finding> findings;
  for (const TextProblem& problem : problems) {
    const std::string line = problem.line == 0 ? "" : "line " + std::to_string(problem.line);
    findings.push_back(
        make_finding(row, place, line, line.empty() ? problem.what : line + ": " + problem.what));
  }
  return findings;
}

}  // namespace

std::vector<Finding> judge_file_name(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const WheelFacts& wheel = context.wheel;
  const std::string name(base_name(wheel.path));
  if (wheel.file_name_error) {
    findings.push_back(make_finding(row, "", name, wheel.file_name_error->what));
  } else if (wheel.file_name && !wheel.file_name->version) {
    findings.push_back(
        make_finding(row, "", wheel.file_name->version_text,
                     "\"" + wheel.file_name->version_text + "\" in the file name is no version"));
  }
  return findings;
}

std::vector<Finding> judge_name_agreement(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const WheelFacts& wheel = context.wheel;
  if (!wheel.metadata || wheel.metadata->name.empty()) return findings;
  const std::string name = normalise_name(wheel.metadata->name);
  const auto compare = [&](const std::string& other, const std::string& place) {
    if (normalise_name(other) == name) return;
    findings.push_back(
        make_finding(row, metadata_path(wheel), wheel.metadata->name,
                     "METADATA names " + wheel.metadata->name + ", " + place + " names " + other));
  };
  if (wheel.file_name) compare(wheel.file_name->distribution, "the file name");
  compare(split_dist_info(wheel.dist_info).name, "the directory " + wheel.dist_info);
  if (!wheel.data_directory.empty()) {
    std::string data = wheel.data_directory;
    if (data.ends_with(".data")) data.resize(data.size() - 5);
    compare(split_dist_info(data).name, "the directory " + wheel.data_directory);
  }
  return findings;
}

std::vector<Finding> judge_version_agreement(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const WheelFacts& wheel = context.wheel;
  if (!wheel.metadata || wheel.metadata->version_text.empty()) return findings;
  const std::string& written = wheel.metadata->version_text;
  if (!wheel.metadata->version) {
    findings.push_back(make_finding(row, metadata_path(wheel), written,
                                    "\"" + written + "\" in METADATA is no version"));
  }
  const std::string version = comparable_version(written);
  // Places that agree with each other against METADATA are one finding: the cause is one.
  std::vector<std::pair<std::string, std::vector<std::string>>> others;  // version, who has it
  const auto compare = [&](const std::string& other, const std::string& place) {
    if (other.empty() || comparable_version(other) == version) return;
    const auto known = std::find_if(others.begin(), others.end(), [&](const auto& entry) {
      return comparable_version(entry.first) == comparable_version(other);
    });
    if (known != others.end()) {
      known->second.push_back(place);
    } else {
      others.push_back({other, {place}});
    }
  };
  if (wheel.file_name) compare(wheel.file_name->version_text, "the file name");
  compare(split_dist_info(wheel.dist_info).version, "the directory " + wheel.dist_info);
  for (const auto& [other, places] : others) {
    std::string here = "METADATA has version " + written;
    std::string there = join(places, " and ") + (places.size() == 1 ? " has " : " have ") + other;
    Finding finding = make_finding(row, metadata_path(wheel), written, "");
    const auto stated = Version::parse(other);
    const auto own = Version::parse(written);
    if (own && stated && *own == *stated) {
      finding.level = Level::warning;  // "1.0" and "1.0.0" compare equal: installers do not mind
    } else if (own && stated && own->public_part() == stated->public_part()) {
      // Only the label differs. Installers go by METADATA, people by the file name.
      here += own->local().empty() ? ", without a label" : "";
      there += stated->local().empty() ? ", without a label" : "";
      finding.fix =
          "write one version, with its label or without, when the wheel is built; a label "
          "that is added to the file name alone is lost on installation";
    }
    finding.what = here + "; " + there;
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> judge_tag_agreement(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  std::vector<Finding> findings;
  if (!wheel.file_name || !wheel.wheel || wheel.wheel->tags.empty()) return findings;
  const std::vector<Tag> named = wheel.file_name->tags();
  const std::set<Tag> in_name(named.begin(), named.end());
  const std::set<Tag> in_file(wheel.wheel->tags.begin(), wheel.wheel->tags.end());
  if (in_name == in_file) return findings;
  // A wheel that was only renamed to a stricter platform of the same machine is installed and
  // works; tools that read WHEEL know less of it.
  const auto loosely = [](const std::set<Tag>& tags) {
    std::set<std::string> result;
    for (const Tag& tag : tags) {
      const Platform platform = parse_platform(tag.platform);
      const bool linux =
          platform.kind == PlatformKind::linux || platform.kind == PlatformKind::manylinux;
      result.insert(tag.python + "-" + tag.abi + "-" +
                    (linux ? "linux_" + platform.arch : tag.platform));
    }
    return result;
  };
  const auto only = [](const std::set<Tag>& a, const std::set<Tag>& b) {
    std::vector<std::string> tags;
    for (const Tag& tag : a) {
      if (!b.contains(tag)) tags.push_back(tag.str());
    }
    return tags;
  };
  std::string what = "the file name and WHEEL have different tags:";
  const auto name_only = only(in_name, in_file);
  const auto file_only = only(in_file, in_name);
  if (!name_only.empty()) what += " " + join(name_only) + " only in the file name";
  if (!name_only.empty() && !file_only.empty()) what += ",";
  if (!file_only.empty()) what += " " + join(file_only) + " only in WHEEL";
  const Level level = loosely(in_name) == loosely(in_file) ? Level::warning : Level::error;
  findings.push_back(make_finding(row, level, wheel.dist_info + "/WHEEL",
                                  name_only.empty() ? file_only.front() : name_only.front(),
                                  std::move(what)));
  return findings;
}

std::vector<Finding> judge_dist_info(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  std::vector<Finding> findings;
  if (wheel.dist_info.empty()) {
    findings.push_back(make_finding(row, "", ".dist-info", "there is no .dist-info directory"));
    return findings;
  }
  const auto expect = [&](const char* name, bool present) {
    if (present) return;
    const std::string path = wheel.dist_info + "/" + name;
    const MemberFacts* member = wheel.find(path);
    findings.push_back(make_finding(
        row, path, name,
        member == nullptr ? "there is no " + path : path + " is there but was not read"));
  };
  expect("METADATA", wheel.metadata.has_value());
  expect("WHEEL", wheel.wheel.has_value());
  expect("RECORD", wheel.record.has_value());
  if (wheel.metadata && wheel.metadata->name.empty()) {
    findings.push_back(make_finding(row, metadata_path(wheel), "Name", "METADATA has no Name"));
  }
  if (wheel.metadata && wheel.metadata->version_text.empty()) {
    findings.push_back(
        make_finding(row, metadata_path(wheel), "Version", "METADATA has no Version"));
  }
  if (wheel.wheel && wheel.wheel->tag_lines.empty()) {
    findings.push_back(make_finding(row, wheel.dist_info + "/WHEEL", "Tag", "WHEEL has no Tag"));
  }
  return findings;
}

std::vector<Finding> judge_dist_info_count(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const auto& directories = context.wheel.dist_info_directories;
  if (directories.size() > 1) {
    findings.push_back(make_finding(row, directories.back(), ".dist-info",
                                    "there are " + std::to_string(directories.size()) +
                                        " .dist-info directories: " + join(directories)));
  }
  return findings;
}

std::vector<Finding> judge_metadata_text(const WheelContext& context, const CatalogueRow& row) {
  if (!context.wheel.metadata) return {};
  return text_problems(row, metadata_path(context.wheel), context.wheel.metadata->problems);
}

std::vector<Finding> judge_wheel_text(const WheelContext& context, const CatalogueRow& row) {
  if (!context.wheel.wheel) return {};
  return text_problems(row, context.wheel.dist_info + "/WHEEL", context.wheel.wheel->problems);
}

std::vector<Finding> judge_entry_points(const WheelContext& context, const CatalogueRow& row) {
  if (!context.wheel.entry_points) return {};
  return text_problems(row, context.wheel.dist_info + "/entry_points.txt",
                       context.wheel.entry_points->problems);
}

namespace {

/// The string that `name = "..."`, `set(name "...")` or `name: T = '...'` gives to a name.
std::optional<std::string> string_value(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    std::string_view rest = text.substr(at + name.size(), end - at - name.size());
    if (!rest.empty() && is_word(rest.front())) continue;
    // The line must begin with the name or with "set(": comments and conditions do not count.
    const auto line = text.rfind('\n', at);
    std::string_view before = text.substr(line == std::string_view::npos ? 0 : line + 1,
                                          at - (line == std::string_view::npos ? 0 : line + 1));
    while (!before.empty() && before.front() == ' ') before.remove_prefix(1);
    if (!before.empty() && before != "set(" && before != "set( ") continue;
    // "__all__ = ["__version__", ...]" is not an assignment of it, nor is a comparison.
    const auto quote = rest.find_first_of("\"'");
    if (quote == std::string_view::npos) continue;
    const auto close = rest.find(rest[quote], quote + 1);
    if (close == std::string_view::npos) continue;
    return std::string(rest.substr(quote + 1, close - quote - 1));
  }
  return std::nullopt;
}

/// The leading dotted integers, as CMake compares them.
std::string numeric_prefix(std::string_view version) {
  std::size_t end = 0;
  while (end < version.size() &&
         (std::isdigit(static_cast<unsigned char>(version[end])) != 0 ||
          (version[end] == '.' && end + 1 < version.size() &&
           std::isdigit(static_cast<unsigned char>(version[end + 1])) != 0))) {
    ++end;
  }
  return std::string(version.substr(0, end));
}

}  // namespace

std::vector<Finding> judge_version_files_agree(const WheelContext& context,
                                               const CatalogueRow& row) {
  std::vector<Finding> findings;
  const WheelFacts& wheel = context.wheel;
  if (!wheel.metadata || !wheel.metadata->version) return findings;
  const Version& version = *wheel.metadata->version;
  for (const MemberFacts& member : wheel.members) {
    if (!member.text_kept || !matches_any(context.profile.version_files, installed_path(member))) {
      continue;
    }
    const auto differs = [&](const std::string& key, const std::string& value,
                             const std::string& expected) {
      // A METADATA that is at odds with everything else is one finding, not one per file.
      if (wheel.file_name && wheel.file_name->version) {
        const Version& named = *wheel.file_name->version;
        const bool as_named =
            comparable_version(value) == named.str() ||
            (key == "PACKAGE_VERSION" && value == numeric_prefix(named.public_part()));
        if (as_named && named != version) return;
      }
      findings.push_back(make_finding(row, member.entry.path, key,
                                      key + " is " + value + ", METADATA has version " + expected));
    };
    const bool cmake = member.entry.path.ends_with(".cmake");
    const char* key = cmake ? "EXECUTORCH_BUILD_VERSION" : "__version__";
    if (const auto value = string_value(member.text, key)) {
      const auto stated = Version::parse(*value);
      // An index takes no local versions, so a published wheel may have shed its own: "1.5.1" of
      // METADATA and "1.5.1+cpu" here agree.
      const bool shed = stated.ok() && version.local().empty() &&
                        stated->public_part() == version.public_part() &&
                        context.policy.trains.classify(stated->local()).kind == LabelKind::cpu;
      if (!stated.ok() || (stated->str() != version.str() && !shed)) {
        differs(key, *value, version.str());
      }
    }
    if (!cmake) continue;
    if (const auto value = string_value(member.text, "PACKAGE_VERSION")) {
      if (*value != numeric_prefix(version.public_part())) {
        differs("PACKAGE_VERSION", *value, version.str());
      }
    }
  }
  return findings;
}

}  // namespace wheelcheck
