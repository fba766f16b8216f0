#include "verifier/check/site_packages.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "verifier/wheel/metadata.h"

namespace wheelcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestText = 64u << 20;  // of METADATA and RECORD, bytes

Result<std::string> read_text(const fs::path& path) {
  std::error_code code;
  const std::uintmax_t size = fs::file_size(path, code);
  if (code) return Error{path.string(), code.message(), {}};
  if (size > kLargestText) return Error{path.string(), "is too large to be read", {}};
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) return Error{path.string(), "cannot be read", {}};
  return text;
}

bool starts_like_elf(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic.data(), magic.size()) &&
         std::string_view(magic.data(), magic.size()) == std::string_view(
                                                             "\x7f"
                                                             "ELF");
}

void add_member(WheelFacts& package, const fs::path& root, const RecordRow& row,
                const ScanOptions& options) {
  const std::string path = fs::path(row.path).lexically_normal().generic_string();
  // Scripts and data lie outside; nothing is found there by a search path.
  if (path.empty() || path.starts_with("../") || path.starts_with("/")) return;
  std::error_code code;
  if (!fs::is_regular_file(root / path, code)) return;
  MemberFacts member;
  // Only libraries matter to others; the rest is there by name.
  if (starts_like_elf(root / path)) {
    auto scanned = scan_file((root / path).string(), options);
    if (scanned) {
      member = std::move(scanned).value();
    } else {
      member.kind = ContentKind::elf;
      member.unread = scanned.error();
    }
  }
  member.entry.path = path;
  member.entry.size = fs::file_size(root / path, code);
  member.inflated_size = member.entry.size;
  member.install = {Scheme::platlib, path};
  package.by_path.emplace(path, package.members.size());
  package.members.push_back(std::move(member));
}

Result<WheelFacts> read_package(const fs::path& root, const fs::path& dist_info,
                                const ScanOptions& options) {
  WheelFacts package;
  package.path = dist_info.string();
  package.dist_info = dist_info.filename().string();
  package.dist_info_directories = {package.dist_info};
  auto metadata = read_text(dist_info / "METADATA");
  if (!metadata) return metadata.error();
  package.metadata = parse_metadata(*metadata);
  auto record = read_text(dist_info / "RECORD");
  if (!record) return record.error();
  package.record = parse_record(*record);
  for (const RecordRow& row : package.record->rows) add_member(package, root, row, options);
  return package;
}

}  // namespace

SitePackages read_site_packages(const std::string& directory, const ScanOptions& options) {
  SitePackages installed;
  std::vector<fs::path> dist_infos;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".dist-info") dist_infos.push_back(entry->path());
  }
  if (code) installed.errors.push_back({directory, "cannot be listed: " + code.message(), {}});
  std::sort(dist_infos.begin(), dist_infos.end());
  for (const fs::path& dist_info : dist_infos) {
    auto package = read_package(directory, dist_info, options);
    if (package) {
      installed.packages.push_back(std::move(package).value());
    } else {
      installed.errors.push_back(package.error());
    }
  }
  return installed;
}

}  // namespace wheelcheck
