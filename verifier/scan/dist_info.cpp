#include "verifier/scan/dist_info.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace wheelcheck {

namespace {

constexpr std::string_view kDistInfo = ".dist-info";

/// Whether `directory` is named after the distribution and version of the file name.
bool belongs_to(std::string_view directory, const WheelFileName& name) {
  directory.remove_suffix(kDistInfo.size());
  const std::size_t dash = directory.rfind('-');
  if (dash == std::string_view::npos) return false;
  if (normalise_name(directory.substr(0, dash)) != name.normalised) return false;
  const std::string_view version = directory.substr(dash + 1);
  if (version == name.version_text) return true;
  const Result<Version> parsed = Version::parse(version);
  return parsed.ok() && name.version && *parsed == *name.version;
}

/// The kept text of a file in dist-info, or null.
const std::string* text_of(const WheelFacts& wheel, std::string_view name) {
  if (wheel.dist_info.empty()) return nullptr;
  const MemberFacts* member = wheel.find(wheel.dist_info + "/" + std::string(name));
  if (member == nullptr || member->unread || !member->text_kept) return nullptr;
  return &member->text;
}

}  // namespace

void find_dist_info(WheelFacts& wheel) {
  for (const Member& member : wheel.archive.members) {
    const std::string_view path = member.path;
    const std::string_view top = path.substr(0, path.find('/'));
    if (top.size() == path.size() || !top.ends_with(kDistInfo)) continue;
    std::vector<std::string>& all = wheel.dist_info_directories;
    if (std::find(all.begin(), all.end(), top) == all.end()) all.emplace_back(top);
  }
  if (wheel.dist_info_directories.empty()) return;
  const auto own =
      std::find_if(wheel.dist_info_directories.begin(), wheel.dist_info_directories.end(),
                   [&](const std::string& directory) {
                     return wheel.file_name && belongs_to(directory, *wheel.file_name);
                   });
  wheel.dist_info =
      own != wheel.dist_info_directories.end() ? *own : wheel.dist_info_directories.front();
  wheel.data_directory =
      wheel.dist_info.substr(0, wheel.dist_info.size() - kDistInfo.size()) + ".data";
}

void read_dist_info(WheelFacts& wheel) {
  if (const std::string* text = text_of(wheel, "METADATA")) {
    wheel.metadata = parse_metadata(*text);
  }
  if (const std::string* text = text_of(wheel, "WHEEL")) wheel.wheel = parse_wheel_file(*text);
  if (const std::string* text = text_of(wheel, "entry_points.txt")) {
    wheel.entry_points = parse_entry_points(*text);
  }
  if (const std::string* text = text_of(wheel, "top_level.txt")) {
    wheel.top_level = parse_top_level(*text);
  }
  const bool pure = wheel.wheel && wheel.wheel->root_is_purelib.value_or(false);
  const Scheme root = pure ? Scheme::purelib : Scheme::platlib;
  for (MemberFacts& member : wheel.members) {
    member.install = install_path(member.entry.path, wheel.data_directory, root);
  }
}

}  // namespace wheelcheck
