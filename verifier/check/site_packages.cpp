#include "verifier/check/site_packages.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "verifier/check/elf_file.h"
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

void add_member(WheelFacts& package, const fs::path& root, const RecordRow& row,
                const ElfBudget& budget) {
  const std::string path = fs::path(row.path).lexically_normal().generic_string();
  // Scripts and data lie outside; nothing is found there by a search path.
  if (path.empty() || path.starts_with("../") || path.starts_with("/")) return;
  std::error_code code;
  if (!fs::is_regular_file(root / path, code)) return;
  auto elf = read_elf_file((root / path).string(), budget, false, false);
  MemberFacts member = elf ? std::move(*elf) : MemberFacts();
  member.entry.path = path;
  member.entry.size = fs::file_size(root / path, code);
  member.inflated_size = member.entry.size;
  member.install = {Scheme::platlib, path};
  package.by_path.emplace(path, package.members.size());
  package.members.push_back(std::move(member));
}

Result<WheelFacts> read_package(const fs::path& root, const fs::path& dist_info,
                                const ElfBudget& budget) {
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
  for (const RecordRow& row : package.record->rows) add_member(package, root, row, budget);
  return package;
}

}  // namespace

SitePackages read_site_packages(const std::string& directory, const ElfBudget& budget) {
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
    auto package = read_package(directory, dist_info, budget);
    if (package) {
      installed.packages.push_back(std::move(package).value());
    } else {
      installed.errors.push_back(package.error());
    }
  }
  return installed;
}

}  // namespace wheelcheck
