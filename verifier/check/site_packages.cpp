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

/// Where a path leads, as far as there is something.
fs::path real_path(const fs::path& path) {
  std::error_code code;
  fs::path real = fs::weakly_canonical(path, code);
  return code ? path : real;
}

/// Nothing: it lies in none of the folders, as scripts and data do; no search path leads there.
std::optional<InstallPath> place_of(const fs::path& root, const std::string& path, Scheme scheme,
                                    const std::vector<SitePackagesFolder>& installation) {
  if (path.empty() || path.starts_with("/")) return std::nullopt;
  if (!path.starts_with("../")) return InstallPath{scheme, path};
  const fs::path whole = (root / path).lexically_normal();
  for (const SitePackagesFolder& folder : installation) {
    const std::string below = whole.lexically_relative(folder.path).generic_string();
    if (!below.empty() && !below.starts_with("..")) return InstallPath{folder.scheme, below};
  }
  return std::nullopt;
}

/// `real` is where `root` leads.
void add_member(WheelFacts& package, const fs::path& root, const fs::path& real,
                const RecordRow& row, Scheme scheme,
                const std::vector<SitePackagesFolder>& installation, const ScanOptions& options) {
  const std::string path = fs::path(row.path).lexically_normal().generic_string();
  auto place = place_of(real, path, scheme, installation);
  std::error_code code;
  if (!place) return;
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
  member.install = *std::move(place);
  package.by_path.emplace(path, package.members.size());
  package.members.push_back(std::move(member));
}

/// Where the wheel of a package wants its root to go.
Scheme scheme_of(const fs::path& dist_info) {
  const auto text = read_text(dist_info / "WHEEL");
  const bool pure = text && parse_wheel_file(*text).root_is_purelib.value_or(false);
  return pure ? Scheme::purelib : Scheme::platlib;
}

Result<WheelFacts> read_package(const fs::path& root, const fs::path& dist_info,
                                const std::vector<SitePackagesFolder>& installation,
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
  const fs::path real = real_path(root);
  const auto here =
      std::find_if(installation.begin(), installation.end(),
                   [&](const SitePackagesFolder& folder) { return folder.path == real; });
  const Scheme scheme = here != installation.end() ? here->scheme : scheme_of(dist_info);
  for (const RecordRow& row : package.record->rows) {
    add_member(package, root, real, row, scheme, installation, options);
  }
  return package;
}

/// Whether one leads through lib64 where the other leads through lib, and they are the same else.
bool are_lib64_and_lib(const fs::path& one, const fs::path& other) {
  const auto [left, right] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (left == one.end() || right == other.end() || *left != "lib64" || *right != "lib") {
    return false;
  }
  return std::equal(std::next(left), one.end(), std::next(right), other.end());
}

}  // namespace

Result<std::vector<SitePackagesFolder>> folders_of_installation(
    const std::vector<std::string>& paths) {
  std::vector<SitePackagesFolder> folders;
  for (const std::string& path : paths) {
    const std::string real = real_path(path).string();
    const bool known = std::any_of(
        folders.begin(), folders.end(),
        [&](const SitePackagesFolder& folder) { return real_path(folder.path) == real; });
    if (!known) folders.push_back({path, Scheme::platlib});
  }
  if (folders.size() < 2) return folders;
  for (const std::size_t first : {0U, 1U}) {
    const fs::path one = real_path(folders[first].path);
    const fs::path other = real_path(folders[1 - first].path);
    if (folders.size() > 2 || !are_lib64_and_lib(one, other)) continue;
    folders[1 - first].scheme = Scheme::purelib;
    return folders;
  }
  return Error{folders[1].path,
               "is not of one installation with " + folders[0].path +
                   ": of two folders one is in lib64 where the other is in lib",
               {}};
}

SitePackages read_site_packages(const std::string& directory, const ScanOptions& options,
                                const std::vector<SitePackagesFolder>& installation) {
  std::vector<SitePackagesFolder> real = installation;
  for (SitePackagesFolder& folder : real) folder.path = real_path(folder.path).string();
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
    auto package = read_package(directory, dist_info, real, options);
    if (package) {
      installed.packages.push_back(std::move(package).value());
    } else {
      installed.errors.push_back(package.error());
    }
  }
  return installed;
}

}  // namespace wheelcheck
